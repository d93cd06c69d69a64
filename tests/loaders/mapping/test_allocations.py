"""Allocations among three or more seats: who accepts which, how many must, and what each seat gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders import mapping
from negstats.studies.study import Study

SEATS = "".join(f'[seats.{n}]\nparticipant_id = "id{n}"\nvote = "vote{n}"\nitems.share = "x{n}"\n' for n in (1, 2, 3))
HEAD = """
row = "offer"
games.game_id = "committee"
offers = { round = "round", proposer = "setter", accepts_needed = "majority" }
players = { points_from_deal = true, points_without_deal = 0 }
levels.response = { accepted = ["yes"], rejected = ["no"] }
"""
PROPOSALS = """committee,round,setter,x1,x2,x3,vote1,vote2,vote3,id1,id2,id3
1,1,2,10,50,40,no,yes,no,a,b,c
1,2,3,50,0,50,yes,no,yes,a,b,c
2,1,1,60,40,0,yes,no,no,d,e,f
3,1,1,34,33,33,yes,yes,yes,g,h,i
"""
MEMBERS = """group,period,member,proposer,x1,x2,x3,accept,id
1,1,1,1,20,40,40,,a
1,1,2,1,20,40,40,1,b
1,1,3,1,20,40,40,0,c
2,1,1,3,0,30,70,0,d
2,1,2,3,0,30,70,0,e
2,1,3,3,0,30,70,,f
"""
MEMBERS_WITH_IDS = MEMBERS.replace("accept,id", "accept,subject")


def read(folder: Path, log: str, text: str) -> Study:
    (folder / "log.csv").write_text(log)
    (folder / "log.toml").write_text(text)
    return mapping.read(folder / "log.csv", mapping.read_mapping(folder / "log.toml"))


def test_proposals_in_rows(tmp_path: Path) -> None:
    """The same by pandas: the share of the first proposal with two yes, else 0."""
    study = read(tmp_path, PROPOSALS, HEAD + SEATS)
    table = pd.read_csv(tmp_path / "log.csv")
    n_yes = (table[["vote1", "vote2", "vote3"]] == "yes").sum(axis=1)
    table["passed"] = n_yes >= 2
    assert study.offers["response"].tolist() == ["accepted" if one else "rejected" for one in table["passed"]]
    passed = table[table["passed"]].set_index("committee")[["x1", "x2", "x3"]].reindex([1, 2, 3]).fillna(0)
    np.testing.assert_array_equal(study.players["points"], passed.to_numpy().ravel())
    assert study.games["ended"].tolist() == ["agreement", "disagreement", "agreement"]
    assert study.offers["units_to_proposer"].tolist() == [50, 50, 60, 34]
    assert study.items.groupby(["game_id", "offer"])["quantity"].sum().eq(100).all()
    answers = study.answers.set_index(["participant_id", "question"])["answer"]
    assert answers.loc["b"].to_dict() == {"vote_1": "1", "vote_2": "0"}
    assert len(answers) == 12


def test_what_a_proposal_is_worth_to_each_seat_is_its_points(tmp_path: Path) -> None:
    """To who votes, too, and is on neither side; the first row of the log is of a proposal that passed."""
    header, *lines = PROPOSALS.splitlines()
    study = read(tmp_path, "\n".join([header, *reversed(lines)]), HEAD + SEATS.replace("items.share", "value"))
    points = study.players.pivot_table("points", "game_id", "player")
    assert points.loc[["1", "2", "3"]].to_numpy().tolist() == [[50, 0, 50], [0, 0, 0], [34, 33, 33]]


def test_a_row_a_member_whose_vote_stands_there(tmp_path: Path) -> None:
    text = """
