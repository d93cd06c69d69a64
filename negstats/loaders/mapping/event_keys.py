"""What happens in a game, one row each: offers and what they are made of, answers, talk, and when it was."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from negstats.errors import LogError
from negstats.loaders.files.intake import literal
from negstats.loaders.files.transcripts import SPEAKER
from negstats.loaders.mapping.draft_state import DraftState
from negstats.loaders.mapping.items import SIDES
from negstats.loaders.mapping.lexicon import (
    ISSUE,
    ITEM_PARTS,
    MOST_LEVELS,
    NO_ISSUE,
    OBJECTS,
    OF_OFFERS,
    PRICE,
    ROUND,
    TOTAL_OF_OFFERS,
    are_amounts,
    are_numbers,
    are_whole,
    are_words,
)
from negstats.loaders.mapping.side_columns import set_columns_of_seats
from negstats.loaders.mapping.words import english, plain, short
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.event_readings import find_moderators, find_outsiders
from negstats.loaders.reading.facts import MOST_OF_CONDITION
from negstats.loaders.reading.hypotheses import MOST_SEATS
from negstats.loaders.reading.questions import Option
from negstats.loaders.reading.relations import (
    are_unique_together,
    crossed,
    determines,
    find_orders,
    is_missing_by,
    is_set_within,
    levels_within,
    tells_rows,
    varies_within,
)
from negstats.loaders.reading.spellings import PAIRS, level_of, levels_of
from negstats.loaders.reading.words import are_programs_names, is_named, names_program, names_receiver
from negstats.sanitize import first_few, line
from negstats.toml_text import key as quoted

_ENDED = 0.3  # of the games
_MOSTLY = 0.8  # of the rows of a kind of event, or of the objects of a column
_FEWEST_BESIDE, _MOST_LABELS = 2, 40  # lists side by side, and different labels of what is said
_LONGEST_QUOTED = 80  # characters of a text
_LOOKED, _MOST_WORDS = 50, 4  # objects that are looked into, and words of a value in one
# Words for the one who offers and for the other side.
_SIDES = (
    ("me", "you"), ("mine", "yours"), ("my", "your"), ("self", "other"), ("own", "other"), ("keep", "give"),
    ("proposer", "responder"),
)  # fmt: skip
_NO_GOODS = frozenset(
    "points point payoff payoffs score scores utility value batna earnings reward satisfaction trust fairness rating "  # noqa: SIM905
    "age gender id name text message response accepted time round".split()
)
_CONTENT = ("offers.units", "offers.value", "offers.items", "items.", "item.")


def set_events(state: DraftState) -> None:
    """Put what happens in games behind its keys."""
    proposal, event = state.proposal, state.reading.row.event
    is_at_once = event is not None and _act_at_once(state, event)
    if event is not None and not is_at_once:
        state.set("event", event.name)
        proposal.row = "event"
    seats = _set_actor(state)
    if state.reading.row.bid is not None:  # nobody gets what is bid but the one who sells
        bid = state.reading.row.bid.name
        state.set(f"measures.{quoted(short(bid))}", {"column": bid, "per": "offer"})
    _set_text(state)
    if is_at_once:
        proposal.row = "message"
    else:
        _set_offers(state, seats)
    if "messages.text" in proposal.keys and proposal.row == "offer" and not _has_content(state):
        proposal.row = "message"
        for key in [key for key in proposal.keys if key.startswith("offers.") and key != "offers.time_s"]:
            proposal.keys.pop(key)
    if proposal.row == "message" and "offers.time_s" in proposal.keys:
        proposal.keys["messages.time_s"] = proposal.keys.pop("offers.time_s")
    _set_clock(state)
    _set_order(state)
    _set_labels(state)


def _set_offers(state: DraftState, seats: list[str]) -> None:
    """Say what is offered, and which rows are answers to it."""
    proposal = state.proposal
    _set_event_levels(state)
    set_columns_of_seats(state, seats)
    if not _set_issues(state):
        _set_goods(state, seats)
        _set_objects(state, OBJECTS[:1])
    _set_named(state)
    if proposal.row == "offer" and "players.player" in proposal.keys and "offers.response" not in proposal.keys:
        _ask_last_answer(state)
    if proposal.row != "item":
        _set_price(state, seats)
        _set_options(state)
        _set_objects(state, OBJECTS[1:])
    if not proposal.starts_with("players.player", "offers.proposer", "seats."):
        _drop_units(state)


def _act_at_once(state: DraftState, event: Column) -> bool:
    """Whether an amount of some kind of event is what each of three or more did once in each round, beside talk.

    Members of a group contribute or harvest so: nobody answers that, and it is no offer, but a measure of each.
    """
    player = state.proposal.keys.get("players.player")
    known = levels_of("event", event.levels, "ignore") or {}
    if not isinstance(player, str) or not state.reading.roles.texts or not {"offer", "accept"}.isdisjoint(known):
        return False
    done = [amount for kind, amount in state.reading.facts.kinds_of_events([]) if kind.name == event.name]
    for amount in (state.in_all_rows(each) for each in done):
        rows = amount.filled
        game, actor = state.unit.take(rows), state.columns[player].take(rows)
        for order in (each.take(rows) for each in state.columns.values() if each.is_count and each.n_levels > 1):
            of_round = crossed(game, order)
            is_once = are_unique_together([game, order, actor], least=1.0)
            if is_once and of_round.n_levels > game.n_levels and np.median(levels_within(of_round, actor)) > 2:
                return True
    return False


def _drop_units(state: DraftState) -> None:
    """Leave amounts unread as units where nobody is named who offers them: there is no offer without a proposer."""
    for key in [key for key in state.proposal.keys if key.startswith("offers.units")]:
        state.taken -= {str(state.proposal.keys.pop(key))}


def _set_labels(state: DraftState) -> None:
    """Take a list beside the talk that is as long as it for the labels of what is said: a few words or numbers."""
    lists = state.log.lists
    if state.proposal.row != "message" or len(lists) < _FEWEST_BESIDE or "messages.labels" in state.proposal.keys:
        return
    text = state.proposal.keys.get("messages.text")
    for name, column in state.columns.items():
        is_beside = name != text and state.is_free(name) and state.is_inside(name) and not column.is_prose
        if column.has_numbers and (column.n_levels > MOST_OF_CONDITION or is_named(column, "outcome", "amount")):
            continue  # what was measured is no code of what was said
        if is_beside and 1 < column.n_levels <= _MOST_LABELS and not state.is_of_game(name):
            state.set("messages.labels", name, "a list as long as the talk")
            return


def _has_content(state: DraftState, *, with_worth: bool = True) -> bool:
    """Whether it is known what offers are made of, or what they are worth to a seat if that counts too."""
    ends = (".units", ".value") if with_worth else (".units",)
    of_seats = any(key.startswith("seats.") and key.endswith(ends) for key in state.proposal.keys)
    return of_seats or state.proposal.starts_with(*_CONTENT) or any(".items." in key for key in state.proposal.keys)


def _set_event_levels(state: DraftState) -> None:
    """Say which kind each word of the events is: by the lexicon, else by what stands beside it."""
    proposal = state.proposal
    name = proposal.keys.get("event")
    if not isinstance(name, str):
        return
    text = proposal.keys.get("messages.text")
    other = "message" if text is not None else "ignore"
    column = state.columns[name]
    spelled = levels_of("event", column.levels, "ignore") or {}
    if not {"offer", "accept"} <= spelled.keys():
        spelled = _levels_by_cells(state, column)
    accepting = [word for word in spelled.get("accept", ()) if plain(word).startswith("accept")]
    agreeing = [word for word in spelled.get("accept", ()) if plain(word).startswith("agree")]
    if accepting and agreeing:  # an act of agreeing is talk where accepting is an act of its own
        spelled["accept"] = [word for word in spelled["accept"] if word not in agreeing]
        spelled.setdefault(other, []).extend(agreeing)
    _ask_unknown_events(state, column, spelled)
    if text is not None and not bool(state.columns[name].filled.all()):
        spelled.setdefault("message", []).append("")
    proposal.levels["event"] = spelled


def _ask_unknown_events(state: DraftState, event: Column, spelled: dict[str, list[str]]) -> None:
    """Ask what the words mean that neither the lexicon nor what stands beside them tells."""
    unknown = [word for word in spelled.get("ignore", ()) if level_of("event", word) is None]
    if not unknown:
        return
    rows = int(event.sizes[[event.levels.index(word) for word in unknown]].sum())
    kinds = {"accept": "accept an offer", "reject": "reject an offer", "walkaway": "end the game without a deal"}
    excluded = Option("these rows are excluded and counted", f"{rows} of {event.n_filled} rows")
    text = f"What are the rows whose {event.name} is {first_few(unknown)}?"
    place = state.reading.choose("events", text, excluded, *(f"they {words}" for words in kinds.values()))
    if place > 1:
        known = [word for word in spelled.pop("ignore") if word not in unknown]
        spelled |= {"ignore": known} if known else {}
        spelled.setdefault([*kinds][place - 2], []).extend(unknown)


def _levels_by_cells(state: DraftState, event: Column) -> dict[str, list[str]]:
    """Return the words of each kind of event: by an amount or a text that stands there, else as they are known."""
    kinds = state.reading.facts.kinds_of_events([])
    numbers = (state.columns[amount.name] for kind, amount in kinds if kind.name == event.name)
    # A number of which each game has each level as often numbers the rounds, and is no offer; nor is a flag, or a name.
    amounts = [
        each
        for each in numbers
        if each.n_levels > 2
        and not is_named(each, "time", "person", "game")
        and not (each.is_count and is_set_within(state.unit.codes, each))
    ]
    texts = state.reading.roles.texts
    spelled: dict[str, list[str]] = {}
    for place, word in enumerate(event.levels):
        rows = event.codes == place
        kind = level_of("event", word)
        answer = level_of("response", word) if len(word) > 1 else None  # T is no truth among O, A and R
        if any(float(amount.filled[rows].mean()) > _MOSTLY for amount in amounts):
            kind = "offer"
        elif kind is None and answer in ("accepted", "rejected"):
            kind = {"accepted": "accept", "rejected": "reject"}[answer]
        elif kind is None and any(float(state.columns[text.name].filled[rows].mean()) > _MOSTLY for text in texts):
            kind = "message"
        spelled.setdefault(kind or "ignore", []).append(word)
    return spelled


def _set_actor(state: DraftState) -> list[str]:
    """Say who acts in each row, and return the names of the seats."""
    proposal = state.proposal
    player = proposal.keys.get("players.player")
    if not isinstance(player, str):
        return []
    state.taken.add(player)
    column = state.columns[player]
    if moderators := find_moderators(state.unit, column):
        state.proposal.where[player] = {"not": moderators}
    if column.n_levels > MOST_SEATS:
        free = (name for name, each in state.columns.items() if state.is_free(name) and each.n_levels > MOST_SEATS)
        person = next((name for name in free if is_named(state.columns[name], "person")), None)
        is_agent = names_program(column) and (are_programs_names(column) or not column.has_codes)
        if person is not None or not is_agent:
            state.set("players.participant_id", person or player)
        return []
    if "players.participant_id" not in proposal.keys and (person := find_person(state, column)) is not None:
        state.set("players.participant_id", person, "one for each seat of a game")
    if outsiders := _find_outsiders(state, column):
        state.proposal.where[player] = {"not": outsiders}
        return [level for level in column.levels if level not in outsiders]
    if column.is_count:
        words = next((words for words in _word_lists(state) if len(words) == column.n_levels), None)
        if words is not None and float(column.values.min()) == 0:
            proposal.levels["player"] = {word: [level] for word, level in zip(words, column.levels, strict=True)}
            return words
    return column.levels


def find_person(state: DraftState, seat: Column) -> str | None:
    """Return the column that names who sits in each seat of a game, and nobody else there; None for none.

    Where a row is a seat, this tells of those whom a code names in the rows of some seats alone: others are programs.
    """
    seat = state.in_all_rows(seat)
    seats = crossed(state.unit, seat)
    for name, person in state.columns.items():
        is_called_so = person.has_codes or is_named(person, "person", "seat")
        is_enough = person.n_levels > MOST_SEATS or is_named(person, "person")
        if not (is_called_so and state.is_free(name) and is_enough) or person.is_moment or names_receiver(person):
            continue
        sitting = crossed(state.unit, person)
        rows = sitting.filled & seat.filled
        are_told = is_missing_by(person, seat) if are_unique_together([seats]) else determines(seats, person)
        if are_told and not varies_within(sitting.codes[rows], seat.codes[rows]):
            return name
    return None


def _ask_last_answer(state: DraftState) -> None:
    """Ask whether what stands in the last row of a game alone, and in many, says that its offer was accepted."""
    orders = (column for name, column in state.columns.items() if name in state.plain)
    order = next((column.codes for column in orders if tells_rows(state.unit, column)), np.arange(state.unit.rows))
    places = np.lexsort((order, state.unit.codes))
    is_last = np.zeros(state.unit.rows, bool)
    is_last[places[np.append(np.diff(state.unit.codes[places]) != 0, True)]] = True
    for name, column in state.columns.items():
        if not state.is_free(name) or column.n_levels != len(PAIRS["response"]) or state.is_of_game(name):
            continue
        for code, level in enumerate(column.levels):
            rows = column.codes == code
            if not (is_last[rows].all() and rows.sum() > _ENDED * state.unit.n_levels):
                continue
            accepts = Option(
                f"{name} = {level} accepts the offer", f"it ends {rows.sum()} games, and stands nowhere else"
            )
            text = f"What does {name} = {level} mean, which ends a game?"
            if state.reading.choose("answer", text, accepts, "something else") == 1:
                state.set("offers.response", name)
                others = [other for other in column.levels if other != level]
                state.proposal.levels["response"] = {"accepted": [level], "rejected": others}
            return


def _word_lists(state: DraftState) -> Iterable[list[str]]:
    """Yield the words of lists that stand in every cell of a column: what seats are called that rows number."""
    for name in state.log.table.names:
        column = state.columns.get(name)
        if column is None or column.n_levels != 1 or not column.levels[0].startswith("["):
            continue
        try:
            content = json.loads(column.levels[0])
        except ValueError:
            continue
        is_told = isinstance(content, list) and all(isinstance(word, str) and word for word in content)
        if is_told and len(set(content)) == len(content):
            yield content


def _set_text(state: DraftState) -> None:
    """Take what is said: a column that is called so, or sentences."""
    # Two short texts of two speakers look like these.
    named = [
        each for each in state.columns.values() if is_named(each, "talk") and are_words(each) and not each.is_moment
    ]
    # What is called talk and is one thing in each game is whether there is any.
    named = [each for each in named if state.varies(each.name) or each.n_levels > MOST_OF_CONDITION]
    able = [*state.reading.roles.texts, *named]
    texts = [*{column.name: column for column in able if state.is_free(column.name)}.values()]
    texts.sort(key=lambda column: (not is_named(column, "talk"), column.is_form, not state.is_inside(column.name)))
    talk = _ask_talk(state, texts)
    if talk is None:
        return
    name = talk.name
    state.set("messages.text", name)
    if "players.player" in state.proposal.keys:
        return
    _set_speakers(state, state.columns[name])


def _ask_talk(state: DraftState, texts: Sequence[Column]) -> Column | None:
    """Return which of the texts is what was said; None if none is.

    Texts of the same rows may be what an agent was told, what it thought and what it said. Where no name says which is
    what, nothing tells them apart, and talk that nobody heard would be counted.
    """
    if not texts:
        return None

    def kind_of(column: Column) -> tuple[bool, bool, bool]:
        return is_named(column, "talk"), state.is_inside(column.name), state.varies(column.name)

    filled = state.columns[texts[0].name].filled
    alike = [column for column in texts if column.is_prose and kind_of(column) == kind_of(texts[0])]
    alike = [each for each in alike if 2 * (state.columns[each.name].filled & filled).sum() > filled.sum()]
    if len(alike) < 2:
        return texts[0]
    options = [Option(f"{column.name} is what was said", f"as in {_quoted(column)}") for column in alike]
    none = Option("none of them is: they hold what was told to an agent, or what it thought")
    text = f"Which of {first_few([column.name for column in alike])} is what was said to the others?"
    place = state.reading.choose("talk", text, *options, none, is_stop=True)
    return alike[place - 1] if 0 < place <= len(alike) else None


def _quoted(column: Column) -> str:
    """Return the beginning of what a column of texts holds."""
    return line(next(iter(column.levels), ""), _LONGEST_QUOTED)


def _set_speakers(state: DraftState, talk: Column) -> None:
    """Take who speaks out of the beginning of each turn, but for those who do so outside of the talk."""
    matches = [re.match(SPEAKER, turn) for turn in talk.levels]
    names = [match[1] for match in matches if match is not None]
    speakers = list(dict.fromkeys(names))
    if len(names) < 0.9 * len(talk.levels) or not 2 <= len(speakers) <= MOST_SEATS:
        return
    of_turns = np.array([-1 if match is None else speakers.index(match[1]) for match in matches] + [-1])
    outsiders = _find_outsiders(state, Column("", of_turns[talk.codes], speakers, None))
    seats = [speaker for speaker in speakers if speaker not in outsiders]
    why = f"each turn begins with one of {', '.join(seats)}"
    missing = {"missing": outsiders} if outsiders else {}
    more = f"; {first_few(outsiders)} speak once in a game, before or after it" if outsiders else ""
    player = {"column": talk.name, "clean": r"(?s)\s*:.*$", **missing}
    state.set("players.player", player, why + more)
    state.set("messages.text", {"column": talk.name, "clean": r"^[^:]{1,42}:\s?"})


def _find_outsiders(state: DraftState, actor: Column) -> list[str]:
    """Return those who act before or after a game, and sit in none."""
    numbers = [state.columns[column.name] for column in state.reading.roles.orders if column.name in state.columns]
    order = next((each for each in find_orders(state.unit, numbers) if each.is_count), None)
    return find_outsiders(state.unit, actor, order)


def _set_named(state: DraftState) -> None:
    """Put columns that are called so behind the keys of offers, if they change within games."""
    proposal = state.proposal
    known = ["offers.units", "offers.value"] if _has_content(state) else []
    known += ["offers.proposer", "offers.responder"] if proposal.row == "event" else []
    state.set_found([case for case in OF_OFFERS if not case.key.startswith(tuple(known))], state.varies)
    if proposal.starts_with("offers.units"):
        state.set_found([TOTAL_OF_OFFERS])  # which may be one of each game
    own, other = (proposal.keys.get(f"offers.units_to_{side}") for side in ("proposer", "responder"))
    if isinstance(own, str) and isinstance(other, str):
        first, second = state.columns[own], state.columns[other]
        sums = (first.numbers + second.numbers)[first.filled & second.filled]  # type: ignore[operator]
        if len(np.unique(np.round(sums, 6))) > max(MOST_LEVELS, len(sums) // 20):
            proposal.keys.pop("offers.units_to_proposer")  # both sides' numbers add up to nothing in particular


def _set_issues(state: DraftState) -> bool:
    """See whether a row is one issue of an offer: several rows agree on the game, its round and who offers."""
    player = state.proposal.keys.get("players.player")
    issue = state.find(ISSUE, are_words)
    if not isinstance(player, str) or issue is None:
        return False
    number = state.find(ROUND, are_whole)
    turn = [state.unit, state.columns[player], *([state.columns[number]] if number else [])]
    if are_unique_together(turn) or not are_unique_together([*turn, state.columns[issue]], least=1.0):
        return False
    state.set("item.name", issue)
    state.set_found(ITEM_PARTS)
    if not state.proposal.starts_with(*(case.key for case in ITEM_PARTS)):
        state.proposal.keys.pop("item.name")
        state.taken.discard(issue)
        return False
    state.proposal.row = "item"
    return True


def _set_goods(state: DraftState, seats: Sequence[str]) -> None:
    """Take columns of each good for both sides of an offer, or for each seat: apple_me, apple_you, pear_me, ..."""
    numbers = {
        name: plain(name)
        for name in state.plain
        if state.is_free(name) and are_numbers(state.columns[name]) and (state.is_inside(name) or not state.log.lists)
    }
    for pair in _SIDES:
        if goods := _select_by_words(numbers, pair):
            for good, names in goods.items():
                for side, name in zip(SIDES, names, strict=True):
                    state.set(f"items.{quoted(good)}.to_{side}", name)
            return
    words = [plain(seat) for seat in seats]
    if len(words) > 1 and not all(word.isdigit() for word in words):
        for good, names in _select_by_words(numbers, words).items():
            state.set_seats(f"items.{quoted(good)}", dict(zip(seats, names, strict=True)))


def _select_by_words(columns: dict[str, str], words: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns that stand there once with each of the words, by the good that they have in common.

    Examples
    --------
    >>> names = ["bid_ann_apple", "bid_ann_pear", "bid_ben_apple", "bid_ben_pear"]
    >>> _select_by_words({name: name for name in names}, ["ann", "ben"])
    {'apple': ['bid_ann_apple', 'bid_ben_apple'], 'pear': ['bid_ann_pear', 'bid_ben_pear']}
    """
    stems: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, own in columns.items():
        parts = own.split("_")
        for word in words:
            of_word = word.split("_")
            at = next((at for at in range(len(parts)) if parts[at : at + len(of_word)] == of_word), None)
            if at is not None:
                stems[(*parts[:at], *parts[at + len(of_word) :])][word] = name
    whole = {stem: of for stem, of in stems.items() if len(of) == len(words) and stem and _NO_GOODS.isdisjoint(stem)}
    most = min((len(stem) for stem in whole), default=1) - 1
    start = next((at for at in range(most) if len({stem[at] for stem in whole}) > 1), max(0, most))
    goods = {"_".join(stem[start:]): [of[word] for word in words] for stem, of in whole.items()}
    return goods if len(goods) >= 2 and len(goods) == len(whole) else {}


