"""oTree's exports: every figure of two samples, each trap, and chat and page times by their documented headers."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import negstats
from negstats.analysis.preregistration.proposals import propose
from negstats.errors import LogError, UsageError
from negstats.loaders import recognise
from negstats.loaders.otree import FORMAT
from negstats.loaders.otree.sheets import CHAT, PAGES
from negstats.studies.study import Study
from tests.conftest import DataFolder


@pytest.fixture(scope="module")
def nego(real_data: DataFolder) -> Study:
    return negstats.load(real_data("otree") / "all_apps_wide.csv")


@pytest.fixture(scope="module")
def dyads(real_data: DataFolder) -> Study:
    return negstats.load(real_data("otree_dyads") / "all_apps_wide.csv")


def rows(study: Study) -> dict[str, int]:
    return {name: len(frame) for name, frame in study.tables.items() if len(frame)}


def seats(study: Study, game: str, column: str) -> list[object]:
    return list(study.players.loc[study.players["game_id"] == game, column])


def test_payoffs_are_those_of_the_participants(real_data: DataFolder, nego: Study, dyads: Study) -> None:
    for name, study in (("otree", nego), ("otree_dyads", dyads)):
        file = pd.read_csv(real_data(name) / "all_apps_wide.csv")
        payoffs = file.set_index("participant.code")["participant.payoff"]
        total = study.players.groupby("participant_id")["points"].sum()
        assert total.to_dict() == payoffs.to_dict()


def test_a_file_an_app_says_the_same(real_data: DataFolder, nego: Study, dyads: Study) -> None:
    alone = negstats.load(real_data("otree") / "ultimatum.csv")
    assert rows(alone) == {"games": 12, "players": 24, "offers": 10, "answers": 20}
    for name, whole in (("otree/ultimatum", nego), ("otree_dyads/trust", dyads), ("otree_dyads/prisoner", dyads)):
        folder, app = name.split("/")
        study = negstats.load(real_data(folder) / f"{app}.csv")
        for table in ("players", "offers"):
            mine = study.tables[table].sort_values(["game_id"], kind="stable", ignore_index=True)
            theirs = whole.tables[table]
            theirs = theirs[theirs["game_id"].isin(mine["game_id"])]
            pd.testing.assert_frame_equal(
                mine, theirs.sort_values(["game_id"], kind="stable", ignore_index=True), check_like=True
            )


def test_a_folder_is_read_once(real_data: DataFolder, nego: Study) -> None:
    study = negstats.load(real_data("otree"))
    assert all(study.tables[name].equals(frame) for name, frame in nego.tables.items())
    assert {(row.path, row.reason) for row in study.provenance.left_out} == {
        ("bargaining.csv", "the same rows as all_apps_wide"),
        ("ultimatum.csv", "the same rows as all_apps_wide"),
        ("bargaining_custom.csv", "is not one of oTree's own exports; a mapping may read it"),
    }


def test_the_cards_figures_of_the_dyads(dyads: Study) -> None:
    offers = dyads.offers
    sent = offers[offers["proposer"].eq("1") & offers["game_id"].str.contains("trust")].set_index("game_id")
    back = offers[offers["proposer"].eq("2") & offers["game_id"].str.contains("trust")].set_index("game_id")
    s, r = sent["units_to_responder"], back["units_to_responder"].loc[sent.index]
    assert (s.mean(), r.mean()) == (60.0, 71.875)
    assert round((r / (3 * s)).mean(), 4) == 0.3958
    assert round(r.mean() / (3 * s.mean()), 4) == 0.3993
    assert round(float(np.corrcoef(s, r)[0, 1]), 4) == 0.7394
    assert ((sent["units_to_proposer"] + s) == 100).all()
    assert (back["units_to_proposer"] + r == 3 * s).all()
    answers = dyads.answers.merge(dyads.games[["game_id", "round"]], on="game_id", how="left")
    cooperated = answers[answers["question"] == "cooperate"].assign(answer=lambda frame: frame["answer"].astype(int))
    assert cooperated.groupby("round")["answer"].sum().tolist() == [9, 11, 9]
    assert offers.loc[offers["game_id"].str.contains("bargaining"), "units_to_proposer"].mean() == 51.25
    assert answers.loc[answers["question"] == "age", "answer"].astype(float).mean() == 40.4375
    assert answers.loc[answers["question"] == "age", "game_id"].isna().all()
    game = dyads.games.iloc[0]
    money = dyads.players.groupby("participant_id")["points"].sum() * game["real_world_currency_per_point"]
    assert (money + game["participation_fee"]).mean() == pytest.approx(8.71875, abs=1e-12)
    trust, demand, pd_ = (
        seats(dyads, f"d7kcqq10-{game}", "points") for game in ("trust-1-5", "bargaining-1-3", "prisoner-2-6")
    )
    assert (trust, demand, pd_) == ([30, 210], [0, 0], [300, 0])
    values = offers[offers["game_id"] == "d7kcqq10-trust-1-5"]
    assert values[["value_proposer", "value_responder"]].to_numpy().tolist() == [[30, 210], [210, 30]]
    assert "trust: the points of 8 games follow from their deals" in dyads.provenance.notes


def test_one_app_of_several(real_data: DataFolder) -> None:
    file = real_data("otree_dyads") / "all_apps_wide.csv"
    study = negstats.load(file, app="trust")
    assert rows(study) == {"games": 8, "players": 16, "offers": 16}
    with pytest.raises(UsageError, match=r"app: there is no 'trsut' in .*; did you mean 'trust'"):
        negstats.load(file, app="trsut")
    with pytest.raises(UsageError, match="person: 'name' is not one of code, label"):
        negstats.load(file, person="name")


def test_labels_name_people_where_they_can(real_data: DataFolder) -> None:
    study = negstats.load(real_data("otree") / "all_apps_wide.csv", person="label")
    assert study.players["participant_id"].nunique() == 8
    assert {"urpzqqzt-lab01", "68kt7p9q-lab01", "w5kd6hvn"} <= set(study.players["participant_id"])
    assert "2 people have no label of their own in their session and are called by their code" in study.provenance.notes


# ---- small exports by hand

HEAD = ["participant.code", "session.code", "participant._is_bot", "participant.mturk_worker_id"]
WIDE = [*HEAD, *(f"u.1.{name}" for name in ("player.id_in_group", "player.payoff", "group.id_in_subsession"))]
WIDE += ["u.1.group.offer", "u.1.group.accepted", "u.1.player.age"]
PEOPLE = [
    ["p1", "s", "0", "W1", "1", "6", "1", "4", "1", "20"],
    ["p2", "s", "0", "W2", "2", "4", "1", "4", "1", "21"],
    ["p3", "s", "0", "W3", "1", "0", "2", "3", "0", ""],
    ["p4", "s", "1", "W4", "2", "0", "2", "3", "0", ""],
]


def table(names: list[str], lines: list[list[str]], end: str = "\n") -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=end).writerows([names, *lines])
    return buffer.getvalue()


def wide(folder: Path, change: Callable[[list[list[str]]], None] | None = None, name: str = "wide.csv") -> Path:
    lines = [list(line) for line in PEOPLE]
    if change is not None:
        change(lines)
    (folder / name).write_text(table(WIDE, lines), newline="")
    return folder / name


def set_cell(row: int, column: str, value: str) -> Callable[[list[list[str]]], None]:
    def change(lines: list[list[str]]) -> None:
        lines[row][WIDE.index(column)] = value

    return change


def test_kinds_ids_and_what_is_divided(tmp_path: Path) -> None:
    study = negstats.load(wide(tmp_path))
    assert study.players["kind"].tolist()[:3] == ["human"] * 3
    assert study.players["kind"].isna().tolist() == [False, False, False, True]
    assert study.offers["units_to_proposer"].tolist() == [6, 7]
    everything = " ".join(frame.to_csv() for frame in study.tables.values())
    assert "W1" not in everything


def test_a_setting_that_one_members_row_lacks_is_read_from_the_others(tmp_path: Path) -> None:
    names = [*WIDE, "session.config.name"]
    lines = [[*line, "" if number == 0 else "high"] for number, line in enumerate(PEOPLE)]
    (tmp_path / "wide.csv").write_text(table(names, lines))
    assert negstats.load(tmp_path).games["config"].tolist() == ["high", "high"]


def test_points_that_do_not_follow_are_kept_and_named(tmp_path: Path) -> None:
    def change(lines: list[list[str]]) -> None:
        lines[2][WIDE.index("u.1.player.payoff")] = "5"

    study = negstats.load(wide(tmp_path, change))
    assert seats(study, "s-u-1-2", "points") == [5, 0]
    note = "u: points do not follow from the deal in 1 of 2 games (s-u-1-2); kept"
    assert note in study.provenance.notes
    assert study.offers["value_proposer"].isna().all()


def unclear(lines: list[list[str]]) -> None:
    for line in lines[:2]:
        line[WIDE.index("u.1.group.accepted")] = "maybe"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            set_cell(1, "u.1.group.offer", "5"),
            r"row 3, column 'u\.1\.group\.offer': '5' is given here, but row 2 .* '4'",
        ),
        (set_cell(1, "u.1.player.payoff", "ten"), r"row 3, column 'u\.1\.player\.payoff': 'ten' is not a number"),
        (set_cell(0, "u.1.player.payoff", "1e999"), "'1e999' is not a number"),
        (set_cell(1, "u.1.player.id_in_group", "1"), "player 1 of this group is also in row 2 of wide.csv"),
        (set_cell(1, "u.1.player.id_in_group", "1.5"), "'1.5' is not a whole number"),
        (set_cell(1, "u.1.group.id_in_subsession", ""), "is empty, and the person has a place in a group"),
        (set_cell(0, "participant.code", ""), "row 2, column 'participant.code': is empty"),
        (set_cell(1, "participant.code", "p1"), r"'p1' is also in wide\.csv, row 2, with other values"),
        (unclear, "'maybe' is not true or false"),
    ],
)
def test_damage_is_named(change: Callable[[list[list[str]]], None], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        FORMAT.read(wide(tmp_path, change), lambda files: files)


def test_a_second_export_of_the_same_session(tmp_path: Path) -> None:
    wide(tmp_path)
    wide(tmp_path, name="wide2.csv")
    study = negstats.load(tmp_path)
    assert len(study.games) == 2
    assert study.provenance.reasons() == {"the same row as in wide.csv": 4}


def test_a_workbook_is_read_as_the_file_of_text_is(tmp_path: Path) -> None:
    file = wide(tmp_path)
    (tmp_path / "book").mkdir()
    book = tmp_path / "book" / "wide.xlsx"
    pd.read_csv(file).to_excel(book, index=False)
    assert recognise(book) is FORMAT
    study, own = negstats.load(book), negstats.load(file)
    assert all(study.tables[name].equals(frame) for name, frame in own.tables.items())


def test_a_group_that_never_met(tmp_path: Path) -> None:
    def alone(lines: list[list[str]]) -> None:
        del lines[3]
        for column in ("u.1.group.offer", "u.1.group.accepted"):
            lines[2][WIDE.index(column)] = ""

    study = negstats.load(wide(tmp_path, alone))
    assert study.games["ended"].tolist() == ["agreement", "unknown"]
    assert len(study.players) == 3


def test_an_offer_of_nobody(tmp_path: Path) -> None:
    def gone(lines: list[list[str]]) -> None:
        del lines[2]

    study = negstats.load(wide(tmp_path, gone))
    assert study.provenance.reasons() == {"an offer of a player who has no row": 1}
    assert study.games["ended"].tolist() == ["agreement", "unknown"]


def test_a_question_asked_twice_is_named_by_its_app(tmp_path: Path) -> None:
    names = [*HEAD[:2]]
    for app in ("before", "after"):
        names += [f"{app}.1.player.id_in_group", f"{app}.1.group.id_in_subsession", f"{app}.1.player.mood"]
    lines = [["p1", "s", "1", "1", "low", "1", "1", "high"], ["p2", "s", "2", "1", "low", "2", "1", ""]]
    names += ["g.1.player.id_in_group", "g.1.group.id_in_subsession", "g.1.player.cooperate"]
    lines = [[*line, str(seat), "1", "1"] for seat, line in enumerate(lines, 1)]
    (tmp_path / "w.csv").write_text(table(names, lines))
    study = negstats.load(tmp_path / "w.csv")
    person_answers = study.answers[study.answers["game_id"].isna()]
    assert sorted(
        zip(person_answers["participant_id"], person_answers["question"], person_answers["answer"], strict=True)
    ) == [
        ("p1", "after.mood", "high"),
        ("p1", "before.mood", "low"),
        ("p2", "before.mood", "low"),
    ]


def test_a_trust_group_without_a_decision_beside_others(tmp_path: Path) -> None:
    fields = ("player.id_in_group", "player.payoff", "group.id_in_subsession")
    names = [*HEAD[:2], *(f"t.1.{name}" for name in (*fields, "group.sent_amount", "group.sent_back_amount"))]
    lines = [
        ["p1", "s", "1", "80", "1", "40", "20"],
        ["p2", "s", "2", "100", "1", "40", "20"],
        ["p3", "s", "1", "100", "2", "", ""],
        ["p4", "s", "2", "0", "2", "", ""],
    ]
    (tmp_path / "w.csv").write_text(table(names, lines))
    study = negstats.load(tmp_path)
    assert study.offers[["game_id", "units_to_responder"]].to_numpy().tolist() == [["s-t-1-1", 40], ["s-t-1-1", 20]]
    assert study.games["game_id"].tolist() == ["s-t-1-1", "s-t-1-2"]


def chat(folder: Path, lines: list[list[str]]) -> None:
    (folder / "ChatMessages.csv").write_text(table(list(CHAT), lines))


def test_chat_goes_to_the_game_of_its_speakers(tmp_path: Path) -> None:
    wide(tmp_path)
    chat(
        tmp_path,
        [
            ["s", "2", "p2", "1-u-7", "Bob", "no, mine", "1700000012.5"],
            ["s", "1", "p1", "1-u-7", "Ann", "mine", "1700000010"],
            ["s", "1", "p1", "1-u-9", "Ann", "who?", "1700000011"],
            ["s", "3", "p3", "1-u-9", "Cem", "hello", "1700000011"],
            ["s", "9", "p9", "1-u-8", "Eve", "hi", "1700000011"],
        ],
    )
    study = negstats.load(tmp_path)
    assert study.messages[["game_id", "sender", "text"]].to_numpy().tolist() == [
        ["s-u-1-1", "1", "mine"],
        ["s-u-1-1", "2", "no, mine"],
    ]
    assert study.provenance.reasons() == {"a chat message that belongs to no single game": 3}
    assert "Ann" not in study.messages.to_csv()


def test_page_times_tell_rounds_apart(tmp_path: Path) -> None:
    names, cells = [*HEAD[:2]], [["p1", "s"], ["p2", "s"]]
    for number in (1, 2):
        names += [f"c.{number}.{name}" for name in ("player.id_in_group", "group.id_in_subsession", "player.cooperate")]
        cells = [[*line, str(seat), "1", "1"] for seat, line in enumerate(cells, 1)]
    (tmp_path / "w.csv").write_text(table(names, cells))
    chat(tmp_path, [["s", "1", "p1", "1-c-7", "", "in round two", "1700000150"]])
    pages = [
        ["s", str(seat), f"p{seat}", str(page), "c", "P", str(1_700_000_000 + 100 * number), str(number), late, "0"]
        for seat in (1, 2)
        for page, number, late in ((1, 1, "0"), (2, 2, "1"))
    ]
    (tmp_path / "PageTimes.csv").write_text(table(list(PAGES), list(reversed(pages))))
    study = negstats.load(tmp_path)
    assert study.messages[["game_id", "time_s"]].to_numpy().tolist() == [["s-c-2-1", 50.0]]
    assert "2 pages ended by a timeout" in study.provenance.notes
    started = study.games.set_index("game_id")["started_at"]
    assert started["s-c-2-1"] == pd.Timestamp(1_700_000_100, unit="s", tz="UTC")
    assert pd.isna(started["s-c-1-1"])


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=6), st.randoms(use_true_random=False)
)
def test_the_order_of_rows_changes_only_the_order_of_games(deals: list[tuple[int, bool]], rng: Random) -> None:
    lines = []
    for group, (offer, yes) in enumerate(deals, 1):
        for seat, points in ((1, 10 - offer), (2, offer)):
            who = [f"p{group}{seat}", "s", "0", "", str(seat), str(points if yes else 0)]
            lines.append([*who, str(group), str(offer), str(int(yes)), ""])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wide.csv"
        file.write_text(table(WIDE, lines))
        first = negstats.load(file)
        rng.shuffle(lines)
        file.write_text(table(WIDE, lines))
        again = negstats.load(file)
    for name, frame in first.tables.items():
        keys = [key for key in ("game_id", "player", "offer") if key in frame]
        one, other = (each.sort_values(keys, ignore_index=True) for each in (frame, again.tables[name]))
        pd.testing.assert_frame_equal(one, other)
    assert first.players["points"].sum() == 10 * sum(yes for _, yes in deals)
    divided = any(yes for _, yes in deals)
    assert first.offers["units_to_proposer"].notna().all() == divided
    assert first.offers["units_to_responder"].tolist() == [offer for offer, _ in deals]


APP = [
    *("participant.code", "session.code", "player.id_in_group", "player.payoff", "group.id_in_subsession"),
    *("group.offer", "group.accepted", "subsession.round_number"),
]


def ultimatum(folder: Path, change: dict[tuple[int, str], str], name: str = "ultimatum.csv") -> Study:
    """Ten pairs that divide 10; `change` replaces cells by row and column."""
    lines = []
    for pair in range(10):
        accepted = pair % 4 != 3
        for seat, payoff in ((1, 7 if accepted else 0), (2, 3 if accepted else 0)):
            lines.append([f"p{pair}{seat}", "s", str(seat), str(payoff), str(pair + 1), "3", str(int(accepted)), "1"])
    for (row, column), value in change.items():
        lines[row][APP.index(column)] = value
    (folder / name).write_text(table(APP, lines))
    return negstats.load(folder)


def test_one_payoff_that_differs_costs_one_game(tmp_path: Path) -> None:
    study = ultimatum(tmp_path, {(0, "player.payoff"): "8.0"})
    units_to_proposer = study.offers["units_to_proposer"]
    assert units_to_proposer.isna().sum() == 1
    assert units_to_proposer.dropna().eq(7).all()
    assert study.offers["value_proposer"].notna().sum() == 9
    assert seats(study, "s-ultimatum-1-1", "points") == [8, 3]
    notes = " ".join(study.provenance.notes)
    assert "units of one side are missing in 1 games (s-ultimatum-1-1)" in notes
    assert "the points of 10 games follow" not in notes


def test_pies_that_vary_have_no_total(tmp_path: Path) -> None:
    study = ultimatum(tmp_path, {(0, "player.payoff"): "17", (4, "player.payoff"): "17", (8, "player.payoff"): "17"})
    assert study.offers["units_to_proposer"].isna().all()
    assert any("units of one side are missing in 10 games" in note for note in study.provenance.notes)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({(0, "session.code"): "t"}, "ultimatum: 2 games have fewer than 2 seats"),
        ({(0, "player.id_in_group"): "4."}, "ultimatum: 1 games have a seat that the app does not have"),
    ],
)
def test_a_split_pair_and_a_strange_seat_are_told(
    change: dict[tuple[int, str], str], note: str, tmp_path: Path
) -> None:
    study = ultimatum(tmp_path, change)
    assert any(said.startswith(note) for said in study.provenance.notes)


@pytest.mark.parametrize(
    ("folder", "names", "games", "reasons"),
    [
        (
            "otree",
            {"all_apps_wide": "all_apps_wide", "data": "ultimatum", "export-2": "bargaining"},
            16,
            {"all_apps_wide": 2},
        ),
        ("otree_dyads", {"trust": "trust", "vertrauen": "trust"}, 8, {"trust": 1}),
    ],
)
def test_an_apps_file_under_another_name_is_no_second_study(
    folder: str, names: dict[str, str], games: int, reasons: dict[str, int], real_data: DataFolder, tmp_path: Path
) -> None:
    for called, name in names.items():
        (tmp_path / f"{called}.csv").write_bytes((real_data(folder) / f"{name}.csv").read_bytes())
    study = negstats.load(tmp_path)
    assert len(study.games) == games
    assert study.provenance.reasons() == {f"the same rows as {name}": count for name, count in reasons.items()}


def test_an_apps_file_that_differs_from_the_wide_one_is_noted(real_data: DataFolder, tmp_path: Path) -> None:
    for name in ("all_apps_wide", "trust"):
        (tmp_path / f"{name}.csv").write_bytes((real_data("otree_dyads") / f"{name}.csv").read_bytes())
    with (tmp_path / "trust.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    lines[1][lines[0].index("player.payoff")] = "8.5"
    (tmp_path / "trust.csv").write_text(table(lines[0], lines[1:]))
    notes = negstats.load(tmp_path).provenance.notes
    assert any(note.startswith("1 rows of trust.csv differ from all_apps_wide.csv") for note in notes)


def dyads_changed(folder: Path, source: Path, changes: dict[tuple[int, str], str]) -> Study:
    """The wide file of the dyads with cells replaced, by row from 0 and column."""
    with (source / "all_apps_wide.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    for (row, column), value in changes.items():
        lines[row + 1][lines[0].index(column)] = value
    (folder / "all_apps_wide.csv").write_text(table(lines[0], lines[1:]))
    return negstats.load(folder)


def test_one_payoff_that_differs_costs_one_game_of_trust(real_data: DataFolder, tmp_path: Path) -> None:
    study = dyads_changed(tmp_path, real_data("otree_dyads"), {(0, "trust.1.player.payoff"): "71.5"})
    trust = study.offers[study.offers["game_id"].str.contains("-trust-")]
    assert trust.groupby("game_id")["units_to_proposer"].count().tolist() == [0] + 7 * [2]
    notes = " ".join(study.provenance.notes)
    assert "trust: points do not follow from the deal in 1 of 8 games" in notes
    assert "trust: units of one side are missing in 1 games" in notes


def test_demands_without_payoffs_have_no_known_end(real_data: DataFolder, tmp_path: Path) -> None:
    changes = {(row, "bargaining.1.player.payoff"): "" for row in range(16)}
    study = dyads_changed(tmp_path, real_data("otree_dyads"), changes)
    assert study.games.loc[study.games["app"] == "bargaining", "ended"].eq("unknown").all()
    assert not any(note.startswith("bargaining: the points of") for note in study.provenance.notes)


def test_one_number_written_in_two_ways_is_one_number(real_data: DataFolder, tmp_path: Path) -> None:
    study = dyads_changed(tmp_path, real_data("otree_dyads"), {(0, "trust.1.group.sent_amount"): "100.00"})
    assert len(study.games) == 40


def test_people_of_demonstrations_are_left_out_beside_others_and_counted(tmp_path: Path) -> None:
    file = wide(tmp_path)
    played = pd.read_csv(file, dtype=str).assign(**{"session.is_demo": "0"})
    tried = played.assign(**{"session.is_demo": "1"})
    for column in ("participant.code", "session.code"):
        tried[column] = "d" + tried[column]
    pd.concat([played, tried]).to_csv(file, index=False)
    study = negstats.load(file)
    assert not any(person.startswith("d") for person in study.players["participant_id"])
    assert [number for reason, number in study.provenance.reasons().items() if "demonstration" in reason] == [
        len(tried)
    ]
    both = negstats.load(file, demo="in")
    assert len(both.players) == 2 * len(study.players)
    tried.to_csv(file, index=False)  # where all is a demonstration it is what there is
    assert len(negstats.load(file).players) == len(study.players)
    with pytest.raises(UsageError, match="demo: 'no' is not one of out, in"):
        negstats.load(file, demo="no")


def task(folder: Path, sizes: dict[str, int], score: str = "player.solved", paid: int = 2) -> Path:
    """Three rounds in which each person of some sessions solves tasks, all in one group that has no field."""
    names = [*HEAD[:2], "session.config.name"]
    for number in (1, 2, 3):
        fields = ("player.id_in_group", "player.payoff", score, "group.id_in_subsession")
        names += [f"task.{number}.{field}" for field in fields]
    lines = []
    for session, size in sizes.items():
        for seat in range(1, size + 1):
            solved = [(3 * seat + 5 * number + len(session)) % 4 for number in range(3)]
            of_rounds = [cell for count in solved for cell in (str(seat), str(paid * count), str(count), "1")]
            lines.append([f"{session}{seat}", session, f"effort_{session[:-1]}", *of_rounds])
    (folder / "wide.csv").write_text(table(names, lines))
    return folder / "wide.csv"


@pytest.mark.parametrize(
    ("sizes", "paid"),
    [({"piece1": 5, "team2": 4}, 2), ({"piece1": 4, "team2": 4}, 2), ({"piece1": 4, "team2": 4}, 0)],
)
def test_people_who_solve_tasks_by_themselves_are_games_of_one_seat(
    sizes: dict[str, int], paid: int, tmp_path: Path
) -> None:
    study = negstats.load(task(tmp_path, sizes, paid=paid))
    n_people = sum(sizes.values())
    assert rows(study) == {"games": 3 * n_people, "players": 3 * n_people, "answers": 3 * n_people}
    assert study.games["game_id"].tolist()[:2] == ["piece1-task-1-1", "piece1-task-2-1"]
    assert set(study.players["player"]) == {"1"}
    assert any("a game of one seat" in note for note in study.provenance.notes)
    groups = negstats.load(tmp_path, alone="none")
    assert rows(groups) == {"games": 6, "players": 3 * n_people, "answers": 3 * n_people}
    with pytest.raises(UsageError, match=r"alone: there is no 'tusk' in .*; did you mean 'task'"):
        negstats.load(tmp_path, alone="tusk")


def test_sessions_of_one_small_size_whose_payoffs_do_not_follow_are_groups(tmp_path: Path) -> None:
    file = task(tmp_path, {"a1": 4, "b2": 4})
    lines = [line.split(",") for line in file.read_text().splitlines()]
    for place, line in enumerate(lines[1:]):
        line[4] = str(place * 7 % 5)  # what the other side did is part of what each gets
    file.write_text(table(lines[0], lines[1:]))
    assert rows(negstats.load(file))["games"] == 6
    assert rows(negstats.load(file, alone="task"))["games"] == 24


def test_the_configuration_of_sessions_may_be_a_condition(tmp_path: Path) -> None:
    file = task(tmp_path, {"piece1": 6, "team2": 7})
    assert propose(negstats.load(file)).drafted[0].question.by == ("config",)
    file.write_text(
        re.sub("(?<=,)effort_(?=([a-z]+),)", r"effort_\1,", file.read_text()).replace(
            "name,", "name,session.config.pay,"
        )
    )
    assert propose(negstats.load(file)).drafted[0].question.by == ("pay",)  # the same in fewer letters
