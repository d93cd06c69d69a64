"""What words of events mean that neither the lexicon nor the cells beside them tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return thirty games of offers, of which each ends with an acceptance or a word that nobody knows."""
    rng = np.random.default_rng(1)
    lines = ["game,step,who,act,amount"]
    for game in range(1, 31):
        last = int(rng.integers(3, 8))
        lines += [f"g{game},{step},{'AB'[step % 2]},offer,{rng.integers(1, 10)}" for step in range(1, last)]
        lines.append(f"g{game},{last},{'AB'[last % 2]},{('accept', 'basta')[game % 2]},")
    file = tmp_path / "log.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def ends_of(log: Path, answers: dict[str, str]) -> dict[str, int]:
    mapping = log.with_suffix(".toml")
    mapping.write_text(suggest(log, answers=answers), encoding="utf-8")
    ended = negstats.load(log, mapping=mapping).games["ended"]
    return {str(end): int(count) for end, count in ended.value_counts().items()}


def test_they_are_asked_about_and_left_out_until_somebody_answers(log: Path) -> None:
    assert "What are the rows whose act is basta?" in suggest(log)
    assert ends_of(log, {}) == {"agreement": 15, "unknown": 15}


def test_the_answer_says_how_games_ended(log: Path) -> None:
    assert ends_of(log, {"events": "4"}) == {"agreement": 15, "walkaway": 15}


def test_a_column_without_a_text_beside_full_ones_hinders_no_draft(log: Path) -> None:
    lines = log.read_text(encoding="utf-8").splitlines()
    log.write_text("\n".join([f"{lines[0]},remark", *(f"{line}," for line in lines[1:])]) + "\n", encoding="utf-8")
    assert ends_of(log, {"events": "4"}) == {"agreement": 15, "walkaway": 15}


def test_a_price_that_stands_with_offers_only_is_what_is_offered(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [
        (f"run{game:03}", turn, role, rng.integers(300, 900), None if turn == last else rng.integers(400, 800),
         "ACCEPT" if turn == last else "OFFER")
        for game in range(60)
        for last in [int(rng.integers(2, 7))]
        for turn, role in zip(range(last + 1), ["seller", "buyer"] * 4, strict=False)
    ]  # fmt: skip
    names = ["run", "turn", "role", "reservation_price", "target_price", "action"]
    file = tmp_path / "steps.csv"
    pd.DataFrame(rows, columns=names).to_csv(file, index=False)
    text = suggest(file)
    assert 'units = "target_price"' in text
    assert 'units = "reservation_price"' not in text
