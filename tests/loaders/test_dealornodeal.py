"""DealOrNoDeal: the figures of the real dialogues, each trap of theirs, and what damaged lines give."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from negstats import metrics
from negstats.errors import LogError
from negstats.loaders.dealornodeal import FORMAT
from negstats.loaders.format import untracked
from negstats.studies.study import Study
from tests.conftest import DataFolder


def load(path: Path) -> Study:
    assert FORMAT.matches(path)
    return FORMAT.read(path, untracked)


@pytest.fixture(scope="module")
def real(real_data: DataFolder) -> Study:
    return load(real_data("dealornodeal") / "data.txt")


@pytest.fixture(scope="module")
def mirrored(real: Study) -> pd.DataFrame:
    """The players of the mirrored games, with how the game ended."""
    games = real.games.loc[real.games["mirrored"], ["game_id", "ended"]]
    return real.players.merge(games, on="game_id")


def is_optimal(
    counts: tuple[int, ...], values: tuple[tuple[int, ...], tuple[int, ...]], share: tuple[int, ...]
) -> bool:
    """Whether no division gives both at least as much as this one and one of them more."""

    def worth(units: Iterable[int]) -> tuple[int, int]:
        first = list(units)
        rest = [item - taken for item, taken in zip(counts, first, strict=True)]
        return (
            sum(number * value for number, value in zip(first, values[0], strict=True)),
            sum(number * value for number, value in zip(rest, values[1], strict=True)),
        )

    here = worth(share)
    others = map(worth, product(*(range(item + 1) for item in counts)))
    return not any(a >= here[0] and b >= here[1] and (a, b) != here for a, b in others)


class TestRealDialogues:
    @pytest.mark.slow
    def test_agreed(self, mirrored: pd.DataFrame) -> None:
        assert (mirrored["ended"] == "agreement").mean() == pytest.approx(0.8054, abs=0.00005)

    @pytest.mark.slow
    def test_scores(self, mirrored: pd.DataFrame) -> None:
        assert mirrored["points"].mean() == pytest.approx(6.017, abs=0.0005)
        agreed = mirrored["ended"] == "agreement"
        assert mirrored.loc[agreed, "points"].mean() == pytest.approx(7.470, abs=0.0005)
        assert mirrored.loc[~agreed, "points"].eq(0).all()

    @pytest.mark.slow
    def test_pareto_optimal(self, real: Study) -> None:
        games = real.games.loc[(real.games["ended"] == "agreement") & real.games["mirrored"], "game_id"]
        columns = ["available", "value"]
        values = real.tables["values"].groupby(["game_id", "player"], sort=False)[columns].agg(tuple)
        accepted = real.offers.loc[real.offers["response"] == "accepted", ["game_id", "offer"]]
        items = real.items.merge(accepted, on=["game_id", "offer"])
        shares = items.groupby(["game_id", "receiver"])["quantity"].agg(tuple).to_dict()
        available, worth = (values[name].to_dict() for name in columns)
        optimal = []
        for game in games:
            counts = tuple(map(int, available[game, "A"]))
            optimal.append(is_optimal(counts, (worth[game, "A"], worth[game, "B"]), shares[game, "A"]))
        assert len(optimal) == 4765
        assert sum(optimal) / len(optimal) == pytest.approx(0.7704, abs=0.00005)  # lewis2017 prints 76.9 %
        for measure in (metrics.pareto_optimal, metrics.distance_to_frontier):
            column = measure(real.values, real.offers, real.items).set_index("game_id").loc[games].iloc[:, -1]
            assert (column == (1 if measure is metrics.pareto_optimal else 0)).tolist() == optimal

    @pytest.mark.slow
    def test_408_pairs_claim_what_does_not_add_up(self, real: Study) -> None:
        """Both claim items and no game ends so: two offers, both rejected."""
        offers = real.offers.merge(real.games.loc[real.games["mirrored"]], on="game_id")
        both = offers.groupby("game_id").filter(lambda made: len(made) == 2)
        assert both["game_id"].nunique() == 408
        assert set(both["ended"]) == {"disagreement"}
        assert set(both["response"]) == {"rejected"}

    def test_an_accepted_offer_divides_everything(self, real: Study) -> None:
        frame = real.items.groupby(["game_id", "offer", "item"])["quantity"].sum().reset_index()
        table = real.tables["values"].drop_duplicates(["game_id", "item"])
        both = frame.merge(table, on=["game_id", "item"])
        assert both["quantity"].equals(both["available"])

    def test_points_are_the_value_of_the_accepted_offer(self, real: Study) -> None:
        accepted = real.offers.loc[real.offers["response"] == "accepted"]
        points = real.players.set_index(["game_id", "player"])["points"]
        for seat in ("proposer", "responder"):
            keys = pd.MultiIndex.from_arrays([accepted["game_id"], accepted[seat]])
            assert points.loc[keys].tolist() == accepted[f"value_{seat}"].tolist()

    @pytest.mark.slow
    def test_everything_that_was_said_is_there_once(self, real: Study, real_data: DataFolder) -> None:
        lines = (real_data("dealornodeal") / "data.txt").read_text(encoding="utf-8").splitlines()
        games_by_talk = {}
        for number, line in enumerate(lines, start=1):
            turns = line.split(" ", 6)[6].partition(" <selection>")[0].split(" <eos> ")
            games_by_talk[f"data-{number}"] = [turn.partition(": ")[2] for turn in turns[:-1]]
        talk = real.messages.loc[real.messages["act"].isna()]
        values = talk.groupby("game_id", sort=False)["text"].agg(list).to_dict()
        assert values == {game: games_by_talk[game] for game in real.games["game_id"]}

    def test_a_speaks_first_and_the_chooser_acts_last(self, real: Study) -> None:
        sender = real.messages.groupby("game_id")["sender"]
        assert set(sender.first()) == {"A"}
        acts = real.messages.groupby("game_id")["act"].last()
        assert set(acts) == {"select"}
        assert (real.messages["act"] == "select").sum() == len(real.games)

    @pytest.mark.slow
    @pytest.mark.parametrize(("name", "rows", "games", "lone"), [("val", 1087, 562, 37), ("test", 1052, 545, 38)])
    def test_the_tagged_form_tells_the_same_games(
        self, real: Study, real_data: DataFolder, name: str, rows: int, games: int, lone: int
    ) -> None:
        tagged = load(real_data("dealornodeal") / f"{name}.txt")
        assert tagged.provenance.rows_read == rows
        assert (len(tagged.games), (~tagged.games["mirrored"]).sum()) == (games, lone)
        plain = dict(outcomes(real))
        for fingerprint, (ended, points) in outcomes(tagged):
            plain_game = plain[fingerprint]
            gone = ended == "disagreement" and plain_game == ("disconnect", points)
            assert plain_game == (ended, points) or gone

    @pytest.mark.slow
    def test_the_folder_counts_no_game_twice(self, real: Study, real_data: DataFolder) -> None:
        folder = load(real_data("dealornodeal"))
        for name, frame in real.tables.items():
            assert_frame_equal(folder.tables[name], frame)
        assert folder.provenance.reasons() == {
            "repeats an earlier row": 1087 + 1052,
            "holds contexts, no negotiations": 1,
        }
        assert folder.provenance.rows_read == 12234 + 1087 + 1052
        for note in (
            "1087 rows of val.txt repeat rows of data.txt; their games are counted once",
            "1052 rows of test.txt repeat rows of data.txt; their games are counted once",
            "selfplay.txt holds contexts (counts and values), no negotiations; not read",
        ):
            assert note in folder.provenance.notes

    def test_contexts_alone_are_refused(self, real_data: DataFolder) -> None:
        with pytest.raises(LogError, match=r"selfplay\.txt: holds contexts \(counts and values\), no negotiations"):
            load(real_data("dealornodeal") / "selfplay.txt")


def outcomes(study: Study) -> Iterable[tuple[tuple[object, ...], tuple[str, list[float]]]]:
    """What was said and what things were worth in each game, and how it ended."""
    messages = study.messages.fillna({"text": ""})
    values = messages.groupby("game_id", sort=False)[["sender", "text"]].agg(tuple)
    worth = study.tables["values"].groupby("game_id", sort=False)[["available", "value"]].agg(tuple)
    points = study.players.groupby("game_id", sort=False)["points"].agg(list)
    for game, ended in zip(study.games["game_id"], study.games["ended"], strict=True):
        yield (*values.loc[game], *worth.loc[game]), (ended, points[game])


YOURS = (
    "1 0 4 2 1 2 YOU: i would like 4 hats <eos> THEM: deal <eos> YOU: <selection> item0=0 item1=4 item2=0 <eos> "
    "reward=8 agree 1 4 4 1 1 2"
)
THEIRS = (
    "1 4 4 1 1 2 THEM: i would like 4 hats <eos> YOU: deal <eos> THEM: <selection> item0=1 item1=0 item2=1 <eos> "
    "reward=6 agree 1 0 4 2 1 2"
)
TAGGED = (
    "<input> 1 0 4 2 1 2 </input> <dialogue> YOU: i would like 4 hats <eos> THEM: deal <eos> YOU: <selection> "
    "</dialogue> <output> item0=0 item1=4 item2=0 item0=1 item1=0 item2=1 </output> "
    "<partner_input> 1 4 4 1 1 2 </partner_input>"
)


def without_items(line: str, selection: str, verdict: str = "agree") -> str:
    """A line with another selection than items."""
    start, rest = line.split("<selection> ")
    return f"{start}<selection> {selection} <eos> reward={selection} {verdict} {rest[-11:]}"


def disagreeing(line: str, claim: str, reward: int) -> str:
    start, rest = line.split("<selection> ")
    return f"{start}<selection> {claim} <eos> reward={reward} disagree {rest[-11:]}"


def write(folder: Path, *lines: str, name: str = "data.txt") -> Path:
    file = folder / name
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("lines", [(YOURS, THEIRS), (THEIRS, YOURS), (YOURS, "", THEIRS)])
def test_both_perspectives_become_one_game(lines: tuple[str, ...], tmp_path: Path) -> None:
    study = load(write(tmp_path, *lines))
    assert study.games["game_id"].tolist() == ["data-1"]
    assert study.games["ended"].tolist() == ["agreement"]
    assert study.games["mirrored"].tolist() == [True]
    assert study.players["player"].tolist() == ["A", "B"]
    assert study.players["points"].tolist() == [8, 6]
    assert study.players["batna"].tolist() == [0, 0]
    assert study.messages["sender"].tolist() == ["A", "B", "A"]
    assert study.messages["text"].tolist()[:2] == ["i would like 4 hats", "deal"]
    assert study.messages["text"].isna().tolist() == [False, False, True]
    assert study.messages["act"].tolist()[2] == "select"
    worth = study.tables["values"]
    assert worth["item"].tolist() == ["book", "hat", "ball"] * 2
    assert worth["available"].tolist() == [1, 4, 1] * 2
    assert worth["value"].tolist() == [0, 2, 2, 4, 1, 2]
    offer = study.offers.iloc[0]
    assert (offer["proposer"], offer["responder"], offer["response"]) == ("A", "B", "accepted")
    assert (offer["units_to_proposer"], offer["units_to_responder"]) == (4, 2)
    assert (offer["value_proposer"], offer["value_responder"]) == (8, 6)
    assert study.items["quantity"].tolist() == [0, 4, 0, 1, 0, 1]
    assert study.items["receiver"].tolist() == ["A"] * 3 + ["B"] * 3


def test_an_empty_line_is_counted(tmp_path: Path) -> None:
    left_out = load(write(tmp_path, YOURS, "", THEIRS)).provenance.left_out
    assert [(row.path, row.row, row.reason) for row in left_out] == [("data.txt", 2, "the line is empty")]


@pytest.mark.parametrize("line", [YOURS, THEIRS, TAGGED])
def test_a_row_without_mirror_is_kept_and_marked(line: str, tmp_path: Path) -> None:
    study = load(write(tmp_path, line))
    assert study.games["mirrored"].tolist() == [False]
    assert study.players["points"].tolist() == [8, 6]
    assert study.items["quantity"].tolist() == [0, 4, 0, 1, 0, 1]


def test_a_disagreement_scores_nothing_whatever_the_reward_says(tmp_path: Path) -> None:
    mine = disagreeing(YOURS, "item0=0 item1=4 item2=1", 10)
    theirs = disagreeing(THEIRS, "item0=1 item1=0 item2=1", 6)
    study = load(write(tmp_path, theirs, mine))
    assert study.games["ended"].tolist() == ["disagreement"]
    assert study.players["points"].tolist() == [0, 0]
    assert study.offers["proposer"].tolist() == ["A", "B"]
    assert study.offers["value_proposer"].tolist() == [10, 6]
    assert study.offers["response"].tolist() == ["rejected", "rejected"]


@pytest.mark.parametrize(
    ("mine", "theirs", "ended"),
    [
        (without_items(YOURS, "no agreement"), without_items(THEIRS, "no agreement"), "walkaway"),
        (without_items(YOURS, "disconnect"), without_items(THEIRS, "disconnect"), "disconnect"),
        (
            without_items(YOURS, "disconnect", "disagree"),
            without_items(THEIRS, "no agreement", "disagree"),
            "disconnect",
        ),
        (
            without_items(YOURS, "no agreement", "disagree"),
            disagreeing(THEIRS, "item0=1 item1=0 item2=1", 6),
            "disagreement",
        ),
    ],
)
def test_ends_without_agreement(mine: str, theirs: str, ended: str, tmp_path: Path) -> None:
    study = load(write(tmp_path, mine, theirs))
    assert study.games["ended"].tolist() == [ended]
    assert study.games["mirrored"].tolist() == [True]
    assert study.players["points"].tolist() == [0, 0]
    assert set(study.offers["response"]) <= {"rejected"}


@pytest.mark.parametrize(
    ("tag", "ended"), [("no_agreement", "walkaway"), ("disconnect", "disconnect"), ("disagree", "disagreement")]
)
def test_tagged_ends_without_agreement(tag: str, ended: str, tmp_path: Path) -> None:
    start, rest = TAGGED.split("<output> ")
    line = f"{start}<output> {' '.join([f'<{tag}>'] * 6)} </output>{rest.partition('</output>')[2]}"
    study = load(write(tmp_path, line, name="val.txt"))
    assert study.games["ended"].tolist() == [ended]
    assert study.offers.empty


def test_a_tagged_row_mirrors_a_plain_one(tmp_path: Path) -> None:
    write(tmp_path, THEIRS)
    write(tmp_path, TAGGED, name="a.txt")
    study = load(tmp_path)
    assert study.games["game_id"].tolist() == ["data-1"]
    assert study.games["mirrored"].tolist() == [True]


def test_windows_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_bytes(f"{YOURS}\r\n{THEIRS}\r\n".encode())
    assert len(load(file).games) == 1


# Lines that contradict themselves or each other: the lines, and the rows left out with their reasons.
CONTRADICTIONS: dict[str, tuple[tuple[str, ...], dict[int, str]]] = {
    "claims beyond what is there": (
        (YOURS.replace("item0=0", "item0=2"), THEIRS),
        {1: "a side claims more than there is"},
    ),
    "a reward of other claims": (
        (YOURS.replace("reward=8", "reward=9"), THEIRS),
        {1: "the reward is not that of the selection"},
    ),
    "a reward where nothing was claimed": (
        (without_items(YOURS, "no agreement").replace("reward=no agreement", "reward=4"),),
        {1: "the reward is not that of the selection"},
    ),
    "two counts": ((YOURS.replace("agree 1 4 4 1", "agree 1 4 3 1"),), {1: "the two sides count different items"}),
    "agreed claims that do not add up": (
        (YOURS, THEIRS.replace("item0=1", "item0=0").replace("reward=6", "reward=2")),
        dict.fromkeys((1, 2), "the selections are not as agree or disagree says"),
    ),
    "tagged claims that do not add up": (
        (TAGGED.replace("item0=1 item1=0", "item0=0 item1=0"),),
        {1: "the agreed claims do not add up"},
    ),
    "only one side agrees": (
        (YOURS, THEIRS.replace("agree", "disagree")),
        dict.fromkeys((1, 2), "one perspective agrees, the other does not"),
    ),
    "claims that add up called a disagreement": (
        (YOURS.replace("agree", "disagree"), THEIRS.replace("agree", "disagree")),
        dict.fromkeys((1, 2), "the selections are not as agree or disagree says"),
    ),
    "a row twice": ((YOURS, THEIRS, YOURS), {3: "repeats an earlier row"}),
    "a row again with another end": (
        (YOURS, without_items(YOURS, "no agreement")),
        {2: "contradicts an earlier row of the same perspective"},
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_contradicts_itself_is_left_out_and_counted(name: str, tmp_path: Path) -> None:
    lines, reasons = CONTRADICTIONS[name]
    study = load(write(tmp_path, *lines))
    assert {row.row: row.reason for row in study.provenance.left_out} == reasons
    assert study.provenance.rows_read == len(lines)
    n_kept = len(lines) - len(reasons)
    assert 2 * study.games["mirrored"].sum() + (~study.games["mirrored"]).sum() == n_kept


def cut(line: str, before: str) -> str:
    return line[: line.index(before)]


# Damaged lines, and the error after the file's name.
DAMAGED = {
    "cut in the dialogue": (cut(YOURS, "hats"), "column 'dialogue': "),
    "cut in the selection": (cut(YOURS, "item1"), "column 'selection': 'item0=0 '"),
    "cut before the end": (YOURS.removesuffix(" 1 1 2"), "column \"the other's counts and values\": '1 4 4'"),
    "no reward": (YOURS.replace("reward=8 ", ""), "column 'reward': 'agree 1 4"),
    "no verdict": (YOURS.replace("agree ", ""), "column 'agree or disagree': '1 4"),
    "text for a count": (YOURS.replace("1 0 4", "one 0 4"), "column 'own counts and values': 'one 0 4"),
    "text for a claim": (YOURS.replace("item1=4", "item1=all"), "column 'selection': 'item0=0 item1=all"),
    "a negative count": (YOURS.replace("1 0 4", "1 0 -4"), "column 'own counts and values': "),
    "an unknown item": (YOURS.replace("item2", "item3"), "column 'selection': "),
    "an unknown speaker": (YOURS.replace("THEM: deal", "HIM: deal"), "column 'dialogue': 'HIM: deal' is not a turn"),
    "more at the end": (YOURS + " 7", "column 'end of the line': ' 7'"),
    "a tagged line": (TAGGED, "column 'own counts and values': '<input>"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_line_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    line, message = DAMAGED[name]
    file = write(tmp_path, YOURS, THEIRS, line)
    with pytest.raises(LogError) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(f"{file}, row 3, {message}")
    assert "\n" not in str(caught.value)


def test_a_damaged_tagged_line_is_refused_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, TAGGED, TAGGED.replace("item2=1 </output>", "item2=1"), name="val.txt")
    with pytest.raises(LogError, match=r"val\.txt, row 2, column 'output': '<output> item0=0"):
        load(tmp_path)


def test_a_file_cut_in_half_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, YOURS, THEIRS, YOURS)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(LogError, match=r"data\.txt, row 2, column .*is the file cut\?"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"nothing\n", b"1 2 3\n", b"\xff\xfe"], ids=repr)
def test_a_damaged_start_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    write(tmp_path, YOURS)
    (tmp_path / "val.txt").write_bytes(content)
    with pytest.raises(LogError, match=r"val\.txt, row 1: does not start like a line of DealOrNoDeal"):
        load(tmp_path)


def test_text_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, YOURS, THEIRS)
    file.write_bytes(file.read_bytes().replace(b"YOU: deal", b"YOU: d\xe9al"))
    with pytest.raises(LogError, match="row 2: is not UTF-8 text"):
        load(tmp_path)


def test_a_line_of_endless_turns_is_refused_in_time(tmp_path: Path) -> None:
    file = write(tmp_path, YOURS, "1 0 4 2 1 2 " + "YOU: a <eos> THEM: b <eos> " * 20_000)
    with pytest.raises(LogError, match="row 2, column 'dialogue'"):
        load(file)


def test_other_text_in_the_folder_is_left_out_and_counted(tmp_path: Path) -> None:
    write(tmp_path, YOURS)
    write(tmp_path, "read me", name="notes.txt")
    left_out = load(tmp_path).provenance.left_out
    assert [(row.path, row.row, row.reason) for row in left_out] == [("notes.txt", 0, "is not a file of DealOrNoDeal")]


def test_a_folder_with_contexts_only_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "1 0 1 1 3 3", "1 1 1 0 3 3", name="selfplay.txt")
    with pytest.raises(LogError, match="holds contexts"):
        load(tmp_path)


@pytest.mark.parametrize("content", ["", "a b c\n", "1 2 3\n4 5 6\n", "[]", "1 2 3 4 5 6 YOU say\n"])
def test_other_files_are_not_taken_for_dealornodeal(content: str, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(content, encoding="utf-8")
    assert not FORMAT.matches(tmp_path)
    assert not FORMAT.matches(tmp_path / "log.txt")
    assert not FORMAT.matches(tmp_path / "nothing here")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    line=st.sampled_from([YOURS, TAGGED, without_items(YOURS, "no agreement")]),
    word=st.integers(0, 60),
    other=st.sampled_from(
        ["", "x", "0", "-1", "99", "99999999999", "YOU:", "<eos>", "<selection>", "item0=9", "agree"]
    ),
)
def test_whatever_is_changed_is_read_left_out_or_refused_by_name(
    tmp_path: Path, line: str, word: int, other: str
) -> None:
    """Nothing else is raised, and no row is lost without a count."""
    words = line.split(" ")
    words[word % len(words)] = other
    file = write(tmp_path, line, " ".join(words))
    try:
        study = FORMAT.read(file, untracked)
    except LogError as error:
        assert f"{file}, row 2" in str(error)  # noqa: PT017
    else:
        n_lines = 2 * study.games["mirrored"].sum() + (~study.games["mirrored"]).sum()
        assert n_lines + len(study.provenance.left_out) == 2


@given(order=st.permutations([YOURS, THEIRS, without_items(YOURS, "no agreement").replace("deal", "no")]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_rows_makes_no_difference_but_to_names(tmp_path: Path, order: list[str]) -> None:
    study = load(write(tmp_path, *order))
    assert sorted(study.games["ended"]) == ["agreement", "walkaway"]
    assert sorted(study.players["points"]) == [0, 0, 6, 8]
