r"""The mapping loader: anyone's own table or JSON log becomes a Study through a small TOML file.

The mapping file says which column is what. Its sections are the tables of a study and its keys their columns
(`negstats.tables`), so there is nothing to learn twice::

    # ultimatum.toml: an oTree app; one row is a player in a game, the group's columns stand on each member's row
    study = "Ultimatum, pilot"
    row = "player"                       # one row is: an "offer", "item", "event", "message", "player" or "game"

    [games]
    game_id = ["session.code", "subsession.round_number", "group.id_in_subsession"]
    scenario = { constant = "ultimatum" }

    [factors]
    condition = "group.treatment"

    [players]
    player = "player.id_in_group"
    participant_id = "participant.code"
    points = "player.payoff"

    [offers]
    proposer = { constant = "1" }
    units_to_responder = "group.offer"
    total = 10                           # so 10 - offer is left for the proposer
    response = "group.accepted"

    [levels.response]
    accepted = ["1"]
    rejected = ["0"]

    [answers]
    satisfaction = "player.satisfaction"

``negstats map LOG > mapping.toml`` writes a mapping to start from, with the columns it saw.

What a row is
-------------
``row`` decides how the columns are read:

- ``offer``: each row is an offer. A row that holds neither quantities nor values is left out and counted.
- ``item``: each row is one issue or good of an offer, named by a column (see ``[item]``). Rows of one number
  (``offers.offer``) are one offer, or else those of one game, proposer and round; an item stands in it once.
- ``event``: rows differ. ``event = "Action"`` names the column that tells them apart, ``[levels.event]`` says what is
  an offer, accept, reject, message, walkaway, timeout, dormant, disconnect, or to ignore. An accept (a reject)
  answers the latest unanswered offer of another seat; it is not an offer, even if it repeats its columns. Of a row to
  ignore, such as a header of the game, the factors are read where no other row of the game tells them.
- ``message``: each row is an utterance.
- ``player``: each row is one seat in one game; two rows for one seat are refused. There is one offer for each game
  and proposer, and the game's columns must say the same on all its rows, or nothing.
- ``game``: each row is a game; two rows for one game are refused. Columns of single seats go into ``[seats.NAME]``.

What stands behind a key
------------------------
A text is the name of a column, a number is itself, and an inline table is one of

- ``{ column = "ms", scale = 0.001 }``: a column of numbers, multiplied;
- ``{ column = "score", take = "last" }``: a column that changes during a game: its first, last, min or max value, or
  its sum or mean. Without ``take`` all rows of the game (of the seat) must agree;
- ``{ column = "stamp", clock = true }``: for ``time_s``: dates and times, hours with minutes and seconds, or Unix
  times, counted from the game's start; ``format = "%d/%m/%Y %H:%M:%S"`` if dates are not in ISO form;
- ``{ column = "agent", clean = '@\d+$' }``: what fits the regular expression (or one of a list) is taken out of each
  cell, then outer space; ``missing = [-1, "NA"]`` there means missing in this column only; numbers compare as numbers.
  Where pieces are joined each may have its own ``clean``;
- ``{ constant = "agent" }``: the same text on every row;
- ``{ pair = ["id", "partner_id"] }``: two who name each other, in one order on the rows of both;
- ``{ file = true }``: the file's path without its ending; ``{ file = '^(\w+?)_' }``: the part of it in the
  parentheses of a regular expression;
- ``{ folder = 1 }``: the first folder on the way to the file, ``{ folder = 2 }`` the one in it;
- ``{ row = true }``: the number of the row;
- ``{ begins = "turn" }``: the run of rows in which the numbers of a column rise, for games that nothing else names.

A list of these is joined with ``-``: ``game_id = ["session", { file = true }]``.

The sections
------------
At the top: ``study`` (its name), ``row``, ``files`` (a pattern such as ``"sessions/*.xlsx"``, or a list of them),
``in_some_files`` (a list of columns that not every file has: they are empty in the others),
``sheet`` (of a workbook, table of a database or file of an archive; in JSON the key under which the rows stand),
``sheets`` (a list of these, or "*": their rows were put below each other, and ``source`` is the name of each),
``encoding``, ``delimiter``, ``decimal``
(``","``), ``thousands`` (the sign that parts them, as in 1.141,27), ``header`` and ``first_row`` (the rows of the
names and of the first data; or ``header_rows``, how many rows stand above the data, whose second becomes a note),
``group_row`` (a row above ``header`` whose titles, each over the first column of its group, begin the columns' names),
``rows`` and ``beside`` (see below), ``missing`` (texts that mean missing, besides an empty cell), ``event``,
``accept`` (a list of the doubts about the log that are answered, as `negstats describe` names them),
``leave_out_bad_games`` (true: a fault in a row of a game costs that game, which is counted, as long as at most a fifth
of the games have one; a fault that names no game is still an error). A first line ``sep=;`` names the delimiter.
Empty rows of text and sheets, and what stands behind one below the data, are left out.

- ``[where]``: which rows are kept: for a column the texts that it may have, ``{ not = [...] }``,
  ``{ from = 1, to = 9 }`` or ``{ empty = false }``. The others are left out and counted before anything else in them
  is looked at.

- ``[games]``: ``game_id`` (needed), scenario, protocol, ended, rounds, started_at. If no column says how a game
  ended: with an accepted offer in agreement; with a rejected one, where there is one offer a game, by walking away;
  with a last offer that was rejected in disagreement; else unknown. Where each offer is about one of several issues,
  all of them must be accepted.
- ``[factors]``: the design's factors, under any name. ``session = { column = "session", role = "order" }`` says what
  one is, for the drafted plan: "condition" (assigned to games or people), "agent", "setting", "order", "practice",
  "split", "flag", "id", "game" (games of other rules), "role", "trait", "covariate",
  "cluster" (people met only within a level, so that its games are one unit) or "outcome". Where sessions are numbered
  anew in each city, ``{ join = ["city", "session"], role = "cluster" }`` names them by both.
- ``[measures]``: numbers, under any name, that are compared and tested as the package's own measures are: of the game
  where its rows agree; where the two seats of a game differ, of the seat (kept as an answer of its person); where the
  offers of a game differ, of the offer.
  ``price = { column = "price", unit = "EUR", kind = "number", per = "game" }`` says what the number is: ``unit`` stands
  in tables, sentences and axes; ``kind`` is "number", "yes/no" (its words may be yes and no), "ordered" or "count";
  of words in order ``levels = ["low", "middle", "high"]`` makes them 1, 2, 3;
  ``per`` is "game", "player" (of a log with one row a player, or of utterances with ``take``) or "offer". Of a
  measure of offers, ``first_price`` and ``last_price`` are those of the seat's first and last offer, and ``price`` is
  the mean of its offers.
- ``[players]``: ``player`` (the seat that the row is about, or that acts in it), role, kind, agent, participant_id,
  points, batna, reached_goal. ``points_from_deal = true`` gives each seat the accepted offer's value to it as its
  points, and ``points_without_deal = 0`` those to the seats of the other games; of one good that is divided, and that
  has no values, the value is how much of it the seat gets. An agent keeps no participant_id.
- ``[seats.NAME]``: the same for the seat NAME, where a row has columns of several seats; also ``value`` and ``units``
  (what the row's offer is worth to it, and gives it) and the sections ``[seats.NAME.items]``, ``answers`` and
  ``person``.
- ``[offers]``: the table's columns. ``offer`` is a number to order them by; ``proposer`` the row's player if not
  given; ``responder`` the other one if there are two; ``total`` what both sides' units add up to; ``last_is_deal =
  true`` where a game's last offer is its deal. ``items`` names a column with a dict as text, such as ``{'price':
  'high', 'apples': 3}`` (read, never executed), ``items_to`` who would get its quantities: ``"proposer"``,
  ``"responder"`` or a seat.
  Under the strategy method ``accept_from`` is the least amount that the responder would accept: an offer without a
  response is accepted if it gives that much. ``accept_at = { prefix = "accept_" }`` takes it from columns ``accept_0``,
  ``accept_1``, ... of yes and no. It becomes the responder's answer ``least_acceptable`` about the game.
  Where several seats answer one offer, ``accepts_needed`` is how many must accept it, the proposer among them: a
  number, ``"majority"`` or ``"all"``. The votes stand in ``vote`` of ``[seats.NAME]`` (a row has those of all), in
  ``offers.vote`` (``row = "player"``: the row's player's vote on the offer of the game, or on that of the seat
  ``voted_on`` where each seat makes one), or are the accepts and rejects of a log of events, each on the latest offer;
  ``[levels.response]`` spells them. A proposer without a vote accepts. An offer is rejected when too few seats are left
  who could accept it; a ``response`` of the log is kept, and differences are counted. Each vote is its person's answer
  ``vote`` about the game (1, 0), with the number of the offer behind it if somebody votes on several: ``vote_2``.
- ``[items.NAME]``: one issue or good: ``to_proposer``, ``to_responder``, ``option`` (of a categorical issue),
  ``total``.
- ``[item]``, where a row is an item: ``name``, the column that names it, and the same keys.
- ``[values.SEAT]``: what a unit of each item is worth: ``apple = 5``; or each option: ``price = { high = 1, low = 0
  }``.
- ``[messages]``: text, sender, act, labels, time_s; ``message`` is a number to order them by.
- ``[answers]``: survey questions about the game; ``[person]``: about the person (age, ...), one answer each. An empty
  cell makes no row, for not asked and not answered look alike. ``trust = { mean = ["trust_1", "trust_2"] }`` is the
  mean of the items of a scale, where at least half of them were answered; the items are answers too. Where these have
  keys of their own they are decisions side by side, of which a measure may be the mean as well. ``{ join = ["a",
  "b"] }`` joins the texts of several columns.
- ``[levels.COLUMN]``: how levels are spelled: ``accepted = ["1", "Accept"]``, in upper or lower case; ``""`` is an
  empty cell. With it every value must be listed. COLUMN is a key (kind, response, ended, role, a factor, ...);
  ``[levels.player]`` serves for seats wherever they stand.

What is open
------------
Each ``[[open]]`` is a question that the reading of the log leaves open: its ``subject`` (row, game, offer, ...),
``question``, ``options``, the ``evidence`` for each, and ``likely``, the numbers of what the keys hold. While
one with ``stop = true`` is open nothing is planned or tested. ``answer = [1]`` closes it where the keys are right;
``negstats map LOG --answer row=2`` writes the mapping with another answer, and ``--answer row=person:COLUMN``,
``row=seats:COLUMN,COLUMN``, ``row=events:COLUMN``, ``row=alone`` and ``condition=COLUMN,COLUMN`` name the columns.
``negstats map LOG --accept`` takes all likely answers, and says so by ``accepted = true``.

Rows of one measure each
------------------------
``long = { measure = "what", value = "value", by = ["pid", "trial"] }`` at the top (of a part) puts the rows of one
``pid`` and ``trial`` together to one, in which each text of ``what`` is a column that holds its ``value``. What else
differs between such rows is not read.

More than one kind of row
-------------------------
``[[part]]`` begins a part with sections of its own (``[part.games]``, ...): offers in one file and players in
another, or two sheets. If a part has one row a player or a game, only the games that it lists exist, and rows of
others are left out and counted. ``each = { round = [1, 2, 3] }`` repeats a part with ``{round}`` replaced in its
texts: for wide logs with columns for each round.

A second table
--------------
``beside = { files = "participants.csv", by = "pid" }`` at the top (of a part) adds the columns of another table to the
log's rows: those of the row with the same ``pid``, of which there is one at the most. So people's conditions and ages
stand beside their decisions. ``sheet = "People"`` names a sheet of the same workbook, ``by = { pid = "ID" }`` columns
that are called otherwise there, and ``prefix = "buyer."`` makes the age of whom ``buyer_id`` names the column
``buyer.age``, beside that of the seller; a list ``[{ files = ... }, { files = ... }]`` names several tables. A column
that both have stays the log's; rows that find none are counted.

Lists inside rows
-----------------
``rows = "turns"`` at the top (of a part) makes each element of the lists in the column ``turns`` a row: a whole
dialogue in one JSON object, or in one cell as JSON, or as Python or numpy print it. An element's values are the columns
``turns.speaker``, ``turns.offer.price``, ...; what stands beside the list is the same on all its rows. An element that
is a text stands in ``turns``, those of a list of lists in ``turns.1``, ``turns.2``; ``turns.#`` is its place, from 1.
``rows_once = ["session", "group"]`` says that rows which agree on these columns have one list between them, as oTree
repeats a group's field on the row of each member: it is read once, beside what the first of these rows says. Of cells
that are not lists up to a fifth are left out and counted.
An object that tells the same of each of several names, ``{"Ann": 3, "Bob": 5}``, is opened as a list is: each name is
a row, and stands in ``payoffs.key``; objects of one row are put together by their names. With ``rows = "rounds.*"``
each object in an element of the list is a row, and its name stands in ``rounds.key``.
``rows = ["offers", "answers"]`` names lists that stand side by side: what is at one place of each is one row.
``rows = "turns.acts"`` names lists inside those of ``turns``: each act is a row, with the values of its turn.
A JSON file may be one such object, a list of them, or hold them by their names, which are then the column ``key``
(``round_1``, ``round_2`` the column ``round``); of
one whose list holds lists of objects each of these is a row's, as are the elements of lists as long beside it.

Examples
--------
>>> import tempfile
>>> folder = Path(tempfile.mkdtemp())
>>> _ = (folder / "log.csv").write_text("dyad,who,act,mine,yours\n7,A,offer,6,4\n7,B,offer,5,5\n7,A,ok,,\n")
>>> _ = (folder / "log.toml").write_text('''
... row = "event"
... event = "act"
... games.game_id = "dyad"
... players.player = "who"
... offers = { units_to_proposer = "mine", units_to_responder = "yours" }
... levels.event = { offer = ["offer"], accept = ["ok"] }
... ''')
>>> study = read(folder / "log.csv", read_mapping(folder / "log.toml"))
>>> study.offers[["proposer", "responder", "units_to_proposer", "response"]]
  proposer responder  units_to_proposer    response
0        A         B                6.0  superseded
1        B         A                5.0    accepted
>>> study.games["ended"].item()
'agreement'
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from negstats.errors import LogError, NegstatsError, UsageError, shown
from negstats.loaders.files.any_table import TABLES, read_table
from negstats.loaders.files.damaged import MOST_DAMAGED, hidden, readable
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.parallel import each
from negstats.loaders.files.tabular import Form, Table, refusal
from negstats.loaders.format import Track, untracked
from negstats.loaders.mapping.beside import widen
from negstats.loaders.mapping.build import NoGameError, tables
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.log_files import TablesRead
from negstats.loaders.mapping.mapping_text import Draft
from negstats.loaders.mapping.model import Mapping
from negstats.loaders.mapping.parse import parse
from negstats.loaders.mapping.rows import Lines, Places, RowError
from negstats.loaders.mapping.suggest import drafted
from negstats.loaders.mapping.thresholds import expanded
from negstats.loaders.mapping.unread import record_unread_columns, record_unread_people, with_all_columns
from negstats.studies.study import Study
from negstats.toml_text import TomlError, text_of

__all__ = ["Mapping", "advice", "read", "read_mapping", "suggest"]

VERSION = "2"
NO_PLATFORM = "Not an export of a platform that negstats knows."
Answers: TypeAlias = Dict[str, str]  # for the subject of an open question its answer


def read_mapping(path: str | Path) -> Mapping:
    """Read a mapping file.

    Parameters
    ----------
    path
        A TOML file.

    Returns
    -------
    Mapping
        The mapping, checked.

    Raises
    ------
    UsageError
        If it is not there.
    LogError
        If it is not TOML, or a key or value is not one that a mapping has; the nearest known key is named.
    """
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{file}: no such mapping file; `negstats map LOG > mapping.toml` writes one")
    data = Intake(file).read(file)
    try:
        text = text_of(data)
    except TomlError as error:
        raise LogError(error.reason, file=file, row=error.line) from None
    return parse(text, file, hashlib.sha256(data).hexdigest())


def read(
    source: str | Path,
    mapping: Mapping,
    track: Track = untracked,
    *,
    workers: int = 1,
    as_read: TablesRead | None = None,
) -> Study:
    """Read the log at `source`, a file or a folder, according to `mapping`.

    Parameters
    ----------
    source
        The file, or the folder with the files.
    mapping
        From `read_mapping`.
    track
        Called with the list of files to read; yields them one by one.
    workers
        How many processes read files, where there are a hundred or more.
    as_read
        Tables of files that are read already, by how they are written.

    Returns
    -------
    Study
        The study, with the rows that are left out counted by reason.

    Raises
    ------
    LogError
        Naming file, row and column: damaged files, columns that the log lacks, values of the wrong kind, rows that
        disagree. Rows that can be told apart as no game's, player's or offer's are left out and counted instead.
    """
    root = Path(source)
    intake = Intake(root)
    files = [files_of(root, part.files, mapping.file) for part in mapping.parts]
    tables_read = _tables(intake, mapping, files, track, workers, as_read or {})
    of_parts = [
        with_all_columns(part, [tables_read[file, part.form] for file in of], mapping, intake)
        for part, of in zip(mapping.parts, files, strict=True)
    ]
    files_beside: set[Path] = set()
    for place, part in enumerate(mapping.parts):
        for beside in part.beside:
            found = files_of(root, beside.files, mapping.file)
            of_parts[place] = widen(of_parts[place], beside, part.columns, found, intake)
            files_beside.update(found)
    if root.is_dir():
        note_unread(root, {file for of_part in files for file in of_part} | files_beside, intake)
    names_of_parts = [[name for table in of_part for name in table.names] for of_part in of_parts]
    record_unread_columns(mapping.parts, names_of_parts, intake)
    study_tables, damaged, games = built(mapping, of_parts, intake, MOST_DAMAGED)
    note_damaged(intake, damaged, games)
    note_mapping(mapping, intake)
    for name, answers, are_items in dict.fromkeys(mean for part in mapping.parts for mean in part.means()):
        intake.record("scale_mean" if are_items else "decisions_mean", name, values=answers)
    if not study_tables["players"]["participant_id"].notna().any():
        for part, of in zip(mapping.parts, files, strict=True):
            record_unread_people(part, of, intake)
    return Study(provenance=intake.provenance("mapping", VERSION), **study_tables)


def note_mapping(mapping: Mapping, intake: Intake) -> None:
    """Note which mapping reads the log, and what it says of measures, factors, doubts and open questions."""
    intake.notes.insert(0, f"mapping {mapping.file.name}, SHA-256 {mapping.sha256}")
    intake.measures, intake.roles, intake.accepted = mapping.measures, mapping.roles, mapping.accept
    intake.records += [question.record() for question in mapping.open]


def note_wording(wording: dict[str, str], intake: Intake) -> None:
    """Note what the rows above the data say of columns, where it is not what these are called."""
    if wording:
        wordings = "; ".join(f"{name}: {shown(words)}" for name, words in wording.items() if words != name)
        intake.notes.append(f"the header's wording: {wordings}")


def note_damaged(intake: Intake, damaged: int, games: int) -> None:
    """Note how many games are left out; raises LogError if they are too many."""
    if damaged > MOST_DAMAGED * games:
        raise LogError(f"{damaged} of {games} games are damaged, too many to leave out", file=intake.root)
    if damaged:
        intake.record("damaged_games", count=damaged, of=games)


def built(
    mapping: Mapping, files: list[list[Table]], intake: Intake, most: float
) -> tuple[dict[str, pd.DataFrame], int, int]:
    """Return the tables out of those of each part's files, how many games are damaged, and how many there are.

    Where the mapping allows it, games with a fault in their rows are left out and counted, up to the share `most`.
    """
    damaged: dict[str, str] = {}
    lists = (intake.left_out, intake.notes, intake.records)
    lengths_before = [len(noted) for noted in lists]
    while True:
        for noted, length in zip(lists, lengths_before, strict=True):
            del noted[length:]  # type: ignore[attr-defined]
        places = Places(intake)
        # The columns are large: if they are needed once only, they leave the tables for the lines.
        used_once = len(mapping.parts) == 1 and not mapping.leave_out_bad_games
        expand = zip(mapping.parts, files, strict=True)
        whole_parts = [expanded(part, of_part, intake) for part, of_part in expand]
        parts = [
            Lines.of(part, mapping, places, of_part, give_up=used_once)
            for part, of_part in zip(whole_parts, files, strict=True)
        ]
        places.release_memory()
        try:
            study_tables = tables(parts, places, damaged)
        except NoGameError as nothing:
            nothing.damaged = len(damaged)
            raise
        except RowError as fault:
            if not mapping.leave_out_bad_games or not fault.games:
                raise
            damaged |= dict.fromkeys(fault.games, f"a damaged game: {fault.reason}")
            if len(damaged) > most * fault.of:
                reason = (
                    f"{len(damaged)} of {fault.of} games are damaged, too many to leave out; the last fault: {fault}"
                )
                raise LogError(reason) from None
            continue
        return study_tables, len(damaged), len(places.names)


def suggest(
    path: str | Path,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    answers: Answers | None = None,
    accept: bool = False,
) -> str:
    """Return the text of a mapping file to start from, written from the columns of the log at `path`.

    Columns are guessed from their names and values, and what is guessed was tried on the log: the mapping loads as it
    is if a column that names the game was found, and else fails saying that one is needed.

    Parameters
    ----------
    path
        The log, a file or a folder.
    encoding, delimiter, decimal
        How text files are written; None: found by looking, and said in the mapping.
    answers
        For a subject of the open questions the number of an option, or several with commas between them.
    accept
        Whether the likely answers to all open questions are taken; the mapping says so.

    Raises
    ------
    UsageError
        If `path` is not there, a file cannot be written so, or an answer is to no question.
    LogError
        If there is no table at `path`, or none that can be read; if a file is not written as the arguments say.
    """
    draft = draft_of(path, Asked(encoding, delimiter, decimal), answers)
    return replace(draft, is_accepted=accept).text


def draft_of(path: str | Path, asked: Asked, answers: Answers | None = None) -> Draft:
    """Return what `suggest` writes as a draft that can be changed; raises what it raises."""
    source = Path(path)
    if not source.exists():
        raise UsageError(f"{source}: is not there; name a file or a folder of logs")
    if asked.decimal not in (None, ".", ","):
        raise UsageError(f"decimal {shown(asked.decimal)}: it is . or ,")
    platform = _platform(source)
    return drafted(source, partial(read_as, source), platform or NO_PLATFORM, asked, answers)


def read_as(source: Path, text: str, as_read: TablesRead | None = None) -> Study:
    """Read the log at `source` as the text of a mapping says; raises what `read` raises."""
    return read(source, parse(text, Path("mapping.toml"), ""), as_read=as_read)


def _platform(source: Path) -> str:
    """Return which program wrote a log, and why it is taken for that one's; empty if none is known."""
    from negstats.loaders import sightings

    names = [f"{format_.name}, because {why.because}" for format_, why in sightings(source)]
    if not names:
        return ""
    return f"Platform: {'; or '.join(' '.join(each.split()) for each in names)}. Without a mapping it is read as that."


