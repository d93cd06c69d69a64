"""Competitiveness: how much more an offer asks than it gives (haim2017, 6.2). One row an offer."""

from __future__ import annotations

import narwhals as nw
from narwhals.typing import IntoFrameT

from negstats.metrics._frames import native, opened

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
