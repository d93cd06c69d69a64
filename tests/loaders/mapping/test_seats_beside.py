"""Columns of several seats side by side, and of several units: the cells tell them from rounds."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

MARKETS, PERIODS = 15, 8
NAMES = {"numbers": ("{}1", "{}2"), "words before": ("firmA_{}", "firmB_{}")}
PAYOFFS = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}


def loaded(log: Path, answers: dict[str, str] | None = None) -> tuple[dict[str, Any], negstats.Study]:
    mapping = log.with_name("m.toml")
    mapping.write_text(suggest(log, answers=answers), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), negstats.load(log, mapping=mapping)


def saved(folder: Path, rows: list[dict[str, Any]]) -> Path:
    pd.DataFrame(rows).to_csv(folder / "log.csv", index=False)
    return folder / "log.csv"


def duopoly(names: tuple[str, str]) -> list[dict[str, Any]]:
    """What each firm earns falls with its own price and rises with that of the other."""
    rng = np.random.default_rng(1)
    rows = []
    for market in range(1, MARKETS + 1):
        for period in range(1, PERIODS + 1):
            prices = rng.integers(10, 30, 2)
            row = {"market": market, "period": period, "treatment": ["talk", "silent"][market % 2]}
            for name, own, other in zip(names, prices, prices[::-1], strict=True):
                row |= {name.format("price"): own, name.format("profit"): (own - 8) * (60 - 2 * own + other)}
            rows.append(row)
    return rows


@pytest.mark.parametrize("names", ["numbers", "words before"])
def test_firms_whose_profit_depends_on_each_other_are_seats(names: str, tmp_path: Path) -> None:
    rows = duopoly(NAMES[names])
    keys, study = loaded(saved(tmp_path, rows))
    question = next(each for each in keys["open"] if each["subject"] == "levels")
    assert question["likely"] == [2]
    assert "profit of each depends on price of the others" in question["evidence"][1]
    assert len(study.games) == MARKETS * PERIODS
    assert study.players["participant_id"].nunique() == 2 * MARKETS
    assert study.players["points"].sum() == sum(value for row in rows for key, value in row.items() if "profit" in key)
    prices = study.answers.loc[study.answers["question"] == "price", "answer"].astype(float)
    assert prices.sum() == sum(value for row in rows for key, value in row.items() if "price" in key)


def test_firms_stay_columns_where_that_is_answered(tmp_path: Path) -> None:
    keys, study = loaded(saved(tmp_path, duopoly(NAMES["numbers"])), {"levels": "1"})
    assert {"price1", "price2"} <= keys["measures"].keys()
    assert len(study.games) == MARKETS * PERIODS


@pytest.mark.parametrize("is_json", [True, False])
def test_actions_and_payoffs_under_the_names_of_two_seats_are_theirs(is_json: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    games: list[dict[str, Any]] = []
    for game in range(1, 41):
        actions = dict(zip(("Ann", "Bob"), rng.choice(["C", "D"], 2).tolist(), strict=True))
        payoffs = dict(zip(actions, PAYOFFS["".join(actions.values())], strict=True))
        games.append({"game": game, "condition": ["hot", "cold"][game % 2], "actions": actions, "payoffs": payoffs})
    log = tmp_path / "log.json"
    log.write_text(json.dumps(games))
    if not is_json:
        rows = pd.json_normalize(games, sep="_").to_dict("records")
        log = saved(tmp_path, [{str(name): value for name, value in row.items()} for row in rows])
    keys, study = loaded(log)
    assert not any(each["subject"] == "condition" for each in keys["open"])
    assert len(study.players) == 80
    read = study.answers.loc[study.answers["question"] == "actions", "answer"].astype(float)
    assert read.sum() == sum(list(each["actions"].values()).count("C") for each in games)


def test_who_bids_most_is_the_winner_among_bidders(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for auction in range(1, 61):
        values = rng.integers(50, 100, 3)
        bids = (values * rng.uniform(0.6, 1, 3)).round().astype(int)
        told = {f"value{seat}": value for seat, value in enumerate(values, 1)}
        told |= {f"bid{seat}": bid for seat, bid in enumerate(bids, 1)}
        kind = ["first", "second"][auction % 2]
        rows.append({"auction": auction, "format": kind, **told, "winner": int(bids.argmax()) + 1})
    keys, study = loaded(saved(tmp_path, rows))
    assert keys["part"][0]["each"] == {"round": [1, 2, 3]}
    assert [each["subject"] for each in keys["open"]] == ["levels"]
    assert (len(study.games), len(study.players)) == (60, 180)
    read = study.answers.loc[study.answers["question"] == "bid", "answer"].astype(float)
    assert read.sum() == sum(row[f"bid{seat}"] for row in rows for seat in (1, 2, 3))


def test_two_prices_of_one_seller_with_their_profits_are_no_seats(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for seller in range(60):
        first = int(rng.integers(10, 30))
        prices = {1: first, 2: int(np.clip(first + rng.integers(-4, 5), 8, 32))}
        row: dict[str, Any] = {"id": f"s{seller}", "treatment": "ab"[seller % 2]}
        for number, price in prices.items():
            row |= {f"price{number}": price, f"profit{number}": (price - 8) * (40 - price) + int(rng.integers(-20, 20))}
        rows.append(row)
    keys, _ = loaded(saved(tmp_path, rows))
    assert "part" not in keys
    assert {"price1", "price2"} <= keys["measures"].keys()


def cities(rows: int, *, is_numbered: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    names = ["Athens", "Bonn", "Boston", "Minsk", "Muscat", "Samara", "Seoul"]
    table = pd.DataFrame({name: rng.uniform(3, 5, rows).round(2) + 2 * place for place, name in enumerate(names)})
    table.insert(0, "Period", range(1, rows + 1) if is_numbered else rng.permutation(rows))
    return table


def test_a_column_of_each_city_and_a_row_of_each_period_are_turned(tmp_path: Path) -> None:
    table = cities(10)
    table.to_csv(tmp_path / "log.csv", index=False)
    keys, study = loaded(tmp_path / "log.csv")
    (question,) = keys["open"]
    assert question["stop"]
    assert question["likely"] == [2]
    assert study.players["participant_id"].value_counts().to_dict() == dict.fromkeys(table.columns[1:], 10)
    assert study.games["value"].sum() == pytest.approx(table.iloc[:, 1:].to_numpy().sum())


@pytest.mark.parametrize("renamed", [{"Period": "id"}, {"Bonn": "payoff"}, {"Bonn": "big city", "Seoul": "old city"}])
def test_measures_of_each_person_are_no_units(renamed: dict[str, str], tmp_path: Path) -> None:
    cities(30).rename(columns=renamed).to_csv(tmp_path / "log.csv", index=False)
    keys, _ = loaded(tmp_path / "log.csv")
    assert "part" not in keys


@pytest.mark.parametrize("is_long", [False, True])
def test_a_demand_of_the_row_player_is_a_number_though_rows_are_called_so(is_long: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    demands = rng.choice(range(1, 10), (40, 2), p=[0.02, 0.03, 0.1, 0.15, 0.4, 0.15, 0.1, 0.03, 0.02])
    table = pd.DataFrame({"pair": range(1, 41), "arm": ["a", "b"] * 20, "demand_row": demands[:, 0]})
    if is_long:
        table = pd.concat([table.assign(role="row"), table.assign(role="column", demand_row=demands[:, 1])])
    table["payoff"] = rng.integers(0, 10, len(table))
    table.to_csv(tmp_path / "log.csv", index=False)
    keys, _ = loaded(tmp_path / "log.csv")
    behind = [each["column"] if isinstance(each, dict) else each for each in keys["measures"].values()]
    assert "demand_row" in behind


def shepherds(mates: int) -> list[dict[str, Any]]:
    """What each shepherd has and takes is told in the rows of the mates again, in the order of their places."""
    rng = np.random.default_rng(12)
    rows: list[dict[str, Any]] = []
    for herd in range(1, 25):
        stock = rng.integers(20, 60, mates + 1)
        for week in range(1, 7):
            taken = rng.integers(0, 19, mates + 1)
            stock = stock + rng.integers(-4, 9, mates + 1)
            for place in range(mates + 1):
                row = {"herd": herd, "week": week, "shepherd": f"s{herd}x{place}", "fence": ["yes", "no"][herd % 2]}
                row |= {"row_id": 10_000 + 7 * len(rows), "stock": stock[place], "taken": taken[place]}
                others = [each for each in range(mates + 1) if each != place]
                for number, other in enumerate(others, 1):
                    row |= {f"mate{number}": stock[other], f"took{number}": taken[other]}
                rows.append(row)
    return rows


@pytest.mark.parametrize("mates", [2, 3, 4])
@pytest.mark.parametrize("is_named", [True, False])
def test_columns_that_tell_what_the_mates_did_are_no_seats_of_the_row(
    mates: int, is_named: bool, tmp_path: Path
) -> None:
    table = pd.DataFrame(shepherds(mates)).sample(frac=1, random_state=4)
    names = {name: f"q{place}_" for place, name in enumerate(["stock", "taken", "herd", "week", "fence", "shepherd"])}
    table = table if is_named else table.rename(columns=names)
    log = tmp_path / "log.csv"
    table.to_csv(log, index=False)
    text = suggest(log)
    assert "each = " not in text
    assert "mate1" in text.partition("row = ")[0]  # it is not read
    keys, study = loaded(log)
    assert "levels" not in [question["subject"] for question in keys.get("open", [])]
    assert (len(study.games), study.players["participant_id"].nunique()) == (24 * 6, 24 * (mates + 1))


def test_what_nearly_all_ticked_names_nobody_who_has_the_most(tmp_path: Path) -> None:
    """Of items that are rated alike the first is seldom less than the others."""
    rng = np.random.default_rng(22)
    moods = rng.normal(4, 1.5, (400, 1))
    table = pd.DataFrame({"person": [f"t{person * 37 % 401}" for person in range(400)], "agreed": [1] * 390 + [2] * 10})
    for stem in ("warm_band", "warm_crowd", "cold_band", "cold_crowd"):
        ratings = np.clip(np.round(moods + rng.normal(0, 0.03, (400, 3))), 1, 7).astype(int)
        table[[f"{stem}{item}" for item in (1, 2, 3)]] = ratings
    table.to_csv(tmp_path / "log.csv", index=False)
    text = suggest(tmp_path / "log.csv")
    assert "each = " not in text
    assert "1, 2, 3" not in text
