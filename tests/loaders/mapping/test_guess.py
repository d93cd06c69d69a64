"""What `negstats map` makes of tables as people keep them: the study comes out right, or a question is asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders.mapping import suggest
from negstats.studies.study import Study

PEOPLE, TRIALS = 12, 6


def decisions(seed: int = 4) -> pd.DataFrame:
    """Return answers of responders to offers out of ten: most of the larger ones are accepted."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        [
            (f"s{person:02d}", trial, ("IL", "US", "DE")[person % 3])
            for person in range(PEOPLE)
            for trial in range(TRIALS)
        ],
        columns=["subject", "trial", "country"],
    )
    frame["offer"] = rng.integers(1, 6, len(frame))
    frame["choice"] = np.where(rng.random(len(frame)) < frame["offer"] / 6, "accept", "reject")
    return frame


def loaded(folder: Path, file: Path, changes: dict[str, str] | None = None) -> tuple[str, Study]:
    text = suggest(file)
    for old, new in (changes or {}).items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "mapping.toml").write_text(text, encoding="utf-8")
    return text, negstats.load(file, mapping=folder / "mapping.toml")


def saved(folder: Path, frame: pd.DataFrame, name: str = "log.csv", **how: object) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(folder / name, index=False, **how)  # type: ignore[call-overload]
    return folder / name


def is_right(study: Study, frame: pd.DataFrame, accepted: object = "accept", **columns: str) -> None:
    """Hold a study of decisions against the table."""
    names = {"subject": "subject", "offer": "offer", "choice": "choice", "country": "country"} | columns
    assert len(study.games) == len(study.offers) == len(frame)
    assert study.players["participant_id"].nunique() == frame[names["subject"]].nunique()
    assert study.offers["units_to_responder"].tolist() == frame[names["offer"]].tolist()
    meant = np.where(frame[names["choice"]] == accepted, "accepted", "rejected")
    assert study.offers["response"].tolist() == meant.tolist()
    if names["country"] in frame:
        assert study.games[names["country"]].tolist() == frame[names["country"]].tolist()


NAMES = {
    "English": ["subject", "trial", "country", "offer", "choice"],
    "British": ["Participant ID", "Round", "Nationality group", "Offer size", "Response"],
    "German": ["Versuchsperson", "Durchgang", "Land", "Angebot", "Entscheidung"],
    "Spanish": ["sujeto", "ronda", "país", "oferta", "decisión"],
    "French": ["sujet", "tour", "pays", "offre", "réponse"],
    "camel": ["subjectID", "roundNumber", "treatmentGroup", "offeredAmount", "responderDecision"],
    "Russian": ["участник", "раунд", "условие", "предложение", "решение"],
    "Italian": ["soggetto", "turno", "condizione", "offerta", "decisione"],
    "Portuguese": ["participante", "rodada", "condição", "oferta", "resposta"],
    "Dutch": ["deelnemer", "ronde", "conditie", "bod", "antwoord"],
    "points": ["subj.id", "trial.nr", "cond", "offer.amount", "accepted"],
}
WORDS = {
    "English": ("accept", "reject"),
    "British": ("Accepted", "Declined"),
    "German": ("angenommen", "abgelehnt"),
    "Spanish": ("sí", "no"),
    "French": ("Accepté", "Refusé"),
    "camel": ("yes", "no"),
    "Russian": ("принято", "отклонено"),
    "Italian": ("accettato", "rifiutato"),
    "Portuguese": ("sim", "não"),
    "Dutch": ("geaccepteerd", "geweigerd"),
    "points": ("TRUE", "FALSE"),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", NAMES)
def test_decisions_need_no_change(language: str, tmp_path: Path) -> None:
    frame = decisions()
    yes, no = WORDS[language]
    frame["choice"] = np.where(frame["choice"] == "accept", yes, no)
    frame.columns = NAMES[language]
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    meant = dict(zip(["subject", "trial", "country", "offer", "choice"], frame.columns, strict=True))
    country = "" if language == "British" else meant["country"]
    is_right(study, frame, yes, **(meant | {"country": country}))


@pytest.mark.slow
def test_decisions_coded_by_numbers_are_asked_about(tmp_path: Path) -> None:
    frame = decisions()
    frame["choice"] = (frame["choice"] == "accept").astype(int)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert 'subject = "offer"' in text
    assert "offer is offered to the person: choice = 1 accepts" in text
    is_right(study, frame, 1)
    frame["choice"] = 1 - frame["choice"]  # the other way round
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    is_right(study, frame, 0)


def test_names_that_repeat_in_some_rows_make_each_row_a_game(tmp_path: Path) -> None:
    frame = pd.concat([decisions(), decisions().head(2)], ignore_index=True)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "game_id = { row = true }" in text
    is_right(study, frame)


@pytest.mark.slow
def test_a_block_names_a_row_too(tmp_path: Path) -> None:
    frame = pd.concat([decisions().assign(block=1), decisions(5).assign(block=2)], ignore_index=True)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "game_id = { row = true }" in text
    is_right(study, frame)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["session", "group", "game"])
