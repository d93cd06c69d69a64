"""The rows that a plan leaves out, and the flow of games, seats and people.

Each table gets a mark a rule, and is kept with its marks once: all counts are sums of marks.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw

from negstats.analysis.plan.model import GAME_ID, WITHOUT_VALUE, Exclusion
from negstats.analysis.questions.frames import Lazy, as_number, as_text, count, home, ones
from negstats.analysis.questions.repeats import are_deterministic, find_repeated_games
from negstats.errors import DesignError, UsageError, meant, shown
from negstats.studies import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan

# Tables whose rows a rule may look at, and the column that says which seat a row is about.
SEAT_OF = {"players": "player", "offers": "proposer", "messages": "sender"}
KEYS = {"games": ["game_id"], "offers": ["game_id", "offer"], "messages": ["game_id", "message"]}
SEAT = ["game_id", "player"]
MARKED = ("offers", "messages", "answers")
OF_CODES = ("labels.", "replies.")

# What no plan need say: questions about codes are asked of games that were coded, and programs without chance once.
UNCODED = Exclusion("messages.labels", "messages not coded", "missing in all", takes="game")
REPEATED = Exclusion(GAME_ID, "repetitions by agents that always do the same", "repeated", takes="game")

# The columns that say which rule takes a row, and which takes its game; no factor of a study is called so.
TAKEN = "negstats: row taken by rule "
GAME_TAKEN = "negstats: game taken by rule "


@dataclass(frozen=True, slots=True, eq=False)
class RemainingRows:
    """A study without what a plan leaves out.

    Attributes
    ----------
    study : Study
        Without the games, offers, messages and answers that are left out. A seat that is left out stays in its tables,
        for a game is its partner's too.
    seats : narwhals.LazyFrame or None
        The seats that are kept (``game_id``, ``player``); None: all of ``players``.
    flow : tuple of dict
        One a rule: ``rule``, ``reason``, what it took (``games``, ``people``, ``seats``, ``offers``, ``messages``,
        ``answers``) and how much of that another rule took too (``also``). What two rules take is counted under the
        first.
    rules : tuple of Exclusion
        The plan's, and those that follow from the study (`rules_of`).
    """

    study: Study
    seats: Lazy | None
    flow: tuple[dict[str, Any], ...]
    rules: tuple[Exclusion, ...] = ()


def rules_of(study: Study, plan: Plan) -> tuple[Exclusion, ...]:
    """Return the rules of a plan, and those that follow from its questions and the study.

    Where all questions are about the codes of messages, games without a coded message are no part of the study. Where
    agents did the same whenever they met again in the same scenario, each such game counts once.
    """
    own = [UNCODED] if _asks_of_codes(plan) and _is_partly_coded(study) else []
    own += [REPEATED] if are_deterministic(study) else []
    planned = {(rule.column, rule.relation) for rule in plan.leave_out}
    return *plan.leave_out, *(rule for rule in own if (rule.column, rule.relation) not in planned)


def apply_exclusions(study: Study, rules: Sequence[Exclusion]) -> RemainingRows:
    """Return the study without the rows that rules leave out.

    A game of which no person's seat is left goes too, and is counted under the rule that took the last one.

    Raises
    ------
    UsageError
        If a rule names a table, column or question that is not there.
    DesignError
        If a rule takes every game.
    """
    rules = tuple(rules)
    if not rules:
        return RemainingRows(study, None, ())
    key = repr(rules)  # tells 1 from True, which are equal
    if key not in study.remaining_rows:
        marked_frames = _add_marks(study, rules)
        flow = tuple(_count_excluded(marked_frames, rule, place, len(rules)) for place, rule in enumerate(rules))
        study.remaining_rows[key] = _select_remaining(study, marked_frames, rules, flow)
    remaining: RemainingRows = study.remaining_rows[key]
    return remaining


def _asks_of_codes(plan: Plan) -> bool:
    """Return whether every question is about the codes of messages, so that it asks only of games that were coded."""
    bases = {name: measure.measure for name, measure in plan.measures.items()}
    measures = [(question.measure, *question.with_, *question.covariates) for question in plan.questions.values()]
    is_of_codes = [any(str(bases.get(name, name)).startswith(OF_CODES) for name in names) for names in measures]
    return bool(measures) and all(is_of_codes)


def _is_partly_coded(study: Study) -> bool:
    coded = count(_ids(study.frame("messages").filter(~nw.col("labels").is_null()), "game_id"))
    return 0 < coded < study.rows("games")


def _add_marks(study: Study, rules: Sequence[Exclusion]) -> dict[str, Lazy]:
    """Return games, players, offers, messages and answers with a mark a rule, 1 where it takes the row."""
    games, players = study.frame("games"), study.frame("players")
    others = {name: study.frame(name) for name in MARKED}
    # Each rule marks what it takes by itself, whatever earlier rules took.
    for place, rule in enumerate(rules):
        mark = f"{TAKEN}{place}"
        excluded_rows = _find_excluded(study, rule)
        games = _mark(games, mark, excluded_rows.get("games"), ["game_id"])
        players = _mark(players, mark, excluded_rows.get("players"), SEAT)
        for name in MARKED:
            hit = excluded_rows.get("row") if rule.takes == "row" and rule.column.startswith(f"{name}.") else None
            marks = nw.lit(0) if hit is None else nw.when(hit).then(1).otherwise(0)
            others[name] = others[name].with_columns(marks.alias(mark))
    # No rule may take all games.
    games = study.keep(games)
    for place, rule in enumerate(rules):
        if count(games.head(1)) and not count(games.filter(nw.col(f"{TAKEN}{place}") == 0).head(1)):
            raise takes_all(rule, count(games))
    # A game of which all seats are taken is taken; seats know the marks of their game.
    players = study.keep(players)
    games = study.keep(_emptied(games, players, len(rules)))
    of_game = games.select(
        "game_id", *(nw.col(f"{TAKEN}{place}").alias(f"{GAME_TAKEN}{place}") for place in range(len(rules)))
    )
    return {
        "games": games,
        "players": study.keep(players.join(of_game, on="game_id", how="left")),
        **{name: study.keep(frame) for name, frame in others.items()},
    }


def _mark(frame: Lazy, mark: str, excluded_rows: Lazy | None, on: list[str]) -> Lazy:
    if excluded_rows is None:
        return frame.with_columns(nw.lit(0).alias(mark))
    marks = excluded_rows.select(*on).drop_nulls().unique().with_columns(nw.lit(1).alias(mark))
    return frame.join(marks, on=on, how="left").with_columns(nw.col(mark).fill_null(0))


def _find_excluded(study: Study, rule: Exclusion) -> dict[str, Any]:
    """Return what a rule takes: the ids of games, the keys of seats, or (as ``row``) a condition on its own table."""
    table, _, name = rule.column.partition(".")
    players = study.frame("players")
    if table == "answers":
        frame = study.frame("answers")
        if not count(frame.filter(nw.col("question") == name).head(1)):
            questions = home(frame.select("question").unique())["question"]
            raise UsageError(
                f"leave_out {shown(rule.column)}: there is no such question; {meant(name, sorted(questions))}"
            )
        of_question = nw.col("question") == name
        if rule.relation == "missing in all":
            return {"games": _games_without(study, frame.filter(of_question), "answer")}
        hit = of_question & _build_condition("answer", nw.String(), rule)
        rows = frame.filter(hit)
        if rule.takes == "row":
            return {"row": hit}
        if rule.takes == "person":
            return {"players": players.join(_ids(rows, "participant_id"), on="participant_id")}
        rows_without_game = rows.filter(nw.col("game_id").is_null())
        of_people = players.join(_ids(rows_without_game, "participant_id"), on="participant_id")
        return {"games": nw.concat([_ids(rows, "game_id"), _ids(of_people, "game_id")])}
    if table not in ("games", *SEAT_OF):
        raise UsageError(f"leave_out {shown(rule.column)}: give a column of games, players, offers, messages, answers")
    frame = study.frame(table)
    schema = frame.collect_schema()
    if name not in schema:
        raise UsageError(f"leave_out {shown(rule.column)}: no such column; {meant(name, schema.names())}")
    if rule.relation == "missing in all":
        return {"games": _games_without(study, frame, name)}
    if rule.relation == "repeated":
        return {"games": _select_repeated(study)}
    hit = _build_condition(name, schema[name], rule)
    rows = frame.filter(hit)
    if rule.takes == "game" or (table == "games" and rule.takes == "row"):
        return {"games": rows}
    if rule.takes == "person":
        return {"players": _select_people(players, rows, SEAT_OF.get(table))}
    return {"players": rows} if table == "players" else {"row": hit}


def _games_without(study: Study, rows: Lazy, column: str) -> Lazy:
    """Return the games of which no row has a value."""
    return study.frame("games").join(_ids(rows.filter(~nw.col(column).is_null()), "game_id"), on="game_id", how="anti")


def _select_repeated(study: Study) -> Lazy:
    """Return the games that repeat an earlier one."""
    if not study.in_memory:
        raise UsageError("leave_out 'games.game_id': games are compared offer by offer in memory, and this study stays "
                         "with its engine; load it with engine='pandas'")  # fmt: skip
    alike = find_repeated_games(study)
    return study.frame("games").filter(nw.col("game_id").is_in(alike.index[alike].tolist()))


def takes_all(rule: Exclusion, games: int) -> DesignError:
    """Return the error for a rule that leaves no game."""
    return DesignError(f"leave_out {shown(rule.column)}: takes all {games} games; nothing is left to ask about")


def describe_exclusion(rule: Exclusion) -> str:
    """Return a rule in one line, as ``games.session = Demo``."""
    if rule.relation in WITHOUT_VALUE:
        return f"{rule.column} {rule.relation}"
    value = ", ".join(map(str, rule.value)) if isinstance(rule.value, tuple) else rule.value
    return f"{rule.column} {rule.relation} {value}"


def _ids(frame: Lazy, column: str) -> Lazy:
    return frame.select(column).drop_nulls().unique()


def _select_people(players: Lazy, rows: Lazy, seat: str | None) -> Lazy:
    """Return the seats of the people whom rows are about: the rows' own, and all of theirs where they are known."""
    if seat is None:
        own = players.join(_ids(rows, "game_id"), on="game_id")
    else:
        keys = rows.select("game_id", nw.col(seat).alias("player")).drop_nulls().unique()
        own = players.join(keys, on=SEAT)
    theirs = players.join(_ids(own, "participant_id"), on="participant_id")
    return nw.concat([own.select(*SEAT), theirs.select(*SEAT)])


