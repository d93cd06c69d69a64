"""Who people are, and who met: groups of sessions, members of teams, seats, periods, and people of another table."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.preregistration.draft import draft as drafted_plan
from negstats.errors import LogError
from negstats.loaders.mapping import draft_of, read_as, suggest
from negstats.loaders.mapping.forms import Asked
from tests.loaders.mapping.test_guess import loaded, saved

NAMES = (("fishery", "day", "angler", "permit", "catch", "stock"), ("c1", "c2", "c3", "c4", "c5", "c6"))


def fisheries() -> pd.DataFrame:
    """Sixteen groups in four sessions, in which ten people fish for nine days; the stock is one of a group's day."""
    rng = np.random.default_rng(11)
    rows = []
    for harbour, group in itertools.product(range(4), range(4)):
        people = [f"H{harbour}{group}{member}" for member in range(10)]
        usual = rng.normal(6, 2, 10)
        for day in range(1, 10):
            catches = np.clip(np.round(usual + rng.normal(0, 2, 10)), 0, 15).astype(int)
            permit = ("open", "limited")[harbour % 2]
            rows += [
                (f"harbour {harbour}", f"water {harbour}{group}", day, person, permit, catch, 160 - int(catches.sum()))
                for person, catch in zip(people, catches, strict=True)
            ]
    return pd.DataFrame(rows, columns=["session", *NAMES[0]])


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_a_number_of_each_round_says_that_a_group_met(tmp_path: Path, names: tuple[str, ...]) -> None:
    table = fisheries().drop(columns="session").set_axis(list(names), axis=1)
    draft = draft_of(saved(tmp_path, table), Asked())
    (question,) = [each for each in draft.questions if each.subject == "cluster"]
    assert question.text == f"Did people meet only within {names[0]}?"
    assert question.likely == (1,)
    assert f"{names[5]} is one number in each round of a {names[0]}" in question.options[0].evidence


def test_groups_within_sessions_are_offered_beside_these(tmp_path: Path) -> None:
    log = saved(tmp_path, fisheries())
    draft = draft_of(log, Asked())
    (question,) = [each for each in draft.questions if each.subject == "cluster"]
    assert [option.words.split(":")[0] for option in question.options] == [
        "rows of one session belong together",
        "rows of one fishery belong together",
        "session or fishery is a label",
    ]
    assert question.likely == (2,)  # what people of one water leave shows that they met
    for answer, column in ((1, "session"), (2, "fishery")):
        keys = draft_of(log, Asked(), {"cluster": str(answer)}).proposal.keys
        assert keys[f"factors.{column}"] == {"column": column, "role": "cluster"}


def test_periods_of_people_have_columns_that_end_in_one_and_two(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        (person, 1 + person % 2, period, *rng.integers(0, 9, 6), round(float(rng.normal(40, 9)), 3))
        for person, period in itertools.product(range(501, 549), range(1, 13))
    ]
    stages = [f"{what}{stage}" for what in ("kept", "sent", "back") for stage in (1, 2)]
    table = pd.DataFrame(rows, columns=["subject", "theft", "period", *stages, "balance"])
    table.loc[table["theft"] == 1, ["kept2", "sent2", "back2"]] = np.nan
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "each = " not in text
    assert study.players["participant_id"].nunique() == 48
    assert "kept1" in study.games
    assert "theft" in text.partition("[measures]")[0]  # a condition, or asked about: nobody chose it row by row


def teams(total: str | None = None) -> pd.DataFrame:
    """Twelve teams of three in six months; a row of totals below each month, if it has a name."""
    rng = np.random.default_rng(9)
    rows = []
    for team, month in itertools.product(range(1, 13), range(1, 7)):
        hours = rng.integers(1, 20, 3)
        pay = 60 - hours + 2 * int(hours.sum())
        rows += [
            (team, month, member, ("fixed", "bonus")[team % 2], *each)
            for member, *each in zip("abc", hours, pay, strict=True)
        ]
        if total:
            rows.append((team, month, total, ("fixed", "bonus")[team % 2], hours.sum(), pay.sum()))
    return pd.DataFrame(rows, columns=["team", "month", "member", "scheme", "hours", "pay"])