def test_what_many_decisions_share_is_no_game(column: str, tmp_path: Path) -> None:
    frame = decisions()
    frame[column] = frame["subject"].str[1:].astype(int) // 4 + 1
    is_right(loaded(tmp_path, saved(tmp_path, frame))[1], frame)


def test_nobody_is_named(tmp_path: Path) -> None:
    frame = decisions().drop(columns=["subject", "trial"])
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "game_id = { row = true }" in text
    assert len(study.games) == len(frame)
    assert study.offers["units_to_responder"].tolist() == frame["offer"].tolist()
    assert (study.offers["response"] == "accepted").sum() == (frame["choice"] == "accept").sum()


def test_both_seats_in_a_row(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    price = rng.integers(100, 200, 20)
    frame = pd.DataFrame(
        {
            "dyad": range(20),
            "treatment": ["chat", "email"] * 10,
            "buyer_id": [f"b{n}" for n in range(20)],
            "seller_id": [f"s{n}" for n in range(20)],
            "deal": ["yes"] * 17 + ["no"] * 3,
            "price": price,
            "buyer_points": 200 - price,
            "points_seller": price - 100,
            "buyer_age": rng.integers(18, 40, 20),
            "seller_age": rng.integers(18, 40, 20),
        }
    )
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.players.loc[study.players["player"] == "buyer", "points"].tolist() == frame["buyer_points"].tolist()
    assert study.players.loc[study.players["player"] == "seller", "points"].tolist() == frame["points_seller"].tolist()
    assert study.players["participant_id"].nunique() == 40
    assert study.games["ended"].value_counts().to_dict() == {"agreement": 17, "disagreement": 3}
    assert study.games["price"].tolist() == price.tolist()
    assert set(study.answers["question"]) == {"age"}


@pytest.mark.slow
@pytest.mark.parametrize(("own", "other"), [("h", "a"), ("human", "agent"), ("user", "bot")])
def test_a_person_and_an_agent_in_a_row(own: str, other: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    goods = {issue: rng.integers(0, 6, 30) for issue in ("gold", "iron", "spice")}
    frame = pd.DataFrame({"participant": [f"p{n}" for n in range(30)], "emotion": ["happy", "angry"] * 15})
    for issue, quantity in goods.items():
        frame[f"{issue}_{own}"], frame[f"{issue}_{other}"] = quantity, 5 - quantity
        frame[f"value_{issue}_{own}"], frame[f"value_{issue}_{other}"] = 2, 3
    frame["satisfaction"] = rng.integers(1, 8, 30)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.items) == 30 * 3 * 2
    assert len(study.values) == 30 * 3 * 2
    assert study.players["kind"].tolist() == ["human", "agent"] * 30
    whole = np.sum(list(goods.values()), axis=0)
    assert study.players.loc[study.players["kind"] == "human", "points"].tolist() == (2 * whole).tolist()
    assert study.answers["answer"].tolist() == frame["satisfaction"].astype(str).tolist()


@pytest.mark.slow
def test_ids_are_no_quantities(tmp_path: Path) -> None:
    frame = decisions().assign(offer_id=range(72), accepted_offer=decisions()["offer"], session_code=4711)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    is_right(study, frame)
    assert "offer_id =" not in text
    assert "session_code =" not in text


@pytest.mark.slow
def test_prices_in_turn_are_the_sellers(tmp_path: Path) -> None:
    rows = [
        (game, turn, ("buyer", "seller")[turn % 2], 100 + 10 * turn, "rejected" if turn < 3 else "accepted")
        for game in range(5)
        for turn in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["negotiation", "round", "proposer", "price", "response"])
    study = loaded(tmp_path, saved(tmp_path, frame))[1]
    buyers = study.offers[study.offers["proposer"] == "buyer"]
    assert buyers["units_to_responder"].tolist() == [100.0, 120.0] * 5
    assert study.offers["units_to_proposer"].dropna().tolist() == [110.0, 130.0] * 5


@pytest.mark.slow
def test_folders_are_factors(tmp_path: Path) -> None:
    frames = []
    for place, (condition, block) in enumerate((one, two) for one in ("control", "punish") for two in ("a", "b", "c")):
        frame = decisions(place).drop(columns="country").head(12)
        frame["subject"] = f"{condition}{block}" + frame["subject"]
        saved(tmp_path / "logs", frame, f"{condition}/{block}.csv")
        frames.append(frame.assign(country=condition))
    whole = pd.concat(frames, ignore_index=True)
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert "folder = { folder = 1 }" in text
    is_right(study, whole.rename(columns={"country": "folder"}), country="folder")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    file = saved(tmp_path, decisions())
    mapping = 'row = "offer"\ngames.game_id = { row = true }\nfactors.folder = { folder = 1 }\n'
    (tmp_path / "mapping.toml").write_text(mapping)
    with pytest.raises(LogError, match=r"is in the log's folder itself \(the mapping's factors.folder\)"):
        negstats.load(file, mapping=tmp_path / "mapping.toml")
    (tmp_path / "mapping.toml").write_text(mapping.replace("folder = 1", "folder = 0"))
    with pytest.raises(LogError, match="names no place in the log"):
        negstats.load(file, mapping=tmp_path / "mapping.toml")


@pytest.mark.slow
@pytest.mark.parametrize("person", ["sub_name", "subj_key", "ppn_label"])
def test_a_subjects_name_is_the_person(person: str, tmp_path: Path) -> None:
    frame = decisions().rename(columns={"subject": person})
    frame["social"] = (frame["trial"] % 2).astype(int)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    is_right(study, frame, subject=person)
    assert 'social = "social"' in text.partition("[factors]")[2].partition("[measures]")[0]


def regrouped(seed: int = 9) -> pd.DataFrame:
    """Return events of two sessions, in which six people meet in other groups in each of three rounds."""
    rng = np.random.default_rng(seed)
    rows, time = [], 0
    for session in ("s1", "s2"):
        for round_number in (1, 2, 3):
            people = rng.permutation(6)
            for group in (1, 2, 3):
                pair = people[2 * group - 2 : 2 * group]
                for at, event in enumerate(("proposal", "proposal", "acceptance")):
                    time += 7
                    who = f"{session}p{pair[at % 2]}"
                    rows.append((time, event, session, who, round_number, at % 2 + 1, group, 40 + 5 * at))
    names = ["timestamp", "event_type", "session_code", "participant_code", "round_number", "id_in_group", "group_id"]
    return pd.DataFrame(rows, columns=[*names, "amount_offered"])


@pytest.mark.slow
def test_groups_are_others_in_each_round_of_a_log_of_events(tmp_path: Path) -> None:
    frame = regrouped().assign(player_id=lambda table: table["participant_code"] + "r")
    text, study = loaded(tmp_path, saved(tmp_path, frame.drop(columns="id_in_group")))
    assert 'game_id = ["group_id", "round_number", "session_code"]' in text
    assert len(study.games) == 18
    assert (study.players.groupby("game_id").size() == 2).all()


def test_turns_of_one_group_stay_one_game(tmp_path: Path) -> None:
    rows = [("s", 1 + pair, 1 + turn, f"p{2 * pair + turn % 2}") for pair in range(6) for turn in range(5)]
    frame = pd.DataFrame(rows, columns=["session_code", "group_id", "round_number", "player_id"])
    frame["event_type"] = np.where(frame["round_number"] == 5, "acceptance", "proposal")
    frame["amount_offered"] = 30 + frame["round_number"]
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.games) == 6


