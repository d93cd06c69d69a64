"""The SVO slider and the Subjective Value Inventory: the printed grid, known angles, keys and missing answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats.metrics.scales import SVI_FACTORS, SVO_ITEMS, subjective_value, svo_slider

SVO = [f"svo_{place}" for place in range(1, 7)]
SVI = [f"svi_{place}" for place in range(1, 17)]


def answered(questions: list[str], rows: dict[str, list[Any]]) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"participant_id": who, "game_id": "g", "question": questions, "answer": [str(a) for a in row]})
        for who, row in rows.items()
    ]
    return pd.concat(parts, ignore_index=True)


def angles(**positions: list[Any]) -> dict[str, float]:
    table = svo_slider(answered(SVO, positions), SVO)
    return dict(zip(table["participant_id"], table["svo_angle"], strict=True))


def amounts(item: int, position: int) -> tuple[int, int]:
    """The printed grid's own and other, by whole steps of the ends (half up)."""
    first, last = SVO_ITEMS[item]
    own, other = ((8 * a + (b - a) * (position - 1) + 4) // 8 for a, b in zip(first, last, strict=True))
    return own, other


class TestSvo:
    def test_known_angles(self) -> None:
        # most for the other on every item; best for oneself with ties for and against the other; the largest lead
        every = [[amounts(item, position) for position in range(1, 10)] for item in range(6)]
        kind = [1 + int(np.argmax([other for _, other in grid])) for grid in every]
        own, mean, lead = (
            [1 + max(range(9), key=[rule(*pair) for pair in grid].__getitem__) for grid in every]
            for rule in (
                lambda own, other: (own, other),
                lambda own, other: (own, -other),
                lambda own, other: (own - other, 0),
            )
        )
        result = angles(kind=kind, own=own, mean=mean, lead=lead)
        assert result["kind"] == pytest.approx(61.3895403340, abs=1e-9)
        assert result["own"] == pytest.approx(7.8152935468, abs=1e-9)
        assert result["mean"] == pytest.approx(-7.8152935468, abs=1e-9)
        assert result["lead"] == pytest.approx(-16.2602047083, abs=1e-9)

    def test_rounding_is_half_up_as_in_print(self) -> None:
        # position 3 of an item from 100 to 50 is 87.5, printed 88; Python's round would give 88 here but 62 for 62.5
        assert amounts(4, 3) == (88, 63)
        pairs = [amounts(item, position) for item, position in enumerate((1, 8, 9, 3, 5, 7))]
        mean_own, mean_other = np.array(pairs).mean(axis=0)
        wanted = np.degrees(np.arctan2(mean_other - 50, mean_own - 50))
        assert angles(a=[1, 8, 9, 3, 5, 7])["a"] == pytest.approx(wanted, abs=1e-12)
        assert wanted == pytest.approx(37.3774551096, abs=0.3)  # without rounding

    def test_types_and_missing_items(self) -> None:
        table = svo_slider(answered(SVO, {"a": [1, 9, 9, 1, 9, 9], "b": [1, 9, 9, 1, 9, "NA"]}), SVO)
        assert table["answered"].tolist() == [6, 5]
        assert np.isnan(table["svo_angle"][1])
        assert pd.isna(table["svo_type"][1])


class TestSvi:
    def test_key_and_factors(self) -> None:
        best = [7, 7, 1, 7, 1, 7, 7, 7, *[7] * 8]
        worst = [8 - one for one in best]
        table = subjective_value(answered(SVI, {"best": best, "worst": worst}), SVI)
        assert (table.iloc[0, 2:8] == 7).all()
        assert (table.iloc[1, 2:8] == 1).all()

    def test_na_leaves_out_an_item_and_half_a_factor_is_needed(self) -> None:
        values = [4, 4, 4, 4, 5, 5, 5, 5, "NA", "n/a", "NA", 6, 7, "NA", "NA", 5]
        both = answered(SVI, {"a": values, "b": [4] * 16})
        row = subjective_value(both, SVI).iloc[0]
        assert row["svi_outcome"] == 4
        assert row["svi_self"] == (3 + 5 + 5 + 5) / 4
        assert row["svi_relationship"] == 6
        assert row[["svi_process", "svi_rapport", "svi_global"]].isna().all()
        assert row["answered"] == 11

    def test_global_is_of_factors_or_of_items(self) -> None:
        values = [4, 4, 4, "NA", 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7]
        both = answered(SVI, {"a": values, "b": [4] * 16})
        factors = subjective_value(both, SVI).iloc[0]
        items = subjective_value(both, SVI, overall="items").iloc[0]
        assert factors["svi_global"] == np.mean([factors[f"svi_{name}"] for name in SVI_FACTORS])
        assert items["svi_global"] == (4 + 4 + 4 + 3 + 5 + 5 + 5 + 24 + 28) / 15

    def test_every_kind_of_frame(self) -> None:
        data = answered(SVI, {"a": [4] * 16, "b": [5] * 16})
        result = subjective_value(pl.DataFrame(data), SVI)
        assert isinstance(result, pl.DataFrame)
        assert result["svi_global"].to_list() == subjective_value(data, SVI)["svi_global"].tolist()