def _set_price(state: DraftState, seats: Sequence[str]) -> None:
    """Give a price that each offer names to the one who sells, where the seats are buyer and seller."""
    proposal = state.proposal
    by_role = {english(plain(seat)): seat for seat in seats}
    if by_role.keys() != {"buyer", "seller"}:
        return
    units = proposal.keys.get("offers.units_to_responder")
    beside = {"offers.units_to_proposer", "offers.total"} & proposal.keys.keys()
    is_price = isinstance(units, str) and not beside and re.fullmatch(PRICE[0], state.plain[units]) is not None
    if is_price:
        proposal.keys.pop("offers.units_to_responder")
        state.taken.discard(str(units))
    has_content = _has_content(state)
    event = state.reading.row.event

    def is_of_offers(column: Column) -> bool:
        """Whether an amount stands with some kinds of events only, as what is offered does; a limit stands with all."""
        return are_amounts(column) and event is not None and is_missing_by(column, state.columns[event.name])

    able = () if has_content else (is_of_offers, are_amounts)
    price = next((name for fits in able if (name := state.find(PRICE, fits, state.varies)) is not None), None)
    if price is None:
        return
    for role, seat in by_role.items():
        state.set(f"seats.{quoted(seat)}.role", {"constant": role})
    state.set(f"seats.{quoted(by_role['seller'])}.units", price)