row = "player"
games.game_id = ["group", "period"]
offers = { proposer = "proposer", vote = "accept", accepts_needed = 2 }
players = { player = "member", participant_id = "id", points_from_deal = true, points_without_deal = 0 }
levels.response = { accepted = ["1"], rejected = ["0"] }
seats = { 1.items.x = "x1", 2.items.x = "x2", 3.items.x = "x3" }
"""
    study = read(tmp_path, MEMBERS, text)
    assert study.offers[["proposer", "response"]].to_numpy().tolist() == [["1", "accepted"], ["3", "rejected"]]
    assert study.players["points"].tolist() == [20, 40, 40, 0, 0, 0]
    assert study.games["ended"].tolist() == ["agreement", "walkaway"]
    votes = study.answers.set_index("participant_id")["answer"].to_dict()
    assert votes == {"b": "1", "c": "0", "d": "0", "e": "0"}
    assert set(study.answers["question"]) == {"vote"}


def test_each_member_proposes_and_one_proposal_is_drawn(tmp_path: Path) -> None:
    log = "g,who,x1,x2,x3,drawn,vote\n1,1,8,1,1,2,no\n1,2,1,5,4,2,yes\n1,3,0,1,9,2,yes\n"
    text = """
row = "player"
games.game_id = "g"
offers = { vote = "vote", voted_on = "drawn", accepts_needed = "majority" }
players = { player = "who", points_from_deal = true }
levels.response = { accepted = ["yes"], rejected = ["no"] }
seats = { 1.items.x = "x1", 2.items.x = "x2", 3.items.x = "x3" }
"""
    study = read(tmp_path, log, text)
    assert study.offers.set_index("proposer")["response"].to_dict() == {"1": "superseded", "2": "accepted", "3": "none"}
    assert study.players["points"].tolist() == [1, 5, 4]
    assert "3 votes are by unknown people and do not count as answers" in study.provenance.notes
    with pytest.raises(LogError, match="several offers of this game could be voted on; name who made the one that is"):
        read(tmp_path, log, text.replace(' voted_on = "drawn",', ""))


def test_accepts_in_a_log_of_events_are_votes_on_the_latest_offer(tmp_path: Path) -> None:
    log = "g,who,what,a,b,c\n1,A,offer,6,2,2\n1,B,reject,,,\n1,C,reject,,,\n"
    log += "1,B,offer,2,5,3\n1,C,accept,,,\n1,A,accept,,,\n"
    log += "2,A,accept,,,\n2,A,offer,9,1,0\n2,B,accept,,,\n"
    text = """