@pytest.mark.parametrize("total", [None, "d", "Summe"])
def test_members_of_teams_are_people_and_totals_are_none(tmp_path: Path, total: str | None) -> None:
    text, study = loaded(tmp_path, saved(tmp_path, teams(total)))
    assert (len(study.games), len(study.players)) == (72, 216)
    assert study.players["participant_id"].nunique() == 36
    assert study.answers.groupby("question").size().to_dict() == {"hours": 216, "pay": 216}
    assert ("# rows that count" in text) == (total is not None)


def test_a_member_who_does_what_all_others_do_is_no_total(tmp_path: Path) -> None:
    table = teams("d")
    last = table["member"] == "d"
    table.loc[last, "hours"] += np.arange(last.sum()) % 2  # of half of the teams no sum
    _, study = loaded(tmp_path, saved(tmp_path, table))
    assert len(study.players) == 288


@pytest.mark.parametrize("names", [("osallistuja", "ryhmä"), ("key", "c2")])
def test_people_of_another_table_are_known_by_a_column_of_one_name(tmp_path: Path, names: tuple[str, str]) -> None:
    rng = np.random.default_rng(2)
    ids = [f"n{person}" for person in range(60)]
    people = pd.DataFrame({names[0]: ids, names[1]: ["punainen", "sininen"] * 30, "syntynyt": rng.integers(50, 99, 60)})
    rows = [(each, turn, rng.integers(0, 40)) for each in ids for turn in range(1, 9)]
    (tmp_path / "study").mkdir()
    saved(tmp_path / "study", people, "people.csv")
    saved(tmp_path / "study", pd.DataFrame(rows, columns=[names[0], "kierros", "summa"]), "turns.csv")
    text, study = loaded(tmp_path, tmp_path / "study")
    assert f'by = "{names[0]}"' in text
    assert study.games.groupby(names[1]).size().tolist() == [240, 240]


@pytest.mark.parametrize("words", [("kyllä", "ei"), ("ei", "kyllä"), ("2", "1"), ("1", "0")])
def test_a_payoff_tells_which_word_accepts(tmp_path: Path, words: tuple[str, str]) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for person, turn in itertools.product(range(40), range(1, 9)):
        share = int(rng.integers(1, 10))
        accepts = rng.random() < 1 / (1 + np.exp(4 - share))
        rows.append((f"h{person}", turn, share, words[0 if accepts else 1], share if accepts else 0))
    table = pd.DataFrame(rows, columns=["hlö", "kierros", "osuus", "vastaus", "saatu"])
    _, study = loaded(tmp_path, saved(tmp_path, table))
    assert study.offers["response"].tolist() == ["accepted" if row[4] else "rejected" for row in rows]
    assert study.offers["responder"].unique().tolist() == ["responder"]


def pairs(*, anew: bool) -> pd.DataFrame:
    """Thirty pairs, in six rooms, each of which two rows name by the number of the other one, in no order."""
    rng = np.random.default_rng(6)
    rows = []
    for room in range(6):
        numbers = rng.permutation(10) + (1 if anew else 100 * room + 31)
        for one, other in numbers.reshape(-1, 2).tolist():
            mood, shared = ("calm", "tense")[one % 2], rng.normal(40, 9)
            ages = rng.integers(19, 66, 2).tolist()
            both = ((one, other, ages[0]), (other, one, ages[1]))
            rows += [(f"room {room}", *each, mood, round(float(shared + rng.normal(0, 4)), 2)) for each in both]
    names = ["room", "no", "spoke_with", "age", "mood", "warmth"]
    return pd.DataFrame(rows, columns=names).sample(frac=1, random_state=2)