_RELATIONS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _build_condition(column: str, kind: Any, rule: Exclusion) -> nw.Expr:
    """Return where the rule's relation holds. A missing value holds only for "missing"; text is read as a number."""
    if rule.relation == "missing":
        return nw.col(column).is_null()
    values: list[Any] = list(rule.value) if isinstance(rule.value, tuple) else [rule.value]
    value: nw.Expr
    if all(isinstance(item, bool) for item in values) and kind == nw.Boolean:
        value = nw.col(column)
    elif all(isinstance(item, int | float) and not isinstance(item, bool) for item in values):
        value, values = as_number(column, kind), [float(item) for item in values if item is not None]
    else:
        value, values = as_text(column, kind), [str(item) for item in values]
    if rule.relation in ("in", "not in"):
        among: nw.Expr = functools.reduce(operator.or_, (value == item for item in values))
        condition: nw.Expr = among if rule.relation == "in" else ~among
    else:
        condition = _RELATIONS[rule.relation](value, values[0])
    return ~value.is_null() & condition


def _emptied(games: Lazy, players: Lazy, rules: int) -> Lazy:
    """Return games with the marks of the rules that took the last person's seat of each."""
    people = players.filter(~(nw.col("kind") == "agent").fill_null(False))
    people_counts = people.group_by("game_id").agg(
        *(
            ones(
                functools.reduce(operator.and_, (nw.col(f"{TAKEN}{sooner}") == 0 for sooner in range(place + 1)))
            ).alias(f"left{place}")
            for place in range(rules)
        )
    )
    games_with_counts = games.join(people_counts, on="game_id", how="left")
    emptied: nw.Expr | None = None
    marks = []
    for place in range(rules):
        is_empty = (nw.col(f"left{place}") == 0).fill_null(False)
        first = is_empty if emptied is None else is_empty & ~emptied
        marks.append(nw.when((nw.col(f"{TAKEN}{place}") == 1) | first).then(1).otherwise(0).alias(f"{TAKEN}{place}"))
        emptied = is_empty if emptied is None else emptied | is_empty
    return games_with_counts.with_columns(*marks).drop([f"left{place}" for place in range(rules)])


