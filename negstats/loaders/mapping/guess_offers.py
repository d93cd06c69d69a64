"""Guessing what offers are made of, who makes them, and what answers them."""

from __future__ import annotations

import re

import pandas as pd

from negstats.loaders.mapping.columns import (
    MOST_LEVELS,
    Columns,
    are_amounts,
    are_few,
    are_numbers,
    are_talk,
    are_whole,
    words_of,
)
from negstats.loaders.mapping.decisions import find_answers_to_amounts
from negstats.loaders.mapping.guess_levels import may_be_codes
from negstats.loaders.mapping.guess_names import DECIDED, GIVEN, NAMES_BY_KEY, NO_ISSUE
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess
from negstats.loaders.mapping.issue_columns import ISSUE, PARTS, paired
from negstats.loaders.mapping.keys import quoted, short
from negstats.loaders.mapping.words import english, plain


def set_answer(mapping_guess: Guess) -> None:
    """Where each row is a game of one offer, what says whether there was agreement is the answer to it."""
    units = {"offers.units_to_responder", "offers.units_to_proposer"} & mapping_guess.keys.keys()
    if (
        mapping_guess.row == "game"
        and units
        and "offers.response" not in mapping_guess.keys
        and "games.ended" in mapping_guess.keys
    ):
        mapping_guess.keys["offers.response"] = mapping_guess.keys.pop("games.ended")


def set_given(mapping_guess: Guess, columns: Columns) -> None:
    """Take an amount that somebody decides alone for what the other side gets, where no column is called an offer."""
    content = ("offers.units", "offers.value", "offers.items", "items.", "item.", "offers.response")
    if mapping_guess.row not in ("player", "game") or any(key.startswith(content) for key in mapping_guess.keys):
        return
    patterns = DECIDED if "offers.total" in mapping_guess.keys else DECIDED[:1]
    name = columns.find(patterns, are_amounts)
    if name is not None:
        mapping_guess.keys["offers.units_to_responder"] = name
        mapping_guess.evidence["offers.units_to_responder"] = (
            f"QUESTION: is {name} what the other side gets? If it is what is kept, it belongs behind units_to_proposer"
        )


def gives_alone(columns: Columns) -> bool:
    """Whether rows say what somebody gives, and nothing that might be an answer to it."""
    amount = columns.find([GIVEN], are_amounts, take=False)
    answer = columns.find(
        NAMES_BY_KEY["offers.response"], lambda values: are_few(values) and may_be_codes(values), take=False
    )
    return amount is not None and answer is None


