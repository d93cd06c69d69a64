"""The drawn designs once more, in tables whose rows are not one person in one period.

Periods, seats and conditions stand side by side as columns, periods in lists inside cells, and the partner's decision
beside one's own. Such a table is judged by what is loaded with the mapping that is drafted for it: each decision is
marked by a little, so that it is found again among what was loaded, and its game, person and conditions are compared
with those that it was made in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import draft_of, read_as
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.mapping_text import Draft
from negstats.studies.study import Study
from tests.loaders.reading.designs import NAMES, Design
from tests.loaders.reading.judge import Verdict, are_same

_MARK, _PLACES = 1e-8, 8  # by which decisions are told apart
_FOUND = 0.9  # of the decisions
_OF_GROUP = ("session", "group", "treatment", "framing", "country", "version", "block")
_FIXED = (
    "session",
    "group",
    "subject",
    "treatment",
    "framing",
    "age",
    "gender",
    "country",
    "version",
    "q1",
    "q2",
    "q3",
)


def _as_text(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_csv(folder / "log.csv", index=False)
    return folder / "log.csv"


@dataclass(frozen=True)
class LaidOut:
    """A design in a table of some other form.

    Attributes
    ----------
    name : str
        Of the form and of the design.
    frame, marked : DataFrame
        The table, and the same one with marked decisions.
    decisions : DataFrame
        One row a decision: its mark (``value``), and what it was made in.
    games : tuple of str
        What may name the games: each of these columns of `decisions` is a right reading.
    conditions : tuple of str
        What was set.
    words : dict of str to str
        What columns are called otherwise than here.
    has_people : bool
        Whether the table says who is who.
    has_clusters : bool
        Whether each row or person is a right reading where those who stayed together are a cluster.
    save : callable
        Write such a table into a folder, and return what a person would name: a file, or the folder.
    """

    name: str
    frame: pd.DataFrame
    marked: pd.DataFrame
    decisions: pd.DataFrame
    games: tuple[str, ...]
    conditions: tuple[str, ...]
    words: dict[str, str]
    has_people: bool = True
    has_clusters: bool = False
    save: Callable[[pd.DataFrame, Path], Path] = _as_text


Form = Callable[[Design, pd.DataFrame, list[str]], pd.DataFrame]


def _joined(design: Design, name: str, word: object, words: Sequence[str]) -> str:
    """Return a column's name with a word in one of the ways that people write it."""
    ways = ("{0}_{1}", "{1}_{0}", "{0}.{1}", "{0}{1}", "{1} {0}")
    way = ways[design.seed % len(ways)]
    if isinstance(word, int) and way.startswith("{1}"):
        way = way.replace("{1}", words[design.seed % len(words)] + "{1}")
    text = str(word)
    if way == "{0}{1}":
        text = text[:1].upper() + text[1:]
    return way.format(name, text)


def _side_by_side(
    design: Design, rows: pd.DataFrame, kept: list[str], key: list[str], by: str, fixed: list[str]
) -> pd.DataFrame:
    """Return a row for each key, in which what varies stands once for each level of a column."""
    varying = [name for name in kept if name not in (*fixed, *key, by)]
    words = ("p", "player", "member", "s") if by == "seat" else ("t", "r", "period", "round")
    pieces = {name: rows.groupby(key, sort=False)[name].first() for name in fixed if name not in key}
    for name in varying:
        wide = rows.pivot_table(index=key, columns=by, values=name, aggfunc="first", sort=False, dropna=False)
        for level in sorted(rows[by].unique()):
            word = int(level) if isinstance(level, (int, np.integer)) else level
            pieces[_joined(design, name, word, words)] = wide[level]
    order = rows.groupby(key, sort=False).first().index
    return pd.DataFrame(pieces).loc[order].reset_index()


def periods_beside(design: Design, rows: pd.DataFrame, kept: list[str]) -> pd.DataFrame:
    """A row of each person, with columns of each period."""
    fixed = [name for name in _FIXED if name in kept and not _varies(rows, ["of_person"], name)]
    frame = _side_by_side(design, rows, [name for name in kept if name != "period"], ["of_person"], "period", fixed)
    return frame.drop(columns="of_person")


