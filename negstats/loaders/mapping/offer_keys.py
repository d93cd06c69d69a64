"""Offers whose row is a decision or a seat: who offers what to whom, and what answers it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from negstats.loaders.mapping.draft_state import DraftState
from negstats.loaders.mapping.lexicon import (
    ACCEPT_FROM,
    GIVEN,
    RESPONSE,
    TOTAL,
    UNITS,
    UNITS_TO_RESPONDER,
    are_amounts,
    are_numbers,
    may_be_codes,
)
from negstats.loaders.mapping.words import english, plain
from negstats.loaders.reading.amounts import OfferReading, other_of
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.families import find_moves, share_rising
from negstats.loaders.reading.questions import Option
from negstats.loaders.reading.spellings import levels_by_name, levels_of
from negstats.loaders.reading.words import are_acts, is_named

_PIES = (1, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
_CHANCE, _FEWEST_ANSWERED = 3.0, 12  # standard errors beyond chance, and games with an answer
_OPENING = r"(.*_)?(proposer|offerer|sender|trustor|investor|dictator|allocator|giver|first_mover|first|buyer)"


def set_own_offers(state: DraftState) -> None:
    """Say what is offered and answered in rows that are somebody's own, or a game's."""
    offer, proposal = state.reading.offer, state.proposal
    if proposal.starts_with("offers."):
        return
    if offer is not None and state.is_free(offer.amount.name) and state.is_free(offer.answer.name):
        _set_offer(state, offer)
    elif proposal.row == "game" and proposal.starts_with("seats."):
        _set_offer_between_sides(state)
    elif proposal.row == "player" and "players.participant_id" in proposal.keys and not _set_thresholds(state):
        _set_gift(state)
    _set_total(state)


def _set_offer(state: DraftState, offer: OfferReading) -> None:
    """Put an offer that somebody makes or answers behind its keys."""
    proposal = state.proposal
    amount, answer = offer.amount.name, offer.answer.name
    spelled = levels_by_name(answer, "response", offer.answer.levels)
    if spelled is None or spelled.get("accepted") != [offer.accepted]:
        rejected = [level for level in offer.answer.levels if level != offer.accepted]
        spelled = {"accepted": [offer.accepted], "rejected": rejected}
    if proposal.starts_with("seats."):
        _set_proposing_seat(state, [amount])
    else:
        proposal.row = "player"
        state.set("players.player", {"constant": offer.person or "responder"})
        state.set("offers.proposer", {"constant": "proposer"}, offer.evidence)
    state.set(f"offers.units_to_{offer.to}", amount)
    if offer.rest is not None and state.is_free(offer.rest.name):
        state.set(
            f"offers.units_to_{other_of(offer.to)}", offer.rest.name, f"{amount} and {offer.rest.name} have one sum"
        )
    if offer.total is not None:
        state.set("offers.total", int(offer.total) if float(offer.total).is_integer() else offer.total)
    state.set("offers.response", answer)
    proposal.levels["response"] = spelled


def _set_offer_between_sides(state: DraftState) -> None:
    """Take the one offer of a game whose seats have columns of their own."""
    amounts = _set_units(state)
    gifts = [] if amounts else _find_gifts(state)
    if len(gifts) == 1:
        state.set("offers.units_to_responder", gifts[0])
        amounts = gifts
    if amounts:
        _set_proposing_seat(state, amounts)
        _set_answer(state)


def _set_answer(state: DraftState) -> None:
    """Take what answers the one offer of a game."""
    answer = state.find(RESPONSE, may_be_codes)
    if answer is not None and state.is_measured_of_game(answer):
        state.set_answer("offers.response", answer)


def _set_units(state: DraftState, holds: Callable[[str], bool] | None = None) -> list[str]:
    """Take what both sides of an offer get, which is no condition; return the columns."""
    state.set_found(UNITS, lambda name: not state.is_condition(name) and (holds is None or holds(name)))
    return _units_of(state)


def _units_of(state: DraftState) -> list[str]:
    """Return the columns of what both sides of an offer get."""
    values = (state.proposal.keys.get(case.key) for case in UNITS)
    return [name for name in values if isinstance(name, str)]


def _set_proposing_seat(state: DraftState, amounts: list[str]) -> None:
    """Say which of two seats makes the one offer of a game: the one that a name tells, else it is asked."""
    seats = list(dict.fromkeys(key.split(".")[1] for key in state.proposal.keys if key.startswith("seats.")))
    if len(seats) != 2:
        state.set("offers.proposer", {"constant": "proposer"})
        state.proposal.keys.setdefault("offers.responder", {"constant": "responder"})
        return
    words = {word for name in amounts for word in state.plain.get(name, "").split("_")}
    proposer = _ask_proposer(state, seats, [seat for seat in seats if seat in words or re.fullmatch(_OPENING, seat)])
    state.set("offers.proposer", {"constant": proposer})
    state.set("offers.responder", {"constant": next(seat for seat in seats if seat != proposer)})


def _ask_proposer(state: DraftState, seats: list[str], named: list[str]) -> str:
    """Return the seat that makes the offer; ask where not just one is known to."""
    if len(named) == 1:
        return named[0]
    place = state.reading.choose("proposer", "Who makes the offer?", *(f"{seat} makes the offer" for seat in seats))
    return seats[max(place, 1) - 1]


def set_seat_offers(state: DraftState) -> None:
    """Take an offer of one seat to the other, where rows are the seats of a game and one of them holds it."""
    player = state.proposal.keys.get("players.player")
    if state.proposal.starts_with("offers.") or not isinstance(player, str):
        return
    seat = state.columns[player]
    if not 2 <= seat.n_levels <= 8:
        return
    moves = find_moves(seat, [column for name, column in state.columns.items() if state.is_free(name)])
    amounts = _set_units(state, state.is_of_game) if moves is None else _set_move(state, *moves)
    if not amounts:
        _ask_claims(state, player)
        return
    codes = np.unique(seat.codes[state.columns[amounts[0]].filled])
    named = [seat.levels[code] for code in codes if code >= 0]
    if len(named) != 1:
        named = [level for level in seat.levels if re.fullmatch(_OPENING, english(plain(level)))]
    state.set("offers.proposer", {"constant": _ask_proposer(state, seat.levels, named)})
    _set_answer(state)
    if moves is not None and "offers.response" not in state.proposal.keys:
        _set_answering_move(state, moves[1])
    _set_total(state)


def _set_move(state: DraftState, amount: Column, answer: Column) -> list[str]:
    """Take what one seat names and the other answers, which goes to whoever accepts more of it; return its column.

    Where the answers do not show it and no name says it, it is asked to whom it goes.
    """
    name, rho = amount.name, _rank_of_acceptance(state, amount, answer)
    side = "" if abs(rho) < _CHANCE else "responder" if rho > 0 else "proposer"
    evidence = f"one seat alone has {name}, and the other {answer.name}"
    if not side and (named := _set_units(state, state.is_of_game)):
        return named
    if not side:
        words = (f"{name} is what the one who offers gives", f"{name} is what the one who offers keeps")
        options = [Option(each, evidence) for each in words]
        place = state.reading.choose("offer", "Who offers what to whom?", *options, f"{name} is not an offer")
        if place not in (1, 2):
            return []
        side = ("responder", "proposer")[place - 1]
    state.set(f"offers.units_to_{side}", name, f"{evidence}, which accepts {'more' if rho > 0 else 'less'} of it")
    return [name]


def _rank_of_acceptance(state: DraftState, amount: Column, answer: Column) -> float:
    """Return by how many standard errors games with more of an amount are rather accepted; 0 if no word says it."""
    words = _words_of_answers(answer)
    if words is None or amount.numbers is None:
        return 0.0
    accepted = np.isin(answer.codes, [answer.levels.index(word) for word in words["accepted"]])
    answered = accepted | np.isin(answer.codes, [answer.levels.index(word) for word in words["rejected"]])
    games = state.unit.n_levels
    amounts, answers = np.full(games, np.nan), np.full(games, np.nan)
    amounts[state.unit.codes[amount.filled]] = amount.numbers[amount.filled]
    answers[state.unit.codes[answered]] = accepted[answered]
    both = ~np.isnan(amounts + answers)
    if both.sum() < _FEWEST_ANSWERED or np.ptp(answers[both]) == 0 or np.ptp(amounts[both]) == 0:
        return 0.0
    return float(np.corrcoef(amounts[both], answers[both])[0, 1] * np.sqrt(both.sum()))


def _words_of_answers(answer: Column) -> dict[str, list[str]] | None:
    """Return the words that accept and reject, be they acts beside those of offers; None if they do not say it."""
    acts = levels_of("event", answer.levels, "other") or {}
    words = {"accepted": acts.get("accept", []), "rejected": acts.get("reject", [])}
    return words if all(words.values()) else levels_by_name(answer.name, "response", answer.levels)


def _set_answering_move(state: DraftState, answer: Column) -> None:
    """Take what the other seat does for the answer to the offer: a column of its own, or acts beside the offers."""
    words = _words_of_answers(answer)
    if words is None or not are_acts(answer):
        state.set_answer("offers.response", answer.name)
        return
    offers = [level for level in answer.levels if level not in (*words["accepted"], *words["rejected"])]
    state.set("offers.response", {"column": answer.name, "missing": offers}, "the other seat's move")
    state.proposal.levels["response"] = words


def _ask_claims(state: DraftState, player: str) -> None:
    """Ask what an amount is that both seats of each game name: what each claims for itself, or gives to the other."""

    def may_be_claim(column: Column) -> bool:
        is_whole = column.share_filled == 1 and state.varies(column.name)
        return is_named(column, "amount") and are_amounts(column) and is_whole

    amounts = [
        (name, place)
        for place, case in enumerate(UNITS[::-1], 1)
        for name in dict.fromkeys(state.find_all(case.patterns, may_be_claim))
    ]
    if len(amounts) != 1 or state.unit.sizes.max() != 2:
        return
    name, likely = amounts[0]
    options = (
        f"each seat claims {name} for itself", f"each seat offers {name} to the other", f"{name} is not an offer"
    )  # fmt: skip
    place = state.reading.choose("offer", "Who offers what to whom?", *options, likely=likely)
    if place in (1, 2):
        side = ("proposer", "responder")[place - 1]
        state.set(f"offers.units_to_{side}", name, "each row is an offer of its seat")
        state.set("offers.proposer", player)
        _set_total(state)


_LEAST_SHARE = 0.1  # of the least total that is divided, which the largest offer is


def _set_total(state: DraftState) -> None:
    """Take what is divided: a number that no offer exceeds, where none is negative either.

    Where every offer is a small part of it, the amounts are shares: 0.25 is none of 200.
    """
    names = _units_of(state)
    if len(names) != 1 or "offers.total" in state.proposal.keys:
        return
    values = state.columns[names[0]].values
    amounts = values[~np.isin(values, state.reading.missing.get(names[0], []))]  # codes for missing are not amounts
    most = amounts.max()

    def may_be_total(column: Column) -> bool:
        if not are_numbers(column) or column.share_filled < 1:
            return False
        least = float(column.values.min())
        return bool(amounts.min() >= 0 and least >= most > 0 and most >= _LEAST_SHARE * least)

    total = state.find(TOTAL, may_be_total)
    if total is not None:
        state.set("offers.total", total, f"no {names[0]} is more")
    else:
        state.proposal.pie = next((pie for pie in _PIES if most <= pie), None)


def _set_thresholds(state: DraftState) -> bool:
    """Take the strategy method: the least that a person accepts, or a yes or no to each amount."""
    prefix = _find_answers_to_amounts(state)
    least = state.find(ACCEPT_FROM, are_amounts)
    if prefix is None and least is None:
        return False
    given = state.find(UNITS_TO_RESPONDER, are_amounts)
    if given is not None:
        state.set("offers.units_to_responder", given)
    seat, proposer = _find_seat_of(state, given)
    if seat is None and given is not None and prefix is not None:
        # Whoever offers in each row answers too: a seat that is called as the person is not a side alone.
        person = state.proposal.keys["players.participant_id"]
        state.set("players.player", person)
        state.set("offers.proposer", person)
    else:
        word = "responder" if given is None else "proposer"
        state.set("players.player", {"constant": word} if seat is None else seat)
        state.set("offers.proposer", {"constant": proposer})
    if prefix is not None:
        state.set("offers.accept_at", {"prefix": prefix})
        state.taken |= {name for name in state.columns if re.fullmatch(rf"{re.escape(prefix)}\d+(\.\d+)?", name)}
    elif least is not None:
        state.set("answers.least_acceptable", least, "of each: it answers no offer of this row")
    return True


def _find_seat_of(state: DraftState, given: str | None) -> tuple[str | None, str]:
    """Return the column of two words of which just one stands where somebody gives, and that word, if there is one."""
    if given is not None:
        amount = state.columns[given]
        gives = amount.filled & ~np.isin(amount.numbers, state.reading.missing.get(given, []))  # type: ignore[arg-type]
        for name in state.plain:
            seat = state.columns[name]
            places = np.unique(seat.codes[gives])
            is_seat = seat.n_levels == 2 and not seat.has_numbers and seat.share_filled == 1 and len(places) == 1
            if is_seat and bool(gives[seat.codes == places[0]].mean() > _RISING):
                return name, seat.levels[int(places[0])]
    return None, "proposer"


_ANSWER_TO = r"(.*_)?(accept(ed|s|ance|able)?|agree|offer|would_accept)(_(of|at|offer|if|for))?"
_LEAST_AMOUNTS = 3
_RISING = 0.7  # of the people answer yes to all amounts above the least that they accept


def _find_answers_to_amounts(state: DraftState) -> str | None:
    """Return what columns begin with that hold a yes or no to each amount: ``accept_`` of accept_0, accept_1, ...

    They are called so, or the reading takes them for that.
    """
    families: dict[str, dict[float, Column]] = defaultdict(dict)
    for name in state.plain:
        number = re.fullmatch(r"(.*?)(\d+(?:\.\d+)?)", name)
        if number and state.is_free(name):
            families[number[1]][float(number[2])] = state.columns[name]
    read_so = {column.name for column in state.reading.thresholds}
    for prefix, by_amount in families.items():
        columns = [by_amount[amount] for amount in sorted(by_amount)]
        are_read_so = read_so == {column.name for column in columns}
        if len(columns) < _LEAST_AMOUNTS or not (are_read_so or re.fullmatch(_ANSWER_TO, english(plain(prefix)))):
            continue
        if share_rising(columns) >= _RISING:
            return prefix
    return None


def _set_gift(state: DraftState) -> None:
    """Take the one amount that somebody decides alone for what the other side gets."""
    amounts = _find_gifts(state)
    if len(amounts) != 1 or state.find(RESPONSE, may_be_codes) is not None:
        return
    state.set("players.player", {"constant": "proposer"})
    state.set("offers.proposer", {"constant": "proposer"})
    state.set("offers.units_to_responder", amounts[0])


def _find_gifts(state: DraftState) -> list[str]:
    """Return the columns of amounts that are called as what is given or sent, and are not conditions."""
    return list(state.find_all(GIVEN, are_amounts, lambda name: not state.is_condition(name)))
