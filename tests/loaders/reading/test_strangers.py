"""Shapes of strangers' tables that were once read wrongly without a word: each is read, or nothing is claimed of it."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis import describe, run
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.draft import draft
from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import suggest
from negstats.report.folder import write

RNG = np.random.default_rng(48)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def _the_same_draws() -> None:
    """Begin anew, so that a test draws the same whichever ran before it."""
    RNG.bit_generator.state = START


def loaded(folder: Path, **tables: pd.DataFrame) -> tuple[str, negstats.Study]:
    logs = folder / "logs"
    for name, table in tables.items():
        logs.mkdir(exist_ok=True)
        table.to_csv(logs / f"{name}.csv", index=False)
    source = logs / f"{name}.csv" if len(tables) == 1 else logs
    mapping = folder / "mapping.toml"
    mapping.write_text(suggest(source), encoding="utf-8")
    return mapping.read_text(encoding="utf-8"), negstats.load(source, mapping=mapping)


def test_short_numbers_do_not_join_those_who_answer_to_the_first_of_those_who_propose(tmp_path: Path) -> None:
    numbers = [(subject, trial) for subject in range(1, 11) for trial in range(1, 31)]
    answers = pd.DataFrame(numbers, columns=["subjectID", "trial"]).assign(seconds=RNG.normal(600, 90, 300).round(1))
    proposers = pd.DataFrame({"Subject": range(1, 121), "age": RNG.integers(18, 40, 120)})
    text, study = loaded(tmp_path, respondents=answers, proposers=proposers)
    assert "beside" not in text
    assert "proposers.csv" in text
    assert len(study.games) == 300


def test_two_agents_beside_each_other_are_no_rounds(tmp_path: Path) -> None:
    names = [f"agent{seat}_{what}" for what in ("model", "mood", "score") for seat in (1, 2)]
    models, moods = np.array(["alpha", "beta", "gamma"]), np.array(["calm", "angry"])
    cells = [models[RNG.integers(0, 3, 90)], models[RNG.integers(0, 3, 90)], moods[RNG.integers(0, 2, 90)],
             moods[RNG.integers(0, 2, 90)], RNG.integers(0, 50, 90), RNG.integers(0, 50, 90)]  # fmt: skip
    text, study = loaded(tmp_path, runs=pd.DataFrame(dict(zip(names, cells, strict=True))))
    assert "each = " not in text
    assert len(study.games) == 90


def meetings(sessions: int, people: int, rounds: int) -> pd.DataFrame:
    """People with numbers in each session, whom a number of the match, begun anew in each round, puts in pairs."""
    rows = []
    for session, time in itertools.product(range(1, sessions + 1), range(1, rounds + 1)):
        offers = RNG.integers(5, 60, people // 2)
        accepted = RNG.random(people // 2) < 0.5
        for person, place in enumerate(RNG.permutation(people), 1):
            match, side = place // 2, place % 2
            gain = (offers[match] if accepted[match] else 3) * (1 if side else -1) - side
            rows.append((time, session, person, 0.2 + 0.5 * (session % 2), side + 1, match + 1, offers[match],
                         int(accepted[match]), gain))  # fmt: skip
    return pd.DataFrame(rows, columns=["round", "session", "id", "alpha", "role", "match", "offer", "accept", "payoff"])


def test_matches_whose_numbers_begin_anew_in_each_round_of_a_session_are_games(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, data=meetings(6, 8, 10))
    assert len(study.games) == 6 * 10 * 4
    assert len(study.offers) == 6 * 10 * 4
    assert study.players.participant_id.nunique() == 48
    assert "stop = true" not in text


def test_numbers_of_people_that_begin_anew_in_each_session_are_theirs_however_many_rows_they_have(
    tmp_path: Path,
) -> None:
    rows = []
    for session, person in itertools.product(range(1, 13), range(1, 19)):
        age, sex = RNG.integers(18, 50), RNG.choice(["f", "m"])
        rows += [
            (session, person, ["two", "four"][session % 2], RNG.choice(["C", "E", "nC"]), 10 * RNG.random(), age, sex)
            for _ in range(int(RNG.integers(20, 31)))
        ]
    names = ["Session", "Subject", "Structure", "Choice", "Profit", "Age", "Gender"]
    _, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=names))
    assert study.players.participant_id.nunique() == 12 * 18


def test_a_row_with_shifted_cells_makes_no_column_of_numbers_one_of_words(tmp_path: Path) -> None:
    rows = [
        (f"k{lab}", one, t, 7 + (5 * lab + 3 * one) % 11)
        for lab in range(8)
        for one in range(1, 9 + lab % 3)
        for t in range(1, 9)
    ]
    frame = pd.DataFrame(rows, columns=["session", "subject", "trial", "age"]).astype({"subject": object})
    n_people = len(frame.groupby(["session", "subject"]))
    frame["give"] = RNG.integers(0, 11, len(frame))
    frame.loc[100, "subject"] = "index"
    text, study = loaded(tmp_path, kids=frame)
    assert 'where = { subject = { not = ["index"] } }' in text
    assert len(study.games) == len(frame) - 1
    assert study.players["participant_id"].nunique() == n_people


@pytest.mark.parametrize("is_shared", [True, False])
def test_what_seats_wanted_of_a_price_is_not_what_they_got_by_it(is_shared: bool, tmp_path: Path) -> None:
    dyad, price = np.repeat(np.arange(1, 41), 2), np.repeat(RNG.integers(20, 60, 40), 2)
    frame = pd.DataFrame({"dyad": dyad, "side": ["buyer", "seller"] * 40, "final price": price})
    share = np.where(frame["side"] == "buyer", 60 - price, price - 20) + RNG.integers(0, 2, 80)
    frame["wished price"] = share if is_shared else RNG.integers(15, 65, 80)
    text, study = loaded(tmp_path, dyads=frame)
    assert ('points = "wished price"' in text) is is_shared
    assert study.games["final price"].tolist() == price[::2].tolist()
    assert study.players["points"].notna().any() == is_shared


def test_an_answer_in_one_of_two_columns_is_no_act_towards_somebody(tmp_path: Path) -> None:
    n, words = 120, ["against", "for", "neither"]
    is_first = RNG.integers(0, 2, n) == 0
    answers = RNG.choice(words, n)
    reasons = [f"I say so because of reason {int(reason)} of mine" for reason in RNG.integers(0, 60, n)]
    lab = np.arange(n) % 10
    frame = pd.DataFrame({"id": [f"w{one:03}x" for one in range(n)], "code": [f"K{one}Q" for one in lab]})
    frame = frame.assign(sex=np.where(lab % 2, "f", "m"), first=np.where(is_first, answers, "none"))
    frame = frame.assign(second=np.where(is_first, "none", answers), why=reasons)
    file = tmp_path / "poll.csv"
    frame.to_csv(file, index=False)
    mapping = tomllib.loads(suggest(file))
    assert mapping["row"] in ("game", "player") or "row" in {each["subject"] for each in mapping["open"]}
    assert mapping.get("players", {}).get("player") not in ("first", "second")


def test_a_name_with_a_digit_beside_numbers_is_somebody(tmp_path: Path) -> None:
    frame = pd.DataFrame({"subject": [str(one) for one in range(1, 601)], "give": RNG.integers(0, 11, 600)})
    frame.loc[37, "subject"] = "12b"
    _, study = loaded(tmp_path, lone=frame)
    assert len(study.games) == 600
    assert "12b" in set(study.players["participant_id"]) | set(study.games["game_id"])


def test_people_whose_rows_nothing_else_names_are_asked_about(tmp_path: Path) -> None:
    rows = [
        (session, person, RNG.integers(0, 20), RNG.integers(0, 2))
        for session, person in itertools.product(range(1, 13), range(1, 19))
        for _ in range(int(RNG.integers(3, 31)))
    ]
    file = tmp_path / "data.csv"
    pd.DataFrame(rows, columns=["Session", "Subject", "Finished", "draw"]).to_csv(file, index=False)
    assert "stop = true" in suggest(file)


def test_numbered_columns_of_what_each_row_asks_are_no_rounds(tmp_path: Path) -> None:
    asked = RNG.integers(0, 40, (30, 8))
    rows = [
        (person, 18 + person % 7, person % 3, trial, *asked[trial], int(RNG.random() < 0.5))
        for person, trial in itertools.product(range(1, 61), range(30))
    ]
    names = [
        "id",
        "age",
        "school",
        "Ques",
        *(f"{what}{place}{side}" for side in "lr" for place in (1, 2) for what in ("prize", "p")),
    ]
    text, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=[*names, "choice"]))
    assert "each = { round" not in text
    assert len(study.games) == 60 * 30
    measures = text.partition("[measures]")[2]
    assert "choice" in measures
    assert "prize1l" not in measures, "what each question asks nobody did"


@pytest.mark.parametrize("has_own", [True, False])
def test_agents_that_all_meet_each_other_are_the_seats_of_each_row(tmp_path: Path, has_own: bool) -> None:
    agents = [f"gpt-{number}" for number in range(1, 9)]
    pairs = [pair for pair in itertools.product(agents, agents) if has_own or len({*pair}) == 2]
    table = pd.DataFrame(pairs, columns=["llm_1", "llm_2"]).assign(price=RNG.integers(100, 300, len(pairs)))
    text, study = loaded(tmp_path, runs=table)
    assert "stop = true" not in text
    assert len(study.games) == len(pairs)
    assert set(study.players.agent) == set(agents)


def test_a_table_whose_first_row_is_data_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    parties, models = ["left", "right", "centre"], ["alpha", "beta"]
    rows = [(party, f"${price}", model, f"a reply to {price}, {time}")
            for party, price, model, time in itertools.product(parties, (16, 20, 40), models, range(4))]  # fmt: skip
    pd.DataFrame(rows).to_csv(file, index=False, header=False)
    with pytest.raises(
        LogError, match=r"row 1 holds data \(left.* are cells of their columns\); write a row of names above"
    ):
        suggest(file)
    # Beside others it is named, and these are read.
    pd.DataFrame(rows, columns=["party", "price", "model", "reply"]).to_csv(tmp_path / "named.csv", index=False)
    text = suggest(tmp_path)
    assert "# not read, for it is damaged: data.csv: names no columns: row 1 holds data" in text
    assert 'party = "party"' in text


@pytest.mark.slow
def test_two_profiles_that_a_person_chooses_from_are_no_seats_and_no_rounds(tmp_path: Path) -> None:
    rows = [(person, task) for person in range(1, 61) for task in range(1, 5)]
    table = pd.DataFrame(rows, columns=["ID", "screen"])
    for profile in (1, 2):
        table = table.assign(**{f"p{profile}_{what}": RNG.integers(0, 2, 240) for what in ("rich", "young", "local")})
    _, study = loaded(tmp_path, conjoint=table.assign(chosen=RNG.integers(1, 3, 240)))
    assert (len(study.games), study.players["participant_id"].nunique()) == (240, 60)


@pytest.mark.slow
def test_rows_with_lists_are_games_of_their_own_in_each_file(tmp_path: Path) -> None:
    talk = '["Well, I would like to have the two books", "No, these are for me this time", "All right, it is yours"]'
    tables = {
        model: pd.DataFrame({"Model": model, "Condition": ["both", "none"] * 6, "Transcript": talk}).assign(
            Transcript=[talk.replace("two", str(row)) for row in range(12)]
        )
        for model in ("alpha", "beta")
    }
    _, study = loaded(tmp_path, **tables)
    assert len(study.games) == 24


def test_a_treatment_may_have_a_question_of_its_own(tmp_path: Path) -> None:
    arms = np.array(["t1", "t2", "t3"])[RNG.integers(0, 3, 150)]
    table = pd.DataFrame({"respondent": [f"R{row}" for row in range(150)], "treatment": arms})
    advice = np.where(arms == "t3", np.nan, RNG.integers(1, 8, 150))
    text, _ = loaded(tmp_path, survey=table.assign(advice=advice, given=RNG.normal(40, 9, 150).round(1)))
    assert 'treatment = "treatment"' in text.partition("[factors]")[2]


@pytest.mark.slow
def test_what_no_key_reads_is_named(tmp_path: Path) -> None:
    billed = [f"${thousands},{rest:03d}.50" for thousands, rest in RNG.integers(1, 999, (80, 2))]
    table = pd.DataFrame({"case": [f"C{row}" for row in range(80)], "billed": billed})
    where = [f"at the {row} of the long street" for row in range(80)]
    text, study = loaded(tmp_path, claims=table.assign(address=where))
    assert 'clean = "[$€£¥,]"' in text
    assert study.games["billed"].iloc[0] == float(billed[0].replace(",", "").removeprefix("$"))
    said = "1 column was not read because the mapping does not name it: address"
    assert said in describe(study).notes
    assert f"# {said}." in draft(study)
    report = run(parse(draft(study)), study)
    assert said in report.results["study"]["loaded"]["unread"]
    write(report, tmp_path / "report")
    assert f"Of the logs, one{said.removeprefix('1')}." in (tmp_path / "report" / "report.html").read_text(
        encoding="utf-8"
    )


def sessions(traits: bool, *, same: bool = False) -> dict[str, pd.DataFrame]:
    """Two sessions whose people have the same numbers, with the person whom each met, and perhaps their age."""
    tables: dict[str, pd.DataFrame] = {}
    for session in ("monday", "tuesday"):
        rows = [(person, trial) for person in (3, 4, 6, 7, 9, 10, 12, 13, 15, 16) for trial in range(1, 9)]
        table = pd.DataFrame(rows, columns=["subject", "trial"])
        shift = 0 if same else len(tables) * 3
        table = table.assign(given=RNG.normal(20, 4, 80).round(2), met=1000 + (table["subject"] * 7 + shift) % 23)
        tables[session] = table.assign(age=20 + (table["subject"] * 5 + 7 * shift) % 31) if traits else table
    return tables


@pytest.mark.slow
def test_numbers_of_another_sessions_people_are_asked_about(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, **sessions(traits=False))
    assert "[[open]]  # STOP" in text
    assert '"each row is one of several decisions of one subject"' in text
    assert study.players["participant_id"].nunique() == 20
    answered = suggest(tmp_path / "logs", answers={"row": "person:subject"})
    (tmp_path / "mapping.toml").write_text(answered, encoding="utf-8")
    again = negstats.load(tmp_path / "logs", mapping=tmp_path / "mapping.toml")
    assert again.players["participant_id"].nunique() == 10


@pytest.mark.slow
def test_people_of_other_ages_are_other_people(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, **sessions(traits=True))
    assert "STOP" not in text
    assert study.players["participant_id"].nunique() == 20


@pytest.mark.slow
def test_people_who_are_the_same_in_both_sessions_are_one(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, **sessions(traits=True, same=True))
    assert "STOP" not in text
    assert study.players["participant_id"].nunique() == 10


def choices() -> pd.DataFrame:
    """Forty people who decide six times in words, at two options and three thresholds each."""
    cells = [(f"p{person}", option, level) for person in range(40) for option in "AF" for level in (2, 3, 4)]
    table = pd.DataFrame(cells, columns=["pid", "option", "level"])
    shares = np.where(table["option"] == "A", 0.75, 0.3) + RNG.normal(0, 0.1, 40).repeat(6)
    words = np.where(RNG.random(240) < shares, "cooperate", np.where(RNG.random(240) < 0.5, "defect", "leave"))
    belief = np.where(table["option"] == "F", RNG.integers(0, 6, 240).astype(float), np.nan)
    return table.assign(move=words, belief=belief)


def test_what_follows_a_condition_in_three_words_is_an_outcome(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, choices=choices())
    assert "STOP" not in text
    assert {"option", "level"} <= set(study.factors)
    assert study.games["move"].mean() == (choices_of(tmp_path)["move"] == "cooperate").mean()


def choices_of(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "logs" / "choices.csv")


def test_a_known_yes_is_counted_and_a_fault_is_no_answer(tmp_path: Path) -> None:
    table = choices().replace({"move": {"cooperate": "Angenommen", "defect": "Abgelehnt", "leave": "Fehler"}})
    text, study = loaded(tmp_path, choices=table)
    moves = choices_of(tmp_path)["move"]
    assert study.games["move"].mean() == (moves == "Angenommen").sum() / (moves != "Fehler").sum()
    assert "Fehler is no answer" in text


def test_an_answer_that_the_rows_contradict_is_refused_with_the_reason(tmp_path: Path) -> None:
    acts = ["offer", "offer", "accept"] * 30
    rows = [(f"G{row // 3}", "AB"[row % 2], act, 10 + row % 7) for row, act in enumerate(acts)]
    table = pd.DataFrame(rows, columns=["game", "sender", "act", "amount"]).assign(mood=["calm", "angry", "calm"] * 30)
    table.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(UsageError, match="--answer condition=mood: mood cannot be read so: it differs"):
        suggest(tmp_path / "log.csv", answers={"condition": "mood"})


def test_sentences_that_come_again_are_levels_of_what_people_choose_from(tmp_path: Path) -> None:
    schools = ["finished a school of the country", "never went to any school there", "went to a college for a year"]
    rows = [(person, task) for person in range(120) for task in range(1, 6) for _ in range(2)]
    table = pd.DataFrame(rows, columns=["who", "task"])
    worth = RNG.integers(0, 3, len(table))
    liked = (worth + RNG.normal(0, 1, len(table))).reshape(-1, 2)
    picked = np.where(liked.argmax(axis=1)[:, None] == [0, 1], "Yes", "No").ravel()
    text, study = loaded(tmp_path, profiles=table.assign(school=np.array(schools)[worth], picked=picked))
    assert "school" in study.factors
    assert study.games["picked"].mean() == 0.5
    assert 'participant_id = "who"' in text


def test_a_condition_spelled_out_is_no_choice_among_alternatives(tmp_path: Path) -> None:
    cells = [(f"s{person}", arm) for person in range(40) for arm in ("base", "mild", "strong", "none")]
    table = pd.DataFrame(cells, columns=["subject", "arm"])
    table = table.assign(strong=(table["arm"] == "strong").astype(int), sent=RNG.integers(0, 50, len(table)))
    text, _ = loaded(tmp_path, arms=table)
    assert "alternatives" not in text


def test_a_share_of_the_stakes_is_not_divided_from_them(tmp_path: Path) -> None:
    stakes = np.repeat([20, 200, 2000], 40)
    percent = RNG.integers(1, 11, 120) * 5 / 100
    table = pd.DataFrame({"stakes": stakes, "percent_offer": percent})
    table = table.assign(accept=(percent + RNG.normal(0, 0.1, 120) > 0.2).astype(int), row_id=range(120))
    text, _ = loaded(tmp_path, stakes=table)
    assert 'total = "stakes"' not in text


def test_flags_of_samples_are_no_rounds(tmp_path: Path) -> None:
    place = RNG.integers(0, 3, 200)
    flags = {f"{what}{year}": ((place == at) & of).astype(int) for what, of in
             (("SMP", True), ("ASD", RNG.random(200) < 0.5), ("B", RNG.random(200) < 0.8))
             for at, year in enumerate((95, 97))}  # fmt: skip
    table = pd.DataFrame({"ID": range(5000, 5200), **flags, "score": RNG.normal(50, 9, 200).round(1)})
    text, study = loaded(tmp_path, survey=table)
    assert "each = " not in text
    assert len(study.games) == 200


@pytest.mark.slow
def test_alternatives_that_an_outcome_numbers_are_no_rounds(tmp_path: Path) -> None:
    rows = [(person, task) for person in range(1, 41) for task in range(1, 7)]
    table = pd.DataFrame(rows, columns=["id", "choiceid"])
    for option in (1, 2):
        table = table.assign(
            **{f"{what}{option}": RNG.integers(1, 9, 240) * 10 for what in ("price", "time", "change")}
        )
    choice = np.where(table["price1"] < table["price2"], "choice1", "choice2")
    text, study = loaded(tmp_path, trips=table.assign(choice=choice))
    assert "each = " not in text
    assert study.players["participant_id"].nunique() == 40


def test_a_running_number_that_nothing_belongs_to_may_be_time(tmp_path: Path) -> None:
    steps = [(step, a, b) for step in range(60) for a in ("low", "high") for b in ("few", "many")]
    table = pd.DataFrame(steps, columns=["generation", "cost", "size"]).assign(share=RNG.random(240).round(3))
    text, _ = loaded(tmp_path, simulated=table)
    assert "[[open]]  # STOP" in text
    assert '"each row is a separate case"' in text


def test_a_time_of_a_game_does_not_take_the_place_of_its_name(tmp_path: Path) -> None:
    rows = [(f"pair-{pair}", f"2024-01-15 03:{pair:02d}:06", f"p{2 * pair + turn % 2}", f"I say {pair} and not {turn}")
            for pair in range(30) for turn in range(6)]  # fmt: skip
    names = ["group_id", "start_time", "author", "said"]
    text, study = loaded(tmp_path, talks=pd.DataFrame(rows, columns=names))
    assert 'game_id = "group_id"' in text
    assert (len(study.games), len(study.messages)) == (30, 180)


@pytest.mark.slow
def test_tables_of_the_same_long_codes_are_joined(tmp_path: Path) -> None:
    codes = [f"{place * 7919:08x}a1" for place in range(60)]
    played = pd.DataFrame({"label": codes, "group_id": [f"g{place // 2}" for place in range(60)], "mover": [0, 1] * 30})
    played = played.assign(
        payoff=RNG.integers(50, 200, 60), arm=[("hot", "cold")[place // 2 % 2] for place in range(60)]
    )
    asked = pd.DataFrame({"label": codes, "age": RNG.integers(18, 70, 60)})
    text, _ = loaded(tmp_path, played=played, survey=asked)
    assert 'beside = { files = "survey*.csv", by = "label" }' in text


@pytest.mark.parametrize("first", ["5,5,2,Oslo", "1,4,1,Rome", "3,3,3,Rome"])
def test_a_table_without_names_of_columns_is_refused(first: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    cells = {name: rng.integers(1, 6, 90) for name in "abc"} | {
        "city": np.array(["Rome", "Oslo"])[rng.integers(0, 2, 90)]
    }
    data = pd.DataFrame(cells).to_csv(index=False, header=False)
    for text in (data, f"{first}\n{data}"):  # two rows of data are no names of groups and of columns
        (tmp_path / "trial.csv").write_text(text)
        with pytest.raises(
            LogError, match=r"trial\.csv: names no columns: row \d holds data .*; write a row of names above"
        ):
            suggest(tmp_path / "trial.csv")


def test_kinds_of_pages_are_no_factor_and_what_was_set_on_one_of_them_is(tmp_path: Path) -> None:
    kinds = [(f"p{person}", kind, frame) for person in range(20)
             for kind, frame in (("video", "gain"), ("video", "loss"), ("scale", None)) * 4]  # fmt: skip
    table = pd.DataFrame(kinds, columns=["ID", "page", "frame"]).assign(place=np.tile(np.arange(12), 20))
    table["liking"] = np.where(table["page"] == "scale", RNG.integers(1, 8, 240).astype(str), "")
    table["watched"] = np.where(table["page"] == "video", RNG.integers(20, 900, 240).astype(str), "")
    text, study = loaded(tmp_path, pages=table)
    assert 'page = "page"' not in text
    assert study.games["frame"].dropna().unique().tolist() == ["gain", "loss"]


def test_a_click_beside_cells_without_a_number_is_no_condition(tmp_path: Path) -> None:
    rows = [(person, typed, number if typed == what else -1) for person in range(1, 16) for _ in range(5)
            for what, number in (("first", int(RNG.integers(0, 90))), ("second", int(RNG.integers(0, 90))),
                                 ("third", int(RNG.integers(0, 90))), ("SEND", 1)) for typed in [what]]  # fmt: skip
    table = pd.DataFrame({"Subject": [row[0] for row in rows], "clock": RNG.random(len(rows)).round(4)})
    for name in ("first", "second", "third", "SEND"):
        table[name] = [number if typed == name else -1 for _, typed, number in rows]
    text, _ = loaded(tmp_path, clicks=table)
    assert "they mean missing: -1 in first" in text
    assert "-1 in SEND" in text
    assert 'SEND = "SEND"' not in text


def test_arms_of_unequal_size_are_crossed_with_the_others(tmp_path: Path) -> None:
    cells = [(form, persona, others) for form in ("first", "all-pay") for persona in ("naive", "expert", "firm")
             for others in (2, 3, 5) for _ in range(8 if form == "all-pay" else 20)]  # fmt: skip
    table = pd.DataFrame(cells, columns=["form", "persona", "others"])
    table = table.assign(run=[f"r{place}" for place in range(len(table))], bid=RNG.normal(50, 9, len(table)).round(2))
    text, study = loaded(tmp_path, auctions=table)
    assert set(study.games.columns) >= {"form", "persona", "others"}
    assert 'subject = "condition"' in text


def test_an_answer_belongs_to_one_of_several_amounts_side_by_side(tmp_path: Path) -> None:
    table = pd.DataFrame({"ResponseId": [f"R_{place}x" for place in range(90)]})
    for item in range(1, 6):
        amounts = RNG.choice([20, 40, 80, 160], 90)
        table[f"Q4.{item}_sure_offer"] = amounts
        table[f"Q4.{item}_choice"] = np.where(RNG.random(90) < amounts / 170, "Sure", "Chance")
    text, study = loaded(tmp_path, choices=table)
    assert study.offers.empty
    assert "[factors]" not in text


@pytest.mark.slow
def test_a_table_of_people_stands_beside_trials_whose_people_another_code_names(tmp_path: Path) -> None:
    codes = [f"{place * 7919:08x}b2" for place in range(30)]
    trials = pd.DataFrame({"subjectID": np.repeat(codes, 8), "prolific": np.repeat([c[::-1] for c in codes], 8)})
    trials = trials.assign(trial=np.tile(np.arange(1, 9), 30), liking=RNG.integers(1, 8, 240))
    text, study = loaded(tmp_path, trials=trials, survey=pd.DataFrame({"subjectID": codes, "age": range(20, 50)}))
    assert "log contradicts it" not in text
    assert study.players["participant_id"].nunique() == 30


@pytest.mark.slow
def test_numbers_that_begin_anew_in_each_arm_are_asked_about_unless_their_rows_are_alike(tmp_path: Path) -> None:
    arms = pd.DataFrame([(place, arm) for arm in ("calm", "angry", "plain") for place in range(1, 25)])
    arms.columns = pd.Index(["subject", "mood"])
    text, _ = loaded(tmp_path, arms=arms.assign(score=RNG.normal(50, 9, 72).round(2)))
    assert "[[open]]  # STOP" in text
    assert '"each row is a separate case"' in text
    own = np.tile(RNG.normal(50, 20, 24), 3)
    text, _ = loaded(tmp_path, within=arms.assign(score=(own + RNG.normal(0, 3, 72)).round(2)))
    assert "STOP" not in text


def test_a_village_in_which_ages_differ_is_no_person(tmp_path: Path) -> None:
    village = np.sort(RNG.integers(0, 40, 400))
    table = pd.DataFrame({"address": [f"{100 + each}" for each in village], "offered": np.arange(40)[village] % 2})
    text, _ = loaded(tmp_path, homes=table.assign(age=RNG.integers(18, 80, 400), bought=RNG.integers(0, 2, 400)))
    assert 'participant_id = "address"' not in text.partition("[players]")[2] or "STOP" in text


@pytest.mark.slow
def test_choices_that_end_the_names_of_columns_are_of_alternatives(tmp_path: Path) -> None:
    brands = ["heinz28", "heinz32", "heinz41", "hunts32"]
    table = pd.DataFrame(
        {f"{what}.{brand}": RNG.integers(1, 30, 240) for what in ("price", "shelf", "size") for brand in brands}
    )
    table = table.assign(id=np.repeat(np.arange(1, 25), 10), picked=np.array(brands)[RNG.integers(0, 4, 240)])
    text, _ = loaded(tmp_path, basket=table)
    assert "each = " not in text


@pytest.mark.slow
def test_sheets_of_parts_are_no_further_people(tmp_path: Path) -> None:
    table = pd.DataFrame({"child": range(1, 61), "arm": ["kind", "sly"] * 30, "points": RNG.integers(0, 9, 60)})
    with pd.ExcelWriter(tmp_path / "fair.xlsx") as book:
        for sheet, rows in (("all", table), ("younger", table[:30]), ("older", table[30:])):
            rows.to_excel(book, sheet_name=sheet, index=False)
    text = suggest(tmp_path / "fair.xlsx")
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    study = negstats.load(tmp_path / "fair.xlsx", mapping=tmp_path / "mapping.toml")
    assert '# not read, for all its rows stand in the other tables: "younger", "older"' in text
    assert len(study.games) == len(table)


def in_sessions(shift: float) -> pd.DataFrame:
    """Return rounds of people who meet anew in each; sessions of two treatments differ by `shift` at random."""
    rng = np.random.default_rng(7)
    people = np.repeat(np.arange(144), 10)
    session = people // 9
    differ = shift * rng.normal(size=16)[session]
    return pd.DataFrame({
        "code": [f"k{person:03d}" for person in people],
        "round": np.tile(np.arange(1, 11), 144),
        "session": [f"S{number}" for number in session],
        "treatment": np.where(session % 2, "open", "secret"),
        "given": (rng.normal(10, 2, 144)[people] + differ + rng.normal(0, 2, 1440)).round(1),
    })  # fmt: skip


@pytest.mark.slow
def test_sessions_that_differ_are_units_and_asked_about(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, decisions=in_sessions(4))
    assert 'subject = "cluster"' in text
    assert 'session = { column = "session", role = "cluster" }' in text
    assert "16 independent units" in draft(study)


@pytest.mark.slow
def test_sessions_in_which_nobody_met_and_nothing_differs_are_labels(tmp_path: Path) -> None:
    text, study = loaded(tmp_path, decisions=in_sessions(0))
    assert "likely = [2]" in text
    assert not study.provenance.roles


@pytest.mark.slow
def test_the_sexes_are_no_seats_of_a_session(tmp_path: Path) -> None:
    rows = pd.DataFrame({
        "Session": np.repeat([f"D{number}" for number in range(12)], 24),
        "clientId": np.tile(np.repeat(np.arange(8), 3), 12),
        "match": np.tile(np.arange(1, 4), 96),
        "Gender": np.repeat(RNG.choice(["Female", "Male"], 96), 3),
        "choice": RNG.integers(0, 7, 288),
    })  # fmt: skip
    text, study = loaded(tmp_path, games=rows)
    assert 'player = "Gender"' not in text
    assert study.players["participant_id"].nunique() == 96


def test_a_measure_of_words_called_response_keeps_all_others(tmp_path: Path) -> None:
    people = np.repeat([f"sub{number:02d}" for number in range(20)], 12)
    table = pd.DataFrame({"subject": people, "trial": np.tile(np.arange(1, 13), 20)}).assign(
        frame=np.tile(["gain", "loss"], 120),
        response=RNG.choice(["left", "right"], 240),
        rt=RNG.normal(700, 80, 240).round(2),
    )
    _, study = loaded(tmp_path, trials=table)
    assert {"response_in_log", "rt"} <= {*study.games.columns}


@pytest.mark.slow
def test_summaries_among_the_rows_of_data_are_excluded(tmp_path: Path) -> None:
    people = [f"s{person:02d}" for person in range(12)]
    trials = pd.DataFrame(
        [(person, trial) for person in people for trial in range(1, 11)], columns=["subject", "trial"]
    )
    trials = trials.assign(size=np.tile(np.repeat([11, 19], 5), 12), share=RNG.integers(1, 6, 120),
                           seconds=RNG.normal(600, 90, 120).round(1))  # fmt: skip
    below = pd.DataFrame({"subject": np.repeat(people, 2), "trial": ["Summary:", "Errors:"] * 12})
    rows = pd.concat([trials, below]).sort_values("subject", kind="stable")
    text, study = loaded(tmp_path, trials=rows)
    assert "where = { size = { empty = false } }" in text
    assert (len(study.games), study.players["participant_id"].nunique()) == (120, 12)


def test_a_role_that_lone_people_are_given_is_a_likely_condition(tmp_path: Path) -> None:
    table = pd.DataFrame({"Subject": range(1, 61), "Role": np.tile([0, 1], 30), "errors": RNG.choice([0, 0, 0, 1], 60)})
    text, _ = loaded(tmp_path, proposers=table.assign(choice=RNG.integers(1, 9, 60)))
    assert '"Role",\n' in text
    assert 'Role = "Role"' in text.partition("[factors]")[2].partition("[measures]")[0]


@pytest.mark.slow
def test_ids_are_of_the_tables_that_they_name_and_groups_of_these_are_units(tmp_path: Path) -> None:
    users = pd.DataFrame({"id": range(1, 73), "age": RNG.integers(18, 70, 72), "party": np.repeat(range(101, 113), 6),
                          "number": np.tile(range(1, 7), 12)})  # fmt: skip
    rounds = pd.DataFrame({"id": range(1, 121), "place": np.tile(range(1, 11), 12), "stock": RNG.integers(0, 120, 120)})
    level = np.repeat(RNG.normal(0, 3, 12), 60)
    of_parties = np.arange(1, 73).reshape(12, 6)
    choices = pd.DataFrame({"id": range(1, 721), "score": (5 + level + RNG.normal(0, 1, 720)).round(2)}).assign(
        round_id=np.repeat(range(1, 121), 6), user_id=np.tile(of_parties, 10).ravel()
    )
    text, study = loaded(tmp_path, choice=choices, round=rounds, user=users)
    assert 'files = "user*.csv", by = { user_id = "id" }' in text
    assert 'files = "round*.csv", by = { round_id = "id" }' in text
    assert len(study.games) == 120
    assert study.players["participant_id"].nunique() == 72
    logs, mapping = tmp_path / "logs", tmp_path / "mapping.toml"
    mapping.write_text(suggest(logs, answers={"row": "1"}), encoding="utf-8")  # number may be that of anything
    assert "12 independent units" in draft(negstats.load(logs, mapping=mapping))


@pytest.mark.slow
def test_blocks_whose_trials_have_gaps_are_no_condition(tmp_path: Path) -> None:
    runs = {1: range(1, 13), 2: [run for run in range(1, 15) if run not in (5, 9)]}
    rows = [(f"u{person}", half, run) for person in range(16) for half in (1, 2) for run in runs[half]]
    table = pd.DataFrame(rows, columns=["person", "half", "run"]).assign(seconds=RNG.normal(500, 60, 384).round(1))
    text, _ = loaded(tmp_path, trials=table)
    assert "half =" not in text.partition("[factors]")[2].partition("[measures]")[0]


def test_ids_of_both_people_in_each_row_are_two_people_whatever_begins_their_names(tmp_path: Path) -> None:
    table = pd.DataFrame({"dyad": range(1, 61), "cond": ["anger", "calm", "joy"] * 20})
    for seat in "BS":
        table[f"{seat}_id"] = [f"{seat}{100 + row}" for row in range(60)]
        for name, low, high in (("gender", 1, 3), ("liking1", 1, 8), ("liking2", 1, 8), ("points", 1000, 5000)):
            table[f"{seat}_{name}"] = RNG.integers(low, high, 60)
    text, study = loaded(tmp_path, dyads=table)
    assert study.players["participant_id"].nunique() == 120
    assert "side by side" not in text  # a gender of 1 and 2 takes neither of two answers


def test_columns_that_are_called_after_speakers_are_those_of_seats(tmp_path: Path) -> None:
    words = ["I", "would", "like", "the", "water", "and", "the", "food", "but", "not", "the", "wood"]
    talks: list[dict[str, Any]] = [
        {"dialogue": number, "medium": ["text", "voice"][number % 2],
         "people": {seat: {"points": int(RNG.integers(5, 36))} for seat in ("a1", "a2")},
         "turns": [{"id": f"a{1 + turn % 2}", "text": " ".join(RNG.choice(words, 8))}
                   for turn in range(int(RNG.integers(4, 10)))]}
        for number in range(30)
    ]  # fmt: skip
    (tmp_path / "talks.json").write_text(json.dumps(talks))
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "talks.json"))
    study = negstats.load(tmp_path / "talks.json", mapping=tmp_path / "mapping.toml")
    assert set(study.messages["sender"]) == {"a1", "a2"}
    assert study.players["points"].tolist() == [
        talk["people"][seat]["points"] for talk in talks for seat in ("a1", "a2")
    ]


@pytest.mark.slow
def test_the_game_of_a_talk_that_somebody_names_makes_its_rows_messages(tmp_path: Path) -> None:
    codes = [f"x{row * 7919:05x}k" for row in range(24)]
    words = ["yes", "no", "maybe", "deal", "more", "less", "fair", "hello", "okay", "fine", "why", "not"]
    rows = [
        (codes[2 * pair + turn % 2], pair + 1, ["hot", "cold"][pair % 2], " ".join(RNG.choice(words, 2)))
        for pair in range(12)
        for turn in range(10)
    ]
    pd.DataFrame(rows, columns=["code", "nr", "arm", "said"]).to_csv(tmp_path / "talks.csv", index=False)
    assert "said looks like talk: which columns name the conversation" in suggest(tmp_path / "talks.csv")
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "talks.csv", answers={"game": "nr"}))
    study = negstats.load(tmp_path / "talks.csv", mapping=tmp_path / "mapping.toml")
    assert (len(study.games), len(study.messages)) == (12, 120)
    assert study.messages["sender"].tolist() == [row[0] for row in rows]


@pytest.mark.parametrize("has_name", [True, False])
def test_rounds_side_by_side_are_of_one_unit_whether_a_column_names_it_or_not(has_name: bool, tmp_path: Path) -> None:
    table = pd.DataFrame({"pair": range(1, 51), "patience": [0.5, 0.9] * 25})
    for number in (1, 2, 3):
        plays = RNG.random(50) < 1.3 - number / 3
        table[f"offer_r{number}"] = np.where(plays, RNG.integers(10, 60, 50), np.nan)
        table[f"accept_r{number}"] = np.where(plays, RNG.integers(0, 2, 50), np.nan)
    _, study = loaded(tmp_path, rounds=table if has_name else table.drop(columns="pair"))
    assert len(study.games) == int(table.filter(like="offer").notna().sum().sum())
    assert {"offer", "accept"} <= {*study.games.columns}
    assert "50 independent units" in draft(study)


def test_titles_of_rounds_above_their_columns_are_no_names_of_an_order(tmp_path: Path) -> None:
    rows = [f"P{place},{'ab'[place % 2]},{place % 9},{place % 2},{place % 7},{place % 3 % 2}" for place in range(50)]
    lines = [",,Round 1,Round 1,Round 2,Round 2", "ID,Group,Offer,Accept,Offer,Accept", *rows]
    (tmp_path / "rounds.csv").write_text("\n".join(lines))
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "rounds.csv"))
    study = negstats.load(tmp_path / "rounds.csv", mapping=tmp_path / "mapping.toml")
    assert {"Offer", "Accept"} <= {*study.games.columns}


def test_what_was_set_for_each_block_is_the_condition_and_not_the_blocks_number(tmp_path: Path) -> None:
    rows = [
        (f"s{person}", block, 4 * block + trial) for person in range(36) for block in range(3) for trial in range(4)
    ]
    table = pd.DataFrame(rows, columns=["subj", "block", "trial"])
    table = table.assign(group=np.array(["solo", "duo", "trio"])[table["block"]], given=RNG.integers(0, 21, len(rows)))
    text, _ = loaded(tmp_path, blocks=table)
    assert 'group = "group"' in text.partition("[factors]")[2].partition("[measures]")[0]


def test_a_condition_that_gave_the_roles_is_one_beside_them(tmp_path: Path) -> None:
    table = pd.DataFrame({"dyad": range(1, 61), "condition": ["face", "chat"] * 30})
    for seat, roles in ((1, ["union", "firm"]), (2, ["firm", "union"])):
        table[f"P{seat}_role"] = roles * 30
        table[f"P{seat}_pts"] = RNG.integers(2000, 6000, 60)
    _, study = loaded(tmp_path, dyads=table)
    assert "condition" in study.factors


def test_what_was_given_in_the_row_before_is_no_outcome(tmp_path: Path) -> None:
    table = pd.DataFrame({"subj": np.repeat([f"s{place}" for place in range(40)], 10)})
    table = table.assign(trial=np.tile(range(1, 11), 40), arm=np.repeat(["a", "b"] * 20, 10))
    table["given"] = RNG.integers(0, 21, 400)
    text, _ = loaded(tmp_path, rounds=table.assign(before=table.groupby("subj")["given"].shift()))
    assert 'before = "before"' not in text


def test_acts_of_unknown_words_are_offers_where_an_amount_stands_beside_them(tmp_path: Path) -> None:
    ends = [int(RNG.integers(2, 6)) for _ in range(30)]
    rows = [(f"g{game}", "KV"[turn % 2], *(("gebot", RNG.integers(20, 90)) if turn < end else ("zusage", None)))
            for game, end in enumerate(ends) for turn in range(end + 1)]  # fmt: skip
    _, study = loaded(tmp_path, log=pd.DataFrame(rows, columns=["spiel", "wer", "was", "betrag"]))
    assert (len(study.games), len(study.offers)) == (30, sum(ends))


def test_numbers_of_those_whom_people_met_and_answers_on_one_scale_are_neither_set_nor_measured(tmp_path: Path) -> None:
    rows = [(session, period, firm, int(worker)) for session in range(4) for period in range(1, 9)
            for firm, worker in enumerate(RNG.permutation(6), 1)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["session", "period", "firm", "worker"])
    table = table.assign(worker=table["worker"] + 7, pay=RNG.integers(1, 90, 192), deal=table["session"].mod(2))
    text, _ = loaded(tmp_path, market=table)
    assert 'firm = "firm"' not in text
    words = np.array(["never", "rarely", "often", "always"])
    survey = pd.DataFrame({"ResponseId": [f"R_{place}x" for place in range(90)], "arm": ["a", "b"] * 45})
    survey = survey.assign(**{name: words[RNG.integers(0, 4, 90)] for name in ("calm", "item1", "item2")})
    file = tmp_path / "survey.csv"
    survey.assign(paid=RNG.integers(1, 90, 90)).to_csv(file, index=False)
    assert 'calm = "calm"' not in suggest(file)


@pytest.mark.parametrize(("mine", "yours"), [("offer_self", "offer_other"), ("b", "a"), ("z_in", "z_aus")])
def test_both_parts_of_a_pie_are_read_and_one_is_yes(mine: str, yours: str, tmp_path: Path) -> None:
    rows = []
    for subject in range(24):
        for trial in range(20):
            part = int(RNG.integers(1, 6))
            says_yes = RNG.random() < 1 / (1 + np.exp(2.5 - part))
            rows.append(
                (subject, trial + 1, ["human", "computer"][(trial + subject) % 2], part, 10 - part, int(says_yes))
            )
    table = pd.DataFrame(rows, columns=["subj", "trial", "partner", mine, yours, "choice"])
    text, study = loaded(tmp_path, data=table)
    likely = f'"{min(mine, yours)} is '
    assert likely in text
    assert "choice = 1 accepts" in text
    if "offer" not in mine:
        return  # of names that say nothing the first answer is that nothing is offered
    assert study.offers["units_to_responder"].tolist() == table[mine].tolist()
    assert study.offers["units_to_proposer"].tolist() == table[yours].tolist()
    assert ((study.offers["response"] == "accepted") == (table["choice"] == 1)).all()


def gifts() -> pd.DataFrame:
    """What each person gives to each of three others, whose words stand in the names of columns."""
    given = {f"give_{word}": RNG.integers(0, 11, 30) for word in ("friend", "stranger", "rival")}
    return pd.DataFrame({"uid": [f"s{person}" for person in range(30)], "arm": ["x", "y"] * 15, **given})


def test_columns_of_one_scale_may_be_levels_of_a_condition(tmp_path: Path) -> None:
    table = gifts()
    table.to_csv(tmp_path / "gifts.csv", index=False)
    text = suggest(tmp_path / "gifts.csv")
    assert 'question = "What are the columns give_friend, give_rival, give_stranger?"' in text
    assert "give_friend" in text.partition("[measures]")[2]  # until somebody answers they are measures of their own
    (tmp_path / "gifts.toml").write_text(suggest(tmp_path / "gifts.csv", answers={"levels": "2"}))
    study = negstats.load(tmp_path / "gifts.csv", mapping=tmp_path / "gifts.toml")
    assert study.players["participant_id"].nunique() == 30
    given = study.offers.merge(study.games, on="game_id").groupby("condition")["units_to_responder"].sum()
    assert given.to_dict() == {word: table[f"give_{word}"].sum() for word in ("friend", "rival", "stranger")}
    plan = parse(draft(study))
    assert any("condition" in question.by for question in plan.questions.values())


@pytest.mark.parametrize(
    "columns",
    [
        {"points_buyer": (0, 50), "points_seller": (0, 50)},  # seats
        {"offer_self": (0, 11), "offer_other": (0, 11)},  # both sides
        {"age_own": (18, 60), "pay_total": (100, 900)},  # no stem in common
        {"sum_early": (0, 9), "sum_late": (1000, 9000)},  # of different scales
    ],
)
def test_columns_that_are_no_levels_are_not_asked_about(columns: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    table = {"uid": [f"s{person}" for person in range(40)], "arm": ["x", "y"] * 20}
    pd.DataFrame(table | {name: RNG.integers(*ends, 40) for name, ends in columns.items()}).to_csv(tmp_path / "t.csv")
    assert 'subject = "levels"' not in suggest(tmp_path / "t.csv")


def test_an_answer_about_levels_that_nobody_asks_about_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"uid": [f"s{person}" for person in range(40)], "sum": RNG.integers(0, 9, 40)}).to_csv(
        tmp_path / "t.csv"
    )
    with pytest.raises(UsageError, match="levels=2: there is no such question"):
        suggest(tmp_path / "t.csv", answers={"levels": "2"})


@pytest.mark.parametrize(("others", "is_asked"), [((79, 80, 81), False), ((1, 3, 7), True), ((20, 41, 64), False)])
def test_a_code_for_missing_lies_far_from_others_of_its_size(
    others: tuple[int, ...], is_asked: bool, tmp_path: Path
) -> None:
    sums = [*others * 12, 77, 77]
    table = {"uid": [f"s{person}" for person in range(38)], "arm": ["x", "y"] * 19, "sum": sums}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    assert ("77 in sum (2 cells)" in suggest(tmp_path / "t.csv")) == is_asked


def test_what_is_measured_before_and_after_may_be_levels(tmp_path: Path) -> None:
    before = RNG.normal(50, 9, 40).round(1)
    people = pd.DataFrame(
        {"student": [f"st{person}" for person in range(40)], "training": ["role-play", "lecture"] * 20}
    )
    table = people.assign(skill_pre=before, skill_post=(before + RNG.normal(3, 5, 40)).round(1))
    table.to_csv(tmp_path / "t.csv", index=False)
    assert 'subject = "levels"' in suggest(tmp_path / "t.csv")
    (tmp_path / "t.toml").write_text(suggest(tmp_path / "t.csv", answers={"levels": "2"}))
    plan = parse(draft(negstats.load(tmp_path / "t.csv", mapping=tmp_path / "t.toml")))
    assert next(set(question.by) for question in plan.questions.values()) == {"training", "condition"}


@pytest.mark.parametrize("file", ["one", "other"])
def test_pairs_of_two_files_are_others_where_their_people_are(tmp_path: Path, file: str) -> None:
    tables = {}
    for place, day in enumerate(("monday", "friday")):
        rows = [
            (pair, role, f"{'PQ'[place]}{2 * pair + at:02}", day, round(RNG.normal(5, 1), 2))
            for pair in range(1, 13)
            for at, role in enumerate(("buyer", "seller"))
        ]
        tables[f"{file}_{day}"] = pd.DataFrame(rows, columns=["pair", "role", "participant", "medium", "score"])
    text, study = loaded(tmp_path, **tables)
    assert "stop = true" not in text
    assert len(study.games) == 24


@pytest.mark.parametrize("has_people", [True, False])
def test_pairs_of_two_files_whose_people_nobody_names_may_be_the_same(tmp_path: Path, *, has_people: bool) -> None:
    rows = [
        (pair, role, f"P{2 * pair + at:02}") for pair in range(1, 13) for at, role in enumerate(("buyer", "seller"))
    ]
    tables = {}
    for day in ("monday", "friday"):
        table = pd.DataFrame(rows, columns=["pair", "role", "participant"]).assign(score=RNG.normal(5, 1, 24).round(2))
        tables[day] = table if has_people else table.drop(columns="participant")
    logs = tmp_path / "logs"
    logs.mkdir()
    for day, table in tables.items():
        table.to_csv(logs / f"{day}.csv", index=False)
    assert "stop = true" in suggest(logs)


def test_people_who_have_two_sessions_and_conditions_in_turn_are_no_people_of_two_arms(tmp_path: Path) -> None:
    rows = [
        (person, session, ("chat", "video")[(person + session) % 2], round(RNG.normal(5, 1), 2))
        for person in range(1, 13)
        for session in (1, 2)
    ]
    text, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=["Subject_ID", "Session_ID", "Condition", "points"]))
    assert "stop = true" not in text
    assert study.players["participant_id"].nunique() == 12
    same = pd.DataFrame(
        [(p, s, ("chat", "video")[s % 2], x) for p, s, _, x in rows], columns=["id", "no", "arm", "points"]
    )
    same.to_csv(tmp_path / "same.csv", index=False)
    assert "stop = true" in suggest(tmp_path / "same.csv")


def test_what_buyers_and_sellers_got_names_none_of_them(tmp_path: Path) -> None:
    gains = [gain + (gain == 50) for gain in RNG.integers(20, 80, 40).tolist()]
    table = pd.DataFrame({"pair": range(1, 41), "medium": ["chat", "video"] * 20, "buyer": gains})
    table = table.assign(seller=100 - table["buyer"], rounds=RNG.integers(1, 9, 40), age=RNG.integers(18, 50, 40))
    text, study = loaded(tmp_path, data=table)
    assert "participant_id" not in text
    assert study.games.filter(like="buyer").iloc[:, 0].tolist() == gains


def test_what_is_numbered_anew_in_each_trial_of_a_person_is_no_case_of_its_own(tmp_path: Path) -> None:
    rows = [
        (person, trial, ["gain", "loss"][trial % 2], look + 1, int(RNG.gamma(3, 80)))
        for person in range(1, 13)
        for trial in range(1, 11)
        for look in range(int(RNG.integers(3, 8)))
    ]
    table = pd.DataFrame(rows, columns=["pp", "trial", "frame", "look", "ms"])
    table.to_csv(tmp_path / "looks.csv", index=False)
    text = suggest(tmp_path / "looks.csv")
    assert "stop = true" in text
    assert '"each row is one of several decisions of one pp"' in text


def test_a_payoff_leaves_open_which_side_gives_where_acceptance_does_not_tell(tmp_path: Path) -> None:
    rows = []
    for pair, time in itertools.product(range(1, 21), range(1, 13)):
        outside = (0, 20, 40)[(time - 1) // 4]
        offer = round(45 + 0.3 * outside + RNG.normal(0, 8))
        accepts = int(offer > outside and RNG.random() < 0.85)
        rows.append((pair, time, outside, offer, accepts, (100 - offer) * accepts))
    table = pd.DataFrame(rows, columns=["pair", "rd", "outside", "offer", "acc", "pay"])
    table.to_csv(tmp_path / "t.csv", index=False)
    text = suggest(tmp_path / "t.csv")
    assert '"offer is what the person gives: acc = 1 accepts"' in text
    assert '"offer is what the other keeps, and the person answers: acc = 1 accepts"' in text


def test_a_code_for_missing_among_words_is_no_answer(tmp_path: Path) -> None:
    words = RNG.choice(["high", "low", "999", "999.0"], 480, p=[0.6, 0.32, 0.04, 0.04])
    people, arms = [f"s{row // 24:02d}" for row in range(480)], [("gain", "loss")[row // 24 % 2] for row in range(480)]
    trials, times = [row % 24 + 1 for row in range(480)], RNG.gamma(3, 200, 480).round(1)
    table = pd.DataFrame({"subject": people, "trial": trials, "arm": arms, "choice": words, "rt": times})
    text, study = loaded(tmp_path, data=table)
    assert 'no = ["low"]' in text
    assert study.games["choice"].notna().sum() == np.isin(words, ["high", "low"]).sum()


def test_people_of_one_number_in_several_sessions_are_several_where_their_ages_differ(tmp_path: Path) -> None:
    rows = [
        (session, subject, RNG.choice(["chat", "video"]), int(RNG.integers(18, 60)), round(RNG.normal(5, 1), 2))
        for session in range(1, 7)
        for subject in range(1, 13)
    ]
    names = ["session", "subject", "condition", "age", "points"]
    text, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=names))
    assert "stop = true" not in text
    assert study.players["participant_id"].nunique() == 72


def test_groups_of_strangers_that_are_numbered_through_are_the_games(tmp_path: Path) -> None:
    rows, number = [], 0
    for session, period in itertools.product(range(1, 5), range(1, 7)):
        for group in RNG.permutation(12).reshape(4, 3):
            number += 1
            rows += [
                (session, period, number, 12 * (session - 1) + int(member) + 1, int(RNG.integers(0, 21)))
                for member in group
            ]
    names = ["session", "period", "group", "subject", "contribution"]
    _, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=names).sample(frac=1, random_state=1))
    assert len(study.games) == 96
    assert study.players["participant_id"].nunique() == 48


@pytest.mark.parametrize("words", [("model_a", "model_b"), ("agent1", "agent2")])
def test_three_language_models_that_meet_only_each_other_are_agents(tmp_path: Path, words: tuple[str, str]) -> None:
    pairs = itertools.permutations(("gpt-4o", "claude-3", "llama-70b"), 2)
    rows = [(one, other, int(share), 100 - int(share)) for one, other in pairs for share in RNG.integers(0, 101, 6)]
    scores = [word.replace("model", "score").replace("agent", "score") for word in words]
    text, study = loaded(tmp_path, data=pd.DataFrame(rows, columns=[*words, *scores]))
    assert "participant_id" not in text
    assert set(words) <= set(study.factors)
