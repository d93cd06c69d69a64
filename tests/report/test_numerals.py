"""Numbers of a report: what is printed is the number, rounded as its kind says, whatever the number is."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from negstats.report.numerals import (
    KINDS,
    counts_in_words,
    ends_of,
    interval,
    interval_digits,
    percent_digits,
    rounded,
    shown,
)
from negstats.report.prose import NO_BREAK, Run, prose

DIGITS = st.integers(0, 3)


def value_of(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


@given(st.floats(-1e7, 1e7), DIGITS)
def test_measures_have_commas_between_thousands_and_a_size_has_no_sign(value: float, digits: int) -> None:
    """As Python's own format has them; an `opposite` is the number with its other sign."""
    assume(abs(round(value, digits)) > 0)
    assert shown(abs(value), "measure", digits) == f"{abs(value):,.{digits}f}"
    for kind in ("measure", "statistic"):
        assert shown(value, kind, digits) == f"{value:,.{digits}f}".replace("-", "−")
    assert shown(-abs(value), "size", digits) == shown(abs(value), "measure", digits)
    assert shown(value, "opposite of measure", digits) == shown(-value, "measure", digits)
    assert value_of(shown(value, "count")) == round(value)


@given(st.integers(1, 5000), st.data(), DIGITS)
def test_percentages_are_rounded_halves_upwards_and_fitted_ones_never_say_never(
    n: int, data: st.DataObject, digits: int
) -> None:
    """By exact arithmetic: 17 of 80 are 21.3%. A fitted probability is neither 0 nor 100, however it is rounded."""
    share = Fraction(data.draw(st.integers(0, n)), n)
    exact = (Decimal(100 * share.numerator) / share.denominator).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert shown(float(share), "percent", digits) == shown(-float(share), "size of percent", digits) == f"{exact:f}"
    assume((200 * share * 10**digits) % 2 != 1)  # no half
    fitted = shown(float(share), "probability", digits)
    least = Decimal(1).scaleb(-digits)
    ends = {Decimal(0): f"< {least}", Decimal(100): f"> {100 - least}"}
    assert fitted == ends.get(exact, f"{exact:f}")


@pytest.mark.parametrize(
    ("share", "n", "digits"), [(0, 9, 0), (0.001, 9, 1), (0.099, 99, 1), (0.1, 99, 0), (0.7, 99, 0), (0.7, 100, 1)]
)
def test_rare_events_and_a_hundred_and_more_have_a_decimal(share: float, n: int, digits: int) -> None:
    assert percent_digits(share, n) == digits


def test_each_kind_as_it_is_printed() -> None:
    printed = {
        ("p", 0.0004): "< .001", ("p sign", 0.0004): "<", ("p behind its sign", 0.0004): ".001",
        ("p", 0.9996): "> .999", ("p sign", 0.03): "=", ("p behind its sign", 0.0304): ".030",
        ("share", -0.316): "−.32", ("size of share", -0.316): ".32", ("df", 12.0): "12", ("df", 12.345): "12.35",
        ("count in words", 9): "nine", ("count in words", 10): "10", ("count in words", 1030): "1,030",
        ("level", 0.999): "99.9", ("percent", math.inf): "∞",
    }  # fmt: skip
    assert {key: shown(value, kind) for key in printed for kind, value in [key]} == printed
    assert {kind for kind, _ in printed} | {
        "size of percent",
        "probability",
        "measure",
        "size",
        "statistic",
        "count",
    } == set(KINDS)


def test_counts_in_brackets_and_behind_a_sign_of_equality_are_figures() -> None:
    n, t = rounded(8, "count", "/n"), rounded(8, "statistic", "/t", 0)
    text = counts_in_words(
        prose(
            "{n} [of {n} (of {n}), {n}], {n} had *N* =" + NO_BREAK + "{n}; {n} (all) {t} {m} {n}.", n=n, t=t, m=Run("8")
        )
    )
    assert str(text) == "eight [of 8 (of 8), 8], eight had N = 8; eight (all) 8 8 eight."
    assert {slot.kind for slot in text.slots if slot.address == "/n"} == {"count", "count in words"}


QUANTITY = {"value": -1.5, "low": -2.25, "high": 1.125, "level": 0.9}


def test_an_interval_turns_with_the_sign_of_its_estimate() -> None:
    """What is said of a size has the ends of the size, the smaller one first; an end that is not known is infinite."""
    plain = str(interval(QUANTITY, "measure", "/a")).replace(NO_BREAK, " ")
    assert plain == "90% CI [−2.25, 1.12]"
    assert str(interval(QUANTITY, "measure", "/a", level=False)).replace(NO_BREAK, " ") == "[−2.25, 1.12]"
    turned = interval(QUANTITY, "measure", "/a", 1, level=False, of_size=True)
    assert str(turned).replace(NO_BREAK, " ") == "[−1.1, 2.2]"
    assert [slot.address for slot in turned.slots] == ["/a/high", "/a/low"]
    for value in (1.5, 0.0, None):
        kept = ends_of(QUANTITY | {"value": value}, "measure", "/a", 1, of_size=True)
        assert [run.text for run in kept] == ["−2.2", "1.1"]
    for given_end, text in (("low", "95% CI [0.50, ∞]"), ("high", "95% CI [−∞, 0.50]")):
        assert str(interval({given_end: 0.5}, "measure", "/a")).replace(NO_BREAK, " ") == text
    assert not interval({"value": 3.0}, "measure", "/a")


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9), st.integers(0, 4))
def test_an_estimate_and_its_ends_have_as_many_decimals_as_tell_them_apart(
    a: float, b: float, c: float, digits: int
) -> None:
    """The least number with which no end that is not 0 reads 0, and none as the estimate; at most four."""
    low, value, high = sorted(round(number, 4) for number in (a, b / 100, c / 100))

    def tells(more: int) -> bool:
        estimate = shown(value, "measure", more)
        texts = [(end, shown(end, "measure", more)) for end in (low, high) if end]
        return all(value_of(text) and (text != estimate or end == value) for end, text in texts)

    enough = [more for more in range(digits, 5) if tells(more)]
    quantity = {"value": value, "low": low, "high": high}
    assert interval_digits(quantity, "measure", digits) == (enough[0] if enough else digits)


def test_decimals_that_tell_nothing_apart_are_not_printed() -> None:
    assert interval_digits({"value": 1.00001, "low": 1.0, "high": 1.00002}, "measure") == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000499, "< 0.1"), (0.000503, "0.1"), (0.9991, "99.9"), (0.999497, "99.9"), (0.999503, "> 99.9")],
)
def test_a_fitted_chance_near_its_ends(value: float, text: str) -> None:
    assert shown(value, "probability", 1) == text