def test_the_round_that_names_a_row_is_found_beside_one_that_does_not(tmp_path: Path) -> None:
    rows = [(f"c{person}", f"s{person}", 24, 1, 1, trial) for person in range(6) for trial in range(1, 25)]
    names = ["participant.code", "session.code", "participant._round_number", "player.id_in_group"]
    frame = pd.DataFrame(rows, columns=[*names, "group.id_in_subsession", "subsession.round_number"])
    rng = np.random.default_rng(1)
    frame["group.amount_offered"] = rng.integers(0, 11, len(frame))
    frame["group.offer_accepted"] = np.where(
        frame["group.amount_offered"] > rng.integers(0, 9, len(frame)), "yes", "no"
    )
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.games) == len(frame), text


@pytest.mark.parametrize("names", ["named", "unnamed"])
def test_what_two_seats_divide_is_what_they_got(names: str, tmp_path: Path) -> None:
    """A pie that is divided in most games, and lost in the others, whatever its columns are called."""
    rng = np.random.default_rng(12)
    stem = {"named": "final", "unnamed": "k3"}[names]
    frame = pd.DataFrame({"dyad": range(1, 51), "power": rng.permutation(["equal", "unequal"] * 25)})
    for stage in (1, 2):
        frame[f"claim{stage}_P1"], frame[f"claim{stage}_P2"] = rng.integers(30, 70, (2, 50))
    has_deal = rng.random(50) < 0.85
    frame[f"{stem}_P1"] = np.where(has_deal, rng.integers(20, 80, 50), 0)
    frame[f"{stem}_P2"] = np.where(has_deal, 100 - frame[f"{stem}_P1"], 0)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert f'points = "{stem}_P1"' in text
    assert study.players["points"].sum() == 100 * has_deal.sum()