def _any(names: Sequence[str]) -> nw.Expr:
    condition: nw.Expr = nw.lit(False)
    for name in names:
        condition = condition | (nw.col(name) == 1)
    return condition


def _count_excluded(marked_frames: Mapping[str, Lazy], rule: Exclusion, place: int, rules: int) -> dict[str, Any]:
    """Return the rule's row of the flow: what it is the first to take, and how much another takes too."""
    entry: dict[str, Any] = {"rule": describe_exclusion(rule), "reason": rule.reason}
    earlier_rules = range(place)
    others = [other for other in range(rules) if other != place]
    own = _any([f"{TAKEN}{place}"])
    is_new = own & ~_any([f"{TAKEN}{sooner}" for sooner in earlier_rules])
    entry["games"] = _sum(marked_frames["games"], is_new)
    seats = _any([f"{TAKEN}{place}", f"{GAME_TAKEN}{place}"])
    sooner = _any([f"{mark}{other}" for other in earlier_rules for mark in (TAKEN, GAME_TAKEN)])
    first, stays = seats & ~sooner, ~(seats | sooner)
    entry["seats"] = _sum(marked_frames["players"], first)
    known_people = marked_frames["players"].filter(~nw.col("participant_id").is_null())
    people = known_people.group_by("participant_id").agg(ones(first).alias("first"), ones(stays).alias("stays"))
    entry["people"] = count(people.filter((nw.col("first") > 0) & (nw.col("stays") == 0)))
    for name in MARKED:
        if _sum(marked_frames[name], own):
            entry[name] = _sum(marked_frames[name], is_new)
    is_taken_twice = _any([f"{mark}{other}" for other in others for mark in (TAKEN, GAME_TAKEN)])
    entry["also"] = _sum(marked_frames["players"], seats & is_taken_twice)
    return entry