def advice(source: Path) -> tuple[str, bool]:
    """Return what to do with logs of no platform: the commands that read them, or why there are none; and which.

    Parameters
    ----------
    source
        The file or folder of the logs.

    Returns
    -------
    tuple[str, bool]
        The text, and True where a mapping can be drafted.
    """
    try:
        suggest(source)
    except NegstatsError as error:
        return f"Nor can a mapping be drafted from it: {error}", False
    path = shlex.quote(str(source))
    return (
        "A mapping says what its columns are. To draft one, and to read the file with it:\n"
        f"  negstats map {path} > mapping.toml\n"
        f"  negstats load {path} --map mapping.toml --out study",
        True,
    )


def files_of(root: Path, patterns: Sequence[str], mapping: Path) -> list[Path]:
    """Return `root` itself, or the files below it that a mapping's patterns find; without patterns all tables there."""
    if not root.is_dir():
        return [root]
    paths: list[Path] = []
    for pattern in patterns or ("**/*",):
        try:
            paths += [file for file in root.glob(pattern) if file.is_file()]
        except (ValueError, NotImplementedError, IndexError) as error:
            raise LogError(f"files: {pattern!r} is not a pattern for files: {error}", file=mapping) from None
    paths = sorted(set(paths))
    log_paths = [file for file in paths if ".." not in file.relative_to(root).parts and not hidden(file, root)]
    log_paths = list(readable(log_paths, root))
    if patterns:
        if not log_paths:
            wanted = " or ".join(map(repr, patterns))
            raise LogError(f"no file fits the pattern {wanted} that {mapping.name} names", file=root)
        return log_paths
    logs = [file for file in log_paths if file.suffix.lower() in TABLES]
    if not logs:
        raise LogError(refusal(log_paths), file=root)
    return logs


