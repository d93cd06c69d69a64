"""Writing a mapping file to start from: the log is read by its structure, and what does not load is taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from negstats.errors import LogError, NegstatsError, UsageError
from negstats.loaders.files.lists import NUMBER, paths
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.log_files import Log, TablesRead, find_logs
from negstats.loaders.mapping.mapping_text import Draft
from negstats.loaders.mapping.open_layouts import find_open_layout, laid_out_as_answered
from negstats.loaders.mapping.proposal import Proposal, names_in
from negstats.loaders.mapping.propose import propose
from negstats.loaders.mapping.rows import RowError, SourceError
from negstats.loaders.mapping.several_tables import join, put_beside, shares_names
from negstats.loaders.reading.facts import FEWEST_ROWS
from negstats.loaders.reading.questions import Option, Question, read_answer
from negstats.loaders.reading.reading import Reading
from negstats.sanitize import first_few
from negstats.studies.study import Study

_FEWEST_ROWS = 2  # of a table that is asked about
_TIMES_LONGER = 8  # is the table of what people did than a plan of it
_SPARED = 0.2  # of the games may contradict themselves, as where the mapping is read
# What is taken back while the mapping does not load and the fault names no key.
_CLAIM = "offers.total"
_DOUBTS = (
    _CLAIM, "items", "item", "answers", "person", "messages", "measures", "factors", "offers", "seats",
    "games.ended", "players",
)  # fmt: skip


def drafted(
    source: Path,
    read: Callable[[str, TablesRead], object],
    platform: str = "no platform that negstats knows",
    asked: Asked | None = None,
    answers: Mapping[str, str] | None = None,
) -> Draft:
    """Return a mapping for the log at `source`.

    Parameters
    ----------
    source
        A file or a folder.
    read
        Called with the text, and with tables that are read already; raises NegstatsError where the log cannot be read
        with it.
    platform
        Which program wrote the log, and why it is taken for that one's.
    asked
        How the files are written, where a person says so.
    answers
        What a person has answered, for the subject of each question.

    Raises
    ------
    LogError
        If there is no table at `source`, or none that can be read.
    UsageError
        If an answer is none of a question's options, or to no question.
    """
    answers = dict(answers or {})
    all_logs, layout, laid_out = laid_out_as_answered(list(find_logs(source, asked or Asked())), answers)
    as_read = {key: table for log in all_logs for key, table in log.as_read.items()}

    def check(text: str) -> object:
        return read(text, as_read)

    readings = _read_logs(all_logs, source)
    tables = _question_of_tables([each[0] for each in readings])
    place = read_answer(tables, answers.pop("table"))[0] if "table" in answers and len(readings) > 1 else None
    log, proposal, reading = readings[0 if place is None else place - 1]
    if answers:
        proposal, reading = propose(log, source, answers)
    if place is not None:
        reading.answered["table"] = replace(tables, likely=(place,))
    draft = Draft(source, log, proposal, reading, platform, spare=reading.has_doubled_seats)
    draft = _settled(draft, check)
    if answers:
        _refuse_unasked(answers, reading)
        _refuse_lost(answers, draft)
    draft = _joined(draft, readings, check)
    if laid_out and layout is not None:
        reading.answered[layout.subject] = replace(layout, likely=laid_out)
    elif draft.log.layout is not None:
        reading.ask(draft.log.layout)
    elif layout is not None and (reading.row.kind == "alone" or layout.is_stop):
        own_layout = find_open_layout(draft.log)
        is_open = own_layout is not None and not own_layout.is_of_seats(reading.facts)
        if is_open and own_layout is not None and own_layout.question == layout:
            reading.ask(layout)
    if place is None:
        _ask_tables(draft, tables, readings)
    return draft


ReadLog: TypeAlias = tuple[Log, Proposal, Reading]


def _read_logs(all_logs: Sequence[Log], source: Path) -> list[ReadLog]:
    """Return each log with what stands beside it, as it is read by itself; the one that tells most stands first."""
    widened = [put_beside(log, all_logs) for log in all_logs]
    # What stands beside another table tells nothing that is not read there; of two beside each other the first is read.
    beside = [{id(other) for other in others} for _, others in widened]
    logs = [
        log
        for place, ((log, _), own) in enumerate(zip(widened, all_logs, strict=True))
        if not any(
            id(own) in of and not (place < other and id(all_logs[other]) in beside[place])
            for other, of in enumerate(beside)
        )
    ]
    logs = logs or [log for log, _ in widened]
    readings = [(log, *propose(log, source, {})) for log in logs]
    # Where nothing of its lists is read, a table whose rows are their elements is the table without them, repeated.
    readings = [each for each in readings if not each[0].lists or _keys_of_lists(each[0], each[1])] or readings
    # A text that nobody is known to have said is no message: what else was measured in its rows tells more.
    if any(proposal.starts_with(*_KEYS_OF_OUTCOMES) for log, proposal, _ in readings if not log.lists):
        readings = [each for each in readings if not _is_silent(each[0], each[1])]
    data = [log for log, proposal, _ in readings if proposal.starts_with(*_KEYS_OF_OUTCOMES)]
    return sorted(readings, key=lambda each: (not _is_plan(each[0], data), *_count_told(*each)), reverse=True)


def _is_plan(log: Log, others: Sequence[Log]) -> bool:
    """Whether a table has few rows beside what many people did, of whom it names none: a plan, or an example."""
    rows = len(log.table.rows)
    return rows < FEWEST_ROWS and any(
        len(other.table.rows) >= _TIMES_LONGER * rows and not shares_names(log, other)
        for other in others
        if other is not log
    )


def _joined(draft: Draft, readings: Sequence[ReadLog], check: Callable[[str], object]) -> Draft:
    """Return a draft with the further tables that tell of the same games, each as a part of the mapping."""
    if draft.spare or draft.log.rounds or "games.game_id" not in draft.proposal.keys:
        return draft

    def loads(first: tuple[Log, Proposal], others: Sequence[tuple[Log, Proposal]]) -> bool:
        return _loads(replace(draft, log=first[0], proposal=first[1], others=tuple(others)), check)

    first, others = join((draft.log, draft.proposal), [each[:2] for each in readings], loads)
    return replace(draft, log=first[0], proposal=first[1], others=tuple(others)) if others else draft


def _question_of_tables(logs: Sequence[Log]) -> Question:
    """Return the question which of several tables is read, where their columns differ and nothing joins them."""
    files = [(log.files, log.sheet) for log in logs]
    options = [
        Option(
            _name_of(log, has_others=files.count((log.files, log.sheet)) > 1),
            f"{_count_rows(log)} of {first_few(_own_columns_first(log))}",
        )
        for log in logs
    ]
    return Question("table", "Which table says what people did?", tuple(options), is_stop=True)


def _name_of(log: Log, *, has_others: bool) -> str:
    """Return what a table is called: by its lists where other lists of the same files are tables too."""
    name = log.sheet or log.files[0].name
    return f"{name}: {', '.join(log.lists) or 'without its lists'}" if has_others else name


def _own_columns_first(log: Log) -> list[str]:
    """Return the columns of a log, those in its lists before what stands beside each of their elements."""
    in_lists = tuple(f"{name}." for name in log.lists)
    names = [name for name in log.table.names if name in log.table.cells and not name.endswith(f".{NUMBER}")]
    return sorted(names, key=lambda name: not (name in log.lists or name.startswith(in_lists))) if in_lists else names


def _count_rows(log: Log) -> str:
    """Return how many rows a log has, and in which files, where these are several."""
    if len(log.tables) < 2:
        return f"{len(log.table.rows)} rows"
    rows = sum(len(table.rows) for table in log.tables)
    return f"{rows} rows in {len(log.tables)} files ({first_few([table.file.name for table in log.tables])})"


def _ask_tables(draft: Draft, question: Question, readings: Sequence[ReadLog]) -> None:
    """Ask which table is read where another is not: nothing is tested before, where it may tell of the same games.

    A table tells of the same games where names of its rows stand in the table that is read, and it may be the log where
    it is as long, or has more files: the one that is read may list these. Of the lists of one file any may be the log
    that tells what happened as the one does that is read.
    """
    logs = [log for log, _, _ in readings]
    logs_read = (draft.log, *(other for other, _ in draft.others))
    read = {place for log in logs_read for place in ((log.files, log.sheet), *log.beside)}
    unread = [log for log in logs if (log.files, log.sheet) not in read and len(log.table.rows) >= _FEWEST_ROWS]
    rivals = _rival_lists(draft, readings)
    if unread or rivals:
        names_events = draft.log.lists or "event" in draft.proposal.keys or "messages.text" in draft.proposal.keys
        least = np.inf if names_events else len(draft.log.table.rows)
        is_stop = any(len(log.table.rows) >= least or shares_names(draft.log, log) for log in unread)
        is_stop = is_stop or max((len(log.files) for log in unread), default=0) > len(draft.log.files)
        is_own = [_place_of(log) == _place_of(draft.log) for log in logs]
        place = 1 + (is_own.index(True) if any(is_own) else 0)
        draft.reading.questions.insert(0, replace(question, is_stop=is_stop or bool(rivals), likely=(place,)))


def _rival_lists(draft: Draft, readings: Sequence[ReadLog]) -> list[Log]:
    """Return the logs of other lists in the files that are read, which tell as much of what happened as is read.

    What is told of a game once stands beside each of its lists; a list inside another one is of the same acts.
    """
    logs_read = (draft.log, *(other for other, _ in draft.others))
    known = [name for log in logs_read for name in log.lists]
    content = {_place_of(log): _count_told(log, proposal, reading)[:3] for log, proposal, reading in readings}
    own = content.get(_place_of(draft.log))
    of_files = [log for log, _, _ in readings if (log.files, log.sheet) == (draft.log.files, draft.log.sheet)]
    return [
        log
        for log in of_files
        if log.lists and draft.log.lists and content[_place_of(log)] == own
        if not any(name in paths([other]) or other in paths([name]) for name in known for other in log.lists)
    ]


def _place_of(log: Log) -> tuple[object, ...]:
    """Return what tells a log from others: its files, its sheet and the lists whose elements are its rows."""
    return log.files, log.sheet, log.lists


def _count_told(log: Log, proposal: Proposal, reading: Reading) -> tuple[bool, bool, bool, bool, bool, int, int]:
    """Return how much a table tells: what happened in lists or event by event first, then rows that belong together.

    Before these stands whether anything was measured at all, of lists in their elements, and in these of both seats.
    """
    acts = ("event", "messages.text", "offers.items", "offers.units_to_", "seats.", "items.", "item.")
    keys_of_lists = _keys_of_lists(log, proposal)
    has_player = "players.player" in proposal.keys
    has_acts = any(key == "messages.text" or (has_player and key.startswith(acts)) for key in keys_of_lists)
    # Who acts in elements of a list does something in each, whatever that is called.
    has_numbers = any(key.startswith(("measures.", "offers.")) for key in keys_of_lists)
    is_acting = has_player and reading.row.kind == "events" and "players.player" in keys_of_lists
    has_acts = has_acts or (is_acting and has_numbers)
    talks = has_player and reading.row.kind == "events" and not log.lists and "messages.text" in proposal.keys
    has_acts = has_acts or talks
    has_acts = has_acts or ("event" in proposal.keys and proposal.starts_with("offers.items", "offers.units_to_"))
    repeats = reading.row.kind != "alone" or reading.facts.sides is not None
    # Elements of lists that tell nothing of what happened are details of the rows of people who have several.
    own_keys = keys_of_lists if log.lists else proposal.keys
    is_measured = any(key.startswith((*_KEYS_OF_OUTCOMES, "messages.text", "item", "seats.")) for key in own_keys)
    of_seats = reading.facts.names_of_seats
    measured = [proposal.keys[key] for key in keys_of_lists if re.match(_MEASURED, key)]
    tells_both = any(not of_seats.isdisjoint(names_in(value)) for value in measured)
    return (
        is_measured,
        tells_both and not has_acts,
        has_acts,
        repeats,
        not (has_acts or log.lists),
        len(proposal.keys),
        len(log.files),
    )


def _keys_of_lists(log: Log, proposal: Proposal) -> list[str]:
    """Return the keys behind which elements of the lists stand whose elements are the rows."""
    in_lists = tuple(f"{name}." for name in log.lists)
    return [
        key
        for key, value in proposal.keys.items()
        if key != "games.game_id" and any(name in log.lists or name.startswith(in_lists) for name in names_in(value))
    ]


def _is_silent(log: Log, proposal: Proposal) -> bool:
    """Whether all that is read of lists is text, and nothing says whose."""
    keys = _keys_of_lists(log, proposal) if "players.player" not in proposal.keys else []
    return bool(keys) and all(key.startswith("messages.") for key in keys)


def _refuse_unasked(answers: Mapping[str, str], reading: Reading) -> None:
    """Refuse an answer to a question that nobody asks: an answer is never dropped in silence."""
    for subject in answers:
        if subject not in reading.answered:
            asked = sorted({*reading.answered, *(each.subject for each in reading.questions)})
            what = f"the questions are about {', '.join(asked)}" if asked else "nothing is asked about this log"
            raise UsageError(f"--answer {subject}={answers[subject]}: there is no such question; {what}")


# What an answer says something of: where these keys do not hold, it would be dropped.
_KEYS_OF_ANSWERS = {
    "row": ("games.game_id", "players.participant_id", "players.player"),
    "offer": ("offers.",),
    "condition": ("factors.",),
}


# What is measured or decided: nobody has set what stands behind these keys alone.
_MEASURED = r"measures\.|seats\.[^.]*\.(points|value|units|items|answers)"
_KEYS_OF_OUTCOMES = ("offers.", "measures.", "answers.", "games.ended", "players.points")


def _refuse_lost(answers: Mapping[str, str], draft: Draft) -> None:
    """Refuse an answer that the rows of the log contradict, with the first contradiction."""
    lost = dict(draft.lost)
    for subject, start in _KEYS_OF_ANSWERS.items():
        if subject in answers and (key := next((each for each in lost if each.startswith(start)), None)):
            raise UsageError(f"--answer {subject}={answers[subject]}: {key} cannot be read so: {lost[key]}")
    if "condition" not in answers or "contradiction" in draft.reading.answered:
        return  # of games that contradict a condition somebody has said what becomes of them
    keys = draft.proposal.keys
    chosen = draft.reading.answered["condition"]
    for name in (chosen.options[place - 1].words for place in chosen.likely):
        same = next((each for each in draft.reading.facts.columns if name in (each.name, *each.aliases)), None)
        if same is None or same.is_source:
            continue
        names = {name, same.name, *same.aliases}
        behind = [key for key, value in keys.items() if not names.isdisjoint(names_in(value))]
        if all(key.startswith(_KEYS_OF_OUTCOMES) for key in behind):
            reason = f"it is read as {behind[0]}" if behind else "it differs between the rows of a game"
            reason = f"{reason}, so that it is no condition of games"
            raise UsageError(f"--answer condition={answers['condition']}: {name} cannot be read so: {reason}")


def _settled(draft: Draft, check: Callable[[str], object]) -> Draft:
    """Return a draft with which the log can be read: what does not hold there is taken back, with the reason."""
    doubts = iter(_DOUBTS)
    while "games.game_id" in draft.proposal.keys:
        try:
            check(draft.text)
            break
        except NegstatsError as error:
            fault = error
        if isinstance(fault, LogError):
            is_rare = isinstance(fault, RowError) and fault.games and len(fault.games) <= _SPARED * fault.of
            if is_rare and not draft.spare and (settled := _ask_contradiction(draft, fault, check)):
                return settled
            draft = replace(draft, spare=False)
        lesser_draft = _without_key(draft, _key_of(fault)) or _take_back_section(draft, check)
        lesser = lesser_draft.proposal if lesser_draft else draft.proposal.without(next(doubts, "games"))
        lost = [(key, str(fault)) for key in draft.proposal.keys if key not in lesser.keys]
        draft = replace(draft, proposal=lesser, lost=(*draft.lost, *lost))
    return draft


def _without_key(draft: Draft, key: str) -> Draft | None:
    """Return a draft without a key; None if it has none of this name."""
    return replace(draft, proposal=draft.proposal.without(key)) if key in draft.proposal.keys else None


def _ask_contradiction(draft: Draft, fault: LogError, check: Callable[[str], object]) -> Draft | None:
    """Ask whether a few games that contradict the keys are left out, or the keys that they contradict are not read.

    None if the log cannot be read without these games either.
    """
    spared = replace(draft, spare=True)
    damaged = _count_damaged(spared, check)
    if damaged is None:
        return None
    key = _key_of(fault)
    lesser = _without_key(draft, key)
    if lesser is None or not _loads(lesser, check):
        lesser = _take_back_section(draft, check) or draft
    unread = [name for name in draft.proposal.keys if name not in lesser.proposal.keys]
    where = f"{Path(fault.file).name}, row {fault.row}: " if fault.file and fault.row else ""
    evidence = f"{where}{fault.reason}"
    options = [Option(f"these games are excluded and counted: {damaged[0]} of {damaged[1]}", evidence)]
    if unread:
        options.append(Option(f"all games are read, without {', '.join(unread)}", "no row contradicts the other keys"))
    # What is divided is a claim about all rows that no row makes, and what people are is no reason to lose their games.
    likely = 2 if unread and all(key == _CLAIM or key.startswith("person.") for key in unread) else 1
    text = f"What should happen to games that contradict {key or 'the keys below'}?"
    return lesser if draft.reading.choose("contradiction", text, *options, likely=likely) == 2 else spared


def _key_of(fault: NegstatsError) -> str:
    """Return the key whose column holds a fault, without the part of the mapping; "" if it names none."""
    return fault.key.rpartition(", ")[2] if isinstance(fault, SourceError) else ""


def _take_back_section(draft: Draft, check: Callable[[str], object]) -> Draft | None:
    """Return the draft without the first section of the doubtful ones without which the log can be read."""
    lesser = (replace(draft, proposal=draft.proposal.without(section)) for section in _DOUBTS)
    return next((less for less in lesser if less.proposal.keys != draft.proposal.keys and _loads(less, check)), None)


def _count_damaged(draft: Draft, check: Callable[[str], object]) -> tuple[int, int] | None:
    """Return how many games a draft leaves out, of how many; None if the log cannot be read with it."""
    try:
        study = check(draft.text)
    except NegstatsError:
        return None
    records = study.provenance.records if isinstance(study, Study) else ()
    return next(((each.count, each.of) for each in records if each.kind == "damaged_games"), (0, 0))


def _loads(draft: Draft, check: Callable[[str], object]) -> bool:
    """Whether the log can be read with a draft."""
    return _count_damaged(draft, check) is not None
