"""Tables about the same games: talks and outcomes, or a sheet of people and a sheet of negotiations.

Each table was read by itself. Where the column that names the game is called the same in two of them and holds the
same games, the second becomes a part of the mapping; what both say is taken from one of them. A table with a row for
each person stands beside the rows of what people did.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.beside import join_columns
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.proposal import Proposal, names_in
from negstats.loaders.mapping.words import SIGNS, english, plain
from negstats.loaders.reading.families import words_of_name
from negstats.loaders.reading.words import SEAT_WORDS, roles_of
from negstats.sanitize import first_few
from negstats.toml_text import one_or_list, value_text

Pair = tuple[Log, Proposal]

_SHARED = 0.8  # of the games of the table that has fewer
_USED = 0.5  # of the people of a table, where short numbers name them
_LOOKED = 200  # rows, of whose names one at least stands in the other table
_LEAST_SHARED = 8  # names that two tables share
_MOST_PARTS = 4
_LEAST_COLUMNS = 2  # and people
_TURNED = 0.5  # of pairs that stand in both orders, where each row is of one person
_OF_ID = re.compile(r"[_. ]?(id|code|label|nr|number)$", re.IGNORECASE)
_NUMBER = r"[+-]?[0-9.,]+"
_SEATS_OWN = (".points", ".batna", ".reached_goal", ".agent", ".kind", ".role", ".participant_id")
_CONTENT = ("messages.", "offers.", "items.", "item.", "answers.", "person.", "seats.")
_ONCE = ("games.", "factors.", "measures.", "values.")  # of a game, which one table says


def put_beside(log: Log, others: Sequence[Log]) -> tuple[Log, list[Log]]:
    """Return a log with the columns of tables that have one row for each of what it names, and these tables."""
    if log.rounds:
        return log, []
    entries: list[str] = []
    beside: list[Log] = []
    named: list[str] = []
    own, rest = log, [other for other in others if other is not log]
    while (found := next(_find_beside(own, log, rest, others), None)) is not None:
        other, keys = found
        rest.remove(other)
        where = [f"files = {value_text(other.patterns[0])}"] if log.patterns else []
        where += [f"sheet = {value_text(other.sheet)}"] if other.sheet is not None else []
        forms = [form.partition("  #")[0] for form in other.lines if not form.startswith("#")]
        place = ", ".join([*where, *forms])
        for key in keys:
            by = value_text(one_or_list(list(key)) if all(here == there for here, there in key.items()) else key)
            # Each of two people in a row has columns of theirs.
            prefix = f"{re.sub(_OF_ID, '', next(iter(key))) or next(iter(key))}." if len(keys) > 1 else ""
            entries.append(f"{{ {place}, by = {by}{f', prefix = {value_text(prefix)}' if prefix else ''} }}")
            tables = tuple(_widened(table, other.table, key, prefix) for table in log.tables)
            log = replace(log, table=_widened(log.table, other.table, key, prefix), tables=tables)
        beside.append(other)
        named += [name for key in keys for name in key]
        unread = tuple(file for file in log.unread if file not in other.files)
        unread_sheets = tuple(sheet for sheet in log.unread_sheets if sheet != other.sheet)
        put = (*log.beside, (other.files, other.sheet))
        log = replace(log, unread=unread, unread_sheets=unread_sheets, beside=put)
    if beside:
        value = f"[{', '.join(entries)}]" if len(entries) > 1 else entries[0]
        line = f"beside = {value}  # with a row for each {first_few(list(dict.fromkeys(named)))}"
        log = replace(log, lines=(*log.lines, line))
    return log, beside


def _widened(table: Table, other: Table, key: Mapping[str, str], prefix: str) -> Table:
    """Return a table with the columns of the one beside it; people are called by one column."""
    wide = join_columns(table, other, key, prefix).table
    again = () if prefix else [there for there in key.values() if there not in table.names]
    return replace(wide, names=[name for name in wide.names if name not in again]) if again else wide


def _cells_of(log: Log, name: str) -> pd.Series[str]:
    """Return the cells of a column in all files of a log that have it; none has one of rounds side by side."""
    columns = [table.column(name) for table in log.tables if name in table.cells] or [log.table.column(name)]
    cells: pd.Series[str] = pd.concat(columns)
    return cells


def _find_beside(
    own: Log, log: Log, rest: Sequence[Log], others: Sequence[Log]
) -> Iterator[tuple[Log, list[dict[str, str]]]]:
    """Yield tables with one row for each of what columns of a log name, and these columns with those of the table.

    A table that is put beside the log may hold names of a further one: of the match of a round.
    """
    for other in rest:
        is_of_same_rows = (other.files, other.sheet) == (log.files, log.sheet)  # beside a list stands what it is in
        if is_of_same_rows or len(other.files) != 1 or other.rounds or not (log.patterns or other.sheet is not None):
            continue
        if len(other.table.names) < _LEAST_COLUMNS:
            continue
        further = [each for each in others if each not in (own, other)]
        names = [_name_of(each) for each in others]
        foreign = {_own_words(_name_of(each), names) for each in further}
        for there in (name for name in other.table.names if name in other.table.cells):
            columns = _columns_with_names(log, other, there, _own_words(_name_of(other), names), foreign)
            if columns:
                yield other, [{here: there} for here in columns]
                break
        else:
            if key := _shared_key(log, other):
                yield other, [{name: name for name in key}]


def _shared_key(log: Log, other: Log) -> list[str]:
    """Return the columns of both tables that together name each row of the other one, and rows of the log.

    So session and group name a game, and session and subject a person, whose numbers begin anew in each session.
    """
    shared = [name for name in log.table.names if name in log.table.cells and name in other.table.cells]
    shared = [name for name in shared if "seat" not in roles_of(name)]  # which names nothing
    rows_there = pd.DataFrame({name: other.table.column(name) for name in shared}).dropna()
    fewest = max(len(other.table.rows), _LEAST_SHARED)
    levels = rows_there.nunique()
    for size in (2, 3) if len(rows_there) >= fewest else ():
        for key in itertools.combinations(shared, size):
            # Columns of few levels name no more rows than they have combinations.
            if math.prod(levels[name] for name in key) < fewest:
                continue
            names_there = set(rows_there[[*key]].itertuples(index=False, name=None))
            if len(names_there) < fewest:
                continue
            names = pd.DataFrame({name: _cells_of(log, name).to_numpy() for name in key}).dropna()
            names_here = set(names.itertuples(index=False, name=None))
            n_shared = len(names_here & names_there)
            if n_shared >= _SHARED * max(len(names_here), len(names_there)):
                return [*key]
    return []


def _columns_with_names(log: Log, other: Log, there: str, called: str, foreign: Collection[str]) -> list[str]:
    """Return the columns of a log that name what each row of another table is: one, or those of all seats of a row.

    The other table is `called` so, and `foreign` are the names of further ones.

    Words that stand in both tables are names of the same things, whatever their columns are called. The numbers of any
    two tables agree: their columns must be called the same, as people or seats, or after the table, as ``round_id`` is
    the ``id`` of the table ``round``; ``user_id`` is an id of the table ``user`` and of no other, where there is one. A
    person who did nothing is no loss, while what else a row tells of, such as a game without talk, must stand in the
    log.
    """
    names_there = other.table.column(there)
    if names_there.isna().any() or not names_there.is_unique or len(names_there) < _LEAST_COLUMNS:
        return []
    are_words = not names_there.str.fullmatch(_NUMBER).any()
    are_short = bool(names_there.str.fullmatch(r"[0-9]{1,4}").all())
    all_there, of_people = set(names_there), "person" in roles_of(there)
    columns, known = dict[str, "pd.Series[str]"](), set[str]()
    for here in (name for name in log.table.names if name in log.table.cells):
        is_foreign = any(f"_{name}".endswith(f"_{_called(here)}") for name in foreign)
        is_called_so = "person" in roles_of(here) or not SEAT_WORDS.isdisjoint(words_of_name(here))
        is_known = (of_people and is_called_so and not is_foreign) or _is_key_of(here, called, there)
        may_name_rows = are_words or is_known or here == there
        if not may_name_rows or all_there.isdisjoint(log.table.first_cells(here, _LOOKED)):
            continue
        cells = _cells_of(log, here)
        names = cells.dropna()
        n_shared = len(set(names) & all_there)
        # Of people who did one thing each some may not have answered what was asked of all.
        if n_shared < max((1 if names.is_unique and not is_known else _SHARED) * names.nunique(), 1):
            continue
        # Short numbers agree by chance: 24 who answer are not the first 24 of 240 who propose.
        if n_shared >= _USED * len(names_there) or not are_short:
            columns[here] = cells
            known |= {here} if is_known else set()
    seats = _seats_among(columns)
    # Two tables of as many rows may number these by chance, but hardly people whom both call the same.
    singles = [name for name in columns if are_words or not columns[name].dropna().is_unique or name in known]
    for chosen in ([seats] if len(seats) > 1 else []) + [[name] for name in singles]:
        if known.issuperset(chosen) or all_there <= {name for here in chosen for name in columns[here]}:
            return chosen
    return []


def _seats_among(names: Mapping[str, pd.Series[str]]) -> list[str]:
    """Return columns that name those who met in a row: alike by their names, never the same, and not in turn.

    Where each of two has a row in which the other is the second, a row is of the first alone.
    """
    seats: list[str] = []
    for name in names:
        are_alike = all(("person" in roles_of(name)) == ("person" in roles_of(seat)) for seat in seats)
        pairs = [set(zip(names[seat], names[name], strict=False)) for seat in seats]
        is_apart = all(not any(one == other for one, other in of) for of in pairs)
        is_once = all(len(of & {pair[::-1] for pair in of}) <= _TURNED * len(of) for of in pairs)
        if are_alike and is_apart and is_once:
            seats.append(name)
    return seats


def _is_key_of(here: str, called: str, there: str) -> bool:
    """Whether a column is called as the id of a table is, in the words of databases."""
    is_id = re.search(r"_?id$", here, re.IGNORECASE) is not None and _called(there) in ("id", _called(here))
    return is_id and f"_{called}".endswith(f"_{_called(here)}")


def _name_of(log: Log) -> str:
    """Return what a log's table is called."""
    return log.sheet or log.files[0].stem