def _set_options(state: DraftState) -> None:
    """Take columns of a few words or numbers that change from offer to offer for issues with options: salary, start."""
    if state.proposal.row != "offer" or "offers.response" not in state.proposal.keys or _has_content(state):
        return
    issues = [
        name
        for name, own in state.plain.items()
        if state.is_free(name)
        and not re.fullmatch(NO_ISSUE, own)
        and 1 < state.columns[name].n_levels <= MOST_LEVELS
        and not (state.is_of_game(name) or state.is_condition(name) or tells_rows(state.unit, state.columns[name]))
    ]
    for name in issues if len(issues) > 1 else ():
        state.set(f"items.{quoted(short(name))}.option", name)


def _set_objects(state: DraftState, patterns: Sequence[str]) -> None:
    """Take a column whose cells are objects, one quantity or option for each good."""
    if _has_content(state, with_worth=False):
        return
    name = state.find(patterns, _are_objects, lambda name: state.is_inside(name) or not state.log.lists)
    if name is not None:
        state.set("offers.items", name)
        state.taken |= {other for other in state.columns if other.startswith(f"{name}.")}


def _are_objects(column: Column) -> bool:
    """Whether cells are objects of quantities or words, and not of further objects."""
    are_dicts = all(level.lstrip().startswith("{") for level in column.levels)
    if not column.n_levels or not (are_dicts or column.is_bundle):
        return False
    n_read = 0
    for level in column.levels[:_LOOKED]:
        try:
            content = literal(level, file=Path(column.name), row=1, column=column.name)
        except LogError:
            continue
        texts = [value for value in content.values() if isinstance(value, str)] if isinstance(content, dict) else []
        n_read += all(len(text.split()) <= _MOST_WORDS for text in texts)  # what is said is none of the goods
    return n_read >= _MOSTLY * min(column.n_levels, _LOOKED)


