"""Agreement of coders: against numbers by hand and in print, with oneself, and where it cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.coding import Codebook, CodedFile, CodedMessage, Message, Talks, agreement_of, read_codebook, talks_of
from negstats.errors import NotEstimable
from negstats.stats import cohens_kappa, krippendorffs_alpha
from tests.coding.conftest import codebook_file
from tests.coding.talks import coded, synthetic


def by_answers(talks: Talks, book: Codebook, coder: str, answers: Sequence[str | None]) -> CodedFile:
    """Return a coder who gives the first messages these answers: a code, "" for none, None for not coded."""
    units = [(talk.number, one) for talk in talks.by_number.values() for one in talk.messages if one.is_unit]
    messages = tuple(
        CodedMessage(number, one.number, one.sha256, (answer,) if answer else ())
        for (number, one), answer in zip(units, answers, strict=False)
        if answer is not None
    )
    return CodedFile("coding", coder, talks.sha256, talks.seed, book, len(units), messages)


def test_kappa_and_alpha_by_hand(talks: Talks, book: Codebook) -> None:
    """Of 50 messages both coders give "reason" to 20, A alone to 5, B alone to 10, nobody to 15."""
    a = by_answers(talks, book, "A", ["reason"] * 20 + ["reason"] * 5 + [""] * 10 + [""] * 15)
    b = by_answers(talks, book, "B", ["reason"] * 20 + [""] * 5 + ["reason"] * 10 + [""] * 15)
    agreement = agreement_of([a, b], talks)
    [reason] = [one for one in agreement.codes if one.code == "reason"]
    observed, chance = Fraction(35, 50), Fraction(25 * 30 + 25 * 20, 50 * 50)
    assert reason.kappa is not None
    assert reason.alpha is not None
    assert reason.kappa.estimate == pytest.approx(float((observed - chance) / (1 - chance)))  # 0.4
    # 55 of the 100 answers are "reason", 15 of 50 pairs differ, and by chance 2 · 55 · 45/(100 · 99) would
    assert reason.alpha.estimate == pytest.approx(float(1 - Fraction(15, 50) / Fraction(2 * 55 * 45, 100 * 99)))
    assert (reason.n, reason.agreement) == (50, 0.7)
    assert reason.prevalence == {"A": 0.5, "B": 0.6}
    record = reason.record()
    assert (record.kappa, record.alpha) == (reason.kappa.estimate, reason.alpha.estimate)
    assert record.prevalence == pytest.approx(0.55)
    # Fleiss, Cohen and Everitt (1969), eq. 13, written out for two categories
    po, pe, k = 0.7, 0.5, 0.4
    rows, columns = (0.5, 0.5), (0.6, 0.4)
    table = ((0.4, 0.1), (0.2, 0.3))
    agree = sum(table[i][i] * (1 - (rows[i] + columns[i]) * (1 - k)) ** 2 for i in range(2))
    miss = (1 - k) ** 2 * sum(table[i][j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    se = sqrt(agree + miss - (k - pe * (1 - k)) ** 2) / ((1 - pe) * sqrt(50))
    assert po - pe == pytest.approx(k * (1 - pe))
    ends = reason.kappa.confidence_interval()
    assert (ends.low, ends.high) == pytest.approx((k - 1.959964 * se, k + 1.959964 * se), abs=1e-6)
    assert len(agreement.differences) == 15


@pytest.mark.slow
def test_intervals_are_over_whole_talks() -> None:
    """The jackknife on the scale of −log(1 − kappa), talk by talk through the public measure."""
    talks = talks_of(synthetic(5, 20))
    a, b = coded(talks, BOOK, "A", careful), coded(talks, BOOK, "B", careless)
    agreement = agreement_of([a, b], talks)
    [reason] = [one for one in agreement.codes if one.code == "reason"]
    assert agreement.by_talk
    rows = [
        (talk, "reason" in one.codes, "reason" in other.codes)
        for (talk, one), other in zip(
            ((one.talk, one) for one in a.messages), b.messages, strict=True)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["talk", "A", "B"])
    for measure, interval in ((cohens_kappa, reason.kappa_interval()), (krippendorffs_alpha, reason.alpha_interval)):
        whole = measure(frame, ["A", "B"]).estimate
        without = [measure(frame[frame["talk"] != talk], ["A", "B"]).estimate for talk in sorted(set(frame["talk"]))]
        scale = -np.log(1 - np.array(without))
        se = np.sqrt(4 / 5 * ((scale - scale.mean()) ** 2).sum())
        ends = [1 - np.exp(np.log(1 - whole) - side * stats.t.ppf(0.975, 4) * se) for side in (-1, 1)]
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-9)
    few = coded(talks, BOOK, "A", careful, among={1, 2, 3, 4}), coded(talks, BOOK, "B", careless, among={1, 2, 3, 4})
    [reason] = [one for one in agreement_of(few, talks).codes if one.code == "reason"]
    assert reason.kappa is not None
    assert reason.kappa_interval() == reason.kappa.confidence_interval()
    assert reason.record().interval_unit == "messages"


# Krippendorff (2011), Computing Krippendorff's alpha-reliability, the example with missing values; nominal α = .743
CODERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


@pytest.mark.slow
def test_alpha_of_a_group_is_that_in_print(tmp_path: Path) -> None:
    codes = "\n".join(f'[[codes]]\nname = "c{place}"\ngroup = "all"' for place in range(1, 6))
    book = read_codebook(codebook_file(tmp_path, f'title = "five"\n{codes}'))
    talks = talks_of(synthetic(1, 12))
    files = [
        by_answers(talks, book, name, [None if one is None else f"c{one}" for one in row])
        for name, row in CODERS.items()
    ]
    [group] = [one for one in agreement_of(files, talks).codes if one.kind == "group"]
    assert group.alpha is not None
    assert group.alpha.estimate == pytest.approx(0.743, abs=5e-4)
    assert group.n == 11  # the last was coded by one
    assert group.kappa is not None  # Fleiss', of the messages that all four coded
    assert (group.kappa.name, group.kappa.n) == ("Fleiss' κ", 8)


def test_the_confusion_counts_pairs(talks: Talks, book: Codebook) -> None:
    a = by_answers(talks, book, "A", ["offer", "offer", "reject", "", "offer"])
    b = by_answers(talks, book, "B", ["offer", "reject", "reject", "offer", None])
    table = agreement_of([a, b], talks).confusions["move: A, B"]
    assert table.to_numpy().tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert list(table.columns) == ["offer", "reject", "none"]


def careful(message: Message) -> tuple[str, ...]:
    return ("reason",) if message.number % 3 == 0 else ()


def careless(message: Message) -> tuple[str, ...]:
    return ("reason",) if message.number % 3 == 0 and (message.text or "")[0] != "n" else ()


CHOICES = st.sampled_from([(), ("offer",), ("reject",), ("reason",), ("offer", "reason"), ("reject", "reason")])


@pytest.mark.slow
@given(choices=st.lists(CHOICES, min_size=30, max_size=30))
@settings(max_examples=15, deadline=None)
def test_with_oneself_kappa_is_one(choices: list[tuple[str, ...]]) -> None:
    answers = iter(choices)

    def rule(_: Message) -> tuple[str, ...]:
        return next(answers)

    one = coded(SMALL, BOOK, "One", rule)
    agreement = agreement_of([one, replace(one, coder="Other")], SMALL)
    assert agreement.differences == ()
    for code in agreement.codes:
        assert code.agreement == 1
        if code.reason:
            known = [one for one in (code.kappa, code.alpha) if one is not None]
            assert known or "one category only" in code.reason  # all gave it, or none
            assert not known or "coders differ in fewer than two talks" in code.reason
            assert all(one.estimate == pytest.approx(1) for one in known)
            assert code.kappa_interval() is None  # nothing to estimate the spread of disagreements from
            assert code.alpha_interval is None
        else:
            pytest.fail("coders who agree wholly have no interval over talks, and the reason says so")


SMALL = talks_of(synthetic(5, 6))
BOOK = read_codebook(Path(__file__).parents[2] / "datasets" / "casino" / "codes.toml")
GROUPS = {"offer": "move", "reject": "move", "reason": None}
BOOK = replace(
    BOOK, codes=tuple(replace(BOOK.codes[0], name=name, label=name, group=group) for name, group in GROUPS.items())
)


def test_where_agreement_cannot_be_told(talks: Talks, book: Codebook) -> None:
    a, b = coded(talks, book, "A", among={1}), coded(talks, book, "B", among={2})
    with pytest.raises(NotEstimable, match="no message was coded by two coders"):
        agreement_of([a, b], talks)
    never = coded(talks, book, "B", lambda _: ())
    frame = agreement_of([coded(talks, book, "A"), never], talks).to_frame().set_index("code")
    assert frame.loc["reason", "reason"] == "B gave all messages the same answer, so kappa is 0 whatever the agreement"
    assert frame["kappa"].isna().all()
    assert frame.loc["reason", "prevalence_B"] == 0
    c = coded(talks, book, "C", among={3})
    three = agreement_of([coded(talks, book, "A", among={1, 2}), coded(talks, book, "B", among={1, 2}), c], talks)
    assert "coded by all 3 coders" in three.codes[0].reason
    assert three.codes[0].alpha is not None
