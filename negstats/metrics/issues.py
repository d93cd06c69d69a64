"""Logrolling issue by issue: to whom each is worth more, what that seat kept there, and which pairs were traded.

Of two seats. Any frame of the tables: the result is of the same kind. The *deal* is the last accepted offer.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.metrics._frames import collected, returned

VALUES = ["game_id", "player", "item", "option", "available", "value"]
ISSUE = ["game_id", "item"]
# A range of values above another by less than this share is equal to it.
EQUAL = 1e-9


def issue_concessions(values: IntoFrameT, offers: IntoFrame, items: IntoFrame) -> IntoFrameT:
    """Return for each issue the seat to whom it is worth more, its share of the issue, and the share of the other.

    What an issue is worth to a seat is the range of its values over the options (over the units that it may get). Kept
    is (v − least)/range with v the deal's value there. Unit: shares of a range; 1 is all, and 1 − `kept` was conceded.
    Denominator: the seat's own range. `seat` is missing where the issue is worth as much to both; shares are missing
    without a known deal, or where a range is 0. Games of other than two seats, and items of unknown number, are left
    out.

    The measure is ours, for the concessions of unequal worth of Froman and Cohen (1970) and Pruitt (1981).

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `item`, `seat`, `worth`, `worth_to_other`, `kept`, `kept_by_other`; by game and item. Where both
        are worth the same, those of the first seat by name stand first.

    Raises
    ------
    SchemaError
        As `pareto_optimal`.

    References
    ----------
    - Froman, L. A., & Cohen, M. D. (1970). Compromise and logroll: Comparing the efficiency of two bargaining
      processes. Behavioral Science, 15, 180–183.
    - Pruitt, D. G. (1981). Negotiation Behavior. Academic Press.

    Examples
    --------
    The book is worth 5 to A and 1 to B, who let A have it:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [5, 1, 1, 3]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[1, 1, 0, 1])
    >>> issue_concessions(values, offers, items)[["item", "seat", "worth", "kept", "kept_by_other"]]
       item seat  worth  kept  kept_by_other
    0  book    A    5.0   1.0            0.0
    1   hat    B    6.0   0.5            0.5
    """
    return returned(_table(values, offers, items)[COLUMNS], values)


def issue_trades(values: IntoFrameT, offers: IntoFrame, items: IntoFrame) -> IntoFrameT:
    """Return what each deal made of every pair of issues of which one is worth more to each seat: what can be traded.

    (J − J̄)/(J* − J̄) with J the deal's joint value on the two issues, J* the largest on them and J̄ the mean over their
    outcomes. Unit: a share; 1 is a full trade, 0 what settling without regard to values gives, below 0 the wrong way.
    Denominator: `potential`, J* − J̄, in points; never 0 where worths differ. Missing without a known deal.

    The measure is ours, as `logrolling`.

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `item_1`, `item_2`, `seat_1`, `seat_2` (to whom each is worth more), `potential`, `realised`; by game
        and items. A game without such a pair has no row.

    Raises
    ------
    SchemaError
        As `pareto_optimal`.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [5, 1, 1, 3]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[1, 1, 0, 1])
    >>> issue_trades(values, offers, items)[["item_1", "item_2", "potential", "realised"]]  # J 9, J* 11, mean 7
      item_1 item_2  potential  realised
    0   book    hat        4.0       0.5
    """
    return returned(_trades(_table(values, offers, items)), values)


def logrolling_by_issue(values: IntoFrameT, offers: IntoFrame, items: IntoFrame) -> IntoFrameT:
    """Return what share of what its tradeable pairs of issues held each game's deal realised.

    Σ(J − J̄)/Σ(J* − J̄) over the pairs of `issue_trades`. `logrolling` takes all issues, this only those that one seat
    can yield for another: what both want most is no trade. Unit: a share, as there. Denominator: the pairs' potential.
    Missing without a known deal, where no two issues are worth more to different seats, and unless seats are two.

    The measure is ours, as `logrolling`.

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `logrolling_by_issue`; by game.

    Raises
    ------
    SchemaError
        As `pareto_optimal`.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [5, 1, 1, 3]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[1, 1, 0, 1])
    >>> logrolling_by_issue(values, offers, items)["logrolling_by_issue"].tolist()
    [0.5]
    """
    games = collected(values, "values", ["game_id"]).dropna().drop_duplicates().sort_values("game_id")
    pairs = _trades(_table(values, offers, items))
    pairs["gained"] = pairs["potential"] * pairs["realised"]
    by_game = pairs.groupby("game_id")
    is_complete = by_game["gained"].count() == by_game.size()  # a deal is known in all its pairs or not at all
    share = (by_game["gained"].sum() / by_game["potential"].sum()).where(is_complete)
    shares = share.reindex(games["game_id"]).to_numpy(dtype=np.float64)
    return returned(games.reset_index(drop=True).assign(logrolling_by_issue=shares), values)


COLUMNS = [*ISSUE, "seat", "worth", "worth_to_other", "kept", "kept_by_other"]


def _table(values: IntoFrame, offers: IntoFrame, items: IntoFrame) -> pd.DataFrame:
    """Return one row an issue: `COLUMNS`, and the joint value of the deal, the largest and the mean one."""
    worth = collected(values, "values", VALUES)
    worth = worth[worth.groupby("game_id")["player"].transform("nunique") == 2]
    settlements = _read_settlements(offers, items)
    seats = pd.concat(
        [
            _value_decisions(worth[worth["option"].notna()], settlements),
            _divided(worth[worth["option"].isna()], settlements),
        ]
    )
    seats = seats.sort_values([*ISSUE, "player"], kind="stable")
    has_two_seats = seats.groupby(ISSUE)["player"].transform("size") == 2
    seats = seats[has_two_seats]
    # An issue has two seats; the one to whom it is worth more comes first.
    first_seats, second_seats = seats.iloc[::2].reset_index(drop=True), seats.iloc[1::2].reset_index(drop=True)
    second_is_more = np.where(_more(second_seats["range"], first_seats["range"]), 1, 0)
    table = first_seats[ISSUE].copy()
    differs = _more(first_seats["range"], second_seats["range"]) | (second_is_more == 1)
    table["seat"] = pd.Series(
        np.where(second_is_more == 1, second_seats["player"], first_seats["player"]), dtype=object
    ).where(differs, None)
    for name, column in (("worth", "range"), ("kept", "kept")):
        first_values, second_values = (
            first_seats[column].to_numpy(dtype=float),
            second_seats[column].to_numpy(dtype=float),
        )
        table[name], table[f"{name}_to_other" if name == "worth" else "kept_by_other"] = (
            np.where(second_is_more == 1, second_values, first_values),
            np.where(second_is_more == 1, first_values, second_values),
        )
    table["joint"] = first_seats["deal"].to_numpy(dtype=float) + second_seats["deal"].to_numpy(dtype=float)
    table[["most", "mean"]] = first_seats[["most", "mean"]].to_numpy(dtype=float)
    return table


def _more(first: pd.Series, second: pd.Series) -> pd.Series:
    return first - second > EQUAL * np.maximum(first, second)


def _read_settlements(offers: IntoFrame, items: IntoFrame) -> pd.DataFrame:
    """Return the items of the last accepted offer of each game."""
    offer_rows = collected(offers, "offers", ["game_id", "offer", "response"])
    last_offers = offer_rows[offer_rows["response"] == "accepted"].groupby("game_id", as_index=False)["offer"].max()
    item_rows = collected(items, "items", ["game_id", "offer", "item", "receiver", "quantity", "option"])
    return item_rows.merge(last_offers, on=["game_id", "offer"])


def _value_decisions(worth: pd.DataFrame, settlements: pd.DataFrame) -> pd.DataFrame:
    """Return one row a seat and issue that is settled by an option."""
    joint = worth.groupby([*ISSUE, "option"], as_index=False)["value"].sum(min_count=2)
    joint_range = joint.groupby(ISSUE, as_index=False)["value"].agg(most="max", mean="mean")
    seat_range = worth.groupby([*ISSUE, "player"], as_index=False)["value"].agg(low="min", high="max")
    decisions = settlements[settlements["option"].notna()].drop_duplicates(ISSUE, keep="last")[[*ISSUE, "option"]]
    deal = worth.merge(decisions, on=[*ISSUE, "option"])[[*ISSUE, "player", "value"]].rename(columns={"value": "deal"})
    return _shares(seat_range.merge(joint_range, on=ISSUE).merge(deal, how="left", on=[*ISSUE, "player"]))


def _divided(worth: pd.DataFrame, settlements: pd.DataFrame) -> pd.DataFrame:
    """Return one row a seat and item whose units are divided, each division of it as likely as another."""
    seats = worth.dropna(subset=["available", "value"]).copy()
    full_value = seats["available"] * seats["value"]
    seats["low"], seats["high"], seats["mean"] = (
        np.minimum(full_value, 0.0),
        np.maximum(full_value, 0.0),
        full_value / 2,
    )
    seats["most"] = full_value
    by_issue = seats.groupby(ISSUE)
    seats["most"], seats["mean"] = by_issue["most"].transform("max"), by_issue["mean"].transform("sum")
    receipts = settlements.groupby([*ISSUE, "receiver"], as_index=False)["quantity"].sum(min_count=1)
    seats = seats.merge(receipts, how="left", left_on=[*ISSUE, "player"], right_on=[*ISSUE, "receiver"])
    units = seats.groupby(ISSUE)["quantity"].transform("sum", min_count=2)
    seats["deal"] = (seats["quantity"] * seats["value"]).where(units <= seats["available"])
    return _shares(seats[[*ISSUE, "player", "low", "high", "most", "mean", "deal"]])


def _shares(seats: pd.DataFrame) -> pd.DataFrame:
    seats["range"] = seats["high"] - seats["low"]
    seats["kept"] = ((seats["deal"] - seats["low"]) / seats["range"]).where(seats["range"] > 0)
    return seats


def _trades(issues: pd.DataFrame) -> pd.DataFrame:
    """Return one row a pair of issues that are worth more to different seats."""
    differing = issues[issues["seat"].notna()].reset_index(drop=True)
    differing["place"] = differing.index
    pairs = differing.merge(differing, on="game_id", suffixes=("_1", "_2"))
    pairs = pairs[(pairs["place_1"] < pairs["place_2"]) & (pairs["seat_1"] != pairs["seat_2"])]
    mean_sum = pairs["mean_1"] + pairs["mean_2"]
    pairs["potential"] = pairs["most_1"] + pairs["most_2"] - mean_sum
    pairs["realised"] = (pairs["joint_1"] + pairs["joint_2"] - mean_sum) / pairs["potential"]
    names = ["game_id", "item_1", "item_2", "seat_1", "seat_2", "potential", "realised"]
    return pairs[names].reset_index(drop=True)
