"""People whom a program numbers, several tasks in one row of each, and what ids and orders say of them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import draft_of
from negstats.loaders.mapping.forms import Asked
from tests.loaders.mapping.test_guess import saved


def laboratory(people: int, sessions: int = 6) -> pd.DataFrame:
    """Return z-Tree's table of one period, in which nobody was paired: all of a session are in group 1."""
    rng = np.random.default_rng(4)
    rows = [
        {
            "session": f"0901{19 + session}_1002",
            "Period": 1,
            "Subject": subject,
            "client": f"client{subject:02d}",
            "Group": 1,
            "appeal": ("plain", "warm")[(subject + session) % 2],
            "Gift": int(rng.integers(0, 11)),
            "Profit": int(rng.integers(5, 30)),
        }
        for session, subject in itertools.product(range(sessions), range(1, people + 1))
    ]
    return pd.DataFrame(rows)


def test_all_of_a_session_in_one_group_are_cases_of_their_own(tmp_path: Path) -> None:
    """Numbers begin anew in each session, though the names of computers say the same."""
    keys = draft_of(saved(tmp_path, laboratory(12)), Asked()).proposal.keys
    assert keys["games.game_id"] == ["session", "Subject"]
    assert keys["players.participant_id"] == ["session", "Subject"]
    assert [key for key in keys if key.startswith("factors.")] == ["factors.appeal"]


def test_few_of_a_session_in_one_group_may_have_met(tmp_path: Path) -> None:
    log = saved(tmp_path, laboratory(6, 12))
    draft = draft_of(log, Asked())
    (question,) = [each for each in draft.questions if each.subject == "row"]
    assert question.is_stop
    words = [option.words for option in question.options]
    assert words == [
        "the rows of one session × Period × Group are the seats of one game, told apart by Subject",
        "each row is a separate case",
    ]
    keys = draft_of(log, Asked(), {"row": str(len(words))}).proposal.keys
    assert keys["players.participant_id"] == ["session", "Subject"]


def test_the_name_of_a_log_is_quoted_in_what_is_to_be_typed(tmp_path: Path) -> None:
    log = tmp_path / "all sessions.csv"
    laboratory(6, 12).to_csv(log, index=False)
    assert "negstats map 'all sessions.csv' --answer row=2" in draft_of(log, Asked()).text


