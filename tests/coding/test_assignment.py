"""Who codes what: permutations, the shared subset, and that nothing but the seed and the names decides."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.coding import Talks, assign, talks_of
from negstats.errors import UsageError
from negstats.studies import Provenance, Study
from tests.coding.talks import synthetic

NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)
STUDY = synthetic(17, 3)
BY_SEED = {seed: talks_of(STUDY, seed) for seed in range(4)}


@pytest.mark.slow
@given(names=NAMES, shared=st.integers(0, 17), seed=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_every_talk_is_coded_and_the_shared_ones_by_all(names: list[str], shared: int, seed: int) -> None:
    dealt = assign(BY_SEED[seed], names, shared)
    every = set(BY_SEED[seed].by_number)
    assert len(dealt.shared) == shared
    assert set().union(*map(set, dealt.order.values())) == every
    for own in dealt.order.values():
        assert len(set(own)) == len(own)
        assert set(dealt.shared) <= set(own)
    alone = [number for own in dealt.order.values() for number in own if number not in dealt.shared]
    assert sorted(alone) == sorted(every - set(dealt.shared))  # each by one coder
    assert assign(BY_SEED[seed], names[::-1], shared) == dealt


def test_without_a_share_all_code_all_each_in_another_order() -> None:
    dealt = assign(BY_SEED[1], ["Anna", "Ben"])
    assert sorted(dealt.order["Anna"]) == sorted(dealt.order["Ben"]) == list(range(1, 18))
    assert dealt.order["Anna"] != dealt.order["Ben"]
    assert dealt.order["Anna"] != tuple(range(1, 18))
    assert assign(BY_SEED[2], ["Anna", "Ben"]).order["Anna"] != dealt.order["Anna"]


def test_the_order_is_the_same_everywhere() -> None:
    """The first order that was drawn; another one would separate pages that were made before from those made after."""
    assert assign(BY_SEED[1], ["Anna"]).order["Anna"][:8] == ORDER


ORDER = (16, 11, 3, 10, 8, 5, 6, 13)


def test_numbers_hide_the_games_and_follow_from_the_seed() -> None:
    games = [talk.game_id for talk in BY_SEED[1].by_number.values()]
    assert sorted(games) == sorted(STUDY.games["game_id"])
    assert games != sorted(games)
    assert games != [talk.game_id for talk in BY_SEED[2].by_number.values()]
    assert talks_of(STUDY, 1) == BY_SEED[1]


def test_deal_actions_are_context_and_games_without_words_are_no_talks(study: Study, talks: Talks) -> None:
    for talk in talks.by_number.values():
        assert [one.is_unit for one in talk.messages] == [True] * 8 + [False]
        assert talk.units == 8
        assert {one.speaker for one in talk.messages} == {1, 2}
    silent = study.messages.assign(text=study.messages["text"].where(study.messages["game_id"].str.contains("0001")))
    assert len(talks_of(Study(**{**study.tables, "messages": silent}, provenance=Provenance("x", "1"))).by_number) == 1
    with pytest.raises(UsageError, match="no message with words"):
        talks_of(Study(games=study.games, provenance=Provenance("x", "1")))


@pytest.mark.parametrize(
    ("names", "shared", "message"),
    [
        (["Anna", "anna"], None, "each coder needs a different name"),
        (["Anna", " "], None, "a name is one line of 1 to 60 characters"),
        (["A\u202eB"], None, "a name is one line"),
        (["Anna"], "20 percent", "shared is '20 percent'; give a number of talks"),
        (["Anna"], 18, "17 talks hold words; give fewer"),
        (["Anna"], "101%", "17 talks hold words; give fewer"),
        (["Anna"], "-1", "shared is '-1'"),
    ],
)
def test_what_cannot_be_dealt(names: list[str], shared: str | int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        assign(BY_SEED[1], names, shared)
