"""A mapping says what a number is: its unit and kind, and what it has one value for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats import metrics
from negstats.analysis import compare, measure_table
from negstats.analysis.plan import parse
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.proposals import propose
from negstats.analysis.run import run
from negstats.errors import LogError
from negstats.loaders import load_to
from negstats.studies import open_study
from negstats.studies.study import Study

GAMES = 40
HEAD = """row = "offer"
games.game_id = "game"
factors.land = "land"
offers = { proposer = "who", units_to_responder = "give", total = { constant = 10 } }
"""


def _offers() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    rows = [(f"g{game}", "US" if game % 2 else "IL", seat) for game in range(GAMES) for seat in "ABAB"]
    frame = pd.DataFrame(rows, columns=["game", "land", "who"])
    frame["give"] = rng.integers(0, 11, len(frame))
    frame["price"] = rng.normal(50, 10, len(frame)).round(2)
    frame["polite"] = rng.choice(["ja", "nein"], len(frame))
    frame["fee"] = frame["game"].str[1:].astype(int) % 7
    frame["mood"] = rng.integers(1, 8, len(frame))
    return frame


def _study(folder: Path, measures: str, frame: pd.DataFrame | None = None) -> tuple[Study, pd.DataFrame]:
    table = _offers() if frame is None else frame
    table.to_csv(folder / "o.csv", index=False)
    (folder / "o.toml").write_text(HEAD + measures, encoding="utf-8")
    return negstats.load(folder / "o.csv", mapping=folder / "o.toml"), table


@pytest.mark.slow
def test_number_that_differs_between_offers_is_of_the_offer(tmp_path: Path) -> None:
    study, table = _study(tmp_path, 'measures = { price = "price", fee = "fee" }\n')
    assert study.measures == ["fee", "price"]
    assert study.offers["price"].tolist() == table["price"].tolist()
    assert study.games["fee"].tolist() == table.groupby("game", sort=False)["fee"].first().tolist()
    per_seat = table.groupby(["land", "game", "who"])["price"]
    for name, of_seat in (
        ("price", per_seat.mean()),
        ("first_price", per_seat.first()),
        ("last_price", per_seat.last()),
    ):
        expected = of_seat.groupby(["land", "game"]).mean().groupby("land").mean().to_dict()
        assert compare(study, name, "land").table()["mean"].to_dict() == pytest.approx(expected), name
    assert compare(study, "mean_price", "land").table()["mean"].to_dict() == pytest.approx(
        compare(study, "offers.price", "land").table()["mean"].to_dict()
    )


@pytest.mark.slow
def test_unit_stands_in_tables_comparisons_and_results(tmp_path: Path) -> None:
    study, _ = _study(tmp_path, 'measures.price = { column = "price", unit = "EUR", per = "offer" }\n')
    assert measure_table(study, names=["price", "first_price"])["unit"].unique().tolist() == ["EUR"]
    assert compare(study, "price", "land").entry["unit_of_measure"] == "EUR"
    for name in ("offers.price", "first_offers.price"):
        plan = parse(f'[questions.H1]\nasks = "Does it differ?"\nmeasure = "{name}"\nby = "land"\n')
        (entry,) = run(plan, study).results["questions"]
        assert (entry["unit_of_measure"], entry["kind"], bool(entry["verdict"])) == ("EUR", "interval", True)


def test_words_of_yes_and_no_are_counted(tmp_path: Path) -> None:
    study, table = _study(tmp_path, 'measures.polite = { column = "polite", kind = "yes/no" }\n')
    assert study.offers["polite"].tolist() == (table["polite"] == "ja").astype(float).tolist()
    known = metrics.measure_in(study.tables, "polite", study.provenance.measures)
    assert (known.yes_no, known.per) == (True, "offer")
    wrong = table.assign(polite="jein")
    with pytest.raises(LogError, match=r"'jein' is spelled in no level.*\[levels.polite\]"):
        _study(tmp_path, 'measures.polite = { column = "polite", kind = "yes/no" }\n', wrong)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), [("ordered", "ordered"), ("count", "count"), ("number", "interval")])
def test_kind_chooses_the_test(tmp_path: Path, kind: str, expected: str) -> None:
    study, _ = _study(tmp_path, f'measures.fee = {{ column = "fee", kind = "{kind}", per = "game" }}\n')
    plan = parse('[questions.H1]\nasks = "Does it differ?"\nmeasure = "games.fee"\nby = "land"\n')
    assert run(plan, study).results["questions"][0]["kind"] == expected


def test_number_of_zeros_and_ones_is_no_yes_and_no_if_the_mapping_says_so(tmp_path: Path) -> None:
    frame = _offers().assign(price=lambda table: table["mood"] % 2)
    study, _ = _study(tmp_path, 'measures.price = { column = "price", kind = "number", unit = "EUR" }\n', frame)
    known = metrics.measure_in(study.tables, "price", study.provenance.measures)
    assert (known.yes_no, known.unit) == (False, "EUR")


@pytest.mark.slow
def test_draft_names_the_table_and_the_kind(tmp_path: Path) -> None:
    study, _ = _study(tmp_path, 'measures = { price = { column = "price", unit = "EUR" }, cost = "fee" }\n')
    measures = {proposal.outcome.name: proposal.outcome for proposal in propose(study).ranked}
    assert (measures["price"].measure, measures["cost"].measure) == ("offers.price", "games.cost")
    assert "# EUR\n[measures.price]\n" in draft(study)


@pytest.mark.slow
def test_unit_is_kept_on_disk_and_in_engines_and_when_streamed(tmp_path: Path) -> None:
    study, _ = _study(tmp_path, 'measures.price = { column = "price", unit = "EUR", per = "offer" }\n')
    study.save(tmp_path / "saved")
    load_to(tmp_path / "o.csv", tmp_path / "streamed", mapping=tmp_path / "o.toml", stream=True)
    here = compare(study, "last_price", "land").table()
    for place in ("saved", "streamed"):
        assert open_study(tmp_path / place).provenance.measures == study.provenance.measures
        there = open_study(tmp_path / place, engine="duckdb")
        assert there.measures == ["price"]
        pd.testing.assert_frame_equal(compare(there, "last_price", "land").table(), here, check_exact=False)


@pytest.mark.parametrize(
    ("measure", "error"),
    [
        ('{ column = "price", unit = 3 }', r"measures.price.unit: 3 is not a unit such as \"EUR\""),
        ('{ column = "price", kind = "yesno" }', r"price.kind: 'yesno' is not a kind of a measure; .*'yes/no'"),
        ('{ column = "price", per = "seat" }', r"measures.price.per: 'seat' is not a per of a measure"),
        ('{ column = "price", per = "player" }', r"measures.price.per: \"player\" is for a log with row = \"player\""),
        ('{ column = "price", per = "game" }', r"must agree on price"),
        ('{ column = "price", units = "EUR" }', r"names no place in the log"),
    ],
)
def test_wrong_words_are_refused_by_name(tmp_path: Path, measure: str, error: str) -> None:
    with pytest.raises(LogError, match=error):
        _study(tmp_path, f"measures.price = {measure}\n")


def test_values_in_rows_that_are_no_offer_are_counted(tmp_path: Path) -> None:
    frame = _offers()
    frame.loc[frame.index[-3:], "give"] = np.nan
    study, _ = _study(tmp_path, 'measures.price = { column = "price", per = "offer" }\n', frame)
    assert "3 values of 'price' are in rows that are not offers, and were not read" in study.provenance.notes


MOOD = 'measures.mood = { column = "mood", kind = "ordered", per = "game", levels = ["low", "middle", "high"] }\n'


@pytest.mark.slow
def test_words_in_order_are_ranks(tmp_path: Path) -> None:
    words = np.array(["Low", "middle", "high"])
    frame = _offers()
    rank = frame["game"].str[1:].astype(int) % 3
    study, _ = _study(tmp_path, MOOD, frame.assign(mood=words[rank]))
    assert study.games["mood"].tolist() == (rank[::4] + 1).tolist()
    plan = parse('[questions.H1]\nasks = "Does it differ?"\nmeasure = "games.mood"\nby = "land"\n')
    assert run(plan, study).results["questions"][0]["kind"] == "ordered"
    with pytest.raises(LogError, match=r"column 'mood': 'angry' is not one of the levels \(low, middle, high\)"):
        _study(tmp_path, MOOD, frame.assign(mood="angry"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('kind = "number", levels = ["a", "b"]', 'is for a measure with kind = "ordered"'),
        ('kind = "ordered", levels = "low"', "'low' is not a list of words, lowest first"),
        ('kind = "ordered", levels = ["low"]', "is not a list of words, lowest first"),
        ('kind = "ordered", levels = ["low", "Low"]', "names a word twice"),
        ('kind = "ordered", levels = ["low", "high"] }\nlevels.mood = { low = ["1"]', "given twice, and differ"),
        ('kind = "ordered" }\nlevels.mood = { low = ["1"]', "levels.mood: does not say the order"),
    ],
)
def test_faults_of_levels(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(LogError, match=message):
        _study(tmp_path, f'measures.mood = {{ column = "mood", {settings} }}\n')
