"""What groups did in an app, known by the names of its fields: ultimatum, demand, trust, and whatever else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import polars as pl

from negstats.loaders.files.cells import Row
from negstats.loaders.otree.sheets import PAYOFF, Sheets

TOLERANCE = 1e-6  # points
MOST_UNLIKE = 0.1  # of the games may have points that are not those that follow, as a slip of the keys makes them
FEWEST = 5  # games in which one may be unlike all others

_OFFERED = ("offer", "amount_offered", "kept")
_ANSWERED = ("accepted", "offer_accepted", "response")
_CLAIMED = ("request", "demand")
_SENT, _RETURNED = "sent_amount", "sent_back_amount"
_WORDS = {"accept": True, "accepted": True, "reject": False, "rejected": False}
_OWN, _OTHER = "units_to_proposer", "units_to_responder"
_VALUES = ("value_proposer", "value_responder")
OFFERS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("game", "proposer", "responder"), pl.Int64),
    "response": pl.String,
    _OWN: pl.Float64,
    _OTHER: pl.Float64,
    **dict.fromkeys(_VALUES, pl.Float64),
}
_MISFITS: dict[str, type[pl.DataType]] = {"game": pl.Int64, "misfit": pl.Float64}
_HAS_UNITS = pl.col(_OWN).is_not_null() & pl.col(_OTHER).is_not_null()


@dataclass(slots=True)
class Deals:
    """What the groups of an app did.

    Attributes
    ----------
    sheets : Sheets
        What the files hold.
    kind : App
        The kind of the app.
    turns : polars.DataFrame
        The members' turns in the app, each with the place of its ``game`` among all and its ``points``.
    groups : polars.DataFrame
        The games: ``game``, ``name``, the ``size``, how it ``ended``, and what the fields of group and subsession say.
    offers : polars.DataFrame
        The offers, in the order of games and, in a game, of time or seats; columns as the study's, seats as numbers.
    misfits : polars.DataFrame
        Each ``game`` whose points can be compared with those that follow from the deal, and by how much they differ.
    has_due : bool
        Whether points follow from any deal.
    """

    sheets: Sheets
    kind: App
    turns: pl.DataFrame
    groups: pl.DataFrame
    offers: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=OFFERS))
    misfits: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=_MISFITS))
    has_due: bool = False

    @classmethod
    def of(cls, sheets: Sheets, app: str, kind: App, games: pl.DataFrame) -> Deals:
        """Return the groups of an app that are among these games, and what they say; raises LogError if it is unclear.

        Parameters
        ----------
        sheets, app, kind
            What the files hold, the app, and its kind.
        games
            The ``game``, ``name``, ``session``, ``app``, ``round`` and ``number`` of each.
        """
        keys = ["session", "round", "number"]
        own_games = games.filter(pl.col("app") == app)
        turns = sheets.turns[app].join(own_games.select("game", *keys), on=keys, maintain_order="left")
        shared = [name for name in sheets.fields[app] if not name.startswith("player.")]
        of_groups = sheets.agreed(turns, [name for name in shared if name in turns.columns])
        turns = turns.with_columns(sheets.read(turns, PAYOFF, Row.number, pl.Float64).alias("points"))
        sizes = turns.group_by("game").agg(size=pl.len())
        groups = own_games.join(sizes, on="game", maintain_order="left").join(
            of_groups, on="game", maintain_order="left"
        )
        return cls(sheets, kind, turns, groups.with_columns(ended=pl.lit("unknown")))

    def said(self, column: str, reader: Callable[[Row, str], object], kind: type[pl.DataType]) -> pl.DataFrame:
        """Return the ``value`` that a field of the group has in each game, as the first member has it that has it."""
        values = self.sheets.read(self.turns, column, reader, kind)
        first_values = pl.col("value").drop_nulls().first()
        return self.turns.select("game", value=values).group_by("game", maintain_order=True).agg(first_values)

    def amounts(self, name: str) -> pl.DataFrame:
        """Return the number that a field of the group says in each game."""
        return self.said(f"group.{name}", Row.number, pl.Float64)

    def truths(self, name: str | None) -> pl.DataFrame:
        """Return the yes or no that a field of the group says in each game; nothing without a field."""
        return self.said(f"group.{name}", _read_truth, pl.Boolean)

    def points(self) -> pl.DataFrame:
        """Return each game with the points of its seats 1 and 2, ``one`` and ``two``."""
        of_seats = [pl.col("points").filter(pl.col("seat") == seat).first() for seat in (1, 2)]
        named = dict(zip(("one", "two"), of_seats, strict=True))
        return self.turns.group_by("game", maintain_order=True).agg(**named)

    def offer(self, offers: pl.DataFrame) -> None:
        """Take the offers; what they lack is missing, and a responder without a row is not known."""
        seats = self.turns.select("game", pl.col("seat").alias("responder"), is_seated=True)
        offers = pl.concat([pl.DataFrame(schema=OFFERS), offers], how="diagonal_relaxed")
        offers = offers.join(seats, on=["game", "responder"], how="left", maintain_order="left")
        self.offers = offers.with_columns(responder=pl.when("is_seated").then("responder")).drop("is_seated")

    def drop_offers_of_nobody(self) -> pl.Series:
        """Drop the offers of seats that no row has, and return their games, of which is not known how they ended."""
        seats = self.turns.select("game", pl.col("seat").alias("proposer"))
        nobodys = self.offers.join(seats, on=["game", "proposer"], how="anti")["game"].unique()
        self.offers = self.offers.join(seats, on=["game", "proposer"], how="semi", maintain_order="left")
        self.end(nobodys.to_frame().with_columns(ended=pl.lit("unknown")))
        return nobodys

    @property
    def factors(self) -> pl.DataFrame:
        """What the fields of group and subsession say of each ``game``, but for those that the app uses."""
        names = [name for name in self.groups.columns if "." in name and name not in self.kind.uses]
        return self.groups.select("game", *names)

    def end(self, ends: pl.DataFrame) -> None:
        """Take how games ``ended``."""
        self.groups = self.groups.update(ends.select("game", "ended"), on="game")

    def expect(self, due: pl.DataFrame) -> None:
        """Take the points that are ``due`` by ``game`` and ``seat``, and compare them with those of the file."""
        pairs = self.turns.join(due.drop_nulls("due"), on=["game", "seat"]).drop_nulls("points")
        self.misfits = pairs.group_by("game").agg(misfit=(pl.col("points") - pl.col("due")).abs().max())
        self.has_due = due["due"].count() > 0

    @property
    def wrong(self) -> pl.Series:
        """The games whose points are not those that are due."""
        return self.misfits.filter(pl.col("misfit") > TOLERANCE)["game"]


def _read_truth(row: Row, column: str) -> bool | None:
    word = row.cells[column].strip().lower()
    return _WORDS[word] if word in _WORDS else row.truth(column)


def _nothing(_: Deals) -> None:
    """Leave groups without offers, or without points that follow."""


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
        Fills in the offers of the app's groups and their ends.
    check : Callable
        Completes units and values by what all groups have in common, and fills in the points that follow, as far as
        they do.
    """

    protocol: str | None = None
    uses: tuple[str, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    play: Callable[[Deals], None] = _nothing
    check: Callable[[Deals], None] = _nothing


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
    is_dictator = answer_field is None
    units = _OWN if offer_field == "kept" else _OTHER

    def play(deals: Deals) -> None:
        amounts = deals.amounts(offer_field).rename({"value": units}).drop_nulls()
        answers = amounts.join(deals.truths(answer_field), on="game", maintain_order="left")
        answered = pl.when("value").then(pl.lit("accepted")).when(~pl.col("value")).then(pl.lit("rejected"))
        ended = pl.when("value").then(pl.lit("agreement")).when(~pl.col("value")).then(pl.lit("walkaway"))
        deals.end(answers.select("game", ended=ended.otherwise(pl.lit("unknown"))))
        response = answered.otherwise(pl.lit("none"))
        deals.offer(answers.select("game", units, response=response, proposer=1, responder=2))

    def check(deals: Deals) -> None:
        _divide(deals, is_dictator=is_dictator)
        closed = deals.offers if is_dictator else deals.offers.filter(pl.col("response") != "none")
        share = pl.when(pl.col("response") == "rejected").then(0.0).otherwise(1.0)
        of_seats = [
            closed.select("game", seat=pl.lit(seat, pl.Int64), due=share * pl.col(of))
            for seat, of in ((1, _OWN), (2, _OTHER))
        ]
        deals.expect(pl.concat(of_seats))
        _set_values_to_units(deals)

    uses = tuple(f"group.{name}" for name in (offer_field, answer_field) if name)
    return App("dictator" if is_dictator else "ultimatum", uses, {1: "proposer", 2: "responder"}, play, check)


def _divide(deals: Deals, *, is_dictator: bool) -> None:
    """Find what there is to divide, which is what the two got together where they did, and so the other's units."""
    sums = (
        deals.points()
        .join(deals.groups.select("game", "ended"), on="game")
        .select(
            "game", total=pl.when((pl.col("ended") == "agreement") | is_dictator).then(pl.col("one") + pl.col("two"))
        )
    )
    of_offers = deals.offers.join(sums, on="game", maintain_order="left")
    total = _usual(of_offers["total"])
    if total is None:
        return
    is_usual = (pl.col("total").fill_null(total) - total).abs() <= TOLERANCE
    rest = {
        own: pl.coalesce(own, pl.when(is_usual).then(total - pl.col(other)))
        for own, other in ((_OWN, _OTHER), (_OTHER, _OWN))
    }
    deals.offers = of_offers.with_columns(**rest).drop("total")


def _set_values_to_units(deals: Deals) -> None:
    """Give offers their values, if a unit is a point in all the games."""
    wrong = deals.wrong
    if deals.has_due and len(wrong) <= _spared(len(deals.offers)):
        is_right = ~pl.col("game").is_in(wrong.implode())
        values = zip(_VALUES, (_OWN, _OTHER), strict=True)
        deals.offers = deals.offers.with_columns(**{value: pl.when(is_right).then(units) for value, units in values})


def _demand(claimed: str) -> App:
    def play(deals: Deals) -> None:
        amounts = deals.sheets.read(deals.turns, f"player.{claimed}", Row.number, pl.Float64)
        claims = deals.turns.select("game", "seat", "points", claim=amounts).sort("game", "seat")
        other = pl.when(pl.len() == 2).then(pl.col("seat").sum() - pl.col("seat")).over("game")
        offers = claims.select("game", proposer="seat", responder=other, claim="claim").drop_nulls("claim")
        deals.offer(offers.with_columns(response=pl.lit("none")).rename({"claim": _OWN}))
        of_games = claims.group_by("game").agg(
            is_whole=pl.col("claim").is_not_null().all() & (pl.len() >= 2),
            is_paid=pl.col("points").gt(0).any(),
            is_known=pl.col("points").is_not_null().all(),
        )
        by_points = pl.when("is_paid").then(pl.lit("agreement")).when("is_known").then(pl.lit("disagreement"))
        by_answer = pl.when("value").then(pl.lit("agreement")).when(~pl.col("value")).then(pl.lit("disagreement"))
        answered = of_games.filter("is_whole").join(deals.truths("agreed"), on="game")
        deals.end(answered.select("game", ended=by_answer.otherwise(by_points)).drop_nulls())

    def check(deals: Deals) -> None:
        ends = deals.groups.select("game", "ended").filter(pl.col("ended") != "unknown")
        due = pl.when(pl.col("ended") == "agreement").then(pl.col(_OWN).fill_null(0.0)).otherwise(0.0)
        deals.expect(deals.offers.join(ends, on="game").select("game", seat="proposer", due=due))

    return App("demand", (f"player.{claimed}", "group.agreed"), {}, play, check)


def _play_trust(deals: Deals) -> None:
    transfers = [
        deals.amounts(name).select("game", proposer=seat, responder=3 - seat, units="value")
        for seat, name in ((1, _SENT), (2, _RETURNED))
    ]
    offers = pl.concat(transfers).drop_nulls("units").sort("game", "proposer")
    deals.offer(offers.with_columns(response=pl.lit("none")).rename({"units": _OTHER}))


def _check_trust(deals: Deals) -> None:
    """Find the endowment and by what the sent amount is multiplied, if both are the same in nearly all groups."""
    transfers = [
        deals.offers.filter(pl.col("proposer") == seat).select("game", pl.col(_OTHER).alias(name))
        for seat, name in ((1, "sent"), (2, "back"))
    ]
    games = transfers[0].join(transfers[1], on="game", how="left").join(deals.points(), on="game")
    endowed, sent, back = pl.col("one") + pl.col("sent") - pl.col("back"), pl.col("sent"), pl.col("back")
    times_of_game = pl.when(sent > TOLERANCE).then((pl.col("two") + back) / sent)
    games = games.with_columns(endowed=endowed, times=pl.when(endowed.is_not_null()).then(times_of_game))
    endowment, times = _usual(games.drop_nulls("two")["endowed"]), _usual(games["times"])
    if endowment is None or times is None:
        return
    games = games.with_columns(
        trustor=endowment - sent + back,
        trustee=times * sent - back,
        is_usual=((pl.col("endowed").fill_null(endowment) - endowment).abs() <= TOLERANCE)
        & ((pl.col("times").fill_null(times) - times).abs() <= TOLERANCE),
    )
    of_seats = [
        games.select("game", seat=pl.lit(seat, pl.Int64), due=of) for seat, of in ((1, "trustor"), (2, "trustee"))
    ]
    deals.expect(pl.concat(of_seats))
    offers = deals.offers.join(games, on="game", how="left", maintain_order="left")
    is_first = pl.col("proposer") == 1
    own = pl.when(is_first).then(endowment - sent).otherwise("trustee")
    other = pl.when(is_first).then(times * sent).otherwise("trustor")
    units = {name: pl.when("is_usual").then(of) for name, of in ((_OWN, own), (_VALUES[0], own), (_VALUES[1], other))}
    deals.offers = offers.with_columns(**units).select(*OFFERS)


def _usual(values: pl.Series) -> float | None:
    """Return the one number that nearly all the values are, or None."""
    rounded = values.drop_nulls().round(6)
    if rounded.is_empty():
        return None
    usual, count = rounded.value_counts(sort=True).row(0)
    return float(usual) if len(rounded) - count <= _spared(len(rounded)) else None


def _spared(games: int) -> int:
    """Return how many of so many games may be unlike the others without it being said that they have no rule."""
    return max(int(games >= FEWEST), int(MOST_UNLIKE * games))


def checked(name: str, deals: Deals) -> list[str]:
    """Return notes on whether the file's points are those that follow from the deals; the file's are kept."""
    deals.kind.check(deals)
    half = deals.offers.filter(~_HAS_UNITS & (deals.kind.protocol != "demand"))["game"].unique()
    compared, wrong = deals.misfits["game"], deals.wrong
    notes = []
    if len(half):
        reason = "what there was to divide is not known, for payoffs do not add up to one sum"
        first_names = _first_names(deals, half)
        notes = [f"{name}: units of one side are missing in {len(half)} games ({first_names}): {reason}"]
    if len(wrong):
        wrong_games = f"{len(wrong)} of {len(compared)} games ({_first_names(deals, wrong)})"
        return [f"{name}: points do not follow from the deal in {wrong_games}; kept", *notes]
    n_whole = len(set(compared) - set(half))
    return [*([f"{name}: the points of {n_whole} games follow from their deals"] if n_whole else []), *notes]


def _first_names(deals: Deals, games: pl.Series) -> str:
    return ", ".join(deals.groups.filter(pl.col("game").is_in(games.implode()))["name"][:3])
