"""What an offer asks, gives and adds to a score (haim2017, 6.2 and 6.3). One row an offer."""

from __future__ import annotations

from typing import Literal

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import joined, native, opened

KEY = ("game_id", "offer", "proposer")


def competitiveness(offers: IntoFrameT) -> IntoFrameT:
    """Return how much more each offer keeps than it gives: units to the proposer minus units to the responder.

    Unit: units (chips, items). Denominator: none, one value an offer. Missing where either number of units is.

    As in Haim et al. (2017, section 6.2). A customer who asks 40 chips for 11 has 29; a provider who gives 40 for 11
    has -29.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `units_to_proposer`, `units_to_responder`.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer`, `proposer`, `competitiveness`.

    Raises
    ------
    SchemaError
        If a column is not there.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2], "proposer": ["CS", "SP"],
    ...                        "units_to_proposer": [40, 11], "units_to_responder": [11, 40]})
    >>> competitiveness(offers)["competitiveness"].tolist()
    [29.0, -29.0]
    """
    units = opened(offers, "offers", [*KEY, "units_to_proposer", "units_to_responder"])
    demand = nw.col("units_to_proposer") - nw.col("units_to_responder")
    return native(units.select(*KEY, demand.alias("competitiveness")), offers)


def generosity(offers: IntoFrameT) -> IntoFrameT:
    """Return how much more each offer gives than it keeps: units to the responder minus units to the proposer.

    Unit: units (chips, items). Denominator: none, one value an offer. Missing where either number of units is.

    As in Haim et al. (2017, section 6.3). The competitiveness with its sign turned.

    Parameters
    ----------
    offers
        As for `competitiveness`.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer`, `proposer`, `generosity`.

    Raises
    ------
    SchemaError
        If a column is not there.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1], "proposer": ["SP"],
    ...                        "units_to_proposer": [11], "units_to_responder": [40]})
    >>> generosity(offers)["generosity"].tolist()
    [29.0]
    """
    units = opened(offers, "offers", [*KEY, "units_to_proposer", "units_to_responder"])
    gift = nw.col("units_to_responder") - nw.col("units_to_proposer")
    return native(units.select(*KEY, gift.alias("generosity")), offers)


def benefit(
    offers: IntoFrameT,
    players: IntoFrame | None = None,
    *,
    to: Literal["proposer", "responder"] = "proposer",
    points_per_unit: float | None = None,
) -> IntoFrameT:
    """Return what each offer would add to a player's score if it were carried out.

    Unit: points. Denominator: none, one value an offer. Missing where the units (or the value and the BATNA) are, and
    for the responder of an offer that goes to everybody.

    As in Haim et al. (2017, section 6.3). Where chips change hands, the units that the player would get minus those it
    would give, times the points that a unit scores (5 in the contract game). Elsewhere the offer's value to the player
    minus its BATNA, what it gets without agreement.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`; with `points_per_unit` `units_to_proposer` and `units_to_responder`, otherwise
        `responder` and `value_proposer` or `value_responder`.
    players
        `game_id`, `player`, `batna`; not needed with `points_per_unit`.
    to
        Whose benefit.
    points_per_unit
        What one unit scores, in games where units change hands.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer`, `proposer`, `benefit`.

    Raises
    ------
    UsageError
        If `to` is not a side of an offer, or neither `players` nor `points_per_unit` is given.
    SchemaError
        If a column is not there.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    21 chips for 11, at 5 points a chip:

    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1], "proposer": ["CS"],
    ...                        "units_to_proposer": [21], "units_to_responder": [11]})
    >>> benefit(offers, points_per_unit=5)["benefit"].tolist()
    [50.0]
    """
    if to not in {"proposer", "responder"}:
        raise UsageError(f"to is {shown(to)}; give 'proposer' or 'responder'")
    if points_per_unit is not None:
        units = opened(offers, "offers", [*KEY, "units_to_proposer", "units_to_responder"])
        gained = nw.col("units_to_proposer") - nw.col("units_to_responder")
        change = gained * (points_per_unit if to == "proposer" else -points_per_unit)
        return native(units.select(*KEY, change.alias("benefit")), offers)
    if players is None:
        raise UsageError("give players, whose BATNA the values are compared with, or points_per_unit")
    columns = [*KEY, "responder", f"value_{to}"]
    values = opened(offers, "offers", columns).with_columns(nw.col(to).alias("player"))
    with_batna = joined(values, opened(players, "players", ["game_id", "player", "batna"]), ["game_id", "player"])
    return native(with_batna.select(*KEY, (nw.col(f"value_{to}") - nw.col("batna")).alias("benefit")), offers)