row = "event"
event = "what"
games.game_id = "g"
offers = { accepts_needed = "all" }
players = { player = "who", points_from_deal = true }
seats = { A.items.gold = "a", B.items.gold = "b", C.items.gold = "c" }
"""
    study = read(tmp_path, log, text)
    assert study.offers["response"].tolist() == ["rejected", "accepted", "none"]
    assert study.players["points"].tolist()[:3] == [2, 5, 3]
    assert study.provenance.reasons() == {"a vote without an offer before it": 1}
    assert "1 offers have too few votes to be accepted or rejected" in study.provenance.notes


def test_a_seat_that_votes_twice_on_an_offer_is_told(tmp_path: Path) -> None:
    log = "g,who,what,a,b\n1,A,offer,6,2\n1,B,accept,,\n1,B,reject,,\n"
    text = 'row = "event"\nevent = "what"\ngames.game_id = "g"\noffers = { accepts_needed = "all" }\n'
    text += 'players.player = "who"\nseats = { A.items.gold = "a", B.items.gold = "b" }\n'
    with pytest.raises(LogError, match=r"row 4: game_id '1', offer '1', player 'B' is also in row 3 of log.csv; each"):
        read(tmp_path, log, text)


def test_a_response_of_the_log_is_kept_and_differences_are_counted(tmp_path: Path) -> None:
    text = (HEAD + SEATS).replace('round = "round"', 'round = "round", response = "passed"')
    lines = PROPOSALS.splitlines()
    passed = ["passed", "no", "yes", "yes", "yes"]  # the third against its votes
    log = "\n".join(f"{line},{one}" for line, one in zip(lines, passed, strict=True)) + "\n"
    study = read(tmp_path, log, text)
    assert study.offers["response"].tolist() == ["rejected", "accepted", "accepted", "accepted"]
    assert "1 of 4 responses are not those that the votes give; the log's are kept" in study.provenance.notes


@pytest.mark.slow
@given(
    votes=st.lists(st.lists(st.sampled_from(["yes", "no", ""]), min_size=3, max_size=3), min_size=1, max_size=6),
    needed=st.sampled_from([1, 2, 3, "majority", "all"]),
)
def test_votes_settle_an_offer_as_counting_them_does(
    tmp_path_factory: pytest.TempPathFactory, votes: list[list[str]], needed: int | str
) -> None:
    rows = [f"{g},1,1,5,3,2,{','.join(of)},a{g},b{g},c{g}" for g, of in enumerate(votes)]
    quoted = needed if isinstance(needed, int) else f'"{needed}"'
    text = (HEAD + SEATS).replace('"majority"', str(quoted))
    study = read(tmp_path_factory.mktemp("votes"), "\n".join([PROPOSALS.splitlines()[0], *rows]) + "\n", text)
    least = {"majority": 2, "all": 3}.get(str(needed), needed)
    for of, response in zip(votes, study.offers["response"], strict=True):
        n_yes, n_no = of.count("yes") + (of[0] == ""), of.count("no")
        is_voted = any(of)
        expected = "accepted" if n_yes >= int(least) else "rejected" if 3 - n_no < int(least) else "none"
        assert response == (expected if is_voted else "none")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (', accepts_needed = "majority"', "", "accepts_needed: is needed with votes: how many must accept"),
        ('"majority"', '"most"', '\'most\' is not a number of seats; write such as 2, or "majority" or "all"'),
        ('"majority"', "0", "0 is not a number of seats"),
        ('"majority"', "true", "True is not a number of seats"),
        ('row = "offer"', 'row = "item"', "is for row = "),
        ('round = "round"', 'vote = "vote1"', 'is for row = "player"; where a row has the votes of all'),
    ],
)
def test_what_cannot_be_counted_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (HEAD + SEATS).replace(old, new)
    text += '[item]\nname = "round"\nto_proposer = "x1"\n' if "item" in new else ""
    with pytest.raises(LogError) as fault:
        read(tmp_path, PROPOSALS, text)
    assert message in str(fault.value)


def twelve_times(log: str, ids: tuple[int, ...]) -> str:
    """Return a log with its rows once more for other committees and people."""
    header, *lines = log.splitlines()
    rows = []
    for again in range(12):
        for line in lines:
            cells = line.split(",")
            cells[0] = str(int(cells[0]) + 10 * again)
            for place in ids:
                cells[place] += str(again)
            rows.append(",".join(cells))
    return "\n".join([header, *rows]) + "\n"


@pytest.mark.parametrize(
    ("log", "rows", "points"),
    [
        (twelve_times(MEMBERS_WITH_IDS, (8,)), "player", 3 * 12),
    ],
)
def test_plain_columns_are_read(tmp_path: Path, log: str, rows: str, points: int) -> None:
    (tmp_path / "log.csv").write_text(log)
    text = mapping.suggest(tmp_path / "log.csv")
    assert f'row = "{rows}"' in text
    assert 'accepts_needed = "majority"' in text
    assert 'subject = "votes"' in text
    study = read(tmp_path, log, text)
    assert study.players["points"].notna().sum() == points
    assert set(study.offers["response"]) == {"accepted", "rejected"}
    assert len(study.answers)


def test_budgets_that_nobody_votes_on_are_no_allocation(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "person,item_1,item_2,item_3\n" + "".join(f"{n},{n},{9 - n},1\n" for n in range(8))
    )
    assert "accepts_needed" not in mapping.suggest(tmp_path / "log.csv")


def test_seats_that_the_proposer_and_names_of_columns_spell_in_two_ways_are_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(60):
        proposer, other = rng.choice(["A", "B", "C"], 2, replace=False)
        share = int(rng.integers(40, 80))
        shares = dict.fromkeys("ABC", 0) | {proposer: share, other: 100 - share}
        rows.append((rng.choice(["veto", "equal"]), proposer, *shares.values(), *rng.integers(0, 2, 3)))
    names = [f"{what}_{seat}" for what in ("offer", "vote") for seat in "ABC"]
    table = pd.DataFrame(rows, columns=["rule", "proposer", *names])
    table.to_csv(tmp_path / "log.csv", index=False)
    study = mapping.read_as(tmp_path / "log.csv", mapping.suggest(tmp_path / "log.csv", accept=True))
    assert study.offers["proposer"].str.upper().tolist() == table["proposer"].tolist()
    assert {*study.players["player"]} == {"a", "b", "c"}
