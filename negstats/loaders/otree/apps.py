"""What groups did in an app, known by the names of its fields: ultimatum, demand, trust, and whatever else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from negstats.loaders.otree.sheets import Group, Offer

TOLERANCE = 1e-6  # points
MOST_UNLIKE = 0.1  # of the games may have points that are not those that follow, as a slip of the keys makes them
FEWEST = 5  # games in which one may be unlike all others

_OFFERED = ("offer", "amount_offered", "kept")
_ANSWERED = ("accepted", "offer_accepted", "response")
_CLAIMED = ("request", "demand")
_SENT, _RETURNED = "sent_amount", "sent_back_amount"
_ENDS = {True: ("accepted", "agreement"), False: ("rejected", "walkaway"), None: ("none", "unknown")}


def _nothing_offered(_: Group) -> None:
    """Leave a group without offers."""


def _nothing_due(_: Sequence[Group]) -> None:
    """Leave groups without points that follow."""


@dataclass(frozen=True, slots=True)
class App:
    """A kind of app.

    Attributes
    ----------
    protocol : str or None
        As the study calls it.
    uses : tuple of str
        The fields that become offers, responses and ends; the others are factors and answers.
    roles : Mapping of int to str
        What each seat is, where the app names no roles.
    play : Callable
        Fills in a group's offers and its end.
    check : Callable
        Takes the app's groups; completes units and values by what all of them have in common, and fills in the points
        that follow, as far as they do.
    """

    protocol: str | None = None
    uses: tuple[str, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    play: Callable[[Group], None] = _nothing_offered
    check: Callable[[Sequence[Group]], None] = _nothing_due


def app_of(names: Collection[str]) -> App:
    """Return the kind of an app with these fields, such as ``group.offer`` and ``player.request``."""
    offer_field = next((name for name in _OFFERED if f"group.{name}" in names), None)
    answer_field = next((name for name in _ANSWERED if f"group.{name}" in names), None)
    claimed = next((name for name in _CLAIMED if f"player.{name}" in names), None)
    trust_fields = (f"group.{_SENT}", f"group.{_RETURNED}")
    if all(name in names for name in trust_fields):
        return App("trust", trust_fields, {1: "trustor", 2: "trustee"}, _play_trust, _check_trust)
    if offer_field and (answer_field or offer_field == "kept"):
        return _ultimatum(offer_field, answer_field)
    if claimed:
        return _demand(claimed)
    return _ultimatum(offer_field, None) if offer_field else App()


def _ultimatum(offer_field: str, answer_field: str | None) -> App:
    is_dictator, is_kept = answer_field is None, offer_field == "kept"

    def play(group: Group) -> None:
        amount = group.amount(offer_field)
        response, ended = _ENDS[None if answer_field is None else group.truth(answer_field)]
        if amount is not None:
            own, other = (amount, None) if is_kept else (None, amount)
            group.offers, group.ended = [Offer(1, 2, own, other, response)], ended

    def check(groups: Sequence[Group]) -> None:
        offered = [group for group in groups if group.offers]
        _divide(offered, is_dictator=is_dictator)
        for group in offered:
            (offer,) = group.offers
            if is_dictator or offer.response != "none":
                share = 0.0 if offer.response == "rejected" else 1.0
                due = {1: offer.to_proposer, 2: offer.to_responder}
                group.expect({seat: share * units for seat, units in due.items() if units is not None})
        _worth_their_units(offered)

    uses = tuple(f"group.{name}" for name in (offer_field, answer_field) if name)
    return App("dictator" if is_dictator else "ultimatum", uses, {1: "proposer", 2: "responder"}, play, check)


def _divide(groups: Sequence[Group], *, is_dictator: bool) -> None:
    """Find what there is to divide, which is what the two got together where they did, and so the other's units."""
    sums: dict[Group, float] = {}
    for group in groups:
        one, two = group.points.get(1), group.points.get(2)
        if one is not None and two is not None and (is_dictator or group.ended == "agreement"):
            sums[group] = one + two
    total = _usual(sums.values())
    if total is None:
        return
    for group in groups:
        (offer,) = group.offers
        if abs(sums.get(group, total) - total) > TOLERANCE:
            continue
        if offer.to_responder is not None:
            offer.to_proposer = total - offer.to_responder
        elif offer.to_proposer is not None:
            offer.to_responder = total - offer.to_proposer


def _worth_their_units(groups: Sequence[Group]) -> None:
    """Give offers their values, if a unit is a point in all the games."""
    if any(group.due for group in groups) and sum(map(_is_wrong, groups)) <= _spared(len(groups)):
        for group in groups:
            for offer in [] if _is_wrong(group) else group.offers:
                offer.value_proposer, offer.value_responder = offer.to_proposer, offer.to_responder


