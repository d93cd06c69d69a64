"""What a reading leaves open: the mapping asks it, the study holds it, nothing is tested before it is answered."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.draft import draft
from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import read_mapping, suggest
from negstats.studies.study import Study
from tests.shell import Shell


def trials(people: int = 20, rounds: int = 10) -> pd.DataFrame:
    """People with trials under names that no list of words knows, beside one that is called ID."""
    rng = np.random.default_rng(20)
    rows = []
    for person in range(people):
        own = rng.normal(0, 15)
        rows += [
            (person + 1, trial + 1, ("drug", "placebo")[person % 2], round(float(rng.normal(50 + own, 10)), 2))
            for trial in range(rounds)
        ]
    return pd.DataFrame(rows, columns=["ID", "Trial", "Treatment", "Investment"])


def crossed(folder: Path) -> Path:
    """Eight people with twelve trials, or twelve people with eight: nothing tells which."""
    rng = np.random.default_rng(8)
    rows = [(person + 1, trial + 1, round(float(rng.normal(10, 2)), 1)) for person in range(8) for trial in range(12)]
    file = folder / "log.csv"
    pd.DataFrame(rows, columns=["aa", "bb", "cc"]).to_csv(file, index=False)
    return file


def loaded(file: Path, text: str) -> Study:
    mapping = file.parent / "mapping.toml"
    mapping.write_text(text, encoding="utf-8")
    return negstats.load(file, mapping=mapping)


@pytest.mark.slow
def test_trials_of_a_person_are_no_independent_games(tmp_path: Path) -> None:
    file, table = tmp_path / "log.csv", trials()
    table.to_csv(file, index=False)
    study = loaded(file, suggest(file))
    assert (len(study.games), study.players["participant_id"].nunique()) == (200, 20)
    result = run(parse(draft(study)), study).questions["H1"].result
    means = table.groupby(["ID", "Treatment"])["Investment"].mean().reset_index()
    by_arm = [group["Investment"].to_numpy() for _, group in means.groupby("Treatment")]
    variances = [float(values.var(ddof=1)) / len(values) for values in by_arm]
    welch = sum(variances) ** 2 / sum(v**2 / (len(values) - 1) for v, values in zip(variances, by_arm, strict=True))
    assert result.df == pytest.approx(welch)


def test_nothing_is_drafted_or_tested_while_the_rows_are_open(tmp_path: Path) -> None:
    file = crossed(tmp_path)
    text = suggest(file)
    assert "[[open]]  # STOP" in text
    study = loaded(file, text)
    assert next((record.kind, record.place) for record in study.provenance.records) == ("reading_stop", "row")
    with pytest.raises(UsageError, match=r"What is one row\?.*--answer row=NUMBER"):
        draft(study)
    plan = parse('[questions.H1]\nasks = "Is cc related?"\nmeasure = "games.cc"\n')
    with pytest.raises(UsageError, match="not certain"):
        run(plan, study)


@pytest.mark.slow
def test_an_open_question_survives_saving(tmp_path: Path) -> None:
    file = crossed(tmp_path)
    loaded(file, suggest(file)).save(tmp_path / "study")
    with pytest.raises(UsageError, match="not certain"):
        draft(negstats.open_study(tmp_path / "study"))


@pytest.mark.slow
def test_describe_prints_what_is_open_first(tmp_path: Path, shell: Shell) -> None:
    file = crossed(tmp_path)
    (tmp_path / "mapping.toml").write_text(suggest(file), encoding="utf-8")
    code, out, _ = shell("describe", str(file), "--map", str(tmp_path / "mapping.toml"))
    assert code == 0
    assert out.startswith("OPEN, row: What is one row?")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("answer", "people"), [("person:aa", 8), ("person:bb", 12), ("2", 8)])
def test_an_answer_changes_the_rows_and_closes_the_question(tmp_path: Path, answer: str, people: int) -> None:
    file = crossed(tmp_path)
    text = suggest(file, answers={"row": answer})
    study = loaded(file, text)
    assert study.players["participant_id"].nunique() == people
    assert not [record for record in study.provenance.records if record.kind == "reading_stop"]
    assert "# STOP" not in text


def test_alone_is_an_answer_too(tmp_path: Path) -> None:
    file = crossed(tmp_path)
    study = loaded(file, suggest(file, answers={"row": "alone"}))
    assert (len(study.games), study.players["participant_id"].notna().sum()) == (96, 0)


@pytest.mark.slow
def test_accepting_is_written_down(tmp_path: Path) -> None:
    file = crossed(tmp_path)
    text = suggest(file, accept=True)
    assert "accepted = true" in text
    study = loaded(file, text)
    assert "reading_accepted" in [record.kind for record in study.provenance.records]
    assert draft(study)


def test_the_likely_answer_may_be_written_by_hand(tmp_path: Path) -> None:
    file = crossed(tmp_path)
    text = suggest(file)
    study = loaded(file, text.replace("# If the keys are right, add: answer = [1]", "answer = [1]", 1))
    assert not [record for record in study.provenance.records if record.kind == "reading_stop"]


def test_another_answer_by_hand_is_refused_for_the_keys_do_not_hold_it(tmp_path: Path) -> None:
    file, mapping = crossed(tmp_path), tmp_path / "mapping.toml"
    text = suggest(file).replace("# If the keys are right, add: answer = [1]", "answer = [2]", 1)
    mapping.write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match=r"another answer than the keys .* --answer row=2"):
        read_mapping(mapping)


@pytest.mark.parametrize(
    ("answers", "match"),
    [
        ({"row": "9"}, "names no kind of row|not an option"),
        ({"row": "person:nobody"}, "there is no column 'nobody'"),
        ({"offer": "1"}, "there is no such question"),
        ({"condition": "nothing"}, "there is no column 'nothing'"),
    ],
)
def test_no_answer_is_dropped_in_silence(tmp_path: Path, answers: dict[str, str], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        suggest(crossed(tmp_path), answers=answers)


def quotas(folder: Path) -> Path:
    """Two columns of words that are balanced alike: one may be a quota."""
    file, rng = folder / "log.csv", np.random.default_rng(3)
    rows = [(f"q{place}", "km"[place % 2], "xy"[place // 2 % 2], int(rng.integers(20, 80))) for place in range(48)]
    pd.DataFrame(rows, columns=["nazwa", "grupa", "plec", "wynik"]).to_csv(file, index=False)
    return file


def test_conditions_are_answered_by_their_names(tmp_path: Path) -> None:
    file = quotas(tmp_path)
    study = loaded(file, suggest(file, answers={"condition": "grupa"}))
    assert study.factors == ["grupa"]


def test_what_else_may_hold_is_said_where_all_options_are_likely(tmp_path: Path) -> None:
    file = quotas(tmp_path)
    study = loaded(file, suggest(file))
    record = next(record for record in study.provenance.records if record.place == "condition")
    _, likely, others = record.values  # noqa: PD011
    assert (likely, others) == ("grupa; plec", "some or none of them")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("names", "factors"), [(["aa"], ["aa"]), (["aa", "bb"], ["aa", "bb"])])
def test_columns_that_are_as_likely_are_all_conditions_until_somebody_answers(
    tmp_path: Path, names: list[str], factors: list[str]
) -> None:
    file, rng, table = tmp_path / "log.csv", np.random.default_rng(3), trials().drop(columns="Treatment")
    for name in names:
        of_people = rng.permutation(["p"] * 13 + ["q"] * 7)  # each person's, and not given equally often
        table[name] = of_people[table["ID"] - 1]
    table.to_csv(file, index=False)
    study = loaded(file, suggest(file))
    assert study.factors == factors
    # Nobody has set them, and nothing but an answer settles that.
    assert [record.kind for record in study.provenance.records if record.place == "condition"] == ["reading_question"]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('subject = "rows"', "subject 'rows' is not one of"),
        ('subject = "row"\nreply = 1', "there is no key 'reply'"),
        ('subject = "row"\noptions = ["a", "b"]\nlikely = [3]', "3 is not a number of an option; there are 2"),
        ('subject = "row"\noptions = "a"', "options is a list of texts"),
    ],
)
def test_a_section_that_is_none_is_refused(tmp_path: Path, line: str, match: str) -> None:
    file = tmp_path / "mapping.toml"
    file.write_text(f'row = "game"\n[[open]]\n{line}\n[games]\ngame_id = "g"\n', encoding="utf-8")
    with pytest.raises(LogError, match=match):
        read_mapping(file)


def test_the_command_takes_answers(tmp_path: Path, shell: Shell) -> None:
    file = crossed(tmp_path)
    code, out, _ = shell("map", str(file), "--answer", "row=person:aa")
    assert code == 0
    assert 'participant_id = "aa"' in out
    code, _, err = shell("map", str(file), "--answer", "rows=1")
    assert code != 0
    assert "subjects are table, row" in err


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("answer", "largest"), [(None, 30), ("1", 30), ("2", 5)])
def test_an_offer_far_from_all_others_is_asked_about(tmp_path: Path, answer: str | None, largest: int) -> None:
    table = trials()
    table["offer"] = [place % 5 + 1 for place in range(len(table))]
    table.loc[17, "offer"] = 30
    file = tmp_path / "log.csv"
    table.to_csv(file, index=False)
    text = suggest(file, answers={} if answer is None else {"outlier": answer})
    assert ('question = "What is 30 in offer?"' in text) is True
    assert ("answer = " in text.partition("[games]")[0].replace("add: answer", "")) is (answer is not None)
    study = loaded(file, text)
    values = study.games["offer"] if "offer" in study.games else study.offers["units_to_responder"]
    assert values.max() == largest


def sessions_of_numbers(folder: Path, *, names: tuple[str, ...]) -> Path:
    """Numbers from 1 to 12 in each of six sessions: 72 people in groups of four, and not 12 who come six times."""
    file, rng = folder / "log.csv", np.random.default_rng(5)
    rows = []
    for session in range(6):
        for group in range(3):
            own = rng.normal(9, 3, 4)
            for trial in range(10):
                given = np.clip(np.round(own + rng.normal(0, 2, 4)), 0, 20).astype(int)
                rows += [
                    (session + 1, trial + 1, group + 1, seat + 1 + 4 * group, ("rod", "geen")[session % 2], amount,
                     given.sum())
                    for seat, amount in enumerate(given)
                ]  # fmt: skip
    pd.DataFrame(rows, columns=list(names)).to_csv(file, index=False)
    return file


@pytest.mark.slow
def test_numbers_that_begin_anew_in_sessions_of_an_unknown_name_are_people_of_their_own(tmp_path: Path) -> None:
    names = ("sessie", "ronde", "groepnr", "deelnemer", "behandeling", "bijdrage", "som")
    file = sessions_of_numbers(tmp_path, names=names)
    text = suggest(file)
    study = loaded(file, text)
    assert (len(study.games), study.players["participant_id"].nunique()) == (180, 72)
    assert 'sessie = { column = "sessie", role = "cluster" }' in text
    assert study.factors == ["sessie", "behandeling"]


@pytest.mark.slow
def test_without_a_name_for_rounds_sessions_and_rounds_are_asked_about(tmp_path: Path) -> None:
    file = sessions_of_numbers(tmp_path, names=tuple(f"c{place}" for place in range(1, 8)))
    text = suggest(file)
    assert "[[open]]  # STOP" in text
    assert "c1" in text.partition("options = [")[2].partition("]")[0]


def test_items_of_several_questions_are_no_rounds(tmp_path: Path) -> None:
    file, rng = tmp_path / "log.csv", np.random.default_rng(6)
    names = [f"Q{question}_{item}" for question in (4, 15) for item in (1, 2, 3, 4)]
    table = pd.DataFrame(rng.integers(1, 8, (60, 8)), columns=names)
    table.insert(0, "code", [f"R_{place:03d}x" for place in range(60)])
    table.insert(1, "arm", ["text", "video"] * 30)
    table.to_csv(file, index=False)
    study = loaded(file, suggest(file))
    assert (len(study.games), study.factors) == (60, ["arm"])
    assert set(names) <= set(study.answers["question"])


@pytest.mark.slow
def test_of_a_long_table_whole_people_are_looked_at_be_they_in_few_rows_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    people = [f"u{rng.integers(2**40):x}" for _ in range(16_000)]
    rows = [
        (person, trial + 1, int(rng.integers(0, 101)))
        for place, person in enumerate(people)
        for trial in range(1 + (place % 2) * 3)
    ]
    file = tmp_path / "log.csv"
    pd.DataFrame(rows, columns=["UserID", "t", "move"]).to_csv(file, index=False)
    study = loaded(file, suggest(file, accept=True))
    assert study.players["participant_id"].nunique() == 16_000
    assert "move" in study.games


def test_a_time_at_which_several_began_is_nobody(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    rows = [
        (3000 + place, f"2025-02-{1 + place % 20:02d} 09:{place % 60:02d}:00", place % 3 + 1, int(rng.integers(11)))
        for place in range(180)
    ]
    file = tmp_path / "log.csv"
    pd.DataFrame(rows, columns=["CASE", "STARTED", "BED", "DG01"]).to_csv(file, index=False)
    study = loaded(file, suggest(file))
    assert (len(study.games), study.factors) == (180, ["BED"])
    assert not any(study.players["participant_id"].astype(str).str.startswith("2025"))


@pytest.mark.slow
def test_rows_named_as_another_tables_games_are_games(tmp_path: Path) -> None:
    rng, folder = np.random.default_rng(10), tmp_path / "dialogs"
    folder.mkdir()
    talk, results = [], []
    for game in range(40):
        words = ["we could do better", "that is my price", "take it or leave it", "fine then let us agree"]
        talk += [(f"d{game:03d}", turn, "AB"[turn % 2], str(rng.choice(words)) + f" {turn}")
                 for turn in range(int(rng.integers(6, 15)))]  # fmt: skip
        results.append((f"d{game:03d}", ("bluff", "honest")[game % 2], round(float(rng.normal(20, 6)), 1)))
    pd.DataFrame(talk, columns=["dlg", "turn", "agent", "utt"]).to_csv(folder / "turns.csv", index=False)
    pd.DataFrame(results, columns=["dlg", "policy", "surplus"]).to_csv(folder / "outcome.csv", index=False)
    mapping = tmp_path / "log.toml"
    mapping.write_text(suggest(folder, accept=True))
    study = negstats.load(folder, mapping=mapping)
    assert (len(study.games), len(study.messages), study.factors) == (40, len(talk), ["policy"])
    assert draft(study).count('measure = "surplus"') == 1


def test_the_only_negative_number_that_stands_often_is_no_offer(tmp_path: Path) -> None:
    file, rng = tmp_path / "log.csv", np.random.default_rng(11)
    offers, least = rng.integers(0, 101, 400), rng.integers(0, 60, 400)
    offers[:30], least[:40] = -1, -1
    people = [f"u{rng.integers(2**40):x}" for _ in range(300)]
    names = [*people, *people[:100]]
    pd.DataFrame({"UserID": names, "Total": 100, "propose": offers, "accept": least}).to_csv(file, index=False)
    text = suggest(file)
    assert "-1 in propose (30 cells)" in text
    assert "leave_out_bad_games" not in text
    study = loaded(file, text)
    assert (len(study.games), len(study.offers), study.offers["units_to_responder"].min()) == (400, 370, 0)


def contradicting(folder: Path) -> Path:
    """Sixty pairs, in two of which the two members say that they were in different conditions."""
    file, rng = folder / "log.csv", np.random.default_rng(12)
    rows = [
        (f"p{pair:02d}", side, f"u{2 * pair + place}", ("chat", "mail")[(pair + (place and pair < 2)) % 2],
         round(float(rng.normal(50, 9)), 1))
        for pair in range(60)
        for place, side in enumerate(("buyer", "seller"))
    ]  # fmt: skip
    pd.DataFrame(rows, columns=["pair", "role", "subject", "medium", "points"]).to_csv(file, index=False)
    return file


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("answer", "games", "factors"), [(None, 58, ["medium"]), ("2", 60, [])])
def test_no_draft_leaves_games_out_unasked(tmp_path: Path, answer: str | None, games: int, factors: list[str]) -> None:
    file = contradicting(tmp_path)
    text = suggest(file, answers={"condition": "medium"} | ({} if answer is None else {"contradiction": answer}))
    assert ("leave_out_bad_games = true" in text) is (answer is None)
    assert 'subject = "contradiction"' in text
    study = loaded(file, text)
    assert (len(study.games), study.factors) == (games, factors)
    kinds = [record.kind for record in study.provenance.records if record.place == "contradiction"]
    assert kinds == ["reading_question" if answer is None else "reading_answered"]


def test_a_list_of_which_nothing_is_read_does_not_take_the_rows_of_a_table(tmp_path: Path) -> None:
    file, rng, people = tmp_path / "log.csv", np.random.default_rng(13), 60
    words = [
        "the",
        "deal",
        "was",
        "fair",
        "enough",
        "for",
        "me",
        "but",
        "took",
        "long",
        "today",
        "and",
        "tomorrow",
        "we",
        "will",
        "see",
        "about",
        "price",
    ]
    rows = [
        {
            "arm": "ab"[place % 2],
            "began": f"2025-07-{1 + place // 10:02d} {place % 10:02d}:00:00",
            "party": rng.choice(["red", "blue"]),
            "earned": round(float(rng.normal(20, 4)), 2),
            "remarks": "" if place % 6 else " ".join(rng.choice(words, 12)),
            "history": "" if place % 6 else json.dumps([{"step": step, "key": f"k{place}{step}"} for step in (1, 2)]),
        }
        for place in range(people)
    ]
    pd.DataFrame(rows).to_csv(file, index=False)
    study = loaded(file, suggest(file, accept=True))
    assert (len(study.games), len(study.messages)) == (people, 0)


@pytest.mark.parametrize(("amounts", "is_asked"), [((1, 1), False), ((1, 4), True)])
def test_one_amount_that_all_accepted_is_no_offer(tmp_path: Path, amounts: tuple[int, int], is_asked: bool) -> None:
    file, rng = tmp_path / "log.csv", np.random.default_rng(14)
    given = np.where(np.arange(90) < 50, rng.integers(amounts[0], amounts[1] + 1, 90), rng.integers(1, 5, 90))
    accepted = (np.arange(90) < 50).astype(int)
    table = pd.DataFrame(
        {"c1": rng.normal(size=90).round(3), "c2": given, "c3": accepted, "c4": (7 - given) * accepted}
    )
    table.sample(frac=1, random_state=1).to_csv(file, index=False)
    assert ('subject = "offer"' in suggest(file)) is is_asked


def groups_that_few_reached(folder: Path, *, by_arm: bool) -> Path:
    """People with three rounds, most of whom came into no group: what they did is empty, and their vote zero."""
    file, rng, rows = folder / "log.csv", np.random.default_rng(15), []
    for person in range(90):
        was_there = rng.random() < 0.3
        for trial in (1, 2, 3):
            arm = ("none", "prime")[person % 2]
            is_in = (arm == "prime" and person % 4 == 1) if by_arm else was_there and trial < 3
            arm = "late" if by_arm and is_in else arm
            did = [int(rng.integers(1, 4)), *rng.integers(5, 21, 3).tolist()] if is_in else ["", "", "", ""]
            rows.append((f"k{person:03d}q", arm, trial, *did, int(is_in and rng.random() < 0.7)))
    names = ["who", "arm", "trial", "sub", "mine", "yours", "theirs", "voted"]
    pd.DataFrame(rows, columns=names).to_csv(file, index=False)
    return file


@pytest.mark.slow
def test_rows_of_people_who_reached_no_group_are_asked_about(tmp_path: Path) -> None:
    file = groups_that_few_reached(tmp_path, by_arm=False)
    assert "Do all rows count, also where mine, sub, theirs and 1 more are empty?" in suggest(file)
    table = pd.read_csv(file)
    assert len(loaded(file, suggest(file)).games) == 270
    study = loaded(file, suggest(file, answers={"excluded": "2"}))
    assert len(study.games) == table["sub"].notna().sum()


def test_columns_that_one_condition_leaves_empty_are_not_asked_about(tmp_path: Path) -> None:
    assert 'subject = "excluded"' not in suggest(groups_that_few_reached(tmp_path, by_arm=True), accept=True)


@pytest.mark.slow
def test_a_lone_outcome_is_drafted_before_the_items_of_a_scale(tmp_path: Path) -> None:
    file, rng = tmp_path / "log.csv", np.random.default_rng(17)
    table = pd.DataFrame(rng.integers(1, 8, (80, 4)), columns=[f"Q4_{item}" for item in (1, 2, 3, 4)])
    table.insert(0, "code", [f"R_{place:03d}x" for place in range(80)])
    table.insert(1, "arm", ["text", "video"] * 40)
    table["Q9"] = rng.integers(1, 8, 80)
    table.to_csv(file, index=False)
    text = draft(loaded(file, suggest(file, accept=True)))
    assert text.index("Q9") < text.index("Q4_1")
    # Numbers of one stem but of ranges of their own are no scale.
    for item in (1, 2, 3, 4):
        table[f"Q4_{item}"] *= 10 ** (item - 1)
    table.to_csv(file, index=False)
    text = draft(loaded(file, suggest(file, accept=True)))
    assert text.index("Q4_1") < text.index("Q9")


@pytest.mark.slow
def test_an_id_that_occurs_twice_is_asked_about_and_not_called_different_in_each_row(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"dyad": [f"d{n:02d}" for n in range(40)], "medium": rng.permutation(["mail", "call"] * 20)})
    frame["deal"] = rng.choice(["yes", "no"], 40)
    frame["buyer_points"], frame["seller_points"] = rng.integers(0, 90, 40), rng.integers(0, 90, 40)
    frame.loc[7, "dyad"] = "d06"
    frame.to_csv(tmp_path / "g.csv", index=False)
    text = suggest(tmp_path / "g.csv")
    assert 'question = "What are the 2 rows whose dyad occurs twice?"' in text
    assert "dyad is different in all but 2 rows" in text
    (tmp_path / "m.toml").write_text(suggest(tmp_path / "g.csv", answers={"doubled": "2"}), encoding="utf-8")
    study = negstats.load(tmp_path / "g.csv", mapping=tmp_path / "m.toml")
    assert "d06" not in set(study.games["game_id"])
    assert len(study.games) == 38
    assert sum(study.provenance.reasons().values()) == 2