@pytest.mark.parametrize("anew", [False, True])
def test_rows_that_name_each_other_are_no_cases_of_their_own(tmp_path: Path, anew: bool) -> None:
    table = pairs(anew=anew)
    table = table.assign(id=[f"v{row}" for row in range(60)]) if anew else table.drop(columns="room")
    draft = draft_of(saved(tmp_path, table), Asked())
    (question,) = [each for each in draft.questions if each.subject == "game"]
    assert question.is_stop
    assert question.text == "Why do rows name each other by no and spoke_with?"
    assert question.likely == (2,)


@pytest.mark.parametrize("anew", [False, True])
def test_two_who_name_each_other_are_the_seats_of_one_game(tmp_path: Path, anew: bool) -> None:
    table = pairs(anew=anew)
    table = table.assign(id=[f"v{row}" for row in range(60)]) if anew else table.drop(columns="room")
    log = saved(tmp_path, table)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(draft_of(log, Asked(), {"game": "2"}).text, encoding="utf-8")
    study = negstats.load(log, mapping=mapping)
    assert len(study.games) == 30
    assert study.players.groupby("game_id").size().eq(2).all()
    assert study.players["participant_id"].nunique() == 60
    alone = draft_of(log, Asked(), {"game": "1"}).proposal.keys
    assert "pair" not in str(alone["games.game_id"])


def test_who_is_said_to_be_no_group_is_not_asked_about_again(tmp_path: Path) -> None:
    """Rows of a pair stand together and divide ten: one answer is no answer to what else might be asked of them."""
    table = pairs(anew=False).drop(columns="room")
    table["pair"] = [min(pair) for pair in zip(table["no"], table["spoke_with"], strict=True)]
    table = table.sort_values("pair", kind="stable").drop(columns="pair").reset_index(drop=True)
    shares = np.random.default_rng(3).integers(0, 101, 30) / 10
    table["share"] = np.column_stack([shares, 10 - shares]).ravel()
    draft = draft_of(saved(tmp_path, table), Asked(), {"game": "1"})
    assert draft.reading.answered["game"].text == "Why do rows name each other by no and spoke_with?"
    assert "game" not in [question.subject for question in draft.questions]


def test_a_pair_has_one_name_in_whatever_order(tmp_path: Path) -> None:
    log, mapping = tmp_path / "log.csv", tmp_path / "m.toml"
    log.write_text("me,you,score\n10,9,1\n9,10,2\n3.0,,3\n1,3,4\n3,1,5\n", encoding="utf-8")
    keys = 'row = "player"\n[games]\ngame_id = { pair = ["me", "you"] }\n[players]\nplayer = "me"\npoints = "score"\n'
    mapping.write_text(keys, encoding="utf-8")
    study = negstats.load(log, mapping=mapping)
    assert study.games["game_id"].tolist() == ["10 & 9", "1 & 3"]
    assert study.provenance.reasons() == {"no game: me or you is empty": 1}
    mapping.write_text(keys.replace('["me", "you"]', '["me"]'), encoding="utf-8")
    with pytest.raises(LogError, match="names no place in the log"):
        negstats.load(log, mapping=mapping)


def test_numbers_of_one_range_name_nobody(tmp_path: Path) -> None:
    table = pairs(anew=False).drop(columns="room")
    table["spoke_with"] = np.random.default_rng(1).permutation(table["spoke_with"].to_numpy())
    draft = draft_of(saved(tmp_path, table), Asked())
    assert not [each for each in draft.questions if each.subject == "game"]


def test_words_for_sides_are_levels_where_several_measures_have_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    names = ("help_own", "help_other", "blame_own", "blame_other")
    log = saved(tmp_path, pd.DataFrame(rng.integers(0, 6, (36, 4)), columns=names))
    (question,) = [each for each in draft_of(log, Asked()).questions if each.subject == "levels"]
    assert question.likely == (1,)
    told = [option.words.rpartition(": ")[2] for option in question.options[1:]]
    assert told == ["blame, help", "other, own"]
    for answer, words in (("2", ("blame", "help")), ("3", ("other", "own"))):
        draft = draft_of(log, Asked(), {"levels": answer})
        assert draft.log.rounds == words
        assert draft.proposal.keys["players.participant_id"] == "{row}"