def note_unread(root: Path, files: set[Path], intake: Intake) -> None:
    """Note the tables in the folder that no part reads."""
    others = [file for file in sorted(root.rglob("*")) if file.suffix.lower() in TABLES and file not in files]
    unread_files = [file for file in others if file.is_file() and not hidden(file, root)]
    if unread_files:
        names = ", ".join(intake.name(file) for file in unread_files[:3]) + (", ..." if len(unread_files) > 3 else "")
        one = len(unread_files) == 1
        what = "1 table of the folder is" if one else f"{len(unread_files)} tables of the folder are"
        intake.notes.append(f"{what} not read, for no part names {'it' if one else 'them'}: {names}")


Wanted: TypeAlias = dict[Form, frozenset[str]]  # the columns that are taken


def _read_one(
    columns_by_file: tuple[dict[Path, Wanted], Wanted, TablesRead, dict[Form, str]], file: Path, intake: Intake
) -> dict[Form, Table]:
    """Read a file in the forms that the parts want, which are those of all files but for some.

    Of some forms all columns are read, for some are known by how they begin.
    """
    some, of_all, as_read, beginnings = columns_by_file
    data, wanted = intake.read(file), some.get(file, of_all)
    tables_by_form = {
        form: _copy(as_read[file, form])
        if (file, form) in as_read
        else read_table(data, file, form, None if form in beginnings else columns)
        for form, columns in wanted.items()
    }
    intake.add(file, data, sum(len(table.rows) for table in tables_by_form.values()))
    for form, table in tables_by_form.items():
        begun = (name for name in table.doubled if form in beginnings and name.startswith(beginnings[form]))
        intake.note_table(table, {*wanted[form], *begun})
    return tables_by_form


