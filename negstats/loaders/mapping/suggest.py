"""Writing a mapping file to start from: guesses filled in and proved by reading the log, everything else explained.

`written` guesses (`guess` beside this file), tries the mapping on the log, and takes back what does not hold there,
until it loads. If it cannot guess what names a game, the mapping says so and fails with that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from negstats.errors import LogError, NegstatsError, UsageError
from negstats.loaders.mapping.codes import CODE_QUESTION, ask_codes, describe_codes, find_likely
from negstats.loaders.mapping.file_factors import set_files, set_folders
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.guess import guess
from negstats.loaders.mapping.guess_names import is_round
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.keys import short
from negstats.loaders.mapping.log_files import Log, find_logs
from negstats.loaders.mapping.mapping_text import mapping_text
from negstats.loaders.mapping.open_questions import open_lines
from negstats.loaders.mapping.rows import RowError, SourceError
from negstats.loaders.mapping.several_tables import join, put_beside
from negstats.loaders.mapping.structure import read_log
from negstats.loaders.mapping.words import MARK, english, plain
from negstats.loaders.reading import Question, Reading

_SPARED = 0.2  # of the games may contradict themselves, as where the mapping is read
# What is taken back while the mapping does not load and the fault names no key: the first of these without which it
# does, else one after the other.
_DOUBTS = (
    "offers.total",
    "items",
    "item",
    "answers",
    "person",
    "messages",
    "measures",
    "factors",
    "offers",
    "seats",
    "games.ended",
    "players",
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A mapping as it was guessed of a log, of which a person may change what is wrong.

    Attributes
    ----------
    source : pathlib.Path
        A file or a folder.
    log : Log
        What was seen there.
    guess : Guess
        What the columns seem to be.
    platform : str
        Which program wrote the log, and why it is taken for that one's.
    spare : bool
        Whether games that contradict themselves are left out.
    coded : bool
        Whether the log cannot be read while codes for missing are numbers.
    missing : bool
        Whether numbers that may be codes for missing count as missing.
    others : tuple of (Log, Guess)
        Further tables that tell of the same games, each a part of the mapping.
    reading : Reading or None
        What the structure of the first table says, and what it leaves open.
    is_accepted : bool
        Whether the likely answers to what is open are taken.
    """

    source: Path
    log: Log
    guess: Guess
    platform: str
    spare: bool = False
    coded: bool = False
    missing: bool = False
    others: tuple[tuple[Log, Guess], ...] = ()
    reading: Reading | None = None
    is_accepted: bool = False

    @property
    def questions(self) -> list[Question]:
        """What the reading of the log leaves open, the costliest error first."""
        return [] if self.reading is None else self.reading.questions

    @property
    def text(self) -> str:
        """The mapping file."""
        answered = [] if self.reading is None else list(self.reading.answered.values())
        draft_text = mapping_text(
            self.source,
            self.log,
            self.guess,
            self.platform,
            spare=self.spare,
            others=self.others,
            open_section=list(open_lines(self.questions, answered, self.source.name, accept=self.is_accepted)),
        )
        if self.coded:
            why = f"{CODE_QUESTION} The log cannot be read while they are numbers"
            draft_text = draft_text.replace(CODE_QUESTION, why)
        return draft_text.replace("# missing = [", "missing = [") if self.missing else draft_text

    @property
    def codes(self) -> str | None:
        """What is asked about numbers that may be codes for missing; None if there are none."""
        return ask_codes(self.log.table, self.guess)

    def likely(self, column: str) -> dict[str, str]:
        """Return which of two codes is acceptance, if more for the responder is accepted more often; {} if none is."""
        return find_likely(column, self.guess, self.log.table)

    def evidence(self, column: str) -> str:
        """Return what each code of a column goes with."""
        return describe_codes(column, self.guess, self.log.table)


def written(
    source: Path,
    check: Callable[[str], object],
    platform: str = "no platform that negstats knows",
    asked: Asked | None = None,
) -> str:
    """Return the text of a mapping file for the log at `source`; the arguments are those of `drafted`."""
    return drafted(source, check, platform, asked).text


