"""Registration: what is written, what is refused, and what has changed since."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import negstats
from negstats.analysis.plan import canonical, parse, read, sha256
from negstats.analysis.plan.canonical import changes, json_text
from negstats.analysis.plan.parse import plan_of
from negstats.analysis.preregistration.lock import Lock, lock_of, open_lock, register, status
from negstats.errors import NegstatsError, PlanError, UsageError
from negstats.studies.study import Study
from tests.analysis.plan.plans import CHANGES, FOLDER, NAMES, SMALLEST, WHOLE, Table, changed, plans
from tests.conftest import ROOT, runs

NOON = dt.datetime(2026, 3, 1, 13, 0, 0, 5, tzinfo=dt.timezone(dt.timedelta(hours=1)))


@pytest.fixture(scope="module")
def sample() -> Study:
    return negstats.load(ROOT / "datasets" / "sample")


def test_a_lock_holds_the_meaning_and_the_time(plan: Path) -> None:
    lock, written = register(plan, now=NOON)
    assert written
    content = json.loads((plan.parent / "plan.lock").read_text(encoding="utf-8"))
    assert content == {
        "schema": "negstats.lock/1",
        "sha256": "f22897914a24dbfc2ca3b8fdb0873acfacd2a63ad7c868d86deaa2232c77b81c",
        "plan": canonical(read(plan)),
        "text_sha256": hashlib.sha256(SMALLEST.encode()).hexdigest(),
        "registered": "2026-03-01T12:00:00Z",
        "negstats": negstats.__version__,
        "resolved": {},
        "data": None,
        "history": [],
    }
    assert open_lock(lock_of(plan)) == lock


def test_the_same_meaning_is_not_registered_twice(plan: Path) -> None:
    register(plan, now=NOON)
    before = lock_of(plan).read_bytes()
    plan.write_text("# a comment\nseed = 1.0\n" + SMALLEST, encoding="utf-8")
    _, written = register(plan, again=True)
    assert not written
    assert lock_of(plan).read_bytes() == before


def test_another_meaning_needs_again_and_keeps_the_history(plan: Path) -> None:
    first, _ = register(plan, now=NOON)
    plan.write_text(SMALLEST.replace("agent", "human").replace("Does the human", "Does the agent"), encoding="utf-8")
    before = lock_of(plan).read_bytes()
    with pytest.raises(
        UsageError, match=r'registered on 2026-03-01T12:00:00Z; --again(.|\n)*H1.who: "agent" → "human"'
    ):
        register(plan)
    assert lock_of(plan).read_bytes() == before
    second, written = register(plan, again=True, now=NOON + dt.timedelta(days=1))
    assert written
    assert second.history == (first.entry(),)
    assert second.registered == "2026-03-02T12:00:00Z"
    assert open_lock(lock_of(plan)) == second


@pytest.mark.slow
def test_a_lock_says_that_the_data_were_there(plan: Path, sample: Study) -> None:
    lock, _ = register(plan, sample, resolved={"H1": "paired"}, now=NOON)
    assert lock.data is not None
    assert (lock.data["games"], lock.data["people"]) == (len(sample.games), sample.players["participant_id"].nunique())
    assert [source["sha256"] for source in lock.data["sources"]] == [it.sha256 for it in sample.provenance.sources]
    assert status(read(plan), lock, resolved={"H1": "paired"}).state == "registered after the data were there"
    found = status(read(plan), lock, resolved={"H1": "welch"})
    assert found.state == "changed since"
    assert [str(one) for one in found.changes] == ['resolved.H1: "paired" → "welch" (changes a number)']


def edited(plan: Path, **fields: object) -> None:
    content = json.loads(lock_of(plan).read_text(encoding="utf-8"))
    content["plan"]["questions"]["H1"].update(fields)
    lock_of(plan).write_text(json.dumps(content), encoding="utf-8")


def test_a_lock_edited_by_hand_is_refused(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(plan)
    edited(plan, who="human")
    monkeypatch.chdir(plan.parent)
    with pytest.raises(PlanError) as caught:
        open_lock("plan.lock")
    assert str(caught.value) == "plan.lock: its plan gives c2c4…, it says f228…; the lock was changed after registering"
    with pytest.raises(PlanError, match="changed after registering"):
        register(plan, again=True)


def test_an_earlier_entry_edited_by_hand_is_refused(plan: Path) -> None:
    register(plan)
    plan.write_text(SMALLEST + 'note = "n"\n', encoding="utf-8")
    register(plan, again=True)
    content = json.loads(lock_of(plan).read_text(encoding="utf-8"))
    content["history"][0]["plan"]["alpha"] = 0.1
    lock_of(plan).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(PlanError, match="changed after registering"):
        open_lock(lock_of(plan))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "mine",
        '{"schema": "negstats.lock/1"}',
        '{"schema": "else"}',
        "[" * 100_000,
        "\x00",
        '{"schema": 1}',
    ],
)
def test_what_is_no_lock_of_ours_stays(plan: Path, text: str) -> None:
    lock_of(plan).write_text(text, encoding="utf-8")
    with pytest.raises(PlanError, match="lock of negstats"):
        register(plan, again=True)
    assert lock_of(plan).read_text(encoding="utf-8") == text


def test_a_lock_of_a_later_version_is_refused(plan: Path) -> None:
    lock_of(plan).write_text('{"schema": "negstats.lock/2"}', encoding="utf-8")
    with pytest.raises(PlanError, match=r"schema is negstats.lock/2; this negstats reads negstats.lock/1"):
        open_lock(lock_of(plan))


def test_a_plan_that_is_called_like_a_lock(tmp_path: Path) -> None:
    file = tmp_path / "plan.lock"
    file.write_text(SMALLEST, encoding="utf-8")
    with pytest.raises(UsageError, match="another name"):
        register(file)
    assert file.read_text(encoding="utf-8") == SMALLEST


def test_a_failed_writing_leaves_the_lock_that_was(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(plan, now=NOON)
    before = lock_of(plan).read_bytes()
    plan.write_text(SMALLEST + 'note = "n"\n', encoding="utf-8")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(NegstatsError, match="No space left"):
        register(plan, again=True)
    assert lock_of(plan).read_bytes() == before
    assert sorted(entry.name for entry in plan.parent.iterdir()) == ["plan.lock", "plan.toml"]


@pytest.mark.parametrize("name", NAMES)
def test_the_plans_register(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.toml"
    file.write_bytes((FOLDER / f"{name}.toml").read_bytes())
    lock, _ = register(file)
    assert lock.sha256 == sha256(read(file))
    assert lock_of(file).name == f"{name}.lock"
    assert status(read(file), open_lock(lock_of(file))).state == "as registered"


@pytest.mark.slow
@given(plans())
@settings(max_examples=runs(200, 40))
def test_a_lock_gives_the_plan_again(content: Table) -> None:
    plan = plan_of(content, "plan.toml")
    lock = Lock(sha256(plan), canonical(plan), "", "", "", {})
    again = plan_of(json.loads(lock.text())["plan"], "plan.lock")
    assert sha256(again) == lock.sha256
    assert status(again, lock).state == "as registered"


def place_of(path: tuple[Any, ...]) -> str:
    """Return the field that a place in a plan's content lies in, as changes name it."""
    depth = {"factors": 3, "measures": 3, "questions": 3, "families": 3, "data": 2, "power": 2}.get(path[0], 1)
    return ".".join(map(str, path[:depth]))