def test_a_day_on_which_many_came_is_a_session(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    rows = []
    for day, size in enumerate((8, 11, 12, 9, 10, 12)):
        rows += [
            (
                f"{3 + 7 * (day % 4):02}.{5 + day // 4:02}.2021",
                place,
                turn,
                ("rot", "blau")[day % 2],
                rng.integers(0, 99),
            )
            for place, turn in itertools.product(range(1, size + 1), range(1, 11))
        ]
    table = pd.DataFrame(rows, columns=["Tag", "Sitz", "Zug", "Farbe", "Wert"])
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert study.players["participant_id"].nunique() == 62
    assert "Did people meet only within Tag?" in text


@pytest.mark.parametrize("total", ["how_often", "how_much"])
def test_what_adds_up_in_the_rounds_of_people_is_no_trait_of_them(tmp_path: Path, total: str) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"who": range(1, 41), "arm": ["warm", "cold"] * 20, "shoe": rng.integers(34, 47, 40)})
    chosen = rng.choice(["stay", "leave"], (40, 12))
    sums = rng.integers(0, 9, (40, 12))
    for place in range(12):
        table[f"move_r{place + 1}"], table[f"cost_r{place + 1}"] = chosen[:, place], sums[:, place]
    table["sum"] = (chosen == "stay").sum(axis=1) if total == "how_often" else sums.sum(axis=1)
    draft = draft_of(saved(tmp_path, table.rename(columns={"sum": "c7"})), Asked())
    assert [column.name for column in draft.reading.roles.traits] == ["shoe"]
    assert "c7" in [column.name for column in draft.reading.roles.outcomes]


def dilemmas() -> pd.DataFrame:
    """Five evenings on each of which eight people meet another one of them in each of nine rounds."""
    rng = np.random.default_rng(8)
    rows = []
    for evening, turn in itertools.product(range(5), range(9)):
        people = rng.permutation(8) + 10 * evening + 11
        for one, other in [*people.reshape(-1, 2).tolist(), *people.reshape(-1, 2)[:, ::-1].tolist()]:
            does = rng.choice(["ja", "nee"], p=[0.6, 0.4])
            rows.append((f"{evening}e", turn + 1, one, other, does, int(rng.integers(0, 40)), ("x", "y")[evening % 2]))
    return pd.DataFrame(rows, columns=["avond", "beurt", "wie", "met_wie", "daad", "winst", "groep"])


def test_people_who_met_others_of_one_evening_alone_are_asked_about(tmp_path: Path) -> None:
    log = saved(tmp_path, dilemmas())
    (pairs,) = [each for each in draft_of(log, Asked()).questions if each.subject == "game"]
    assert pairs.options[0].words == "they are no group: each row is one of several decisions of one wie"
    assert pairs.likely == (2,)
    draft = draft_of(log, Asked(), {"game": "1"})
    (question,) = [each for each in draft.questions if each.subject == "cluster"]
    assert question.likely == (1,)
    assert "met_wie tells whom people met" in question.options[0].evidence
    assert draft.proposal.keys["factors.avond"] == {"column": "avond", "role": "cluster"}


def test_words_that_nobody_is_asked_about_are_what_people_did(tmp_path: Path) -> None:
    table = dilemmas().drop(columns="met_wie")
    rng = np.random.default_rng(5)
    likes = dict(zip(table["wie"].unique(), rng.random(40), strict=True))
    table["daad"] = np.where(rng.random(len(table)) < table["wie"].map(likes), "ja", "nee")
    _, study = loaded(tmp_path, saved(tmp_path, table))
    assert study.games["daad"].notna().all()