def _sum(frame: Lazy, mark: nw.Expr) -> int:
    return int(frame.select(ones(mark).alias("n")).collect("pyarrow")["n"][0] or 0)


def _select_remaining(
    study: Study, marked_frames: Mapping[str, Lazy], rules: tuple[Exclusion, ...], flow: tuple[dict[str, Any], ...]
) -> RemainingRows:
    marks = [f"{TAKEN}{place}" for place in range(len(rules))]
    of_games = [f"{GAME_TAKEN}{place}" for place in range(len(rules))]
    ids = study.keep(marked_frames["games"].filter(~_any(marks)).select("game_id"))
    remaining_frames: dict[str, Lazy] = {}
    for name in study.frames:
        frame = marked_frames[name].filter(~_any(marks)) if name in MARKED else study.frame(name)
        remaining_rows = frame.join(ids, on="game_id", how="semi")
        if name == "answers":
            remaining_rows = nw.concat([remaining_rows, frame.filter(nw.col("game_id").is_null())])
        remaining_frames[name] = remaining_rows.select(*study.frame(name).collect_schema().names())
    if _sum(marked_frames["offers"], _any(marks)):
        remaining_frames["items"] = remaining_frames["items"].join(
            remaining_frames["offers"].select(*KEYS["offers"]), on=KEYS["offers"], how="semi"
        )
    tables = {name: study.keep(frame).to_native() for name, frame in remaining_frames.items()}
    seats = study.keep(marked_frames["players"].filter(~_any([*marks, *of_games])).select(*SEAT))
    return RemainingRows(study.with_tables(tables), seats, flow, rules)
