"""One question as a plan: an outcome by factors, with other measures, or alone; answered as `run` answers it.

`question_plan` writes the plan, which `negstats plan --check` and `negstats run` take as it stands; `compare` runs it.
What the design says by itself (levels, what lies within and between units, the kind of outcome) is not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.answers import Answer
from negstats.analysis.plan.columns import DERIVED
from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import find_faults, parse
from negstats.analysis.questions.frames import as_text, home
from negstats.analysis.questions.units import SEAT_FACTORS, factors_of, measure_of
from negstats.analysis.rules import OWN
from negstats.analysis.run import answer as answer_plan
from negstats.errors import DesignError, UsageError, argument, meant, shown, speaking
from negstats.metrics.lookup import is_measure, noun_of, own_name
from negstats.studies.study import Study
from negstats.toml_text import one_or_list, table_text, value_text

Names: TypeAlias = str | Sequence[str]
ID = "H1"
MOST_WORDS = 20  # different answers in words that are compared as kinds
COLUMNS = ("games", "players", "answers", *DERIVED)  # what a factor may be read from, before the point of its name
YES = {"yes", "true", "ja", "oui", "si", "sí", "כן"}
NO = {"no", "false", "nein", "non", "לא"}
SEAT = "player"  # the column of seats' names, which each analysis has under this name


def compare(
    study: Study,
    outcome: str,
    by: Names = (),
    *,
    with_: Names = (),
    who: str | None = None,
    predicts: str | None = None,
    paired: bool = False,
    levels: Sequence[str] | Mapping[str, Sequence[str]] = (),
    scale: Sequence[str] = (),
    unit: Literal["independent", "game"] = "independent",
) -> Answer:
    """Compare an outcome by factors, or relate it to other measures.

    The test follows from the design and the kind of outcome, as in a plan (`negstats.analysis.rules`).

    Parameters
    ----------
    study
        The study. One whose rows stay with an engine is compared there.
    outcome
        A measure of the study, or the question of a survey.
    by
        Factors: columns of games or what tells seats apart (kind, role, agent); ``answers.QUESTION``; or columns that
        a plan derives, such as ``partner.role``, ``order.session`` and ``first.condition``.
    with_
        Measures that the outcome is related to.
    who
        Whose values, for a measure of seats: a kind, role, agent or seat.
    predicts
        The sign that is predicted, such as ``"CL > FC"`` or ``"positive"``.
    paired
        Whether the same units stand at the levels of the first factor. The study shows it by itself, and what does not
        fit is refused; where some units lack a level, only the others are tested, and no mixed model takes all.
    levels
        Of the first factor, or of factors by name: which levels, in order. A difference is first minus second.
    scale
        Of answers in words: the words in ascending order.
    unit
        "game" takes all games for independent of each other, though people play several.

    Returns
    -------
    Answer
        As `negstats.analysis.run` gives it for a question: `table`, `apa`, `plot`, `result`.

    Raises
    ------
    UsageError
        If a name is unknown, or `who` is needed.
    DesignError
        If no test is there for the design, units may be linked, or the data do not give the test.

    Examples
    --------
    >>> import negstats
    >>> study = negstats.load("datasets/sample")
    >>> answer = compare(study, "points", by="condition", who="agent")
    >>> answer.result.method, answer.table()["n"].tolist()
    ('paired', [12, 12])
    """
    with speaking("Python"):
        return ask(
            study, outcome, by, with_=with_, who=who, predicts=predicts, paired=paired, levels=levels, scale=scale,
            unit=unit,
        )[0]  # fmt: skip


def ask(
    study: Study, outcome: str, by: Names = (), *, paired: bool = False, answers_only: bool = False, **said: Any
) -> tuple[Answer, str]:
    """Return the answer to a question, and its plan as text; arguments are those of `question_plan`.

    Where some units lack a level, a mixed model keeps them; `paired` takes the complete units alone. `answers_only`
    leaves out what follows the answer and stands beside it, as `negstats.analysis.run.answer` does.
    """
    text = question_plan(study, outcome, by, paired=paired, **said)
    answer = _answer(text, study, answers_only=answers_only)
    places = {factor["lies"] for factor in answer.entry["design"]["factors"]}
    if paired and places == {"within"} and answer.entry["tests"][0]["method"] == "mixed":
        has_two_levels = [len(levels) for levels in answer.levels.values()] == [2]
        text += f"test = {value_text('paired' if has_two_levels else 'repeated')}\n"
        answer = _answer(text, study, answers_only=answers_only)
    return answer, text


def _answer(text: str, study: Study, *, answers_only: bool) -> Answer:
    """Return the answer to a plan of one question; what refuses it is raised."""
    answer = answer_plan(plan_of(text), study, answers_only=answers_only)[ID]
    if answer.refusal is None:
        return answer
    if answer.entry["kind"] == "nominal":
        way = argument("scale", "LOWEST,...,HIGHEST")
        raise DesignError(f"{answer.refusal}; if the answers have an order, add {way}")
    raise answer.refusal


def plan_of(text: str) -> Plan:
    """Return the plan that `question_plan` wrote; a fault names the argument that brought it in.

    Raises
    ------
    UsageError
        If arguments do not fit each other.
    """
    for fault in find_faults(text):
        field = fault.field.rpartition(".")[2]
        raise UsageError(f"{'the outcome' if field in ('measure', 'answer') else argument(field)} {fault.reason}")
    return parse(text)


def question_plan(
    study: Study,
    outcome: str,
    by: Names = (),
    *,
    with_: Names = (),
    who: str | None = None,
    predicts: str | None = None,
    paired: bool = False,
    levels: Sequence[str] | Mapping[str, Sequence[str]] = (),
    scale: Sequence[str] = (),
    unit: str = "independent",
    path: str | None = None,
    mapping: str | None = None,
) -> str:
    """Return the plan of one question as the text of ``plan.toml``; arguments are those of `compare`.

    Parameters
    ----------
    path, mapping
        Where the study and its mapping lie, as the plan is to name them.
    """
    # The factors by their own names, and the levels that are asked for.
    frame_study = study.with_frames()
    columns = {_factor_name(column): column for column in _names(by)}
    factors = {name: _factor_column(frame_study, column) for name, column in columns.items()}
    by_name = levels if isinstance(levels, Mapping) else dict(zip(factors, [levels] if levels else [], strict=False))
    chosen = {name if name in factors else _factor_name(name): names for name, names in by_name.items()}
    if levels and not set(chosen) <= set(factors):
        known = meant("", factors, "the factors are")
        raise UsageError(f"{argument('levels')} names a factor that the question does not have; {known}")
    if paired and not factors:
        raise UsageError(f"{argument('within')} describes a factor; name it with {argument('by')}")
    for name, names in chosen.items():
        _check_levels(frame_study, name, factors[name], names)
    # The measures, and each table of the plan with the fields that the question needs.
    typed = (own_name(frame_study.frames, name) for name in (outcome, *_names(with_)))
    outcome, *numbers = (_measure_name(name, factors) for name in typed)
    data: dict[str, object] = {"path": path, "mapping": mapping, "unit": None if unit == "independent" else unit}
    tables: dict[tuple[str, ...], dict[str, object]] = {("data",): data}
    for place, (name, column) in enumerate(factors.items()):
        tables["factors", name] = {
            "column": column if column != name else None,
            "levels": list(map(str, chosen[name])) if chosen.get(name) else None,
            "within": True if paired and place == 0 else None,
        }
    for name in (outcome, *numbers):
        tables["measures", name] = _measure_fields(frame_study, name, scale if name == outcome else ())
    tables["questions", ID] = {
        "asks": _sentence(outcome, list(factors), numbers, who),
        "measure": outcome,
        "who": who,
        "by": one_or_list(list(factors)),
        "with": one_or_list(numbers),
        "predicts": predicts,
    }
    head = "# One question as a plan: check it with negstats plan --check, answer it with negstats run."
    filled = [table_text(at, cells) for at, cells in tables.items() if any(cell is not None for cell in cells.values())]
    return "\n\n".join([head, *filled]) + "\n"


def _names(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _factor_name(column: str) -> str:
    """Return what a factor is called that is read from a column: ``answers.gender`` is ``gender``."""
    if column == SEAT:
        return "seat"
    if column in OWN:  # a column of every analysis
        return f"{column}_factor"
    table, _, name = column.partition(".")
    return name if table in ("games", "players", "answers") and name else column.replace(".", "_") if name else column


def _measure_name(name: str, factors: Mapping[str, str]) -> str:
    """Return what a measure is called: ``answers.satisfaction`` is ``satisfaction``, where nothing else is."""
    item = name.removeprefix("answers.")
    return name if is_measure(item) or item in factors else item


def _factor_column(study: Study, name: str) -> str:
    """Return the column of a factor as a plan names it: the name alone where that is enough.

    Raises
    ------
    UsageError
        If the study has nothing of this name.
    """
    table, _, rest = name.partition(".")
    if rest and table in COLUMNS and name not in study.factors:
        return name
    if name in study.factors:
        if name in SEAT_FACTORS:
            raise UsageError(f"{name!r} is a factor of the games and also a property of seats; write games.{name}")
        return f"games.{name}" if "." in name or name in OWN else name
    known = factors_of(study)
    if name in known:
        return f"players.{SEAT}" if name == SEAT else name
    if name in _questions_of(study):
        return f"answers.{name}"
    names = [*known, *_questions_of(study)]
    several = set(name.split(",")) <= set(names)
    hint = f"repeat {argument('by')} for several factors" if several else meant(name, names)
    raise UsageError(f"no factor is called {shown(name)}; {hint}")


def _check_levels(study: Study, name: str, column: str, levels: Sequence[str]) -> None:
    """Refuse levels that a factor of the games, or of seats, has not; a derived one makes its own."""
    table, _, of = column.rpartition(".")
    table = table or ("games" if name in study.factors else "players")
    if table not in ("games", "players"):
        return
    frame = study.frame(table)
    texts = home(frame.select(as_text(of, frame.collect_schema()[of]).alias("level")).drop_nulls().unique())["level"]
    known = sorted(map(str, texts))
    unknown = [level for level in map(str, levels) if level not in known]
    if unknown:
        raise UsageError(f"{argument('levels')}: {name!r} has no level {unknown[0]!r}; it has {', '.join(known)}")
    if len(set(levels)) < 2:
        raise UsageError(f"{argument('levels')}: name two different levels of {name!r}; it has {', '.join(known)}")


def _questions_of(study: Study) -> list[str]:
    return sorted(map(str, home(study.frame("answers").select("question").unique())["question"].dropna()))


def _measure_fields(study: Study, name: str, scale: Sequence[str]) -> dict[str, object]:
    """Return what a plan must say of a measure: the column or question that it is read from, its scale, its kind.

    Raises
    ------
    UsageError
        If the name is neither a measure nor a question.
    """
    item = name.removeprefix("answers.")
    words = [] if name in metrics.MEASURES else _words_of(study, item)
    if scale and not words:
        measure_of(study, name)  # refuses a name that nothing has
        raise UsageError(f"{argument('scale')} is for answers in words, and {shown(name)} has none")
    if words:
        is_yes_no = len(words) == 2 and words[0].lower() in NO and words[1].lower() in YES
        kind = None if scale else "yes/no" if is_yes_no else "nominal"
        return {"answer": item, "scale": list(scale) or (words if is_yes_no else None), "kind": kind}
    if is_measure(name):
        return {}
    if item in _questions_of(study):
        return {"answer": item}
    known = measure_of(study, name)
    kind = "yes/no" if known.yes_no else known.kind if known.kind in ("ordered", "count") else None
    return {"measure": metrics.column_of(study.frames, name), "kind": kind}


def _words_of(study: Study, item: str) -> list[str]:
    """Return the answers to a question in the order of the alphabet; none where they are numbers or too many."""
    answers = study.frame("answers").filter(nw.col("question") == item).select("answer").unique().head(MOST_WORDS + 1)
    words = sorted(map(str, home(answers)["answer"].dropna()))
    is_of_words = 2 <= len(words) <= MOST_WORDS and pd.to_numeric(pd.Series(words), errors="coerce").isna().any()
    return words if is_of_words else []


def _sentence(outcome: str, factors: Sequence[str], numbers: Sequence[str], who: str | None) -> str:
    """Return the question in words.

    Examples
    --------
    >>> _sentence("points", ["condition"], [], "agent")
    'Is there a difference in points of the agent by condition?'
    >>> _sentence("agreed", [], ["joint_value"], None)
    'Is agreement related to joint value?'
    """
    owner = f"{_spell(outcome)}{f' of the {who}' if who else ''}"
    by = f" by {' and '.join(factors)}" if factors else ""
    if numbers:
        return f"Is {owner} related to {' and '.join(map(_spell, numbers))}{by}?"
    return f"Is there a difference in {owner}{by}?" if factors else f"What is the level of {owner}?"


def _spell(measure: str) -> str:
    """Return what a measure is called in a sentence; a number or answer of the study's own has its name."""
    return noun_of(measure) or measure.replace("_", " ")