@pytest.mark.parametrize("size", [(20, 20), (15, 24)], ids=["alike", "unlike"])
@pytest.mark.parametrize("names", [("town", "session", "nr"), ("ort", "sitzung", "nr")], ids=["English", "German"])
def test_sessions_that_are_numbered_anew_in_each_town(
    names: tuple[str, str, str], size: tuple[int, int], tmp_path: Path
) -> None:
    """The first session of one town is not that of another: people are independent of those of other sessions alone."""
    rng = np.random.default_rng(5)
    rows = []
    for town, sessions in (("Pola", 6), ("Rena", 7), ("Suna", 6), ("Tiva", 5)):
        for session in range(1, sessions + 1):
            shift = rng.normal(0, 0.2)
            rows += [
                (town, session, person, round(0.4 + shift + rng.normal(0, 0.2), 4))
                for person in range(1, int(rng.integers(size[0], size[1], endpoint=True)) + 1)
            ]
    log = saved(tmp_path, pd.DataFrame(rows, columns=[*names, "share"]))
    draft = draft_of(log, Asked())
    (question,) = [each for each in draft.questions if each.subject == "cluster"]
    assert question.text == f"Did people meet only within {names[0]} × {names[1]}?"
    assert question.likely == (1,)
    _, study = loaded(tmp_path, log)
    assert study.games[f"{names[0]} × {names[1]}"].nunique() == 24


@pytest.mark.parametrize("names", [("school", "group"), ("okolica", "grupa"), ("c1", "grp")], ids=["en", "pl", "c1"])
def test_groups_that_are_numbered_anew_in_each_place_hold_nobody_else(names: tuple[str, str], tmp_path: Path) -> None:
    """The third group of one school met nobody of the third group of another: both are units of their own."""
    rng = np.random.default_rng(8)
    rows = []
    for school, group in itertools.product(("north", "south", "west"), range(1, 9)):
        usual, people = rng.normal(9, 2), [f"{school[0]}{group}{seat}" for seat in "kmq"]
        for day in range(1, 7):
            gifts = np.clip(np.round(usual + rng.normal(0, 3, 3)), 0, 20).astype(int)
            pot = int(gifts.sum())
            rows += [
                (school, group, person, day, "tea" if place % 2 else "none", gift, pot)
                for place, (person, gift) in enumerate(zip(people, gifts, strict=True))
            ]
    table = pd.DataFrame(rows, columns=[*names, "pupil", "day", "drink", "gift", "pot"])
    draft = draft_of(saved(tmp_path, table), Asked())
    assert draft.proposal.keys["games.game_id"] == sorted([*names, "day"])
    assert "cluster" not in [each.subject for each in draft.questions]


def couples(rounds: int, *, change: bool) -> pd.DataFrame:
    """Twenty-four people, each with the number of the one they met: in all rounds the same one, or others."""
    rng = np.random.default_rng(3)
    order, rows = rng.permutation(24), []
    for number in range(1, rounds + 1):
        order = rng.permutation(24) if change else order
        for place in range(0, 24, 2):
            pair = order[place : place + 2]
            rows += [(number, 101 + own, 101 + other, rng.integers(0, 11)) for own, other in (pair, pair[::-1])]
    return pd.DataFrame(rows, columns=["lap", "kod", "vis", "dal"])


@pytest.mark.parametrize("change", [False, True], ids=["one partner", "many partners"])
def test_people_who_name_each_other_in_each_round_are_pairs(change: bool, tmp_path: Path) -> None:
    log = saved(tmp_path, couples(8, change=change))
    draft = draft_of(log, Asked())
    assert {"row", "game"} <= {each.subject for each in draft.questions}  # which of the two a row tells of, too
    (rows,) = [each for each in draft.questions if each.subject == "row"]
    place = 1 + [option.words for option in rows.options].index("each row is one of several decisions of one kod")
    draft = draft_of(log, Asked(), {"row": str(place)})
    (question,) = [each for each in draft.questions if each.subject == "game"]
    assert question.text == "Why do rows name each other by kod and vis?"
    assert question.is_stop
    assert draft.proposal.keys["games.game_id"] == ["lap", {"pair": ["kod", "vis"]}]
    assert draft.proposal.keys["players.participant_id"] == "kod"
    assert not any(value == "vis" for value in draft.proposal.keys.values())


