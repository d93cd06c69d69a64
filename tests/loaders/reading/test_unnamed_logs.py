"""Logs that lack a name: of games, of those who act, or of one side alone; what is lost is asked about."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import draft_of, suggest
from negstats.loaders.mapping.forms import Asked

N_GAMES = 24
Rows = list[dict[str, Any]]


def played(*, is_whole: bool = True) -> Rows:
    """Offers of a person and a program in turn, numbered anew in each game; else some turns are lost."""
    rng = np.random.default_rng(11)
    rows: Rows = []
    for game in range(N_GAMES):
        n_turns = 2 + game % 4
        for turn in range(n_turns):
            if not is_whole and turn and rng.random() < 0.04:
                continue
            is_human = turn % 2 == 0
            rows.append(
                {
                    "game": game + 1, "turn": turn + 1, "player": "human" if is_human else "agent",
                    "participant": f"s{100 + game // 4}" if is_human else "", "offer": int(rng.integers(1, 60)),
                    "accepted": int(turn == n_turns - 1), "treatment": ("private", "public")[game % 2],
                }
            )  # fmt: skip
    return rows


def mapped(folder: Path, rows: Rows, *without: str) -> tuple[str, dict[str, Any]]:
    file = folder / "log.csv"
    pd.DataFrame(rows).drop(columns=[*without]).to_csv(file, index=False)
    text = suggest(file)
    return text, tomllib.loads(text)


def open_rows(mapping: dict[str, Any]) -> list[str]:
    """Return the options of the question about the rows; [] where nothing is asked of them."""
    return next((each["options"] for each in mapping.get("open", []) if each["subject"] == "row"), [])


def test_an_id_that_one_side_alone_has_names_no_games(tmp_path: Path) -> None:
    _, mapping = mapped(tmp_path, played(), "game")
    assert mapping["games"]["game_id"] == {"begins": "turn"}
    assert not open_rows(mapping)


def test_games_that_end_where_turns_are_lost_are_asked_about(tmp_path: Path) -> None:
    _, mapping = mapped(tmp_path, played(is_whole=False), "game")
    options = open_rows(mapping)
    assert any("turn begun anew" in option for option in options)
    assert any("separate case" in option for option in options)
    assert next(each for each in mapping["open"] if each["subject"] == "row")["stop"]


def test_rounds_of_one_length_of_which_some_are_lost_are_no_games(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"model": model, "mood": mood, "run": run, "price": round(float(rng.normal(100, 9)), 1)}
        for model in ("alpha", "beta", "gamma")
        for mood in ("calm", "angry")
        for run in range(1, 9)
        if rng.random() > 0.04
    ]
    _, mapping = mapped(tmp_path, rows)
    assert "begins" not in str(mapping["games"])


def test_people_who_meet_programs_are_known_by_the_rows_of_one_side(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows: Rows = []
    for game in range(N_GAMES):
        gives = int(rng.integers(1, 50))
        arm = ("private", "public")[game // 4 % 2]
        of_both = {"game": game + 1, "treatment": arm}
        rows.append({**of_both, "player": "human", "participant": f"s{200 + game // 4}", "offer": gives})
        rows.append(
            {**of_both, "player": "agent", "participant": "", "accepted": ("no", "yes")[rng.random() < gives / 50]}
        )
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(json.dumps({name: cell for name, cell in row.items() if cell != ""}) for row in rows))
    (tmp_path / "mapping.toml").write_text(suggest(file))
    study = negstats.load(file, mapping=tmp_path / "mapping.toml")
    sat = study.players.dropna(subset="participant_id").groupby("participant_id")["game_id"].nunique()
    assert sat.tolist() == [4] * (N_GAMES // 4)


def test_codes_of_people_in_a_column_that_is_called_agent_are_people(tmp_path: Path) -> None:
    rows = [row | {"player": f"s{100 + row['game'] // 4}{'ab'[row['turn'] % 2]}"} for row in played()]
    rows = [{("agent" if name == "player" else name): cell for name, cell in row.items()} for row in rows]
    _, mapping = mapped(tmp_path, rows, "participant")
    assert mapping["players"]["participant_id"] == "agent"


def test_what_was_answered_is_no_condition_though_as_many_agreed_as_not(tmp_path: Path) -> None:
    rows: Rows = []
    for game in range(20):
        is_deal = game % 4 in (1, 2)
        of_both = {"c1": ("treated", "control")[game % 2], "c2": ("no", "yes")[is_deal], "c3": game + 1}
        rows.append({**of_both, "c4": 5 + 7 * game % 40, "c5": "offer", "c6": "A"})
        rows.append({**of_both, "c4": "", "c5": "accept" if is_deal else "reject", "c6": "B"})
    _, mapping = mapped(tmp_path, rows)
    assert [*mapping["factors"]] == ["c1"]


def test_an_issue_whose_options_came_out_as_often_by_chance_is_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        {
            "id1": f"s{game}", "id2": f"s{game + 50}", "salary": int(rng.choice([40, 45, 50])), "start": 1 + game % 3,
            "treatment": ("low", "high")[game % 2], "points_1": round(float(rng.uniform(2, 9)), 1),
            "points_2": round(float(rng.uniform(2, 9)), 1),
        }
        for game in range(23)
    ]  # fmt: skip
    _, mapping = mapped(tmp_path, rows)
    assert "start" not in mapping["factors"]
    assert any("start" in each["options"] for each in mapping["open"] if each["subject"] == "condition")


def test_what_stands_in_all_rows_of_one_side_was_set_for_it(tmp_path: Path) -> None:
    words = ("tough", "soft")
    rows = [row | {"strategy": words[row["game"] // 2 % 2] if row["player"] == "agent" else ""} for row in played()]
    _, mapping = mapped(tmp_path, rows, "treatment", "turn")
    of_seats = [*mapping.get("factors", {}), *mapping.get("players", {}).values(), *mapping.get("person", {})]
    asked = [option for each in mapping.get("open", []) for option in each["options"]]
    assert "strategy" in (*map(str, of_seats), *asked)


@pytest.mark.parametrize("told", ["bundle", "shares"])
def test_offers_of_which_nobody_is_named_may_be_those_of_a_game(tmp_path: Path, told: str) -> None:
    rows = played()
    for row in rows:
        if told == "bundle":
            row["offer"] = f"{row['offer'] % 4} books, {row['offer'] % 3} hats, {row['offer'] % 5} balls"
        else:
            row["rest"] = 60 - row["offer"]
    _, mapping = mapped(tmp_path, rows, "player", "participant")
    readings = [f"{mapping['games']}", *open_rows(mapping)]
    assert any("game" in each and "what happened in one game" in each for each in readings) or mapping["row"] == "offer"


def test_a_turn_of_two_numbers_says_who_acts_and_the_kind_of_an_act_does_not(tmp_path: Path) -> None:
    kinds = {0: "PROPOSAL", 1: "ACCEPT"}
    games = [
        {
            "path": f"run/{game}", "arm": ("mild", "harsh")[game % 2],
            "roles": ["", ""], "state": [
                {"turn": turn % 2, "player answer": kinds[turn == 2 + game % 4], "message": f"{game * turn} is fair"}
                for turn in range(3 + game % 4)
            ],
        }
        for game in range(N_GAMES)
    ]  # fmt: skip
    for game in games:
        (folder := tmp_path / "logs" / str(game["path"])).mkdir(parents=True)
        (folder / "game.json").write_text(json.dumps(game))
    mapping = tomllib.loads(suggest(tmp_path / "logs"))
    assert mapping["players"]["player"] == "state.turn"
    assert mapping["event"] == "state.player answer"


def auctions() -> Rows:
    """Bids up to which a program may bid for somebody, so that some of others lie below them."""
    rng = np.random.default_rng(8)
    rows: Rows = []
    for auction in range(40):
        bids = np.cumsum(rng.integers(1, 20, 6 + auction % 9)).tolist()
        for place in range(1, len(bids) - 1, 5):
            bids[place], bids[place + 1] = bids[place + 1], bids[place]
        for bid in bids:
            who = f"bidder{auction}x{int(rng.integers(5))}" if rng.random() < 0.8 else f"bidder{int(rng.integers(30))}"
            rows.append(
                {"auction": 900 + 7 * auction, "who": who, "bid": bid, "days": ("3 days", "7 days")[auction % 2]}
            )
    return rows


def test_bids_that_mostly_rise_may_be_those_of_auctions(tmp_path: Path) -> None:
    _, mapping = mapped(tmp_path, auctions())
    readings = [str(mapping["games"]), *open_rows(mapping)]
    assert mapping["games"].get("game_id") == "auction" or any(
        "one auction are what happened" in one for one in readings
    )


def test_whom_a_list_names_is_known_though_lists_are_called_by_plurals(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    talks = []
    for talk in range(30):
        pair = [f"p{one}" for one in rng.choice(9, 2, replace=False)]
        count = 4 + talk % 4
        talks.append(
            {
                "speakers": [pair[turn % 2] for turn in range(count)],
                "receivers": [pair[1 - turn % 2] for turn in range(count)],
                "messages": [f"I think of {talk} and {turn} as our terms" for turn in range(count)],
                "arm": ("open", "closed")[talk % 2],
            }
        )
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, talks)))
    mapping = tomllib.loads(suggest(file))
    assert mapping["players"]["player"] == "speakers"
    assert "proposer" not in [each["subject"] for each in mapping.get("open", [])]


def test_a_key_that_some_games_of_a_folder_lack_is_read(tmp_path: Path) -> None:
    for game in range(N_GAMES):
        (folder := tmp_path / "logs" / ("mild", "harsh")[game % 2]).mkdir(parents=True, exist_ok=True)
        turns: Rows = [
            {"player": "ab"[turn % 2], "event": "offer", "share": 10 + (7 * game + 3 * turn) % 30} for turn in range(3)
        ]
        if game % 3:
            turns.insert(1, {"player": "b", "event": "message", "text": f"I had hoped for {game} more than that"})
        turns.append({"player": "b", "event": ("accept", "reject")[game % 5 == 0]})
        (folder / f"run_{game:02}.json").write_text(json.dumps({"total": 40, "deal": game % 5 != 0, "turns": turns}))
    mapping = tomllib.loads(suggest(tmp_path / "logs"))
    assert mapping["messages"]["text"] == "turns.text"


def test_games_that_stand_in_lists_under_their_conditions_are_one_log(tmp_path: Path) -> None:
    arms: dict[str, list[Any]] = {"mild": [], "harsh": []}
    for game in range(N_GAMES):
        turns = [
            {"who": "ab"[turn % 2], "text": f"turn {turn} of {game} is mine to say"} for turn in range(3 + game % 3)
        ]
        arms[("mild", "harsh")[game % 2]].append({"deal": game % 5 != 0, "turns": turns})
    file = tmp_path / "log.json"
    file.write_text(json.dumps(arms))
    (tmp_path / "mapping.toml").write_text(suggest(file))
    study = negstats.load(file, mapping=tmp_path / "mapping.toml")
    assert len(study.games) == N_GAMES
    assert study.games["source"].value_counts().to_dict() == {"mild": 12, "harsh": 12}


def test_a_talk_in_one_cell_is_read_turn_by_turn(tmp_path: Path) -> None:
    words = ("I could go as far as ten", "that is too much", "let us meet in the middle", "this will do")
    talks = [
        "\n".join(f"{('Ann', 'Bo')[turn % 2]}: {words[(talk + turn) % 4]} for you" for turn in range(3 + talk % 3))
        for talk in range(N_GAMES)
    ]
    file = tmp_path / "log.csv"
    arm = [("mild", "harsh")[talk % 2] for talk in range(N_GAMES)]
    pd.DataFrame({"id": range(N_GAMES), "arm": arm, "dialogue": talks}).to_csv(file, index=False)
    (tmp_path / "mapping.toml").write_text(suggest(file))
    study = negstats.load(file, mapping=tmp_path / "mapping.toml")
    assert len(study.messages) == sum(map(len, (talk.splitlines() for talk in talks)))
    assert {*study.messages["sender"]} == {"Ann", "Bo"}


def test_a_list_of_files_is_not_read_for_what_they_hold_without_a_question(tmp_path: Path) -> None:
    (folder := tmp_path / "logs").mkdir()
    for talk in range(N_GAMES):
        said = [
            {"party": "ab"[turn % 2], "content": f"{talk} or {turn} is what I can do"} for turn in range(4 + talk % 3)
        ]
        (folder / f"{talk:03}.json").write_text(json.dumps({"chat": talk, "messages": said}))
    index = [
        {"chat": f"chat {talk}", "filename": f"{talk:03}.json", "message_count": 4 + talk % 3}
        for talk in range(N_GAMES)
    ]
    (folder / "index.json").write_text(json.dumps({"total": N_GAMES, "updated": "2024-03-01", "chats": index}))
    mapping = tomllib.loads(suggest(folder))
    tables = [each for each in mapping.get("open", []) if each["subject"] == "table"]
    assert mapping.get("messages", {}).get("text") == "messages.content" or tables[0]["stop"]


def test_rounds_that_lack_one_side_may_be_turns(tmp_path: Path) -> None:
    games = []
    for game in range(N_GAMES):
        rounds = [
            {"round": turn + 1, "P1": {"ask": 60 - game % 7 - turn}, "P2": {"ask": 40 + game % 5 + turn}}
            for turn in range(2)
        ]
        games.append({"id": game, "arm": ("mild", "harsh")[game % 2], "rounds": rounds})
        if game % 2:
            rounds.append({"round": 3, "P1": {"ask": 50 - game % 7}})
    file = tmp_path / "log.json"
    file.write_text(json.dumps(games))
    mapping = tomllib.loads(suggest(file))
    assert any("what happened in one game" in option for option in open_rows(mapping))
    assert mapping["open"][0]["stop"]


def test_a_condition_of_people_is_no_issue_of_their_offers(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    rows: Rows = []
    for row in played():
        seat = row["turn"] % 2
        person = 2 * row["game"] + seat
        end = "yes" if row["accepted"] else "no"
        rows.append(
            {
                "game": row["game"], "turn": row["turn"], "player": f"s{300 + person}", "wage": int(rng.integers(3, 8)),
                "accepted": end, "treatment": ("low", "high")[(person * 7 % 11) % 2],
            }
        )  # fmt: skip
    file = tmp_path / "log.csv"
    pd.DataFrame(rows).to_csv(file, index=False)

    text = draft_of(file, Asked(None, None, None), {"condition": "treatment"}).text
    assert "items" not in tomllib.loads(text)


def test_what_a_program_writes_down_of_one_game_is_no_row_of_cases(tmp_path: Path) -> None:
    rng = np.random.default_rng(31)
    clock, lines = pd.Timestamp("2024-05-02 10:00"), []
    for turn in range(60):
        who = str(rng.choice(["Ann", "Bo", "Cid", "Dee"]))
        told = {
            "thought": {"player": who, "thought": f"I wonder whether {turn} of them would ever vote with me"},
            "action": {"player": who, "action": str(rng.choice(["voted", "proposed", "passed"]))},
            "speech": {"player": who, "speech": f"let us all agree on plan {turn} before it is late"},
            "news": {"event": f"{turn} rounds are left of the game"},
        }
        for kind in rng.permutation([*told])[: int(rng.integers(2, 5))]:
            clock += pd.Timedelta(milliseconds=int(rng.integers(400, 9000)))
            stamp = clock.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
            lines.append({"timestamp": stamp, "level": "INFO", "type": str(kind), "data": told[str(kind)]})
    (file := tmp_path / "session.jsonl").write_text("\n".join(map(json.dumps, lines)))
    mapping = tomllib.loads(suggest(file))
    assert mapping["open"][0]["options"][:2] == [
        "the rows of one file are what happened in one game",
        "each row is a separate case",
    ]
    assert mapping["open"][0]["stop"]
    assert mapping["players"]["player"] == "data.player"
    assert "items" not in mapping.get("offers", {})


def test_lists_of_both_seats_are_rounds_of_a_game(tmp_path: Path) -> None:
    rng = np.random.default_rng(32)
    games = []
    for _ in range(40):
        moves = rng.choice(["stay", "leave"], (2, 6))
        said = [[f"I think we could both gain {n} if you {word} now" for n, word in enumerate(of)] for of in moves]
        games.append(
            {
                "persona_1": str(rng.choice(["mild", "bold", "sly"])), "persona_2": str(rng.choice(["mild", "bold"])),
                **{f"agent_{seat}_scores": [int(n) for n in rng.choice([0, 1, 3, 5], 6)] for seat in (1, 2)},
                **{f"agent_{seat}_messages": said[seat - 1] for seat in (1, 2)},
                **{f"agent_{seat}_actions": [str(word) for word in moves[seat - 1]] for seat in (1, 2)},
            }
        )  # fmt: skip
    (file := tmp_path / "games.csv").write_text(pd.DataFrame(games).to_csv(index=False))
    mapping = tomllib.loads(suggest(file))
    assert mapping["row"] == "game"
    assert mapping["factors"]["row"] == {"row": True, "role": "cluster"}
    assert {"agent_1_scores", "agent_2_scores"} <= {*map(str, mapping["measures"].values())}
    assert "players" not in mapping
