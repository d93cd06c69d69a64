"""CaSiNo: the figures of the real dialogues, each trap of theirs, and what damaged dialogues give."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from negstats.errors import LogError
from negstats.loaders.casino import FORMAT
from negstats.loaders.format import untracked
from negstats.studies.study import Study
from tests.conftest import DataFolder

ONE, TWO = "mturk_agent_1", "mturk_agent_2"

# Coded 1 to 5.
SATISFACTION = (
    *("Extremely dissatisfied", "Slightly dissatisfied", "Undecided"),
    *("Slightly satisfied", "Extremely satisfied"),
)
LIKENESS = ("Extremely dislike", "Slightly dislike", "Undecided", "Slightly like", "Extremely like")


def load(path: Path) -> Study:
    assert FORMAT.matches(path)
    return FORMAT.read(path, untracked)


@pytest.fixture(scope="module")
def real(real_data: DataFolder) -> Study:
    return load(real_data("casino"))


@pytest.fixture(scope="module")
def raw(real_data: DataFolder) -> list[dict[str, Any]]:
    files = sorted(real_data("casino").glob("*.json"))
    return [dialogue for file in files for dialogue in json.loads(file.read_text(encoding="utf-8"))]


def scale(study: Study, question: str, levels: Sequence[str]) -> pd.Series:
    """The answers to a question as 1, 2, ... in the order of the players."""
    answers = study.answers.loc[study.answers["question"] == question].set_index("participant_id")["answer"]
    frame = answers.loc[study.players["participant_id"]].reset_index(drop=True)
    return frame.map({level: place for place, level in enumerate(levels, start=1)}).astype(float)


class TestRealDialogues:
    def test_points(self, real: Study) -> None:
        points = real.players["points"]
        assert points.mean() == pytest.approx(18.64, abs=0.005)
        assert points.std() == pytest.approx(3.54, abs=0.005)
        assert (points.min(), points.max()) == (5, 32)
        assert real.players.groupby("game_id")["points"].sum().mean() == pytest.approx(37.27, abs=0.005)
        agreed = real.games.loc[real.games["ended"] == "agreement", "game_id"]
        assert points[real.players["game_id"].isin(agreed)].mean() == pytest.approx(18.98, abs=0.005)

    def test_correlations(self, real: Study) -> None:
        points = real.players["points"]
        satisfaction = scale(real, "satisfaction", SATISFACTION)
        likeness = scale(real, "opponent_likeness", LIKENESS)
        opponent = pd.Series(points.to_numpy().reshape(-1, 2)[:, ::-1].ravel())
        assert points.corr(satisfaction) == pytest.approx(0.376, abs=0.0005)
        assert points.corr(likeness) == pytest.approx(0.276, abs=0.0005)
        assert satisfaction.corr(likeness) == pytest.approx(0.702, abs=0.0005)
        assert points.corr(opponent) == pytest.approx(-0.092, abs=0.0005)

    @pytest.mark.slow
    def test_all_scores_follow_from_the_deals(self, real: Study) -> None:
        worth = real.items.merge(
            real.tables["values"].rename(columns={"player": "receiver"}),
            on=["game_id", "receiver", "item"],
            validate="m:1",
        )
        worth["points"] = worth["quantity"] * worth["value"]
        accepted = real.offers.loc[real.offers["response"] == "accepted", ["game_id", "offer"]]
        assert len(accepted) == accepted["game_id"].nunique() == 1005
        scores = worth.merge(accepted, on=["game_id", "offer"]).groupby(["game_id", "receiver"])["points"].sum()
        walked = real.games.loc[real.games["ended"] == "walkaway", "game_id"]
        for game, player, points in real.players[["game_id", "player", "points"]].itertuples(index=False):
            assert points == (5 if game in set(walked) else scores[game, player])

    def test_the_offers_values_are_those_of_their_items(self, real: Study) -> None:
        values = real.tables["values"].rename(columns={"player": "receiver"})
        items = real.items.merge(values, on=["game_id", "receiver", "item"])
        items["worth"] = items["quantity"] * items["value"]
        sums = items.groupby(["game_id", "offer", "receiver"])[["quantity", "worth"]].sum()
        for seat in ("proposer", "responder"):
            keys = pd.MultiIndex.from_frame(real.offers[["game_id", "offer", seat]].rename(columns={seat: "receiver"}))
            assert (sums.loc[keys, "quantity"].to_numpy() == real.offers[f"units_to_{seat}"].to_numpy()).all()
            assert (sums.loc[keys, "worth"].to_numpy() == real.offers[f"value_{seat}"].to_numpy()).all()

    @pytest.mark.slow
    def test_everything_that_was_said_is_there(self, real: Study, raw: list[dict[str, Any]]) -> None:
        """Also where one speaker has two turns in a row, and where the text is not ASCII."""
        rows = [
            (f"casino-{dialogue['dialogue_id']}", place, message["id"], message["text"])
            for dialogue in raw
            for place, message in enumerate(dialogue["chat_logs"], start=1)
        ]
        actions = {"submit-deal": "Submit-Deal", "accept-deal": "Accept-Deal"}
        actions |= {"reject-deal": "Reject-Deal", "walk-away": "Walk-Away"}
        text = real.messages["text"].fillna(real.messages["act"].map(actions))
        result = zip(real.messages["game_id"], real.messages["message"], real.messages["sender"], text, strict=True)
        assert list(result) == rows
        sender = real.messages.groupby("game_id", sort=False)["sender"]
        assert real.messages.loc[real.messages["sender"] == sender.shift(), "game_id"].nunique() == 90
        assert not text.map(str.isascii).all()

    @pytest.mark.slow
    def test_answers_are_as_they_were_given(self, real: Study, raw: list[dict[str, Any]]) -> None:
        asked = real.answers.set_index(["participant_id", "question"])["answer"]
        for dialogue in raw:
            for seat, person in dialogue["participant_info"].items():
                person_answers = person["demographics"] | person["personality"]["big-five"]
                person_answers |= {name: person["outcomes"][name] for name in ("satisfaction", "opponent_likeness")}
                person_answers |= {f"reason_{level.lower()}": words for level, words in person["value2reason"].items()}
                person_answers |= {"svo": person["personality"]["svo"]}
                answers = asked[f"casino-{dialogue['dialogue_id']}-{seat}"]
                assert answers.to_dict() == {question: str(answer) for question, answer in person_answers.items()}

    def test_sources(self, real: Study, real_data: DataFolder) -> None:
        assert [(source.path, source.rows) for source in real.provenance.sources] == [
            ("casino_test.json", 100),
            ("casino_train.json", 900),
            ("casino_valid.json", 30),
        ]
        for source in real.provenance.sources:
            content = (real_data("casino") / source.path).read_bytes()
            assert source.sha256 == hashlib.sha256(content).hexdigest()

    def test_one_file_has_no_split_and_the_same_games(self, real: Study, real_data: DataFolder) -> None:
        alone = load(real_data("casino") / "casino_valid.json")
        assert alone.factors == []
        ids = real.games.loc[real.games["split"] == "valid", "game_id"]
        assert alone.games["game_id"].tolist() == ids.tolist()

    @pytest.mark.nightly
    def test_reasons_are_dropped_when_people_are_hidden(self, real: Study) -> None:
        hidden = real.deidentify("a long secret")
        assert not hidden.answers["question"].str.startswith("reason").any()
        assert not hidden.players["participant_id"].str.contains("casino").any()


def person(
    priorities: Sequence[str] = ("Food", "Water", "Firewood"), points: float = 0, age: int = 30
) -> dict[str, Any]:
    levels = ("High", "Medium", "Low")
    traits = ("extraversion", "agreeableness", "conscientiousness", "emotional-stability", "openness-to-experiences")
    return {
        "value2issue": dict(zip(levels, priorities, strict=True)),
        "value2reason": {level: f"because of {level}" for level in levels},
        "outcomes": {
            "points_scored": points,
            "satisfaction": "Slightly satisfied",
            "opponent_likeness": "Slightly like",
        },
        "demographics": {"age": age, "gender": "female", "ethnicity": "asian american", "education": "trade school"},
        "personality": {"svo": "proself", "big-five": dict.fromkeys(traits, 4.5)},
    }


def talk(seat: str, text: str) -> dict[str, Any]:
    return {"text": text, "task_data": {}, "id": seat}


def submit(seat: str, *units: int) -> dict[str, Any]:
    """An offer that leaves the proposer `units` of food, firewood and water, and the rest to the other."""
    mine = dict(zip(("Food", "Firewood", "Water"), map(str, units), strict=True))
    theirs = {issue: str(3 - int(number)) for issue, number in reversed(mine.items())}
    return {"text": "Submit-Deal", "task_data": {"issue2youget": mine, "issue2theyget": theirs}, "id": seat}


def act(seat: str, action: str) -> dict[str, Any]:
    return {"text": action, "task_data": {"data": action.lower().replace("-", "_")}, "id": seat}


def dialogue(identity: int = 1) -> dict[str, Any]:
    """One gets 3 food, 1 firewood (15 + 3 points), two 2 firewood and 3 water (2 x 5 + 3 x 3)."""
    return {
        "dialogue_id": identity,
        "chat_logs": [
            talk(ONE, "Grüezi 🙂"),
            talk(TWO, "hello"),
            submit(ONE, 3, 3, 0),
            act(TWO, "Reject-Deal"),
            submit(TWO, 0, 2, 3),
            act(ONE, "Accept-Deal"),
        ],
        "participant_info": {
            TWO: person(("Firewood", "Food", "Water"), 19),
            ONE: person(points=18),
        },
        "annotations": [["Grüezi 🙂", "small-talk"], ["hello", ""]],
    }


def write(folder: Path, *dialogues: object, name: str = "casino_train.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(dialogues), encoding="utf-8")
    return file


def changed(change: Callable[[dict[str, Any]], object], identity: int = 1) -> dict[str, Any]:
    talk = dialogue(identity)
    change(talk)
    return talk


def column(frame: pd.DataFrame, where: str, value: str, key: str, name: str) -> dict[str, float]:
    """A column as a dict by another one, of the rows that have `value` in `where`."""
    rows = frame.loc[frame[where] == value]
    return dict(zip(rows[key], rows[name], strict=True))


class TestEnds:
    def game(self, tmp_path: Path, points: float, *actions: dict[str, Any]) -> Study:
        conversation = dialogue()
        conversation["chat_logs"] = [talk(ONE, "hello"), *actions]
        conversation["annotations"] = []
        for seat in (ONE, TWO):
            conversation["participant_info"][seat]["outcomes"]["points_scored"] = points
        return load(write(tmp_path, conversation))

    def test_walking_away_from_an_offer_does_not_answer_it(self, tmp_path: Path) -> None:
        study = self.game(tmp_path, 5, submit(ONE, 3, 3, 3), act(TWO, "Walk-Away"))
        assert study.games["ended"].tolist() == ["walkaway"]
        assert study.offers["response"].tolist() == ["none"]
        assert study.players["points"].tolist() == [5, 5]

    def test_an_offer_before_an_answer_supersedes(self, tmp_path: Path) -> None:
        study = self.game(tmp_path, 5, submit(ONE, 3, 3, 3), submit(TWO, 3, 3, 3), act(TWO, "Walk-Away"))
        assert study.offers["response"].tolist() == ["superseded", "none"]

    def test_a_dialogue_that_breaks_off_is_unknown_and_noted(self, tmp_path: Path) -> None:
        study = self.game(tmp_path, 0, submit(ONE, 3, 3, 3), act(TWO, "Reject-Deal"))
        assert study.games["ended"].tolist() == ["unknown"]
        assert "1 dialogues end without deal or walk-away; their points cannot be checked" in study.provenance.notes

    def test_a_dialogue_without_messages(self, tmp_path: Path) -> None:
        study = load(write(tmp_path, changed(lambda made: made.update(chat_logs=[], annotations=[]))))
        assert study.games["ended"].tolist() == ["unknown"]
        assert study.messages.empty


# Each contradiction: what is changed in the sound dialogue, and the reason that is given for leaving it out.
CONTRADICTIONS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "quantities that do not add up": (
        lambda made: made["chat_logs"][4]["task_data"]["issue2theyget"].update(Food="2"),
        "an offer does not divide 3 of each issue",
    ),
    "an offer without quantities": (
        lambda made: made["chat_logs"][2].update(task_data={}),
        "an offer does not divide 3 of each issue",
    ),
    "an accept without a submit": (
        lambda made: made["chat_logs"].__delitem__(slice(2, 5)),
        "an answer to no offer of the other",
    ),
    "an answer to one's own offer": (
        lambda made: made["chat_logs"][5].update(id=TWO),
        "an answer to no offer of the other",
    ),
    "an offer after the deal": (
        lambda made: made["chat_logs"].append(submit(ONE, 3, 3, 3)),
        "a deal action follows the end",
    ),
    "an accept after walking away": (
        lambda made: made["chat_logs"].insert(5, act(ONE, "Walk-Away")),
        "an answer to no offer of the other",
    ),
    "points of another deal": (
        lambda made: made["participant_info"][TWO]["outcomes"].update(points_scored=20),
        "the points do not follow from the deal",
    ),
    "two priorities of one issue": (
        lambda made: made["participant_info"][ONE]["value2issue"].update(Low="Food"),
        "an issue has two priorities",
    ),
    "an annotation of nothing": (
        lambda made: made["annotations"].append(["never said", "small-talk"]),
        "an annotation belongs to none of the utterances",
    ),
    "annotations in another order": (
        lambda made: made["annotations"].reverse(),
        "an annotation belongs to none of the utterances",
    ),
}


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_dialogue_that_contradicts_itself_is_left_out_and_counted(name: str, tmp_path: Path) -> None:
    change, reason = CONTRADICTIONS[name]
    study = load(write(tmp_path, dialogue(1), changed(change, 2), dialogue(3)))
    assert study.games["game_id"].tolist() == ["casino-1", "casino-3"]
    assert [(row.path, row.row, row.reason) for row in study.provenance.left_out] == [("casino_train.json", 2, reason)]
    assert study.provenance.rows_read == 3
    assert_frame_equal(study.offers, load(write(tmp_path, dialogue(1), dialogue(3))).offers)


def test_if_all_contradict_themselves_the_tables_are_empty(tmp_path: Path) -> None:
    change, _ = CONTRADICTIONS["points of another deal"]
    study = load(write(tmp_path, changed(change)))
    assert all(frame.empty for frame in study.tables.values())
    assert len(study.provenance.left_out) == 1


# Each damage to the second dialogue's JSON: a key path, the new value (or GONE), and the error after the file's name.
GONE = object()
DAMAGED: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "no chat": (("chat_logs",), GONE, "row 2, column 'chat_logs': .*missing required field"),
    "no points": (
        ("participant_info", TWO, "outcomes", "points_scored"),
        GONE,
        f"row 2, column 'participant_info.{TWO}.outcomes.points_scored': .*missing required field",
    ),
    "text for a number": (
        ("participant_info", ONE, "outcomes", "points_scored"),
        "many",
        f"row 2, column 'participant_info.{ONE}.outcomes.points_scored': 'many' does not fit: Expected `float`",
    ),
    "an age in words": (
        ("participant_info", ONE, "demographics", "age"),
        "thirty",
        f"row 2, column 'participant_info.{ONE}.demographics.age': 'thirty' does not fit: Expected `int`",
    ),
    "a quantity in words": (
        ("chat_logs", 2, "task_data", "issue2youget", "Food"),
        "two",
        r"row 2, column 'chat_logs\[2\].task_data.issue2youget.Food': 'two' does not fit",
    ),
    "more than there is": (
        ("chat_logs", 2, "task_data", "issue2youget", "Food"),
        "4",
        r"row 2, column 'chat_logs\[2\].task_data.issue2youget.Food': '4' does not fit",
    ),
    "an unknown issue in an offer": (
        ("chat_logs", 2, "task_data", "issue2youget", "Beer"),
        "3",
        r"row 2, column 'chat_logs\[2\].task_data.issue2youget.Beer': .*unknown field",
    ),
    "an unknown issue among the priorities": (
        ("participant_info", ONE, "value2issue", "High"),
        "Beer",
        f"row 2, column 'participant_info.{ONE}.value2issue.High': 'Beer' does not fit",
    ),
    "an unknown speaker": (("chat_logs", 0, "id"), "bot", r"row 2, column 'chat_logs\[0\].id': 'bot' does not fit"),
    "a third seat": (("participant_info", "bot"), {}, "row 2, column 'participant_info.bot': .*unknown field"),
    "null for text": (("chat_logs", 0, "text"), None, r"row 2, column 'chat_logs\[0\].text': None does not fit"),
    "a label that is a list": (
        ("annotations", 0, 1),
        ["small-talk"],
        r"row 2, column 'annotations\[0\]\[1\]': \['small-talk'\] does not fit",
    ),
    "an id that is text": (("dialogue_id",), "2", "row 2, column 'dialogue_id': '2' does not fit: Expected `int`"),
    "the same id again": (
        ("dialogue_id",),
        1,
        "row 2, column 'dialogue_id': 1 is casino_train.json, row 1, too; remove one",
    ),
}


def put(value: Any, path: Sequence[str | int], new: object) -> None:
    for key in path[:-1]:
        value = value[key]
    if new is GONE:
        del value[path[-1]]
    else:
        value[path[-1]] = new


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_dialogue_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    path, value, message = DAMAGED[name]
    file = write(tmp_path, dialogue(1), changed(lambda made: put(made, path, value), 2))
    with pytest.raises(LogError, match=f"^{re.escape(str(file))}, {message}") as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_file_cut_in_half_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, *map(dialogue, range(9)))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(LogError, match=r"casino_train\.json, row 1: is not JSON: .*is the file cut\?"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[[]]", b"null", b"\xff\xfe", b"[" * 100_000], ids=repr)
def test_a_file_that_holds_something_else_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    write(tmp_path, dialogue())
    (tmp_path / "casino_valid.json").write_bytes(content)
    with pytest.raises(LogError, match=r"casino_valid\.json.*: ") as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_dialogue_in_two_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path, dialogue(1))
    write(tmp_path, dialogue(2), dialogue(1), name="casino_valid.json")
    with pytest.raises(
        LogError, match=r"casino_valid\.json, row 2, column 'dialogue_id': 1 is casino_train\.json, row 1"
    ):
        load(tmp_path)


def test_other_json_in_the_folder_is_left_out_and_counted(tmp_path: Path) -> None:
    write(tmp_path, dialogue())
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    left_out = load(tmp_path).provenance.left_out
    assert [(row.path, row.row, row.reason) for row in left_out] == [
        ("package.json", 0, "is not a list of CaSiNo dialogues")
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", '[{"dialogue": 1}]', "a,b\n1,2\n"])
def test_other_files_are_not_taken_for_casino(content: str, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(content, encoding="utf-8")
    assert not FORMAT.matches(file)
    assert not FORMAT.matches(tmp_path)
    assert not FORMAT.matches(tmp_path / "nothing here")


def leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of everything inside `value`."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in inside for place in [(*path, key), *leaves(inner, (*path, key))]]


PATHS = leaves(dialogue())
OTHER = [GONE, None, True, -1, 10**30, 1.5, "", "x", "3", "Submit-Deal", [], ["x"], {}, {"x": 1}]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.sampled_from(PATHS), value=st.sampled_from(OTHER))
def test_whatever_is_changed_is_read_left_out_or_refused_by_name(
    tmp_path: Path, path: tuple[str | int, ...], value: object
) -> None:
    """Nothing else is raised, no game is lost without a count, and the sound dialogue stays as it is."""
    file = write(tmp_path, dialogue(1), changed(lambda made: put(made, path, value), 2))
    try:
        study = load(file)
    except LogError as error:
        assert str(file) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert len(study.games) + len(study.provenance.left_out) == 2
        assert study.games["game_id"].tolist()[0] == "casino-1"


@pytest.mark.slow
def test_order_of_keys_makes_no_difference(tmp_path: Path) -> None:
    def shuffled(value: Any, rng: random.Random) -> Any:
        if isinstance(value, dict):
            keys = rng.sample(list(value), len(value))
            return {key: shuffled(value[key], rng) for key in keys}
        return [shuffled(inner, rng) for inner in value] if isinstance(value, list) else value

    study = load(write(tmp_path, dialogue()))
    for seed in range(5):
        again = load(write(tmp_path, shuffled(dialogue(), random.Random(seed))))  # noqa: S311
        for name, frame in study.tables.items():
            assert_frame_equal(again.tables[name], frame)


def test_a_key_that_stands_twice_is_refused(real_data: DataFolder, tmp_path: Path) -> None:
    text = (real_data("casino") / "casino_valid.json").read_text()
    assert text.count('"points_scored": ')
    file = tmp_path / "casino_valid.json"
    file.write_text(text.replace('"points_scored": ', '"points_scored": 5, "points_scored": ', 1))
    with pytest.raises(LogError, match="an object has the key 'points_scored' twice"):
        FORMAT.read(file, untracked)


@pytest.mark.parametrize("annotations", [[], [[":)", "small-talk"]]])
@pytest.mark.parametrize("face", [":)", "\\u003a)"])
def test_a_face_is_no_key_and_hides_none(face: str, annotations: list[list[str]], tmp_path: Path) -> None:
    """An utterance that begins with a colon, annotated or not, looks like the end of a key in the file."""
    game = dialogue()
    game["chat_logs"][0]["text"], game["annotations"] = ":)", annotations
    text = json.dumps([game]).replace('":)"', f'"{face}"')
    (tmp_path / "casino_train.json").write_text(text)
    assert load(tmp_path).messages["text"].iloc[0] == ":)"
    twice = text.replace('"points_scored": ', '"points_scored": 5, "points_scored": ', 1)
    (tmp_path / "casino_train.json").write_text(twice)
    with pytest.raises(LogError, match="an object has the key 'points_scored' twice"):
        load(tmp_path)
