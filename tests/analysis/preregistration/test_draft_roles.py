"""What a draft takes a column for: as the mapping says, else by its name, else by its values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan import parse
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.draft_factors import conditions_of
from negstats.analysis.preregistration.study_checks import find_faults
from negstats.analysis.roles import SAID
from negstats.loaders import formats
from negstats.studies import open_study
from negstats.studies.study import Study
from tests.analysis.studies import mapped
from tests.conftest import DataFolder

GAMES = 60


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(31)
    frame = pd.DataFrame({"game": [f"g{n}" for n in range(GAMES)], "stage": ["b", "c"] * (GAMES // 2)})
    frame["stage"] = np.where(np.arange(GAMES) < 6, "Practice", frame["stage"])
    frame["light"] = rng.choice(["dim", "bright"], GAMES)
    frame["a"], frame["b"] = rng.integers(1, 9, GAMES), rng.integers(1, 9, GAMES)
    frame["over"] = rng.choice(["agreement", "walkaway"], GAMES)
    frame["finish"] = np.where(frame["over"] == "agreement", "shook hands", "left")
    frame["gain"] = frame["a"] + frame["b"]
    frame["size"] = rng.choice(["small", "large"], GAMES)
    return frame


def _study(folder: Path, factors: str, frame: pd.DataFrame | None = None) -> Study:
    mapping = (
        f'row = "game"\ngames = {{ game_id = "game", ended = "over" }}\nfactors = {{ {factors} }}\n'
        '[seats.A]\nrole = { constant = "buyer" }\npoints = "a"\n'
        '[seats.B]\nrole = { constant = "seller" }\npoints = "b"\n'
    )
    return mapped(_table() if frame is None else frame, folder, mapping)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "told"),
    [("finish", "it follows from how games ended in all games"), ("gain", "it follows from joint value in all games")],
)
def test_factor_that_follows_from_an_outcome_is_never_asked_about(tmp_path: Path, column: str, told: str) -> None:
    frame = _table()
    frame["gain"] = frame["gain"].clip(6, 11)  # a factor has at most so many levels
    frame["a"], frame["b"] = frame["gain"] - 3, 3
    text = draft(_study(tmp_path, f'mark = "{column}"', frame))
    plan = parse(text)
    assert all("mark" not in question.by for question in plan.questions.values())
    assert told in text


@pytest.mark.slow
def test_a_mapping_says_that_it_was_assigned_all_the_same(tmp_path: Path) -> None:
    study = _study(tmp_path, 'mark = { column = "finish", role = "condition" }')
    assert parse(draft(study)).questions["H1"].by == ("mark",)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["split", "flag", "id", "order", "practice", "setting", "game", "covariate"])
def test_role_that_a_mapping_says_is_final(tmp_path: Path, role: str) -> None:
    assert parse(draft(_study(tmp_path, 'light = "light"'))).questions["H1"].by == ("light",)
    study = _study(tmp_path, f'light = {{ column = "light", role = "{role}" }}')
    assert all("light" not in question.by for question in parse(draft(study)).questions.values())


@pytest.mark.slow
def test_role_of_a_name_that_misleads(tmp_path: Path) -> None:
    assert "H1" not in parse(draft(_study(tmp_path, 'size = "size"'))).questions
    study = _study(tmp_path, 'size = { column = "size", role = "condition" }')
    assert parse(draft(study)).questions["H1"].by == ("size",)
    study.save(tmp_path / "saved")
    assert open_study(tmp_path / "saved").provenance.roles == (("size", "condition"),)
    assert parse(draft(open_study(tmp_path / "saved", engine="duckdb"))).questions["H1"].by == ("size",)


@pytest.mark.slow
def test_practice_is_ready_to_be_excluded(tmp_path: Path) -> None:
    study = _study(tmp_path, 'light = "light", stage = "stage"')
    text = draft(study)
    assert "# Practice looks like practice: 6 of 60 games; to exclude them:" in text
    before, _, rule = text.partition("to exclude them:\n")
    plan = parse(before + "\n" + "\n".join(row.removeprefix("#") for row in rule.splitlines() if row[:2] != "# "))
    assert not find_faults(plan, study)
    assert len(plan.leave_out) == 1


@pytest.mark.slow
def test_measure_that_is_constant_is_not_asked_about(tmp_path: Path) -> None:
    frame = _table().assign(over="agreement", a=5, b=5)
    frame["time"] = np.random.default_rng(2).normal(40, 5, GAMES).round(1)
    mapping = (
        'row = "game"\ngames = { game_id = "game", ended = "over" }\nfactors.light = "light"\nmeasures.speed = "time"\n'
        '[seats.A]\npoints = "a"\n[seats.B]\npoints = "b"\n'
    )
    plan = parse(draft(mapped(frame, tmp_path, mapping)))
    assert (plan.questions["H1"].measure, plan.questions["H1"].by) == ("speed", ("light",))


@pytest.mark.slow
def test_condition_with_chance_ends_in_few_games_stays_a_condition(tmp_path: Path) -> None:
    frame = _table().iloc[:4].assign(light=["dim", "dim", "bright", "bright"])
    frame["over"] = ["agreement", "agreement", "walkaway", "walkaway"]
    assert parse(draft(_study(tmp_path, 'light = "light"', frame))).questions["H1"].by == ("light",)


ROLES = {
    "casino": {"split": "split"},
    "dealornodeal": {"mirrored": "flag"},
    "negmas/cartesian": {"rep": "id", "n_steps": "setting"},
    "negolog": {"deadline_round": "setting", "domain_size": "setting", "issue_size": "setting"},
    "otree": {"app": "game", "round": "order"},
    "solver_cl": {"session": "order", "condition": "condition"},
    "negotiationarena/ultimatum": {"iterations": "setting", "temperature_red": "setting"},
    "jspsych": {"round": "order"},
    "lamen": {"max_rounds": "setting"},
    "empirica_v2": {"playerCount": "setting"},
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("sample", ROLES)
def test_a_format_says_what_its_own_factors_are(sample: str, real_data: DataFolder) -> None:
    roles = dict(negstats.load(real_data(sample)).provenance.roles)
    assert {name: roles.get(name) for name in ROLES[sample]} == ROLES[sample]


def test_each_card_has_roles_that_a_mapping_may_say() -> None:
    assert {role for one in formats() for role in one.roles.values()} <= set(SAID)


@pytest.mark.slow
def test_the_reason_names_the_format(real_data: DataFolder) -> None:
    text = draft(negstats.load(real_data("casino")))
    assert "data split: the format says that it divides the files" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bot", "deadline", "batch"])
def test_factor_that_was_assigned_is_asked_about_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    frame = _table()
    frame["set"] = np.random.default_rng(3).permutation(["calm", "harsh"] * (GAMES // 2))
    study = _study(tmp_path, f'{name} = "set"', frame)
    assert any(name in question.by for question in parse(draft(study)).questions.values())
    assert conditions_of(study) == [name]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["rare", "unfinished", "neither"])
def test_flag_marks_few_games_or_those_that_lack_values(tmp_path: Path, how: str) -> None:
    frame, rng = _table(), np.random.default_rng(8)
    is_marked = np.arange(GAMES) < (3 if how == "rare" else 24)
    frame["set"] = rng.permutation(np.where(is_marked, "x", "y"))
    if how == "unfinished":
        frame["over"] = np.where(frame["set"] == "x", "timeout", frame["over"])
    text = draft(_study(tmp_path, 'excluded = "set"', frame))
    assert any("excluded" in question.by for question in parse(text).questions.values()) == (how == "neither")
    assert ("excluded: quality flag" in text) == (how != "neither")


@pytest.mark.slow
@pytest.mark.parametrize("is_constant", [True, False])
def test_both_seats_are_asked_unless_their_points_add_up_to_a_constant(tmp_path: Path, is_constant: bool) -> None:
    frame = _table()
    if is_constant:
        frame["b"] = 9 - frame["a"]
    text = draft(_study(tmp_path, 'light = "light"', frame))
    owners = [question.who for question in parse(text).questions.values() if question.measure == "points"]
    assert sorted(map(str, owners)) == (["buyer"] if is_constant else ["buyer", "seller"])
    assert ("no question is about those of the seller" in text) == is_constant


@pytest.mark.slow
def test_a_level_that_is_not_compared_counts_in_no_warning(tmp_path: Path) -> None:
    frame = _table()
    frame["light"] = ["dawn", *["dim", "bright"] * (GAMES // 2)][:GAMES]
    text = draft(_study(tmp_path, 'light = "light"', frame))
    assert "fewer than two units have one: dawn" in text
    assert "units a level" not in text


def test_what_was_set_is_asked_about_alone_before_it_is_crossed_with_who_people_are(tmp_path: Path) -> None:
    """As many women as men came, which nobody has assigned; versions of a form are."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"who": [f"w{place:03d}" for place in range(120)], "form": rng.choice(["long", "short"], 120)})
    frame["sex"], frame["kept"] = rng.permutation(["f", "m"] * 60), rng.integers(0, 21, 120)
    mapping = (
        'row = "player"\ngames.game_id = "who"\nfactors = { version = "form", sex = "sex" }\nmeasures.kept = "kept"\n'
        'players = { player = { constant = "p" }, participant_id = "who" }\n'
    )
    plan = parse(draft(mapped(frame, tmp_path, mapping)))
    assert plan.questions["H1"].by == ("version",)
    assert plan.questions["E1"].by == ("sex",)