def _demand(claimed: str) -> App:
    def play(group: Group) -> None:
        claims = {seat: turn.number(f"player.{claimed}") for seat, turn in group.members.items()}
        for seat, claim in sorted(claims.items()):
            if claim is not None:
                (other,) = claims.keys() - {seat} if len(claims) == 2 else (None,)
                group.offers.append(Offer(seat, other, claim, None))
        agreed = group.truth("agreed")
        if len(group.offers) == len(claims) >= 2:
            group.ended = _end_by_points(group) if agreed is None else "agreement" if agreed else "disagreement"

    def check(groups: Sequence[Group]) -> None:
        for group in groups:
            if group.ended != "unknown":
                claims = {offer.proposer: offer.to_proposer or 0.0 for offer in group.offers}
                group.expect(claims if group.ended == "agreement" else dict.fromkeys(claims, 0.0))

    return App("demand", (f"player.{claimed}", "group.agreed"), {}, play, check)


def _end_by_points(group: Group) -> str:
    points = group.points.values()
    if any(value is not None and value > 0 for value in points):
        return "agreement"
    return "unknown" if None in points else "disagreement"


def _play_trust(group: Group) -> None:
    for seat, name in ((1, _SENT), (2, _RETURNED)):
        units = group.amount(name)
        if units is not None:
            group.offers.append(Offer(seat, 3 - seat, None, units))


def _check_trust(groups: Sequence[Group]) -> None:
    """Find the endowment and by what the sent amount is multiplied, if both are the same in nearly all groups."""
    sent, back = _given(groups, 1), _given(groups, 2)
    endowments, factors, whole = dict[Group, float](), dict[Group, float](), list[float]()
    for group in groups:
        one, two, units, returned = group.points.get(1), group.points.get(2), sent.get(group), back.get(group)
        if one is not None and units is not None and returned is not None:
            endowments[group] = one + units - returned
            if two is not None:
                whole.append(endowments[group])
                factors |= {group: (two + returned) / units} if units > TOLERANCE else {}
    endowment, times = _usual(whole), _usual(factors.values())
    if endowment is None or times is None:
        return
    for group, units in sent.items():
        returned = back.get(group)
        points: tuple[float, ...] = () if returned is None else (endowment - units + returned, times * units - returned)
        group.expect(dict(enumerate(points, 1)))
        is_usual = abs(endowments.get(group, endowment) - endowment) <= TOLERANCE
        if is_usual and abs(factors.get(group, times) - times) <= TOLERANCE:
            for offer in group.offers:
                own, other = (endowment - units, times * units) if offer.proposer == 1 else points[::-1]
                offer.to_proposer = offer.value_proposer = own
                offer.value_responder = other


def _given(groups: Sequence[Group], seat: int) -> dict[Group, float]:
    """Return what a seat gave the other."""
    offers = ((group, offer) for group in groups for offer in group.offers if offer.proposer == seat)
    return {group: offer.to_responder for group, offer in offers if offer.to_responder is not None}


def _usual(values: Collection[float]) -> float | None:
    """Return the one number that nearly all the values are, or None."""
    if not values:
        return None
    usual, count = Counter(round(value, 6) for value in values).most_common(1)[0]
    return usual if len(values) - count <= _spared(len(values)) else None


def _spared(games: int) -> int:
    """Return how many of so many games may be unlike the others without it being said that they have no rule."""
    return max(int(games >= FEWEST), int(MOST_UNLIKE * games))


def _is_wrong(group: Group) -> bool:
    return group.misfit is not None and group.misfit > TOLERANCE


def checked(name: str, app: App, groups: Sequence[Group]) -> list[str]:
    """Return notes on whether the file's points are those that follow from the deals; the file's are kept."""
    app.check(groups)
    half = [] if app.protocol == "demand" else [group for group in groups if _is_half(group)]
    compared = [group for group in groups if group.misfit is not None]
    wrong = [group for group in compared if _is_wrong(group)]
    notes = []
    if half:
        reason = "what there was to divide is not known, for payoffs do not add up to one sum"
        notes = [f"{name}: units of one side are missing in {len(half)} games ({_first_names(half)}): {reason}"]
    if wrong:
        wrong_games = f"{len(wrong)} of {len(compared)} games ({_first_names(wrong)})"
        return [f"{name}: points do not follow from the deal in {wrong_games}; kept", *notes]
    n_whole = len(set(compared) - set(half))
    return [*([f"{name}: the points of {n_whole} games follow from their deals"] if n_whole else []), *notes]


def _is_half(group: Group) -> bool:
    return any(offer.to_proposer is None or offer.to_responder is None for offer in group.offers)


def _first_names(groups: Sequence[Group]) -> str:
    return ", ".join(group.name for group in groups[:3])