def drafted(
    source: Path,
    check: Callable[[str], object],
    platform: str = "no platform that negstats knows",
    asked: Asked | None = None,
    answers: Mapping[str, str] | None = None,
    *,
    is_known: bool = False,
) -> Draft:
    """Return a mapping for the log at `source`.

    Parameters
    ----------
    source
        A file or a folder.
    check
        Called with the text; raises NegstatsError where the log cannot be read with it.
    platform
        Which program wrote the log, and why it is taken for that one's.
    asked
        How the files are written, where a person says so.
    answers
        What a person has answered, for the subject of each question.
    is_known
        Whether a known program wrote the log: then its names say what rows and columns are.

    Raises
    ------
    LogError
        If there is no table at `source`, or none that can be read.
    UsageError
        If an answer is none of a question's options, or to no question.
    """
    all_logs = list(find_logs(source, asked or Asked()))
    logs = [put_beside(log, all_logs) for log in all_logs]
    pairs = [(log, _guess_log(log, source)) for log in logs]
    log, best = max(
        pairs,
        key=lambda pair: (
            _has_acts(*pair),
            "games.game_id" in pair[1].keys and not pair[1].is_any_row,
            "games.game_id" in pair[1].keys,
            len(pair[1].keys),
            len(pair[0].files),
        ),
    )
    fitted, reading = (best, None) if is_known else read_log(log, best, answers or {})
    _refuse_unasked(answers or {}, reading)
    spare = reading is not None and reading.has_doubled_seats
    draft = _settled(Draft(source, log, fitted, platform, spare=spare, reading=reading), check)
    if draft.coded or draft.spare or draft.log.rounds or "games.game_id" not in draft.guess.keys:
        return draft

    def loads(first: tuple[Log, Guess], others: Sequence[tuple[Log, Guess]]) -> bool:
        return _loads(replace(draft, log=first[0], guess=first[1], others=tuple(others)), check)

    first, others = join((draft.log, draft.guess), pairs, loads)
    return replace(draft, log=first[0], guess=first[1], others=tuple(others)) if others else draft


def _refuse_unasked(answers: Mapping[str, str], reading: Reading | None) -> None:
    """Refuse an answer to a question that nobody asks: an answer is never dropped in silence."""
    answered = {} if reading is None else reading.answered
    for subject in answers:
        if subject not in answered:
            asked = sorted({*answered, *([] if reading is None else [each.subject for each in reading.questions])})
            what = f"the questions are about {', '.join(asked)}" if asked else "nothing is asked about this log"
            raise UsageError(f"--answer {subject}={answers[subject]}: there is no such question; {what}")


def _guess_log(log: Log, source: Path) -> Guess:
    """Return what a log's columns, and the names of its files and folders, seem to be."""
    log_guess = guess(log.table, len(log.files) > 1)
    set_folders(log_guess, log, source)
    set_files(log_guess, log)
    _set_owners(log_guess, log)
    if log.marker and MARK not in str(log_guess.keys.get("players.player")):
        log_guess.keep[log.marker] = "{ empty = false }"  # a round that was not played
    return log_guess


def _settled(draft: Draft, check: Callable[[str], object]) -> Draft:
    """Return a draft with which the log can be read: what was guessed wrongly is taken back."""
    doubts = iter(_DOUBTS)
    while "games.game_id" in draft.guess.keys:
        best = draft.guess
        try:
            check(draft.text)
            break
        except LogError as error:
            with_codes = replace(draft, coded=True, missing=True)
            if draft.codes and _loads(with_codes, check):
                return with_codes
            if (
                not draft.spare
                and isinstance(error, RowError)
                and error.games
                and len(error.games) <= _SPARED * error.of
            ):
                draft = replace(draft, spare=True)  # a few games that contradict themselves, not the guess, are wrong
                continue
            draft = replace(draft, spare=False)
            key = error.key.rpartition(", ")[2] if isinstance(error, SourceError) else ""  # of a part
            if key in best.keys:
                draft = replace(draft, guess=best.without(key))
                continue
        except NegstatsError:
            pass
        alone = (replace(draft, guess=_drop_section(best, section)) for section in _DOUBTS)
        one = next((less for less in alone if less.guess.keys != best.keys and _loads(less, check)), None)
        draft = one or replace(draft, guess=_drop_section(best, next(doubts, "games")))
    return draft


def _set_owners(guess: Guess, log: Log) -> None:
    """Let what a list belongs to name the game, and the round be that of the list's elements."""
    if not log.owners or "games.game_id" not in guess.keys:
        return
    guess.keys["games.game_id"] = list(log.owners)
    if guess.keys.get("offers.round") in log.owners:
        names = (name for name in log.table.names if is_round(english(plain(short(name)))) and name not in log.owners)
        name = next(names, None)
        guess.keys.pop("offers.round")
        if name is not None:
            guess.keys["offers.round"] = name


def _loads(draft: Draft, check: Callable[[str], object]) -> bool:
    """Whether the log can be read with a draft."""
    try:
        check(draft.text)
    except NegstatsError:
        return False
    return True


def _drop_section(guess: Guess, section: str) -> Guess:
    for key in list(guess.keys):
        if key == section or key.startswith(f"{section}."):
            guess = guess.without(key)
    return guess


def _has_acts(log: Log, guess: Guess) -> bool:
    """Whether the elements of lists are offers or utterances."""
    acts = {"event", "messages.text", "offers.items", "offers.units_to_responder", "offers.units_to_proposer"}
    has_actor = "players.player" in guess.keys or "messages.text" in guess.keys
    return bool(log.lists) and has_actor and "games.game_id" in guess.keys and bool(acts & guess.keys.keys())