def _own_words(name: str, names: Sequence[str]) -> str:
    """Return what a table is called without the words at the end that the names of all tables share.

    Examples
    --------
    >>> _own_words("game_user_street", ["game_user_street", "game_round_street"])
    'game_user'
    """
    words = [_called(each).split("_") for each in names]
    shared = itertools.takewhile(lambda of: len(set(of)) == 1, zip(*(each[::-1] for each in words), strict=False))
    own = _called(name).split("_")
    return "_".join(own[: max(1, len(own) - len(list(shared)))])


def shares_names(log: Log, other: Log) -> bool:
    """Whether many names stand in a column of both tables: words, or whatever stands in columns called alike."""
    for there in other.table.cells:
        names_there = set(_cells_of(other, there).dropna())
        if len(names_there) < _LEAST_SHARED:
            continue
        are_words = not any(re.fullmatch(_NUMBER, name) for name in names_there)
        for here in log.table.cells if are_words else [name for name in log.table.cells if name == there]:
            if names_there.isdisjoint(log.table.first_cells(here, _LOOKED)):
                continue
            names_here = set(_cells_of(log, here).dropna())
            if len(names_here) >= _LEAST_SHARED and len(names_here & names_there) >= _SHARED * min(
                len(names_here), len(names_there)
            ):
                return True
    return False