def lists_of_periods(design: Design, rows: pd.DataFrame, kept: list[str]) -> pd.DataFrame:
    """A row of each person, with a list of what it decided."""
    fixed = [name for name in _FIXED if name in kept and not _varies(rows, ["of_person"], name)]
    varying = [name for name in kept if name not in (*fixed, "period")]
    by_person = rows.groupby("of_person", sort=False)
    left, between, right = (("[", ", ", "]"), ("", ";", ""), ("[", ",", "]"))[design.seed % 3]
    pieces = {name: by_person[name].first() for name in fixed}
    for name in varying:
        pieces[name] = by_person[name].agg(lambda cells: left + between.join(map(str, cells)) + right)
    return pd.DataFrame(pieces).reset_index(drop=True)


def seats_beside(design: Design, rows: pd.DataFrame, kept: list[str]) -> pd.DataFrame:
    """A row of each group in each period, with columns of each seat."""
    key = ["of_group", *(["period"] if design.periods > 1 else [])]
    fixed = [name for name in _OF_GROUP if name in kept]
    frame = _side_by_side(design, rows, [name for name in kept if name != "role"], key, "seat", fixed)
    return frame.drop(columns="of_group")


def partner_beside(design: Design, rows: pd.DataFrame, kept: list[str]) -> pd.DataFrame:
    """A row of each person in each period, beside what the partner decided."""
    word = ("partner_{}", "other_{}", "{}_partner", "opp_{}", "{}_other")[design.seed % 5]
    frame = rows[kept].copy()
    place = rows.groupby(["of_group", "period"]).cumcount()
    assert place.max() == 1, "two meet"
    other = rows.assign(place=1 - place).set_index(["of_group", "period", "place"])
    own = pd.MultiIndex.from_arrays([rows["of_group"], rows["period"], place])
    for name, told in (("subject", "subject"), ("contribution", "told")):  # a mark stands once
        if name in kept:
            frame[word.format(name)] = other.loc[own, told].to_numpy()
    return frame


def arms_beside(design: Design, rows: pd.DataFrame, kept: list[str]) -> pd.DataFrame:
    """A row of each person, with columns of each condition, of which each decision was made in one."""
    first = rows[~rows.duplicated(["of_person", "treatment"])]
    has_all = first.groupby("of_person")["treatment"].transform("nunique") == first["treatment"].nunique()
    fixed = [name for name in _FIXED if name in kept and not _varies(rows, ["of_person"], name)]
    kept = [name for name in kept if name not in ("period", "block", "date")]
    return _side_by_side(design, first[has_all], kept, ["of_person"], "treatment", fixed).drop(columns="of_person")


def _varies(rows: pd.DataFrame, key: list[str], name: str) -> bool:
    return bool((rows.groupby(key)[name].nunique(dropna=False) > 1).any())


_FORMS: dict[str, tuple[Form, ...]] = {
    "repeated": (periods_beside, lists_of_periods),
    "partners": (periods_beside, seats_beside),
    "once": (seats_beside,),
    "strangers": (seats_beside,),
}


def laid_out(seed: int) -> LaidOut | None:
    """Return the table of the design that a seed draws in another form; None where its rows are all that there is."""
    design = Design(seed)
    forms = [*_FORMS.get(design.meeting, ())]
    if design.meets and design.size == 2:
        forms.append(partner_beside)
    if design.level == "row":
        forms = [arms_beside, *forms]
    if not forms:
        return None
    form = design.pick(forms)
    rows = design.rows()
    rows["seat"] = rows["role"] if design.seats else 1 + rows.groupby(["of_group", "period"]).cumcount()
    kept = [name for name in design.columns() if name not in ("others", "total")]
    if form is not partner_beside and design.seed % 2:
        kept = [name for name in kept if name not in ("comment", "date", "seconds", "accept", "block")]
    if form is partner_beside:
        # Who has no name, or is numbered within the group alone, is put together by the group's name alone.
        is_named = "subject" in kept and design.ids != "group"
        kept = [name for name in kept if name != "group" or design.seed % 3 or not is_named]
        rows = rows.sample(frac=1, random_state=seed) if design.seed % 4 == 0 else rows
    rows["told"] = rows["contribution"]
    marked, decisions = marks_of(design, rows)
    frames = [form(design, each.reset_index(drop=True), kept) for each in (rows, marked)]
    words = NAMES[design.pick((0, 0, 1, 2))]
    renamed = [_renamed(frame, words) for frame in frames]
    return _truth(design, form, renamed, decisions, kept, words)