def _set_clock(state: DraftState) -> None:
    """Take dates with times, a moment each row of what happened in a game, for the time since it began."""
    tables = {"offer": ["offers"], "message": ["messages"], "event": ["offers", "messages"]}.get(state.proposal.row, [])
    if not tables or any(f"{table}.time_s" in state.proposal.keys for table in tables):
        return

    moments = [name for name, column in state.columns.items() if state.is_free(name) and column.is_moment]
    name = next(filter(state.varies, moments), next(iter(moments), None))  # the day of a game is no clock
    if name is not None:
        for table in tables:
            state.set(f"{table}.time_s", {"column": name, "clock": True})


def _set_order(state: DraftState) -> None:
    """Say by what rows of each game are ordered, where they do not stand so: a turn, a clock or a moment."""
    tables = {"offer": ["offer"], "message": ["message"], "event": ["offer", "message"]}.get(state.proposal.row, [])
    rows = np.argsort(state.unit.codes, kind="stable")
    is_next = np.diff(state.unit.codes[rows]) == 0
    able = (column for name, column in state.columns.items() if name in state.plain and tells_rows(state.unit, column))
    orders = [column for column in able if are_unique_together([state.unit, column], least=1.0)]
    if not orders or any(bool((np.diff(column.codes[rows])[is_next] > 0).all()) for column in orders):
        return
    order = max(orders, key=lambda each: is_named(each, "order", "time"))
    value = {"column": order.name, "clock": True} if order.is_moment else order.name
    for table in tables:
        state.set(f"{table}s.{table}", value, "rows of a game stand in no order, and this tells which is first")