@pytest.mark.slow
def test_the_changes_named_are_the_fields_changed() -> None:
    known = canonical(plan_of(WHOLE, "plan.toml"))
    tried = 0
    for path, place in CHANGES:
        content = changed(path, place)
        if content is None:
            continue
        try:
            other = canonical(plan_of(content, "plan.toml"))
        except PlanError:
            continue
        tried += 1
        found = changes(known, other)
        assert {change.path for change in found} == {place_of(path)}
        back = changes(other, known)
        assert [(one.path, one.then, one.now) for one in found if one.what == "field"] == [
            (one.path, one.now, one.then) for one in back if one.what == "field"
        ]
        assert all(str(change).startswith(change.path) for change in found)
    assert tried > 60


GRADES = {
    '[questions.H1]\nwho = "human"': 'questions.H1.who: "agent" → "human" (changes a number)',
    '[questions.H1]\nasks = "Else?"': 'questions.H1.asks: "Asks?" → "Else?" (changes the claim)',
    '[questions.H1]\nnote = "n"': 'questions.H1.note: nothing → "n" (changes words only)',
    'title = "New"': 'title: "Old" → "New" (changes words only)',
    "alpha = 0.01": "alpha: nothing → 0.01 (changes a number)",
    '[factors.condition]\nlabels = { CL = "x" }': "factors.condition: added",
    '[questions.H4]\nasks = "New?"\nmeasure = "agreed"': "questions.H4: added",
    '[families.main]\nquestions = ["H1"]': 'families.main.questions: − "H3"',
    '[questions.H1]\nby = ["condition", "country"]': 'questions.H1.by: + "country"',
}


@pytest.mark.parametrize("text", GRADES)
def test_a_change_is_one_line_with_its_grade(text: str) -> None:
    import tomllib

    old: Table = {
        "title": "Old",
        "questions": {
            "H1": {"asks": "Asks?", "measure": "points", "who": "agent", "by": "condition"},
            "H3": {"asks": "Asks?", "measure": "rounds", "by": "condition"},
        },
        "families": {"main": {"questions": ["H1", "H3"]}},
    }
    new = json.loads(json.dumps(old))
    for section, value in tomllib.loads(text).items():
        if isinstance(value, dict):
            for name, fields in value.items():
                new.setdefault(section, {}).setdefault(name, {}).update(fields)
        else:
            new[section] = value
    found = changes(canonical(plan_of(old, "plan.toml")), canonical(plan_of(new, "plan.toml")))
    assert [str(change) for change in found] == [GRADES[text]]


def test_removed_and_added_questions_are_told_whole() -> None:
    one, other = parse(SMALLEST), parse(SMALLEST.replace("H1", "H2"))
    assert [str(change) for change in changes(canonical(one), canonical(other))] == [
        "questions.H1: removed",
        "questions.H2: added",
    ]
    assert json_text(canonical(one)) != json_text(canonical(other))
