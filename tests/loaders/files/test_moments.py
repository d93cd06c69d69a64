"""Times of logs: the year first, with or without leading zeros; what may be two days is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import negstats
from negstats.errors import LogError
from negstats.loaders.files.literals import read_moment

HALF_PAST_ONE = datetime(2025, 7, 3, 1, 30, 40, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2025-07-03 01:30:40",
        "2025-07-03 1:30:40",
        "2025-7-3  1:30:40",
        "2025/7/3 1:30:40",
        "2025-07-03T1:30:40.000",
        "2025-07-03 1:30:40 UTC",
        "2025-7-3T1:30:40Z",
        "2025-07-03 3:30:40+0200",
        "2025-07-03 03:30:40 +02:00",
        "20250703T013040",
    ],
)
def test_each_way_to_write_a_moment_is_the_same_moment(text: str) -> None:
    assert read_moment(text) == HALF_PAST_ONE


@pytest.mark.parametrize(
    "text",
    ["7/8/2025 1:30", "25-07-03 1:30", "2025-07/03 1:30", "2025-13-01", "2025-07-03 24:61", "2025-07-03 1:3", "1:30",
     "2025-07-03 1", "0001-01-01T00:00+05:00", ""],
)  # fmt: skip
def test_what_is_no_moment_or_may_be_two_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_moment(text)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)), st.integers(-14 * 60, 14 * 60))
def test_iso_times_of_any_zone_are_read_as_they_are_and_without_leading_zeros(naive: datetime, minutes: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert read_moment(moment.isoformat()) == moment
    short = f"{moment:%Y}".zfill(4) + f"-{moment.month}-{moment.day} {moment.hour}:{moment:%M:%S.%f%z}"
    assert read_moment(short) == moment


def otree_export(folder: Path, started: str) -> Path:
    """Two people of one pair, as oTree writes them in one row each."""
    file = folder / "all_apps_wide.csv"
    rows = [
        {
            "participant.code": f"p{seat}", "participant.time_started_utc": started, "participant.payoff": 10 * seat,
            "session.code": "s1", "session.is_demo": 0, "trust.1.player.id_in_group": seat,
            "trust.1.player.payoff": 10 * seat, "trust.1.group.id_in_subsession": 1,
            "trust.1.group.sent_amount": 40, "trust.1.subsession.round_number": 1,
        }
        for seat in (1, 2)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(file, index=False)
    return file


def test_an_export_whose_hours_have_one_digit_is_read(tmp_path: Path) -> None:
    games = negstats.load(otree_export(tmp_path, "2025-07-03 1:30:40")).games
    assert games["started_at"].tolist() == [pd.Timestamp("2025-07-03 01:30:40", tz="UTC")]


def test_a_time_that_may_be_two_days_is_refused_with_its_place(tmp_path: Path) -> None:
    match = r"row 2, column 'participant.time_started_utc': '7/8/2025 1:30' is not a time such as"
    with pytest.raises(LogError, match=match):
        negstats.load(otree_export(tmp_path, "7/8/2025 1:30"))


def test_a_mapping_reads_them_too(tmp_path: Path) -> None:
    file, mapping = tmp_path / "log.csv", tmp_path / "mapping.toml"
    file.write_text("g,at\na,2025-07-03 1:30:40\nb,2025-07-03 11:30:40\n", encoding="utf-8")
    mapping.write_text('row = "game"\n[games]\ngame_id = "g"\nstarted_at = "at"\n', encoding="utf-8")
    assert negstats.load(file, mapping=mapping).games["started_at"].dt.hour.tolist() == [1, 11]
    file.write_text("g,at\na,7/8/2025 1:30\n", encoding="utf-8")
    with pytest.raises(LogError, match="is not a date and time written as"):
        negstats.load(file, mapping=mapping)