def join(best: Pair, pairs: Sequence[Pair], loads: Callable[[Pair, Sequence[Pair]], bool]) -> tuple[Pair, list[Pair]]:
    """Return the table to begin with, and those that tell more of its games.

    Parameters
    ----------
    best
        The table that says most.
    pairs
        All tables, with what each is read as.
    loads
        Whether the log can be read with a table and further ones.

    Returns
    -------
    first : tuple of Log and Proposal
        A table with one row a game or seat, if there is one: only the games that it lists exist.
    others : list of tuple of Log and Proposal
        Without those that add nothing, name other seats, or cannot be read beside the first.
    """
    alike = [pair for pair in pairs if pair[0] is not best[0] and _are_of_same_games(best, pair)]
    alike = [pair for pair in alike if _adds(pair[1], [best])]
    first = next((pair for pair in [best, *alike] if pair[1].row == "game"), None)
    first = first or next((pair for pair in [best, *alike] if pair[1].row == "player"), best)
    others: list[Pair] = []
    for pair in (pair for pair in [best, *alike] if pair[0] is not first[0]):
        fitting = _fit_seats(first, pair)
        if fitting is None:
            continue
        first_renamed, other = fitting[0], (pair[0], _without_what_stands(fitting[1], [first, *others]))
        if _adds(other[1], [first_renamed, *others]) and loads(first_renamed, [*others, other]):
            first, others = first_renamed, [*others, other]
        if len(others) == _MOST_PARTS - 1:
            break
    return first, others