@pytest.mark.parametrize("rounds", [1, 8], ids=["once", "again"])
def test_the_code_of_a_pair_names_the_game_of_two_who_name_each_other(rounds: int, tmp_path: Path) -> None:
    table = couples(rounds, change=False)
    pairs = table[["kod", "vis"]].min(axis=1)
    table["par"] = "Q" + pairs.rank(method="dense").astype(int).astype(str).str.zfill(2)
    draft = draft_of(saved(tmp_path, table if rounds > 1 else table.drop(columns="lap")), Asked())
    assert not any(each.subject in ("row", "game") for each in draft.questions)
    assert draft.proposal.keys["games.game_id"] == (["lap", "par"] if rounds > 1 else ["par"])
    assert draft.proposal.keys["players.participant_id"] == "kod"
    assert not any(value == "vis" for value in draft.proposal.keys.values())


def test_a_draft_about_strangers_says_what_else_may_be_a_unit(tmp_path: Path) -> None:
    table = couples(8, change=True)
    table["par"] = "Q" + (table.groupby(["lap"]).cumcount() // 2).astype(str).str.zfill(2)
    table["arm"] = np.where(table["par"].str[1:].astype(int) % 2, "left", "right")
    log = saved(tmp_path, table)
    text = drafted_plan(read_as(log, suggest(log, accept=True)))
    assert "96 independent units, each a game" in text
    assert "negstats map LOG --answer row=person:COLUMN" in text
    assert 'role = "cluster"' in text
    by_person = read_as(log, suggest(log, accept=True, answers={"row": "person:kod", "game": "1"}))
    assert "24 independent units, each a participant" in drafted_plan(by_person)


def camps(number: int, spread: float) -> pd.DataFrame:
    """People of some camps, to each of which one of two things was given; camps differ by their `spread`."""
    rng = np.random.default_rng(1)
    rows = []
    for camp in range(number):
        usual = 20 + rng.normal(0, spread)
        rows += [
            (
                ("Amba", "Bora", "Cedo", "Dumi", "Esha", "Foro")[camp],
                ("seed", "tool")[camp % 2],
                usual + rng.normal(0, 3),
            )
            for _ in range(int(rng.integers(8, 13)))
        ]
    table = pd.DataFrame(rows, columns=["lager", "gabe", "saat"]).round(2)
    return table.assign(wer=[f"W{place:03d}" for place in rng.permutation(len(table))])


@pytest.mark.parametrize("number", [4, 5, 6])
@pytest.mark.parametrize("spread", [0, 6], ids=["alike", "unlike"])
def test_people_of_a_few_camps_to_which_something_was_given_are_asked_about(
    number: int, spread: float, tmp_path: Path
) -> None:
    draft = draft_of(saved(tmp_path, camps(number, spread)), Asked())
    (question,) = [each for each in draft.questions if each.subject == "cluster"]
    assert question.text == "Did people meet only within lager?"
    assert question.likely == ((1,) if spread else (2,))
    assert "factors.gabe" in draft.proposal.keys
    is_cluster = draft.proposal.keys.get("factors.lager") == {"column": "lager", "role": "cluster"}
    assert is_cluster == bool(spread)


def test_cells_of_two_crossed_conditions_are_no_camps(tmp_path: Path) -> None:
    table = camps(4, 0)
    table["frist"] = np.where(table["lager"].isin(["Amba", "Bora"]), "kurz", "lang")
    assert not [each for each in draft_of(saved(tmp_path, table), Asked()).questions if each.subject == "cluster"]
