"""Each fault of a plan: its line, its field, what was found and what would do."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import Plan, parse, read
from negstats.errors import PlanError
from negstats.toml_text import lines_of
from tests.analysis.plan.plans import FOLDER, NAMES, SMALLEST, Table, plans, plans_with_faults, spelled
from tests.conftest import runs

FAULTS = plans_with_faults(Path(__file__).parent / "faults.txt")


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_line(name: str) -> None:
    text, expected = FAULTS[name]
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert str(caught.value) == f"plan.toml:{expected}"


@pytest.mark.slow(keep=80)
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ("3", "31")])
@pytest.mark.parametrize("seed", range(3))
def test_the_line_is_right_wherever_the_fault_stands(name: str, seed: int) -> None:
    text, expected = FAULTS[name]
    rng = random.Random(f"{name}{seed}")  # noqa: S311
    number, _, said = expected.partition(": ")
    lines = text.splitlines()
    blanks = ["", "# [questions.H1]", '   # measure = \'x\' """', "\t"]
    start = next((place for place, it in enumerate(lines) if it.startswith("[")), 0)
    moved, where = [], 0
    for place, one in enumerate(lines):
        if place == 0 or not lines[place - 1].endswith(","):
            moved += rng.choices(blanks, k=rng.randrange(4))
        if place == start and seed:
            moved += ['known = """', "[questions.H1]", "measure = 'points'", 'alpha = 5 \\"""x"""']
        moved.append(one + rng.choice(["", "   # it's", "\t"]))
        if place + 1 == int(number):
            where = len(moved)
    end = rng.choice(["\n", "\r\n"])
    with pytest.raises(PlanError) as caught:
        parse(end.join(moved) + end)
    assert str(caught.value) == f"plan.toml:{where}: {said}"


def test_all_faults_are_said_in_the_order_of_their_lines() -> None:
    text = (
        "alpha = 5\n" + SMALLEST.replace('"agent"', "5") + 'test = "x"\nnoet = "n"\n[[leave_out]]\n[power]\nn = [1]\n'
    )
    with pytest.raises(PlanError) as caught:
        parse(text, "ours.toml")
    assert str(caught.value).splitlines() == [
        "ours.toml:1: alpha: is 5; give a number between 0 and 0.5 such as 0.05",
        "ours.toml:5: questions.H1.who: is 5; give text in quotes",
        "ours.toml:8: questions.H1.noet: no such field; did you mean 'note'?",
        'ours.toml:9: leave_out 1: has no column; give column = "games.session"',
        'ours.toml:9: leave_out 1: has no reason; give reason = "…"',
        "ours.toml:11: power.n: is 1; give how many units the smallest cell has, such as 20",
    ]
    assert len(caught.value.faults) == 6


def test_faults_inside_a_record_hide_none_of_the_others() -> None:
    text = (
        "alpha = 5\n" + SMALLEST + 'test = "tset"\n[questions.H2]\nasks = "b"\n[families]\na.questions = ["H2", "H3"]\n'
    )
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert [fault.split(":")[1:3] for fault in caught.value.faults] == [
        ["1", " alpha"],
        ["7", " questions.H1.test"],
        ["8", " questions.H2"],
        ["11", " families.a.questions"],
    ]


def test_faults_between_records_are_all_said_too() -> None:
    text = SMALLEST.replace('"points"', '"point"') + 'test = "tset"\n[families]\na.questions = "H2"\n'
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert [fault.split(":")[1] for fault in caught.value.faults] == ["3", "6", "8"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\xff\xfe", "is not UTF-8 text (byte 1); save it as UTF-8"),
        (b"#" * 1_000_001, "is larger than 1 MB, which no plan needs"),
    ],
)
def test_what_cannot_be_read_has_no_line(tmp_path: Path, raw: bytes, said: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(raw)
    with pytest.raises(PlanError) as caught:
        read(file)
    assert str(caught.value) == f"{file}: {said}"


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="is not there"):
        read(tmp_path / "plan.toml")
    with pytest.raises(PlanError, match="is a folder; name a plan, which"):
        read(tmp_path)
    with pytest.raises(PlanError, match="cannot be read"):
        read("a\0b")


def test_a_mapping_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(SMALLEST + '[data]\nmapping = "map.toml"\n', encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*map.toml: is not there"):
        read(file)
    (tmp_path / "map.toml").write_text("x", encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*TOML cannot read"):
        read(file)
    (tmp_path / "map.toml").write_text("x = inf", encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*finite"):
        read(file)


LIMITS = {
    "questions": "".join(f'[questions.Q{n}]\nasks = "a"\nmeasure = "agreed"\n' for n in range(201)),
    "levels": SMALLEST + f"[factors.condition]\nlevels = {[f'l{n}' for n in range(41)]}\n",
    "nested": "a = " + "[" * 7 + "]" * 7 + "\n" + SMALLEST,
    "nested far": "a = " + "[" * 50_000 + "]" * 50_000,
    "characters": SMALLEST.replace("earn more", "e" * 2001),
    "digits": "seed = " + "9" * 5000 + "\n" + SMALLEST,
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str) -> None:
    with pytest.raises(PlanError, match=r"at most|deeper than 6|cannot read this"):
        parse(LIMITS[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_plans_are_without_fault(name: str) -> None:
    assert read(FOLDER / f"{name}.toml").questions


@pytest.mark.slow
@given(st.binary(max_size=400))
@settings(max_examples=runs(2000, 200))
def test_any_bytes_are_refused_in_one_way(raw: bytes) -> None:
    _try(raw.decode("utf-8", "replace"))


@pytest.mark.slow
@given(st.sampled_from([*(text for text, _ in FAULTS.values())]), st.integers(0, 10**6), st.text(max_size=6))
@settings(max_examples=runs(5000, 300))
def test_any_damage_is_refused_in_one_way(text: str, place: int, typed: str) -> None:
    at = place % len(text)
    _try(text[:at] + typed + text[at + place % 5 :])


def _try(text: str) -> None:
    faults = _faults(lambda: parse(text))
    assert all(fault.startswith("plan.toml") for fault in faults)


def _faults(make: Callable[[], Plan]) -> tuple[str, ...]:
    """Return the faults; any other error than that of a plan passes."""
    try:
        make()
    except PlanError as error:
        return error.faults
    return ()


values = st.recursive(
    st.none().map(lambda _: "x") | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda it: st.lists(it, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=4), it, max_size=3),
    max_leaves=5,
)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=runs(2000, 150))
def test_any_value_in_any_field_is_refused_in_one_way(data: st.DataObject) -> None:
    from negstats.analysis.plan.parse import plan_of

    content: Table = data.draw(plans())
    holder: Table = content
    while True:
        key = data.draw(st.sampled_from(sorted(holder)))
        if not isinstance(holder[key], dict) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(values)
    assert all(fault.startswith("plan.toml") for fault in _faults(lambda: plan_of(content, "plan.toml")))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=runs(300, 60))
def test_every_field_has_its_line(data: st.DataObject) -> None:
    text = spelled(data.draw(plans()), data.draw)
    lines = text.split("\n")
    for path, line in lines_of(text).items():
        keys = [step for step in path if isinstance(step, str)]
        assert 1 <= line <= len(lines)
        if path and path[-1] == "asks":
            assert "asks" in lines[line - 1]
        assert keys