def _game_names(proposal: Proposal) -> list[str] | None:
    names = proposal.keys.get("games.game_id")
    if not isinstance(names, list) or not names:
        return None
    columns = [name for name in names if isinstance(name, str) and name not in SIGNS]
    return columns if len(columns) == len(names) else None


def _are_of_same_games(one: Pair, other: Pair) -> bool:
    """Whether the columns that name games are called the same in both tables, and hold the same names."""
    names = [_game_names(pair[1]) for pair in (one, other)]
    if names[0] is None or names[1] is None or len(names[0]) != len(names[1]):
        return False
    if [_called(name) for name in names[0]] != [_called(name) for name in names[1]]:
        return False
    games = []
    for (log, _), columns in zip((one, other), names, strict=True):
        cells = [log.table.column(name).astype(str) for name in columns or []]
        games.append(set(zip(*cells, strict=True)))
    return len(games[0] & games[1]) >= _SHARED * min(map(len, games))


def _called(name: str) -> str:
    """Return what a column is called, whether it stands in a list or beside it."""
    return english(plain(name.rpartition(".")[2])).removesuffix("_id").removesuffix("_number").removesuffix("_no")


def _seats_of(log: Log, proposal: Proposal) -> list[str]:
    """Return the seats that a table names: by columns of their own, or as words of a column."""
    named = list(dict.fromkeys(key.split(".")[1] for key in proposal.keys if key.startswith("seats.")))
    player = proposal.keys.get("players.player")
    words = (
        list(log.table.column(player).dropna().unique())
        if isinstance(player, str) and player in log.table.names
        else []
    )
    if named and len(words) > len(named):
        return words  # these are not the seats that have columns
    return list(dict.fromkeys([*named, *words]))


def _fit_seats(first: Pair, other: Pair) -> tuple[Pair, Pair] | None:
    """Return both tables with the same names of seats; None if they tell of other seats."""
    seats, speakers = _seats_of(*first), _seats_of(*other)
    if not seats or not speakers or set(seats) == set(speakers):
        return first, other
    spelled = {english(plain(word)): word for word in speakers}
    # Columns of a seat are called after its letter or number (a_points), a talk names the agent (Agent A).
    by_seat = {seat: spelled.get(english(plain(seat))) or spelled.get(f"agent_{seat}") for seat in seats}
    if None in by_seat.values() or len(spelled) != len(seats) or not any(k.startswith("seats.") for k in first[1].keys):
        return None
    new_names = {seat: str(word) for seat, word in by_seat.items()}
    return (first[0], _rename_seats(first[1], new_names)), other


def _rename_seats(proposal: Proposal, names: dict[str, str]) -> Proposal:
    """Return a proposal in which seats are called as another table calls them."""

    def rename(key: str) -> str:
        section, _, rest = key.partition(".")
        seat, dot, more = rest.partition(".")
        return f"{section}.{names.get(seat, seat)}{dot}{more}" if section in ("seats", "values") else key

    def rename_constant(value: object) -> object:
        seat = value.get("constant") if isinstance(value, dict) else None
        return {"constant": names[seat]} if isinstance(seat, str) and seat in names else value

    of_seats = ("offers.proposer", "offers.responder", "players.player")
    keys = {rename(key): rename_constant(value) if key in of_seats else value for key, value in proposal.keys.items()}
    return replace(proposal, keys=keys, evidence={rename(key): why for key, why in proposal.evidence.items()})


def _without_what_stands(pair: Pair, before: Sequence[Pair]) -> Proposal:
    """Return a proposal without what an earlier table says of the game or its seats, or reads from the same cells."""
    log, proposal = pair
    known = {key for _, other in before for key in other.keys}
    same_cells = [other for other_log, other in before if (other_log.files, other_log.sheet) == (log.files, log.sheet)]
    read = {name for other in same_cells for value in other.keys.values() for name in names_in(value)}
    for key, value in list(proposal.keys.items()):
        is_of_seat = key.startswith("seats.") and key.endswith(_SEATS_OWN)
        is_known = key in known and (key.startswith(_ONCE) or is_of_seat)
        is_read = not key.startswith("players.") and not read.isdisjoint(names_in(value))
        if key != "games.game_id" and (is_known or is_read):
            proposal = proposal.without(key)
    return proposal


def _adds(proposal: Proposal, before: Sequence[Pair]) -> bool:
    """Whether a table says anything that no earlier one does."""
    known = {key for _, other in before for key in other.keys}
    return any(key.startswith((*_CONTENT, *_ONCE)) for key in proposal.keys if key not in {*known, "games.game_id"})