def set_price(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Give a price that each offer names to the one who sells, where the seats are called so."""
    if mapping_guess.row not in ("offer", "event") or player is None:
        return
    seats = {english(plain(word)): word for word in words_of(columns.of[player])}
    if seats.keys() == {"buyer", "seller"}:
        _take_back_price(mapping_guess, columns)
    if _has_content(mapping_guess):
        return
    game = mapping_guess.keys.get("games.game_id")
    price = next((name for name in columns.plain if _is_price_of_offers(columns, name, game)), None)
    if price is None or not {"buyer", "seller"} >= seats.keys() or len(seats) != 2:
        return
    for role, seat in seats.items():
        mapping_guess.keys[f"seats.{quoted(seat)}.role"] = {"constant": role}
    mapping_guess.keys[f"seats.{quoted(seats['seller'])}.units"] = price
    columns.taken.add(price)


_PRICE = r"(.*_)?(price|bid|offer|amount)"


def _is_price_of_offers(columns: Columns, name: str, game: object) -> bool:
    """Whether a column that is not taken is called a price and differs within games: the last price is a result."""
    if name in columns.taken or not re.fullmatch(_PRICE, columns.plain[name]) or not are_amounts(columns.of[name]):
        return False
    return not isinstance(game, list) or not columns.repeats(game) or columns.varies([name], game)


def _take_back_price(mapping_guess: Guess, columns: Columns) -> None:
    """Take back an amount for the responder: what a buyer and a seller name is a price, which the seller gets."""
    name = mapping_guess.keys.get("offers.units_to_responder")
    beside = {"offers.units_to_proposer", "offers.total"} & mapping_guess.keys.keys()
    if isinstance(name, str) and not beside and re.fullmatch(_PRICE, columns.plain[name]):
        del mapping_guess.keys["offers.units_to_responder"]
        columns.taken.discard(name)


def _has_content(mapping_guess: Guess) -> bool:
    content = ("offers.units", "offers.value", "offers.items", "items.", "item.")
    return any(key.startswith(content) or _is_of_offers(key) for key in mapping_guess.keys)


def _is_of_offers(key: str) -> bool:
    """Whether a key of a seat says what offers give it."""
    return key.startswith("seats.") and (key.endswith((".units", ".value")) or ".items." in key)


def set_shares_as_points(mapping_guess: Guess, columns: Columns) -> None:
    """Take a share that each of several seats has a row of, and nobody answers, for what the seat got."""
    game, share = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("offers.units_to_responder")
    taken = {"players.points", "offers.response", "offers.units_to_proposer", "offers.total", "offers.proposer"}
    if mapping_guess.row != "player" or not isinstance(game, list) or not isinstance(share, str):
        return
    is_share = re.fullmatch(r"(.*_)?(share|portion|part)", columns.plain[share]) is not None
    if is_share and columns.repeats(game) and columns.varies([share], game) and not taken & mapping_guess.keys.keys():
        mapping_guess.keys["players.points"] = mapping_guess.keys.pop("offers.units_to_responder")
        mapping_guess.evidence["players.points"] = f"QUESTION: is {share} what each seat got?"


def drop_other_amount(mapping_guess: Guess, columns: Columns) -> None:
    """Take back what the one who offers would get, where both sides' numbers add up to nothing in particular."""
    own, other = (mapping_guess.keys.get(f"offers.units_to_{side}") for side in ("proposer", "responder"))
    if not isinstance(own, str) or not isinstance(other, str):
        return
    sums = (pd.to_numeric(columns.of[own]) + pd.to_numeric(columns.of[other])).dropna().round(6)
    total = mapping_guess.keys.get("offers.total")
    if isinstance(total, str) and bool((sums == pd.to_numeric(columns.of[total]).loc[sums.index]).all()):
        return
    if sums.nunique() > max(MOST_LEVELS, len(sums) // 20):
        del mapping_guess.keys["offers.units_to_proposer"]
        columns.taken.discard(own)


def set_answers_to_amounts(mapping_guess: Guess, columns: Columns) -> None:
    """Take columns of a yes or no to each amount for the least that a person accepts: accept_0, accept_1, ..."""
    prefix = find_answers_to_amounts(columns)
    if prefix is None or mapping_guess.row != "player" or "players.participant_id" not in mapping_guess.keys:
        return
    mapping_guess.keys.pop("offers.accept_from", None)
    mapping_guess.keys["offers.accept_at"] = {"prefix": prefix}
    columns.taken |= {name for name in columns.of if re.fullmatch(rf"{re.escape(prefix)}\d+(\.\d+)?", name)}


_WHOLE = r"(.*_)?(amount|sum|money|budget|total|pool|capital)"


def set_constant_total(mapping_guess: Guess, columns: Columns) -> None:
    """Take an amount that is the same in all rows, and no less than any offer, for what is divided."""
    units = mapping_guess.keys.get("offers.units_to_responder")
    if not isinstance(units, str) or {"offers.total", "offers.units_to_proposer"} & mapping_guess.keys.keys():
        return
    most = pd.to_numeric(columns.of[units]).max()
    for name, own in columns.plain.items():
        values = columns.of[name]
        if name in columns.taken or not re.fullmatch(_WHOLE, own) or not are_numbers(values):
            continue
        if values.notna().all() and len(words_of(values)) == 1 and float(values.iloc[0]) >= most > 0:
            mapping_guess.keys["offers.total"] = name
            mapping_guess.evidence["offers.total"] = f"{name} is {values.iloc[0]} in all rows, and no offer is more"
            columns.taken.add(name)
            return


def drop_without_amounts(mapping_guess: Guess) -> None:
    """Take back what is of use only beside an offer's units."""
    if any(key.startswith(("items.", "item.")) or ".items." in key for key in mapping_guess.keys):
        mapping_guess.keys.pop("offers.items", None)  # an object whose values have columns of their own
    units = any(key.startswith(("offers.units", "offers.items")) for key in mapping_guess.keys)
    decides = mapping_guess.keys.get("players.player")
    both = decides == {"constant": "proposer"} and units
    answers_none = decides == {"constant": "responder"} and mapping_guess.row == "player" and not units
    if "offers.accept_from" in mapping_guess.keys and (both or answers_none):
        mapping_guess.keys["answers.least_acceptable"] = mapping_guess.keys.pop("offers.accept_from")
        whose = "of the one who offers" if both else "of each"
        mapping_guess.evidence["answers.least_acceptable"] = f"{whose}: it answers no offer of this row"
    for key in ("offers.total", "offers.accept_from"):
        if not units or (
            key == "offers.accept_from" and (mapping_guess.row != "player" or "offers.response" in mapping_guess.keys)
        ):
            mapping_guess.keys.pop(key, None)


def set_worth(mapping_guess: Guess, columns: Columns, player: str) -> None:
    """Find for each seat the column of numbers that says what a row's offer is worth to it: AgentAUtility for A."""
    seats = words_of(columns.of[player])
    worth = {seat: columns.worths(seat) for seat in seats if len(seats) <= MOST_LEVELS}
    if worth and all(len(names) == 1 for names in worth.values()):
        for seat, names in worth.items():
            mapping_guess.keys[f"seats.{quoted(seat)}.value"] = names[0]
            columns.taken.add(names[0])


def set_goods(mapping_guess: Guess, columns: Columns, player: str | None, game: object) -> None:
    """Find what offers are made of: a row an issue, or a column for each issue and side."""
    if (
        mapping_guess.row == "offer"
        and player
        and isinstance(game, list)
        and _set_issue(mapping_guess, columns, player, game)
    ):
        return
    if mapping_guess.row == "message":
        return
    numbers = {
        name: own
        for name, own in columns.own.items()
        if name not in columns.taken
        and are_numbers(columns.of[name])
        and (columns.is_inside(name) or not columns.listed)  # what stands beside a list is no offer in it
    }
    seats = {plain(word): word for word in words_of(columns.of[player])} if player else {}
    for issue, sides in paired(numbers, seats if len(seats) <= MOST_SEATS else ()).items():
        for side, name in sides.items():
            key = f"seats.{quoted(seats[side])}.items.{issue}" if side in seats else f"items.{issue}.to_{side}"
            mapping_guess.keys[key] = name
            columns.taken.add(name)


def set_options(mapping_guess: Guess, columns: Columns) -> None:
    """Take columns of a few words or numbers that change from offer to offer for issues with options: salary, start."""
    game = mapping_guess.keys.get("games.game_id")
    if mapping_guess.row != "offer" or "offers.response" not in mapping_guess.keys or not isinstance(game, list):
        return
    if _has_content(mapping_guess) or not columns.repeats(game):
        return
    issues = [
        name
        for name, own in columns.plain.items()
        if name not in columns.taken
        and not re.fullmatch(NO_ISSUE, own)
        and 1 < len(words_of(columns.of[name])) <= MOST_LEVELS
        and columns.varies([name], game)
    ]
    if len(issues) < _LEAST_ISSUES:
        return
    for name in issues:
        mapping_guess.keys[f"items.{quoted(short(name))}.option"] = name
        columns.taken.add(name)


_LEAST_ISSUES = 2  # one column alone may be anything


def _set_issue(mapping_guess: Guess, columns: Columns, player: str, game: list[str]) -> bool:
    """See whether a row is one issue of an offer: several rows agree on the game, its round and who offers."""
    rounds = columns.find(NAMES_BY_KEY["offers.round"], are_whole, take=False)
    turn_columns = [*game, player, *([rounds] if rounds and rounds not in game else [])]
    issue = columns.find(ISSUE, are_talk, take=False)
    if issue is None or not columns.repeats(turn_columns) or columns.repeats([*turn_columns, issue]):
        return False
    fits = {"item.to_proposer": are_numbers, "item.to_responder": are_numbers, "item.option": are_few}
    columns.taken.add(issue)
    parts = {key: name for key, names in PARTS.items() if (name := columns.find(names, fits[key]))}
    if not parts:
        columns.taken.discard(issue)
        return False
    mapping_guess.row = "item"
    mapping_guess.keys |= {"item.name": issue} | parts
    return True


_OPENING = r"(.*_)?(proposer|offerer|sender|trustor|investor|dictator|allocator|giver|first_mover|first|buyer)"


def _find_offering_seat(columns: Columns, player: str, offer_columns: list[str]) -> tuple[str, str | None]:
    """Return the seat that offers and, where nothing but the order of names speaks for it, a question about that.

    It is the seat on whose rows alone the offer stands, or whose name says so.
    """
    seats = words_of(columns.of[player])
    stands = columns.of[offer_columns[0]].notna().groupby(columns.of[player]).any()
    writing_seats = [seat for seat in seats if stands[seat]]
    if len(writing_seats) == 1:
        return writing_seats[0], None
    named = [seat for seat in seats if re.fullmatch(_OPENING, english(plain(seat)))]
    if len(named) == 1:
        return named[0], None
    first = min(seats)
    if are_whole(columns.of[player]):
        return first, None  # the first seat opens, as programs number them
    return first, f"QUESTION: does {first} offer? No column says which of {', '.join(sorted(seats)[:MOST_SEATS])} does"


def _set_sides_of_offer(mapping_guess: Guess, columns: Columns, offers: list[str]) -> None:
    """Say who makes the one offer of a game: of two seats the one that its column names, else the first."""
    seats = list(dict.fromkeys(key.split(".")[1] for key in mapping_guess.keys if key.startswith("seats.")))
    if len(seats) != 2:  # who made it needs no column
        mapping_guess.keys["offers.proposer"] = {"constant": "proposer"}
        mapping_guess.keys.setdefault("offers.responder", {"constant": "responder"})
        return
    amounts = [str(mapping_guess.keys[key]) for key in offers if key.startswith("offers.units_to")]
    words = {word for name in amounts for word in columns.plain.get(name, "").split("_")}
    named = [seat for seat in seats if seat in words or re.fullmatch(_OPENING, seat)]
    proposer = named[0] if len(named) == 1 else seats[0]
    mapping_guess.keys["offers.proposer"] = {"constant": proposer}
    mapping_guess.keys["offers.responder"] = {"constant": next(seat for seat in seats if seat != proposer)}
    if len(named) != 1:
        mapping_guess.evidence["offers.proposer"] = f"QUESTION: does {proposer} decide on {', '.join(amounts)}?"


def set_proposer(mapping_guess: Guess, columns: Columns, player: str | None, game: object) -> None:
    """See who offers; without anybody who does there are no offers."""
    offers = [key for key in mapping_guess.keys if key.startswith("offers.")]
    if mapping_guess.row == "player" and player and isinstance(game, list):
        offer_columns = [str(mapping_guess.keys[key]) for key in offers]
        if offer_columns and columns.repeats(game) and columns.says_one(offer_columns, game):
            seat, question = _find_offering_seat(columns, player, offer_columns)
            mapping_guess.keys["offers.proposer"] = {"constant": seat}
            if question is not None:
                mapping_guess.evidence["offers.proposer"] = question
    elif mapping_guess.keys.get("players.player") == {"constant": "proposer"}:
        return
    elif mapping_guess.keys.get("players.player") == {"constant": "responder"}:
        columns.taken.discard(str(mapping_guess.keys.get("offers.proposer")))  # what kind of proposer is a condition
        mapping_guess.keys["offers.proposer"] = {"constant": "proposer"}
    elif (
        "offers.proposer" not in mapping_guess.keys
        and mapping_guess.row == "game"
        and {"offers.units_to_responder", "offers.units_to_proposer"} & set(offers)
    ):
        _set_sides_of_offer(mapping_guess, columns, offers)
    elif "offers.proposer" not in mapping_guess.keys and (mapping_guess.row == "game" or not player):
        for key in offers:
            del mapping_guess.keys[key]


def set_row_of_talk(mapping_guess: Guess) -> None:
    """Take rows that hold an utterance and no offer for messages."""
    if mapping_guess.row == "offer" and "messages.text" in mapping_guess.keys and not _has_content(mapping_guess):
        mapping_guess.row = "message"
        for key in [key for key in mapping_guess.keys if key.startswith("offers.")]:
            del mapping_guess.keys[key]