def marks_of(design: Design, rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows with marked decisions, and each decision with what it was made in."""
    marks = 1 + np.random.default_rng(design.seed).choice(10**6, len(rows), replace=False)
    marked = rows.assign(contribution=(rows["contribution"] * 0.99 + _MARK * marks).round(_PLACES))
    decisions = marked[["treatment", "framing"]].assign(value=marked["contribution"], person=marked["of_person"])
    decisions["game"] = marked.groupby(["of_group", "period"]).ngroup() if design.meets else marked["of_person"]
    decisions["row"] = np.arange(len(marked))
    return marked, decisions.assign(group=marked["of_group"])


def _renamed(frame: pd.DataFrame, words: dict[str, str]) -> pd.DataFrame:
    """Return a table in another language: a column's word is replaced where it stands for itself."""
    longest = sorted(words, key=len, reverse=True)

    def spell(name: str) -> str:
        for word in longest:
            if word in name:
                return name.replace(word, words[word])
        return name

    return frame.rename(columns={name: spell(str(name)) for name in frame.columns})


def _truth(
    design: Design,
    form: Form,
    frames: list[pd.DataFrame],
    decisions: pd.DataFrame,
    kept: list[str],
    words: dict[str, str],
) -> LaidOut:
    conditions = tuple(name for name in ("treatment", "framing") if name in kept)
    games: tuple[str, ...] = ("game",)
    if form in (periods_beside, lists_of_periods, arms_beside):
        games = ("person", "row")
    if design.meeting == "partners" and form is periods_beside:
        games = ("game", "person", "group")
        games += ("row",)
    if form is arms_beside:
        conditions = ()
    has_people = "subject" in kept or not design.meets
    if form is seats_beside and design.ids == "group":
        has_people = False  # the first of each group is not one person
    label = f"{form.__name__}-{design.meeting}-{design.seed}"
    return LaidOut(label, frames[0], frames[1], decisions, games, conditions, words, has_people)


def save_both(table: LaidOut, folder: Path) -> tuple[Path, Path]:
    """Save a table as it is and with its marks, and return what a person would name of each."""
    folders = [folder / table.name / of for of in ("told", "marked")]
    for each in folders:
        each.mkdir(parents=True, exist_ok=True)
    return table.save(table.frame, folders[0]), table.save(table.marked, folders[1])


def judge_loaded(table: LaidOut, folder: Path) -> Verdict:
    """Judge a table in another form by what is loaded with the mapping that is drafted for it."""
    file, marked = save_both(table, folder)
    draft = draft_of(file, Asked())
    subjects = tuple(each.subject for each in draft.reading.questions)
    stops = any(each.is_stop for each in draft.reading.questions)
    faults = tuple(_faults(draft, table, marked))
    if not faults:
        return Verdict("asked" if stops else "right", (), subjects, stops)
    for answers in _answers(draft, table):
        try:
            answered = draft_of(file, Asked(), answers)
        except UsageError:
            continue  # an answer that the table contradicts
        if not _faults(answered, table, marked):
            return Verdict("asked", faults, subjects, stops, answers)
    return Verdict("wrong", faults, subjects, stops)


def _answers(draft: Draft, table: LaidOut) -> Iterator[dict[str, str]]:
    """Yield one option of each question about rows, each with the conditions that were set."""
    questions = draft.reading.questions
    set_names = {table.words.get(name, name) for name in table.conditions}
    several = {
        each.subject: ",".join(option.words for option in each.options if option.words in set_names) or "none"
        for each in questions
        if each.is_several
    }
    able = [several]
    for question in (each for each in questions if each.is_several):  # the name of a file may be all that tells it
        known = several[question.subject].replace("none", "").split(",")
        chosen = [[*known, option.words] for option in question.options if option.words not in known]
        able += [several | {question.subject: ",".join(filter(None, each))} for each in chosen]
    yield from able
    for question in (each for each in questions if not each.is_several):
        for place in range(1, len(question.options) + 1):
            yield {question.subject: str(place)}
            yield from (each | {question.subject: str(place)} for each in able)


def _faults(draft: Draft, table: LaidOut, marked: Path) -> list[str]:
    """Return what is loaded otherwise than it was."""
    try:
        study = read_as(marked, draft.text)
    except LogError as fault:
        return [str(fault)]
    there = find_decisions(study, table)
    if there["value"].nunique() < _FOUND * len(_told(table)):
        return [f"{there['value'].nunique()} of {len(_told(table))} decisions"]
    faults = []
    is_clustered = table.has_clusters and 'role = "cluster"' in draft.text
    games = (*table.games, *(("row", "person") if is_clustered else ()))
    if not any(are_alike(there["game_id"], there[name]) for name in games):
        faults.append(f"{there['game_id'].nunique()} games")
    there = there.drop_duplicates(["value", "game_id", "participant_id"])
    if table.has_people and not are_alike(there["participant_id"], there["person"]):
        faults.append(f"{there['participant_id'].nunique()} people for {there['person'].nunique()}")
    missed = [name for name in table.conditions if not find_factors(study, there, name)]
    return [*faults, *(f"no condition {name}" for name in missed)]


def find_decisions(study: Study, table: LaidOut) -> pd.DataFrame:
    """Return the marked decisions that a study holds, with their games and people, and with those of the truth."""
    truth = table.decisions.drop_duplicates("value")
    found = _find(study)
    return found.assign(value=found["value"].round(_PLACES)).merge(
        truth.assign(value=truth["value"].round(_PLACES)), on="value"
    )


def find_factors(study: Study, decisions: pd.DataFrame, condition: str) -> set[str]:
    """Return the factors of a study that have the levels of a condition in the games of decisions."""
    of_game = decisions[["game_id"]].merge(study.games, on="game_id", how="left")
    return {name for name in study.factors if are_alike(of_game[name], decisions[condition])}


def share_marked(values: pd.Series, table: LaidOut) -> float:
    """Return how many of some numbers are marked decisions."""
    return float(values.round(_PLACES).isin(table.decisions["value"].round(_PLACES)).mean())


def _told(table: LaidOut) -> pd.Series:
    """Return the marks of the decisions that the table tells."""
    texts = pd.Series(table.marked.astype(str).to_numpy().ravel())
    cells = pd.to_numeric(texts.str.split(r"[\[\];,]", regex=True).explode(), errors="coerce")
    marks = set(table.decisions["value"].round(_PLACES))
    return pd.Series([value for value in cells.dropna().round(_PLACES).unique() if value in marks])


def are_alike(one: pd.Series, other: pd.Series) -> bool:
    codes = [pd.factorize(each)[0].astype(np.int64) for each in (one, other)]
    return are_same(codes[0], codes[1])


def _find(study: Study) -> pd.DataFrame:
    """Return all numbers that may be decisions, with their game and person."""
    players = study.players[["game_id", "player", "participant_id"]]
    pieces = []
    answers = study.answers.assign(value=pd.to_numeric(study.answers["answer"], errors="coerce"))
    pieces.append(answers[["game_id", "participant_id", "value"]])
    for name in study.measures:
        if name in study.games:
            wide = study.games[["game_id", name]].rename(columns={name: "value"})
            is_alone = ~players["game_id"].duplicated(keep=False)  # else nobody says whose it is
            pieces.append(
                wide.merge(players[is_alone], on="game_id", how="left")[["game_id", "participant_id", "value"]]
            )
        elif name in study.offers:
            of = study.offers[["game_id", "proposer", name]].rename(columns={name: "value", "proposer": "player"})
            pieces.append(of.merge(players, on=["game_id", "player"], how="left"))
    pieces.append(study.players.rename(columns={"points": "value"})[["game_id", "participant_id", "value"]])
    offers = study.offers
    for units in ("units_to_proposer", "units_to_responder"):
        of = offers.assign(value=offers[units], player=offers["proposer"])[["game_id", "player", "value"]]
        pieces.append(of.merge(players, on=["game_id", "player"], how="left")[["game_id", "participant_id", "value"]])
    items = study.items.merge(offers[["game_id", "offer", "proposer"]], on=["game_id", "offer"], how="left")
    for units in ("to_proposer", "to_responder"):
        if units in items:
            of = items.assign(value=pd.to_numeric(items[units], errors="coerce"), player=items["proposer"])
            pieces.append(
                of.merge(players, on=["game_id", "player"], how="left")[["game_id", "participant_id", "value"]]
            )
    return pd.concat([piece.astype({"value": float}) for piece in pieces if len(piece)], ignore_index=True).dropna(
        subset="value"
    )