def _copy(table: Table) -> Table:
    """Return a table whose columns may be given up one by one, while those of the other one stay."""
    return replace(table, cells=dict(table.cells))


def _tables(
    intake: Intake, mapping: Mapping, files: list[list[Path]], track: Track, workers: int, as_read: TablesRead
) -> dict[tuple[Path, Form], Table]:
    """Read each file once, with the columns that any part takes from it."""
    columns_by_file: dict[Path, dict[Form, set[str]]] = {}
    for part, of_part in zip(mapping.parts, files, strict=True):
        for file in of_part:
            columns_by_file.setdefault(file, {}).setdefault(part.form, set()).update(part.columns)
    beginnings = {part.form: part.accept_at for part in mapping.parts if part.accept_at}
    tables_read: dict[tuple[Path, Form], Table] = {}
    header_wording: dict[str, str] = {}
    forms_by_file: dict[Path, Wanted] = {
        file: {form: frozenset(columns) for form, columns in forms.items()} for file, forms in columns_by_file.items()
    }
    of_all = next(iter(forms_by_file.values()), {})
    some = {file: forms for file, forms in forms_by_file.items() if forms != of_all}
    for file, tables_by_form in zip(
        forms_by_file,
        each(intake, list(forms_by_file), partial(_read_one, (some, of_all, as_read, beginnings)), track, workers),
        strict=True,
    ):
        for table in tables_by_form.values():
            header_wording |= table.wording or {}
        tables_read |= {(file, form): table for form, table in tables_by_form.items()}
    note_wording(header_wording, intake)
    return tables_read
