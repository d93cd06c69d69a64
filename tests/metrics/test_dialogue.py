"""Utterances, words, offers among messages, time to agreement: by hand, against str.split and R, and on CaSiNo."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import metrics
from negstats.metrics.dialogue import kaplan_meier_median
from tests.metrics.engines import KINDS, Kind, as_pandas

MESSAGES = pd.DataFrame(
    {
        "game_id": ["f", "f", "f", "f", "g", "h", "h"],
        "message": [1, 2, 3, 4, 1, 1, 2],
        "time_s": [1.0, 5.0, None, None, None, 2.0, 1.0],
        "text": ["hello there", None, "so you take it all", "", None, "Submit-Deal", "ok"],
        "act": [None, "submit-deal", None, None, "walk-away", "submit-deal", None],
    }
)
GAMES = pd.DataFrame(
    {
        "game_id": ["e", "f", "g", "h"],
        "ended": ["timeout", "agreement", "walkaway", "agreement"],
        "rounds": pd.array([9, 2, 1, None], dtype="Int64"),
    }
)


def test_utterances_by_hand() -> None:
    # Deal actions are not utterances, typed or not; an empty message is one of no words.
    assert metrics.utterances(MESSAGES)["utterances"].tolist() == [3, 0, 1]
    assert metrics.utterances(MESSAGES, GAMES)["utterances"].tolist() == [0, 3, 0, 1]
    words = metrics.words_per_utterance(MESSAGES, GAMES)["words_per_utterance"]
    np.testing.assert_array_equal(words, [np.nan, 7 / 3, np.nan, 1])


def test_share_of_messages_with_an_offer() -> None:
    np.testing.assert_array_equal(metrics.offer_share(MESSAGES, GAMES)["offer_share"], [np.nan, 0.25, 0, 0.5])
    np.testing.assert_array_equal(metrics.offer_share(MESSAGES, acts=["walk-away"])["offer_share"], [0, 1, 0])


def words(said: list[str], kind: Kind) -> list[float]:
    messages = pd.DataFrame({"game_id": [f"g{number:06d}" for number in range(len(said))], "text": said})
    messages = messages.assign(act=pd.Series([None] * len(said), dtype="str"))
    result = as_pandas(metrics.words_per_utterance(kind.make(messages)), ["game_id"])
    counted: list[float] = result["words_per_utterance"].tolist()
    return counted


@pytest.mark.slow
def test_words_are_what_str_split_gives(kind: Kind) -> None:
    # Between two letters each character of the basic plane but the surrogates: which of them separate words?
    texts = [f"a{chr(code)}b" for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    texts += [" ", "", "  \t\r\n ", " a  b ", "Ça va, 你好 吗", "👍 👍"]
    assert words(texts, kind) == [len(text.split()) for text in texts]


@pytest.mark.slow
@given(said=st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8))
def test_any_words(said: list[str]) -> None:
    assert words(said, KINDS[0]) == [len(text.split()) for text in said]


def test_durations() -> None:
    offers = pd.DataFrame({"game_id": ["f", "g", "g"], "time_s": [7.5, 3.0, None]})
    np.testing.assert_array_equal(
        metrics.duration(GAMES, offers=offers, messages=MESSAGES)["duration_s"],
        [np.nan, 7.5, 3, 2],
    )
    np.testing.assert_array_equal(metrics.duration(GAMES, messages=MESSAGES)["duration_s"], [np.nan, 5, np.nan, 2])


def test_walk_aways_are_censored_and_not_dropped() -> None:
    table = metrics.to_agreement(GAMES, messages=MESSAGES)
    assert table["game_id"].tolist() == ["e", "f", "g", "h"]
    assert table["agreed"].tolist() == [0, 1, 0, 1]
    np.testing.assert_array_equal(table["duration_s"], [np.nan, 5, np.nan, 2])
    np.testing.assert_array_equal(table["rounds"].astype("float64"), [9, 2, 1, np.nan])


def test_median_as_in_r() -> None:
    # R, survival: survfit(Surv(c(3,4,5,5,8,9,12,12), c(1,0,1,1,0,1,0,1)) ~ 1): n 8, events 5, median 9.
    rounds, agreed = [3, 4, 5, 5, 8, 9, 12, 12], [1, 0, 1, 1, 0, 1, 0, 1]
    games = pd.DataFrame({"game_id": [f"g{number}" for number in range(8)], "rounds": rounds})
    games["ended"] = ["agreement" if yes else "walkaway" for yes in agreed]
    result = metrics.median_to_agreement(games, unit="rounds")
    assert result.to_numpy().tolist() == [[8, 5, 0, 9.0, "rounds"]]
    # Without the walk-aways the median would be 5.
    assert metrics.median_to_agreement(games[games["ended"] == "agreement"], unit="rounds")["median"].tolist() == [5]


@pytest.mark.parametrize(
    ("times", "events", "median"),
    [  # R, survival: quantile(survfit(Surv(times, events) ~ 1), .5)$quantile
        ([1, 2], [1, 1], 1.5),
        ([1, 2], [1, 0], 1.5),
        ([1, 2, 3, 4], [1, 1, 0, 1], 3),
        ([1, 2, 3, 4], [1, 1, 0, 0], 3),
        ([2, 2, 5, 5], [1, 1, 0, 1], 3.5),
        ([3], [1], 3),
        ([1, 1, 2, 3, 4, 6], [1, 0, 1, 0, 0, 1], 6),
        ([1, 2, 3, 4, 5, 6], [1, 1, 1, 0, 1, 1], 4),
    ],
)
def test_level_stretches_as_in_r(times: list[float], events: list[float], median: float) -> None:
    assert kaplan_meier_median(np.array(times, dtype=float), np.array(events, dtype=float)) == median


def test_median_that_is_never_reached() -> None:
    games = GAMES.assign(ended=["walkaway", "unknown", "agreement", "walkaway"], country=["US", "US", "IL", "IL"])
    result = metrics.median_to_agreement(games, by="country", unit="rounds")
    # Of the IL games one has no rounds; of the US games one has no known end.
    assert result[["country", "n", "agreed", "missing"]].to_numpy().tolist() == [["IL", 1, 1, 1], ["US", 1, 0, 1]]
    np.testing.assert_array_equal(result["median"], [1, np.nan])  # g agreed in its only round


@pytest.mark.slow
@given(rounds=st.lists(st.integers(1, 30), min_size=1, max_size=25))
def test_without_censoring_the_median_is_that_of_the_sample(rounds: list[int]) -> None:
    games = pd.DataFrame({"game_id": [str(number) for number in range(len(rounds))], "rounds": rounds})
    result = metrics.median_to_agreement(games.assign(ended="agreement"), unit="rounds")
    assert result["median"].tolist() == [np.median(rounds)]


def test_offers_are_counted() -> None:
    offers = pd.DataFrame({"game_id": ["f", "f", "h"]})
    assert metrics.offers_made(offers, GAMES)["offers"].tolist() == [0, 2, 0, 1]


def test_words_with_an_act_are_an_utterance_of_this_kind() -> None:
    frame = pd.DataFrame(
        {
            "game_id": ["g"] * 5,
            "text": ["French, please", "No", None, "submit-deal", "they want French"],
            "act": ["propose", "reject", "select", "submit-deal", "note"],
        }
    )
    assert metrics.utterances(frame)["utterances"].tolist() == [2]
    assert metrics.words_per_utterance(frame)["words_per_utterance"].tolist() == [1.5]