def tasks() -> pd.DataFrame:
    """Return people who gave to one of a pair, and chose for another one of a pair that was drawn anew."""
    rng = np.random.default_rng(8)
    n = 160
    table = pd.DataFrame({"participant": [f"p{code:04x}" for code in rng.permutation(60000)[:n]]})
    for task, roles in (("give", "giver"), ("svo", "role")):
        order = rng.permutation(n)
        pair = np.empty(n, int)
        pair[order] = np.arange(n) // 2
        table[f"{task}_uid"] = [f"{task}{code}" for code in pair]
        place = np.empty(n, int)
        place[order] = np.arange(n) % 2 + 1
        table[f"{task}_{roles}"] = place
    arm = rng.permutation(n // 2) % 2
    amount = rng.integers(0, 11, n // 2)
    of_pair = table["give_uid"].str.removeprefix("give").astype(int).to_numpy()
    table["arm"], table["give_amount"] = np.array(["low", "high"])[arm[of_pair]], amount[of_pair]
    table["svo_angle"] = rng.normal(20, 12, n).round(2)
    return table


def test_who_sat_in_two_games_is_asked_about(tmp_path: Path) -> None:
    draft = draft_of(saved(tmp_path, tasks()), Asked())
    (question,) = [each for each in draft.questions if each.subject == "row"]
    assert question.is_stop
    words = " ".join(option.words for option in question.options)
    assert "the rows of one give_uid are the seats" in words
    assert "the rows of one svo_uid are the seats" in words
    assert "each row is a separate case" in words


def trials(order: str) -> pd.DataFrame:
    """Return forty people with twelve trials each: half of them had the easy ones first."""
    rng = np.random.default_rng(6)
    rows = [
        (f"s{person:02d}", trial, person % 2 + 1, ("easy", "hard")[(trial <= 6) ^ (person % 2)], rng.integers(0, 9))
        for person, trial in itertools.product(range(40), range(1, 13))
    ]
    return pd.DataFrame(rows, columns=["subject", "trial", order, "level", "amount"])


@pytest.mark.parametrize("name", ["order", "orderCond", "sequence"])
def test_the_order_that_a_person_had_is_no_number_of_rows(tmp_path: Path, name: str) -> None:
    draft = draft_of(saved(tmp_path, trials(name)), Asked())
    asked = {option.words for each in draft.questions if each.subject == "condition" for option in each.options}
    assert f"factors.{name}" in draft.proposal.keys or name in asked


def members() -> pd.DataFrame:
    """Return thirty pairs whose members, a and b, judge twelve items each: 101a and 101b."""
    rng = np.random.default_rng(7)
    rows = [
        (f"{100 + pair}{member}", 100 + pair, member, ("open", "closed")[pair % 2], item, int(rng.integers(0, 101)))
        for pair, member, item in itertools.product(range(30), "ab", range(1, 13))
    ]
    return pd.DataFrame(rows, columns=["part_id", "group_id", "side", "talk", "item", "trust"])


def test_what_ends_the_names_of_a_groups_members_was_not_set(tmp_path: Path) -> None:
    keys = draft_of(saved(tmp_path, members()), Asked()).proposal.keys
    assert {key for key in keys if key.startswith("factors.")} == {"factors.talk"}


def test_words_that_nobody_set_are_what_people_are(tmp_path: Path) -> None:
    """Of people who come again, words that are one thing of each are not lost when somebody says so."""
    rng = np.random.default_rng(9)
    names = [f"u{code}" for code in rng.permutation(900)[:60]]
    creed, work = rng.integers(0, 4, 60), rng.integers(0, 2, 60)
    rows = []
    for talk in range(90):
        for role, person in enumerate(rng.permutation(60)[:2]):
            words = ["abcd"[creed[person]] * 3, ("paid", "unpaid")[work[person]]]
            rows.append((f"talk-{talk}", names[person], role, int(rng.integers(0, 20)), *words))
    log = saved(tmp_path, pd.DataFrame(rows, columns=["dialog", "user", "role", "gift", "creed", "work"]))
    keys = draft_of(log, Asked(), {"condition": "none"}).proposal.keys
    assert keys["players.participant_id"] == "user"
    assert keys["person.creed"] == "creed"
    assert keys["person.work"] == "work"


def strangers() -> pd.DataFrame:
    """Return five sessions of uneven size, whose people are put into groups of four anew in each of six rounds."""
    rng = np.random.default_rng(12)
    rows = []
    for session, size in enumerate((24, 24, 20, 24, 16), 1):
        prefers = rng.integers(1, 4, size)
        for period in range(1, 7):
            groups = rng.permutation(size) // 4 + 1
            rows += [
                (session, session * 100 + number, number, period, groups[number - 1], prefers[number - 1])
                for number in range(1, size + 1)
            ]
    table = pd.DataFrame(rows, columns=["idsess", "idsubj", "subject", "period", "group", "idtyp"])
    table["contribution"] = rng.integers(0, 21, len(table))
    return table


def test_who_has_a_number_in_all_sessions_sits_in_games_of_each(tmp_path: Path) -> None:
    """Numbers of a session, which stand several times in each round, are nobody's beside these."""
    keys = draft_of(saved(tmp_path, strangers()), Asked()).proposal.keys
    assert keys["games.game_id"] == ["group", "idsess", "period"]
    assert keys["players.participant_id"] == "idsubj"


def test_numbers_of_all_rounds_may_be_those_of_each_session(tmp_path: Path) -> None:
    """Nothing but numbers of seats and pairs says that ten people came to all of them."""
    rng = np.random.default_rng(13)
    rows, keeps = [], 0
    for block, number in itertools.product(range(1, 7), range(1, 11)):
        keeps = int(rng.integers(2, 9)) if number % 2 else 10 - keeps
        rows.append((block, number, (number + 1) // 2, 2 - number % 2, "fm"[rng.integers(2)], keeps))
    draft = draft_of(saved(tmp_path, pd.DataFrame(rows, columns=[f"c{place}" for place in range(1, 7)])), Asked())
    (question,) = [each for each in draft.questions if each.subject == "row"]
    assert question.is_stop
    ends = [option.words.rpartition("; ")[2] for option in question.options if "c1 × c3" in option.words]
    assert "c2 repeats" in ends
    assert len(ends) == 2


def test_lists_in_rows_of_people_are_those_of_no_seats(tmp_path: Path) -> None:
    """What each of three gives and gets stands in the rows of all of them: a row is of one person already."""
    rng = np.random.default_rng(14)
    rows = []
    for session, period, group in itertools.product(range(1, 5), range(1, 7), range(1, 4)):
        gives = rng.integers(0, 11, 3)
        gets = [int(20 - gives[member] + 2 * gives.sum() - gives[member]) for member in range(3)]
        best = int(np.argmax(gives)) + 1
        for member in range(3):
            own = (session, period, group, 3 * (group - 1) + member + 1, best, int(rng.integers(0, 9)))
            rows.append((*own, *gives.tolist(), *gets))
    lists = [f"{what}[{member}]" for what in ("Give", "Get") for member in range(1, 4)]
    table = pd.DataFrame(rows, columns=["Session", "Period", "Group", "Subject", "First", "Fine", *lists])
    draft = draft_of(saved(tmp_path, table), Asked())
    assert draft.proposal.keys["games.game_id"] == ["Session", "Period", "Group"]
    assert draft.proposal.keys["players.participant_id"] == ["Session", "Subject"]


def test_a_standing_that_two_may_share_tells_no_seats_apart(tmp_path: Path) -> None:
    """In some pairs both came out even: people tell the rows of a pair apart, and no pair is excluded."""
    rng = np.random.default_rng(15)
    rows = []
    for pair in range(60):
        standings = ("even", "even") if pair % 15 == 0 else ("ahead", "behind")
        for member, roll in itertools.product(range(2), range(1, 9)):
            own = ("kind", "harsh")[pair % 2], standings[member], int(rng.integers(1, 7))
            rows.append((f"d{pair}", f"d{pair}_{'ab'[member]}", roll, *own))
    table = pd.DataFrame(rows, columns=["dyad", "subject", "roll", "tone", "standing", "pips"])
    draft = draft_of(saved(tmp_path, table), Asked())
    assert draft.proposal.keys["games.game_id"] == ["dyad", "roll"]
    assert draft.proposal.keys["players.player"] == draft.proposal.keys["players.participant_id"] == "subject"
    assert not [each for each in draft.questions if each.subject == "doubled"]


def test_what_many_people_were_given_names_none_of_them(tmp_path: Path) -> None:
    """Three levels have far fewer pairs with 500 people than chance would make, and determine none of them."""
    rng = np.random.default_rng(16)
    match = rng.integers(0, 3, 500)
    rows = [
        (f"w{person:04d}", item, "abc"[item % 3] * 2, ("near", "far", "drawn")[match[person]], int(rng.integers(1, 6)))
        for person, item in itertools.product(range(500), range(1, 7))
    ]
    table = pd.DataFrame(rows, columns=["pid", "item", "field", "match", "shared"])
    draft = draft_of(saved(tmp_path, table), Asked())
    asked = {option.words for each in draft.questions if each.subject == "condition" for option in each.options}
    assert "match" in asked
    assert draft.proposal.keys["players.participant_id"] == "pid"


def test_an_order_leaves_open_what_else_was_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(17)
    rows = []
    for person in range(60):
        kinds = rng.integers(0, 3, 20)
        rows += [
            (person + 1, int(person % 7 < 3), trial, int(kinds[trial]), int(rng.integers(0, 2))) for trial in range(20)
        ]
    table = pd.DataFrame(rows, columns=["subject", "orderCond", "trial", "kind", "choice"])
    draft = draft_of(saved(tmp_path, table), Asked())
    (question,) = [each for each in draft.questions if each.subject == "condition"]
    assert {"orderCond", "kind"} <= {option.words for option in question.options}
