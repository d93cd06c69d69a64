"""The page Ask: four choices, and at once the sentence of a paper, its figure, the means, and why this test."""

from __future__ import annotations

import base64
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiny import Inputs, Session, reactive, render, req, ui

from negstats.app.parts import button, card, copy_button, fault, notes, nothing, number, select, shown, table
from negstats.app.project import LOCK, STUDY
from negstats.app.state import ASIDE, State, follow
from negstats.errors import DesignError
from negstats.sanitize import capitalised, counted

if TYPE_CHECKING:
    from negstats.analysis.answers import Answer
    from negstats.analysis.preregistration.askable import Askable
    from negstats.analysis.preregistration.check import Checked
    from negstats.studies.study import Study

PAUSE = 0.6  # seconds in which a person who goes on choosing does not start what stands beside a test
UNASKED = (
    "Choose an outcome. Its sentence, its figure and its means are shown here at once; "
    "tick the box first, if you want to plan without seeing a result."
)
NOTHING_VARIES = "Nothing in this study varies. See on the page Open whether the file was read as it should be."
AFTER_FAULT = "Choose another outcome, whose values it takes, or what it is compared by."
LATER = "Checks and effect sizes are being computed …"
LATER_WITH_REPORT = "The study is large: checks and effect sizes are computed with the report."
RELATED = "with:"  # before the name of a second measure, among what an outcome is compared by
OWNERS = {"human": "People", "agent": "The agent"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The choices of the page; what does not fit the others is empty."""

    outcome: str = ""
    who: str = ""
    by: str = ""
    and_by: str = ""
    predicts: str = ""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `negstats.analysis.compare`."""
        related = self.by.removeprefix(RELATED) if self.by.startswith(RELATED) else ""
        by = [name for name in (self.by, self.and_by) if name and not name.startswith(RELATED)]
        return {
            "by": by, "with_": [related] if related else (), "who": self.who or None, "predicts": self.predicts or None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer; the design alone where the result is hidden."""

    question: Asked
    text: str
    fields: dict[str, Any]
    checked: Checked | None = None
    answer: Answer | None = None


def layout() -> ui.TagList:
    """Return the page; each part of an answer is shown as soon as it is there."""
    choices = ui.div(ui.output_ui("choices"), class_="choices")
    parts = [ui.output_ui(name) for name in ("answer", "paper", "figure", "groups")]
    answer = ui.div({"class": "answer", "aria-live": "polite"}, *parts)
    return ui.TagList(ui.h1("Ask a question", class_="unseen"), ui.div({"class": "ask"}, choices, answer))


def serve(input: Inputs, state: State, session: Session) -> None:  # noqa: A002, ARG001 - Shiny's names
    """Connect the page."""
    request: reactive.Value[Asked] = reactive.value(Asked())
    is_hidden: reactive.Value[bool] = reactive.value(False)

    def is_due() -> bool:
        study = state.study()
        return study is None or study.in_memory or input.page() == "ask"  # a large study is asked one thing at a time

    # What can be asked is looked for while the person looks at the games.
    find = follow(lambda: (state.study(),), find_questions, is_shown=is_due, thread=ASIDE, pause=PAUSE)

    @reactive.effect
    def _() -> None:
        known = _known(find)
        if known is not None:
            with reactive.isolate():
                request.set(fit(request(), known))

    def question() -> tuple[Any, ...]:
        study, known, chosen = state.study(), _known(find), request()
        req(study is not None and known is not None and chosen.outcome in known.outcomes)
        return study, chosen, is_hidden() and not state.stamps[LOCK]()

    answered = follow(question, answer_question)
    _connect_choices(state, find, request, is_hidden)
    _connect_plan(state, answered)
    _show_choices(state, find, request, is_hidden)
    _show_answer(state, find, request, answered)


def find_questions(study: Study | None) -> Askable | None:
    """Return what can be asked of a study."""
    from negstats.analysis.preregistration.askable import find_askable

    return None if study is None else find_askable(study)


def _known(find: Any) -> Askable | None:
    """Return what can be asked of the study; None of no study, or where an error is shown instead."""
    known: Askable | str | None = find.result()
    return None if isinstance(known, str) else known


def _show_choices(state: State, find: Any, request: reactive.Value[Asked], is_hidden: reactive.Value[bool]) -> None:
    """Show the lists from which a question is put together."""

    @render.ui
    def choices() -> Any:
        if state.study() is None:
            return None
        if find.status() == "running":
            return card("Your question", ui.p("Looking for what can be asked …", class_="busy", role="status"))
        known = find.result()
        if isinstance(known, str):
            return fault(known)
        return _choices(known, request(), is_hidden=is_hidden(), is_registered=bool(state.stamps[LOCK]()))


def _show_answer(state: State, find: Any, request: reactive.Value[Asked], answered: Any) -> None:
    """Show the question that is asked and, where its result is hidden, what would be tested."""

    @reactive.calc
    def first() -> Shown | str | None:
        """Return the answer to the question that is asked."""
        known = _known(find)
        is_asked = state.study() is not None and known is not None and request().outcome in known.outcomes
        return answered.result() if is_asked else None

    @render.ui
    def answer() -> Any:
        if state.study() is None:
            return nothing("Open a study first; then ask it something.", "Open data", "open")
        known, result = _known(find), first()
        if result is None:
            has_outcomes = known is not None and known.outcomes
            return ui.div({"class": "nothing"}, ui.p(UNASKED if has_outcomes else NOTHING_VARIES))
        if isinstance(result, str):
            return fault(result, AFTER_FAULT)
        question = ui.h2(shown(result.fields["asks"], 500), class_="question-text")
        # The buttons are above what comes later, so that they do not move under a hand.
        adding = _adding(result, is_registered=bool(state.stamps[LOCK]()))
        return ui.TagList(question, adding, _design(result.checked) if result.answer is None else None)

    _show_parts(state, first)


def _show_parts(state: State, first: Callable[[], Shown | str | None]) -> None:
    """Show what an answer is seen by: its sentence and groups at once, then the figure, checks and effect sizes."""

    def seen() -> tuple[Any, ...]:
        shown_answer = first()
        req(isinstance(shown_answer, Shown) and shown_answer.answer is not None)
        return (shown_answer,)

    @reactive.effect
    def _() -> None:
        (result,) = seen()
        with reactive.isolate():
            note_seen(state, result)

    def seen_in_memory() -> tuple[Any, ...]:
        study = state.study()
        req(study is not None and study.in_memory)  # of a large study it would keep the next question waiting
        return (*seen(), study)

    _show_sentences(state, seen, follow(seen_in_memory, answer_whole, thread=ASIDE, pause=PAUSE))
    _show_figure(seen, follow(seen, draw_figure))


def _show_sentences(state: State, seen: Callable[[], tuple[Any, ...]], complete: Any) -> None:
    """Show the sentence of the paper, at first without what the whole answer adds to it."""

    @render.ui
    def paper() -> Any:
        (result,) = seen()
        whole = complete.result() if complete.status() == "success" else None
        if isinstance(whole, tuple) and whole[0] is result:
            return _paper(whole[1], None)
        study = state.study()
        is_large = study is not None and not study.in_memory
        return _paper(result.answer, None if isinstance(whole, str) else LATER_WITH_REPORT if is_large else LATER)


def _show_figure(seen: Callable[[], tuple[Any, ...]], draw: Any) -> None:
    """Show the figure once it is drawn, and the groups."""

    @render.ui
    def figure() -> Any:
        (result,) = seen()
        picture = draw.result()
        if not isinstance(picture, tuple) or picture[0] is not result or picture[1] is None:
            return None
        return _figure(*picture[1])

    @render.ui
    def groups() -> Any:
        (result,) = seen()
        return card("The groups", _means(result.answer), _reason(result.answer))


def note_seen(state: State, result: Shown) -> None:
    """Write into a plan that is not registered which result was looked at."""
    from negstats.analysis.plan.editing import note_look

    text = "" if state.project.path(LOCK).exists() else state.project.plan_text()
    noted = note_look(text, result.fields) if text else text
    if noted != text:
        state.write_plan(noted)


def _connect_choices(state: State, find: Any, request: reactive.Value[Asked], is_hidden: reactive.Value[bool]) -> None:
    """Let the lists change the question; what does not fit a choice is replaced."""

    def choose(name: str) -> Any:
        def chosen(value: str) -> None:
            with reactive.isolate():
                known = _known(find)
                if known is not None:
                    request.set(fit(replace(request(), **{name: value}), known, name))

        return chosen

    for name in ("outcome", "who", "by", "and_by", "predicts"):
        state.handlers[f"choose-{name}"] = choose(name)
    state.handlers["choose-hidden"] = lambda value: is_hidden.set(value == "on")


def _connect_plan(state: State, answered: Any) -> None:
    """Add the question that is shown to the plan."""

    def add(kind: str) -> None:
        from negstats.analysis.plan.editing import add_question

        with reactive.isolate():
            result = answered.result()
            if isinstance(result, Shown):
                text, key = add_question(state.project.plan_text(), result.text, is_hypothesis=kind == "hypothesis")
                state.write_plan(text)
                ui.notification_show(f"{key} is in the plan.", type="message", duration=4)

    state.handlers["add"] = add


def fit(request: Asked, known: Askable, changed: str = "") -> Asked:
    """Return the choices with what does not fit them replaced; what was chosen last holds."""
    outcome = request.outcome if request.outcome in known.outcomes else ""
    if not outcome:
        return Asked()
    factors = known.factors_for(outcome)
    related = request.by.removeprefix(RELATED) if request.by.startswith(RELATED) else ""
    fits = request.by in factors or (related in known.outcomes and related != outcome)
    by = request.by if fits else next(iter(factors), "")
    owners = known.owners(outcome)
    who = request.who if request.who in owners and changed != "outcome" else (known.usual_owner(outcome, by) or "")
    if changed == "who" and request.who in (*owners, ""):
        who = request.who
    and_by = request.and_by if request.and_by in factors and by in factors and request.and_by != by else ""
    predictions = {value for value, _ in expectations(by, and_by, known)}
    return Asked(outcome, who, by, and_by, request.predicts if request.predicts in predictions else "")


def expectations(by: str, and_by: str, known: Askable) -> list[tuple[str, str]]:
    """Return what may be predicted, each with its words."""
    if by.startswith(RELATED):
        return [
            ("positive", "The more of one, the more of the other"),
            ("negative", "The more of one, the less of the other"),
        ]
    factor = known.factors.get(by)
    if and_by or factor is None or len(factor.levels) != 2:
        return []
    first, second = factor.levels
    return [(f"{first} > {second}", f"{first} higher"), (f"{second} > {first}", f"{second} higher")]


def answer_question(study: Study, request: Asked, is_hidden: bool) -> Shown:
    """Answer a question as `negstats compare` does, without what stands beside the test; or look at its design alone.

    What stands beside a test may draw a thousand samples, which somebody who waits for the sentence need not wait for.
    """
    from negstats.analysis.compare import ask, plan_of, question_plan
    from negstats.analysis.preregistration.check import check

    if not is_hidden:
        answer, text = ask(study, request.outcome, **request.arguments(), path=STUDY, answers_only=True)
        return Shown(request, text, _fields(tomllib.loads(text)), None, answer)
    text = question_plan(study, request.outcome, **request.arguments(), path=STUDY)
    checked = check(plan_of(text), study).questions[0]
    if checked.choice is None:
        raise DesignError(checked.refused)
    return Shown(request, text, _fields(tomllib.loads(text)), checked)


def answer_whole(first: Shown, study: Study) -> tuple[Shown, Answer]:
    """Return an answer with all that stands beside its test."""
    from negstats.analysis.compare import ask

    return first, ask(study, first.question.outcome, **first.question.arguments(), path=STUDY)[0]


def draw_figure(first: Shown) -> tuple[Shown, tuple[Any, bytes] | None]:
    """Return an answer and its figure with the file; None where it has none."""
    from negstats.report.figures import figures_of

    assert first.answer is not None  # noqa: S101 - only what is seen is drawn
    with tempfile.TemporaryDirectory(prefix="negstats-") as folder:
        figures, _ = figures_of(first.answer, first.answer, Path(folder), endings=(".svg",))
        files = [(figure, (Path(folder) / f"{figure.name}.svg").read_bytes()) for figure in figures[:1]]
    return first, files[0] if files else None


def _fields(plan: dict[str, Any]) -> dict[str, Any]:
    (fields,) = plan["questions"].values()
    return dict(fields)


def _choices(known: Askable, request: Asked, *, is_hidden: bool, is_registered: bool) -> ui.Tag:
    """Return the choices; each list has only what fits the others."""
    groups: dict[str, Any] = {**({} if request.outcome else {"": "Choose an outcome"}), **known.groups()}
    parts = [select("outcome", "Outcome", groups, request.outcome, is_searched=True)]
    if request.outcome:
        parts += _further_choices(known, request)
    if not is_registered:
        box = ui.tags.input(
            type="checkbox", id="choice-hidden", data_choice="hidden", checked="" if is_hidden else None
        )
        parts.append(ui.tags.label(box, " Keep the result hidden until the plan is registered", class_="check"))
    return card("Your question", *parts)


def _further_choices(known: Askable, request: Asked) -> list[ui.Tag]:
    """Return what an outcome is about, whose values are asked for, what they are compared by, and what is expected."""
    from negstats.metrics import MEASURES

    definition = MEASURES.get(request.outcome)
    meaning = capitalised(definition.meaning).rstrip(".") + "." if definition else ""
    owners = {name: OWNERS.get(name, f"The {name}") for name in known.owners(request.outcome)}
    is_of_game = not owners and known.outcomes[request.outcome].per == "game"
    whose = {**owners, "": "The whole game" if is_of_game else "All seats"}
    factors = known.factors_for(request.outcome)
    compared = {by: f"{factor.name}: {', '.join(factor.levels[:6])}" for by, factor in factors.items()}
    labels = {name: label for group in known.groups().values() for name, label in group.items()}
    related = {RELATED + name: label for name, label in labels.items() if name != request.outcome}
    beside = {"": "Nothing: its mean", "Compared by": compared, "Related to": related}
    others = {by: words for by, words in compared.items() if by != request.by}
    predictions = expectations(request.by, request.and_by, known)
    parts = [ui.p(meaning, class_="hint")] if meaning else []
    parts.append(select("who", "Whose", whose, request.who))
    parts.append(select("by", "Compared by, or related to", beside, request.by))
    if others and request.by in factors:
        parts.append(select("and_by", "And by a second factor", {"": "No second factor", **others}, request.and_by))
    if predictions:
        expected = {"": "No expectation", **dict(predictions)}
        parts.append(select("predicts", "What do you expect?", expected, request.predicts))
    return parts


def _adding(result: Shown, *, is_registered: bool) -> ui.Tag:
    """Return the buttons that add the question to the plan; one whose result is seen is exploratory first."""
    is_blind = result.answer is None
    hypothesis = button("Add as a hypothesis", "add", "hypothesis", "primary" if is_blind else "")
    exploratory = button("Add as exploratory", "add", "exploratory", "" if is_blind else "primary")
    ordered = [hypothesis, exploratory] if is_blind else [exploratory, hypothesis]
    hint = "The outcome has not been looked at." if is_blind else (
        "You see the result: a hypothesis that is added now is not blind, and the plan says so."
        if not is_registered else "The plan is registered: what is added now is a change of it."
    )  # fmt: skip
    return ui.div({"class": "row adding"}, *ordered, ui.span(hint, class_="faint"))


def _design(checked: Any) -> ui.Tag:
    """Return what would be tested, of which no outcome was looked at."""
    from negstats.app.plan_page import design_facts

    return card(
        "What would be tested", design_facts(checked), hint="The result stays hidden until the plan is registered."
    )


def _paper(answer: Answer, later: str | None) -> ui.Tag:
    """Return the sentences for the paper, with doubts, notes and what is still being computed."""
    from negstats.report.one_answer import to_html_sentences

    alarms = [f"{alarm['about']}: {alarm['says']}" for alarm in answer.results.get("alarms") or ()]
    doubts = [ui.div({"class": "doubt"}, ui.tags.strong("Look at this: "), shown(alarm, 600)) for alarm in alarms]
    sentence = ui.p(ui.HTML(to_html_sentences(answer)), id="sentence", class_="sentence")
    wait = None if later is None else ui.p(later, class_="later", role="status")
    row = ui.div({"class": "row"}, copy_button("sentence"), wait)
    return card("The sentence for the paper", *doubts, sentence, row, notes(answer.notes))


def _figure(figure: Any, file: bytes) -> ui.Tag:
    """Return the figure as the report has it, on paper, and its file to save."""
    address = f"data:image/svg+xml;base64,{base64.b64encode(file).decode()}"
    picture = ui.tags.img(src=address, alt=shown(figure.label, 2000))
    caption = ui.tags.figcaption(ui.tags.strong(shown(figure.title)), " ", shown(figure.note, 1000))
    save = ui.tags.a("Save the figure (SVG)", href=address, download="figure.svg", class_="button")
    return card(None, ui.tags.figure({"class": "paper"}, picture, caption), ui.div({"class": "row"}, save))


def _means(answer: Answer) -> ui.Tag | None:
    """Return one row a cell: n, mean or share, SD and interval."""
    cells = [cell for cell in answer.entry["cells"] if cell.get("mean") is not None or cell.get("share") is not None]
    if not cells:
        return None
    what = "mean" if "mean" in cells[0] else "share"
    has_spread = what == "mean"
    rows = []
    for cell in cells:
        spread = cell.get("sd")
        low, high = (number(cell.get(end), spread) for end in ("low", "high"))
        interval = f"{low} to {high}" if cell.get("low") is not None else "–"
        level = ", ".join(shown(level_name, 60) for level_name in cell["levels"].values()) or "All"
        rows.append(
            [
                level,
                f"{cell['n']:,}",
                number(cell[what], spread),
                *([number(spread, spread)] if has_spread else []),
                interval,
            ]
        )
    heads = ["Group", "n", what.capitalize(), *(["SD"] if has_spread else []), "95% CI"]
    return table(heads, rows, "The groups")


def _reason(answer: Answer) -> ui.Tag:
    """Return which test was taken, on how many units, and why."""
    from negstats.analysis.method import label_of

    tests = [label_of(test["method"]) for test in answer.entry["tests"] if test["role"] == "answer"]
    name = tests[0] if tests else "no test"
    design = answer.entry["design"]
    units = counted(design["n_units"], {"participant": "person"}.get(design["units"], design["units"]))
    return ui.p(
        ui.tags.strong(f"{name[:1].upper()}{name[1:]}"),
        f" on {units}. {shown(answer.entry['rule']['sentence'], 600)}",
        class_="reason",
    )
