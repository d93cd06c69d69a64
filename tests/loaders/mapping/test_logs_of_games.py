"""Logs of what happened in games, as people keep them: named in parts, by who met, in any order, by nobody's name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import draft_of, read_as
from negstats.loaders.mapping.forms import Asked
from negstats.studies.study import Study

SEATS = ("buyer", "seller")


def rows_of_games(n_games: int = 24, *, seats: tuple[str, str] = SEATS) -> pd.DataFrame:
    """Return alternating offers of games of two to five turns, which end in a deal or are refused."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, object]] = []
    for game in range(n_games):
        n_turns = int(rng.integers(2, 6))
        for turn in range(n_turns):
            act = {"kind": "offer", "amount": 80 - 6 * turn + int(rng.integers(0, 5))}
            rows.append({"game": game, "turn": turn + 1, "who": seats[turn % 2], **act})
        end = "accept" if game % 3 else "timeout"
        rows.append({"game": game, "turn": n_turns + 1, "who": seats[n_turns % 2], "kind": end, "amount": ""})
    frame = pd.DataFrame(rows)
    return frame.assign(arm=np.where((frame["game"] + frame["game"] // 8) % 2, "plain", "warm"))


def loaded(path: Path, answers: dict[str, str] | None = None) -> tuple[str, Study]:
    """Return the mapping that is drafted for a log, and what is read with it."""
    text = draft_of(path, Asked(None, None, None), answers).text
    return text, read_as(path, text)


def saved(folder: Path, frame: pd.DataFrame) -> Path:
    """Write a table and return its file."""
    frame.to_csv(folder / "log.csv", index=False)
    return folder / "log.csv"


def test_sessions_and_groups_name_games_whose_people_nobody_names(tmp_path: Path) -> None:
    frame = rows_of_games()
    numbers = {"session": 1 + frame["game"] // 8, "group": 1 + frame["game"] % 8}
    text, study = loaded(saved(tmp_path, frame.drop(columns=["game", "turn"]).assign(**numbers)))
    assert "stop = true" not in text
    assert len(study.games) == 24
    assert (study.games["ended"] == "agreement").sum() == 16


def test_words_of_issues_name_no_games(tmp_path: Path) -> None:
    frame = pd.concat([rows_of_games().query("kind == 'offer'").assign(issue=issue) for issue in ("rent", "term")])
    text, study = loaded(saved(tmp_path, frame.sort_values(["game", "turn"]).drop(columns="kind")))
    assert 'game_id = "game"' in text
    assert len(study.games) == 24


def people_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the names of who acts, and of whom they met, in place of the game and its seats."""
    acts = [f"p{2 * game + SEATS.index(who)}x" for game, who in zip(frame["game"], frame["who"], strict=True)]
    meets = [f"p{2 * game + 1 - SEATS.index(who)}x" for game, who in zip(frame["game"], frame["who"], strict=True)]
    return frame.drop(columns=["game", "who"]).assign(sender=acts, receiver=meets)


def test_two_who_name_each_other_in_turn_are_a_game(tmp_path: Path) -> None:
    text, study = loaded(saved(tmp_path, people_of(rows_of_games()).assign(price=400)))
    assert 'game_id = { pair = ["sender", "receiver"] }' in text
    assert len(study.games) == 24
    assert study.players["participant_id"].nunique() == 48
    assert not len(study.answers), "what both have in a game is of the game, and of none of them"


def test_two_answers_to_one_question_are_nobody_who_met(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    ranks = [rng.permutation(["park", "museum", "lake", "zoo", "cinema"])[:2] for _ in range(80)]
    frame = pd.DataFrame(ranks, columns=["first", "second"])
    frame = frame.assign(
        id=[f"v{7 * row}k" for row in range(80)], why=[f"it is the best of all {row}" for row in range(80)]
    )
    text, _ = loaded(saved(tmp_path, frame))
    assert "pair =" not in text


def auctions(rng: np.random.Generator) -> pd.DataFrame:
    """Return the bids of auctions of three or four bidders, who do not take turns."""
    rows = []
    for auction in range(20):
        amount = 0
        for _ in range(int(rng.integers(5, 9))):
            amount += int(rng.integers(1, 9))
            rows.append(
                {
                    "auction": f"{7919 * auction:05x}",
                    "bidder": f"b{4 * auction + int(rng.integers(0, 4))}",
                    "bid": amount,
                }
            )
    frame = pd.DataFrame(rows)
    best = frame.groupby("auction")["bidder"].transform("last")
    return frame.assign(winner=best, arm=[("open", "closed")[int(name, 16) % 2] for name in frame["auction"]])


def test_bids_that_rise_from_row_to_row_are_those_of_an_auction(tmp_path: Path) -> None:
    text, study = loaded(saved(tmp_path, auctions(np.random.default_rng(2))))
    assert 'game_id = "auction"' in text
    assert len(study.games) == 20
    assert len(study.offers) == len(auctions(np.random.default_rng(2)))
    assert study.offers["bid"].notna().all()
    assert study.offers["units_to_responder"].isna().all(), "nobody gets what is bid but the one who sells"


@pytest.mark.parametrize("order", ["turn", "clock"])
def test_rows_in_no_order_are_read_in_that_of_their_turns_or_clock(tmp_path: Path, order: str) -> None:
    frame = rows_of_games()
    _, in_order = loaded(saved(tmp_path, frame))
    minutes = pd.to_timedelta(20 * frame["game"] + frame["turn"], unit="min")
    clock = (pd.Timestamp("2024-02-01 09:00") + minutes).astype(str)
    frame = frame if order == "turn" else frame.assign(clock=clock).drop(columns="turn")
    text, study = loaded(saved(tmp_path, frame.sample(frac=1, random_state=1)))
    assert "stop = true" not in text
    ends = [dict(zip(each.games["game_id"], each.games["ended"], strict=True)) for each in (in_order, study)]
    assert ends[0] == ends[1]
    counts = [each.offers["response"].value_counts().to_dict() for each in (in_order, study)]
    assert counts[0] == counts[1]


def test_games_of_nobody_s_name_end_as_their_rows_say(tmp_path: Path) -> None:
    text, study = loaded(saved(tmp_path, rows_of_games().drop(columns=["who", "turn"])))
    assert "[players]" not in text
    assert dict(study.games["ended"].value_counts()) == {"agreement": 16, "timeout": 8}
    assert study.games["amount"].notna().all(), "the last amount of each game"


def test_two_numbers_of_seats_are_those_who_act(tmp_path: Path) -> None:
    frame = rows_of_games(seats=("1", "2"))
    _, study = loaded(saved(tmp_path, frame.rename(columns={"who": "c3", "amount": "c4"})))
    assert set(study.offers["proposer"]) == {"1", "2"}
    assert (study.games["ended"] == "agreement").sum() == 16


def test_turns_of_numbered_seats_in_lists_are_those_of_a_game(tmp_path: Path) -> None:
    frame = rows_of_games(seats=("1", "2")).query("kind == 'offer'").rename(columns={"who": "c2", "amount": "c3"})
    games = [
        {"c1": int(arm == "warm"), "turns": rows[["c2", "c3"]].to_dict("records")}
        for (_, arm), rows in frame.groupby(["game", "arm"])
    ]  # fmt: skip
    (tmp_path / "log.json").write_text(json.dumps(games))
    text, study = loaded(tmp_path / "log.json")
    assert 'rows = "turns"' in text
    assert len(study.games) == 24
    assert len(study.offers) == len(frame)


def test_rows_left_out_of_one_sheet_are_no_more_than_were_read_of_the_workbook(tmp_path: Path) -> None:
    frame = rows_of_games().assign(who="")
    with pd.ExcelWriter(tmp_path / "log.xlsx") as book:
        frame.drop(columns="arm").to_excel(book, sheet_name="acts", index=False)
        frame.drop_duplicates("game")[["game", "arm"]].to_excel(book, sheet_name="games", index=False)
    mapping = (
        'row = "message"\nsheet = "acts"\nbeside = { sheet = "games", by = "game" }\n[games]\ngame_id = "game"\n'
        '[factors]\narm = "arm"\n[players]\nplayer = "who"\n[messages]\ntext = "kind"\n'
    )
    study = read_as(tmp_path / "log.xlsx", mapping)
    assert len(study.games) == 24


def test_goods_that_a_text_counts_are_what_is_offered(tmp_path: Path) -> None:
    frame = rows_of_games().query("kind == 'offer'").drop(columns="kind")
    counts = [(int(amount) % 4, int(amount) % 5) for amount in frame["amount"]]
    texts = [f"{hats} hat{'s' * (hats != 1)} and {books} book{'s' * (books != 1)}" for hats, books in counts]
    text, study = loaded(saved(tmp_path, frame.assign(amount=texts)))
    assert "[messages]" not in text
    quantities = study.items.pivot_table("quantity", ["game_id", "offer"], "item", aggfunc="first")
    wanted = sorted((float(books), float(hats)) for hats, books in counts)
    assert sorted(zip(quantities["book"], quantities["hat"], strict=True)) == wanted


def test_payoffs_that_are_nothing_without_a_deal_tell_that_it_was_not_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    is_deal = rng.random(40) < 0.6
    frame = pd.DataFrame({"c1": [f"{7919 * row:05x}" for row in range(40)], "c2": np.where(is_deal, "up", "down")})
    frame = frame.assign(c3=["a", "b"] * 20, c4=np.where(is_deal, rng.integers(10, 90, 40), 0))
    text, study = loaded(saved(tmp_path, frame))
    assert "c3" in study.games
    assert 'c2 = { column = "c2", kind = "yes/no" }' in text


@pytest.mark.parametrize("names", [("who", "kind"), ("c5", "c6")])
def test_the_other_seat_s_move_answers_the_offer_of_one(tmp_path: Path, names: tuple[str, str]) -> None:
    rng = np.random.default_rng(7)
    rows: list[dict[str, object]] = []
    for game in range(30):
        gives = int(rng.integers(1, 10))
        key = {"session": 1 + game // 10, "group": 1 + game % 10, "arm": ("plain", "warm")[(game + game // 10) % 2]}
        rows.append({**key, names[0]: "A", names[1]: "offer", "amount": gives})
        rows.append({**key, names[0]: "B", names[1]: ("reject", "accept")[gives > 2 + game % 4]})
    frame = pd.DataFrame(rows)
    text, study = loaded(saved(tmp_path, frame))
    assert len(study.games) == 30
    assert study.offers["units_to_responder"].tolist() == frame["amount"].dropna().tolist()
    assert (study.games["ended"] == "agreement").sum() == (frame[names[1]] == "accept").sum()
    assert "measures" not in text


def test_games_that_two_columns_name_in_both_tables_stand_beside_what_happened(tmp_path: Path) -> None:
    frame = rows_of_games()
    frame = frame.assign(session=1 + frame["game"] // 8, group=1 + frame["game"] % 8)
    keys = ["session", "group"]
    frame.drop_duplicates("game")[[*keys, "arm"]].to_csv(tmp_path / "games.csv", index=False)
    frame.drop(columns=["game", "arm"]).to_csv(tmp_path / "acts.csv", index=False)
    text, study = loaded(tmp_path)
    assert 'by = ["session", "group"]' in text
    assert study.games["arm"].value_counts().to_dict() == {"plain": 12, "warm": 12}


def test_an_accepted_offer_whose_amount_is_lost_is_a_deal(tmp_path: Path) -> None:
    frame = rows_of_games().query("kind == 'offer'").drop(columns="kind").reset_index(drop=True)
    is_last = ~frame.duplicated("game", keep="last")
    frame = frame.assign(accepted=is_last.astype(int), amount=frame["amount"].astype(object))
    frame.loc[frame["game"] == 5, "amount"] = ""
    _, study = loaded(saved(tmp_path, frame))
    assert (study.games["ended"] == "agreement").all()
    assert len(study.games) == 24


def test_who_offers_in_turn_is_who_acts_though_the_same_may_say_something_first(tmp_path: Path) -> None:
    offers = rows_of_games(seats=("K", "L"))
    talk = offers.query("kind == 'offer'").assign(kind="message", amount="", text="let us see what we can do")
    frame = pd.concat([talk, offers]).sort_values(["game", "turn"], kind="stable")
    turns = frame.groupby("game").cumcount() + 1
    _, study = loaded(saved(tmp_path, frame.assign(turn=turns).rename(columns={"who": "c1"})))
    assert set(study.offers["proposer"]) == {"K", "L"}


def test_turns_that_begin_anew_tell_games_apart_that_have_no_name(tmp_path: Path) -> None:
    frame = rows_of_games()
    text, study = loaded(saved(tmp_path, frame.drop(columns="game")))
    assert 'game_id = { begins = "turn" }' in text
    assert len(study.games) == 24
    assert len(study.offers) == (frame["kind"] == "offer").sum()
    named, _ = loaded(saved(tmp_path, frame))
    assert 'game_id = "game"' in named


def test_rows_of_several_files_begin_anew_in_each(tmp_path: Path) -> None:
    for place, rows in rows_of_games().groupby(np.where(rows_of_games()["game"] < 10, "a", "b")):
        rows.drop(columns="game").to_csv(tmp_path / f"session_{place}.csv", index=False)
    mapping = 'row = "event"\nevent = "kind"\n[games]\ngame_id = { begins = "turn" }\n[players]\nplayer = "who"\n'
    study = read_as(
        tmp_path, mapping + "[levels.event]\noffer = ['offer']\naccept = ['accept']\ntimeout = ['timeout']\n"
    )
    assert len(study.games) == 24


def test_people_are_named_in_the_rows_of_their_seat_alone(tmp_path: Path) -> None:
    frame = rows_of_games(seats=("human", "agent"))
    people = np.where(frame["who"] == "human", "p" + (frame["game"] % 6).astype(str), "")
    _, study = loaded(saved(tmp_path, frame.assign(participant=people)))
    humans = study.players[study.players["player"] == "human"]
    assert humans["participant_id"].nunique() == 6
    assert study.players.loc[study.players["player"] == "agent", "participant_id"].isna().all()


def test_what_ends_games_in_their_last_row_is_asked_to_accept_the_offer(tmp_path: Path) -> None:
    frame = rows_of_games().query("kind == 'offer'").drop(columns="kind")
    is_last = ~frame.duplicated("game", keep="last") & (frame["game"] % 3 > 0)
    path = saved(tmp_path, frame.assign(acc=np.where(is_last, "yes", "no")))
    text, study = loaded(path)
    assert 'subject = "answer"' in text
    assert (study.games["ended"] == "agreement").sum() == 16
    _, other = loaded(path, {"answer": "2"})
    assert (other.games["ended"] == "agreement").sum() == 0


def test_letters_of_acts_are_read_where_one_stands_for_offers(tmp_path: Path) -> None:
    frame = rows_of_games()
    letters = frame["kind"].str[0].str.upper()
    _, study = loaded(saved(tmp_path, frame.assign(kind=letters)))
    assert dict(study.games["ended"].value_counts()) == {"agreement": 16, "timeout": 8}


def test_what_one_seat_has_alone_is_set_for_the_game(tmp_path: Path) -> None:
    frame = rows_of_games(seats=("human", "agent")).query("kind == 'offer'").drop(columns=["kind", "arm"])
    strategy = np.where(frame["game"] // 2 % 2, "tough", "soft")
    _, study = loaded(saved(tmp_path, frame.assign(strategy=np.where(frame["who"] == "agent", strategy, ""))))
    assert study.games["strategy"].value_counts().to_dict() == {"soft": 12, "tough": 12}


def test_those_who_met_name_a_game_though_rows_are_lost(tmp_path: Path) -> None:
    frame = people_of(rows_of_games())
    text, _ = loaded(saved(tmp_path, frame.drop(index=frame.index[1:6])))
    assert 'game_id = { pair = ["sender", "receiver"] }' in text


def test_a_company_acts_and_programs_act_between(tmp_path: Path) -> None:
    rng, models = np.random.default_rng(5), ["gpt-4o", "claude-3", "llama-3", "qwen-2", "grok-2", "o1-mini"]
    (tmp_path / "games").mkdir()
    for game in range(12):
        members = [f"P{seat}_{100 + game}_{model}" for seat, model in enumerate(rng.choice(models, 4, replace=False))]
        rows: list[dict[str, object]] = []
        for number in range(1, 6):
            says: list[dict[str, object]] = [
                {"type": "message", "member": by, "said": f"I give {rng.integers(99)} of mine, and you?"}
                for by in members
            ]
            gives: list[dict[str, object]] = [
                {"type": "gift", "member": by, "gift": int(rng.integers(0, 21))} for by in members
            ]
            rows += [{"round": number, **each} for each in (*says, *gives)]
            if rng.random() < 0.3:
                fine: dict[str, object] = {"fined_member": members[0], "finer_member": members[1], "fine": 3}
                rows.append({"round": number, "type": "fine"} | fine)
            rows.append({"round": number, "type": "share", "pot": 40 + number})
        lines = "\n".join(json.dumps({"match": 7000 + game, **row}) for row in rows)
        (tmp_path / "games" / f"m{game}.jsonl").write_text(lines)
    text, study = loaded(tmp_path / "games")
    assert "stop = true" not in text
    assert 'game_id = "match"' in text
    assert (len(study.games), len(study.players), len(study.messages)) == (12, 48, 240)


def test_objects_of_counts_are_offers_though_nobody_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    games: list[dict[str, object]] = []
    for _ in range(30):
        turns: list[dict[str, object]] = []
        for turn in range(n_turns := int(rng.integers(2, 6))):
            goods = {good: int(rng.integers(0, 4)) for good in ("books", "hats", "balls")}
            turns.append(
                {
                    "c1": turn + 1,
                    "c2": json.dumps(goods),
                    "c3": ["no", "yes"][turn == n_turns - 1 and len(games) % 3 > 0],
                }
            )
        games.append({"c4": "xy"[len(games) % 2], "c5": f"k{len(games):03d}", "moves": turns})
    (tmp_path / "log.json").write_text(json.dumps(games))
    text, study = loaded(tmp_path / "log.json")
    assert "stop = true" not in text
    assert (len(study.games), int(study.games["moves_c3"].sum())) == (30, 20)


@pytest.mark.parametrize("are_named", [True, False], ids=["games by names", "list of games"])
def test_what_a_file_tells_once_of_its_games_is_compared(are_named: bool, tmp_path: Path) -> None:
    """Each file is a run of one model in one setting, beside which its games stand."""
    frame = rows_of_games()
    acts = [rows.drop(columns=["game", "arm"]).to_dict("records") for _, rows in frame.groupby("game")]
    for run, model in enumerate(("small", "large", "huge")):
        games: object = {f"g{game}": {"acts": of} for game, of in enumerate(acts)}
        if not are_named:
            games = [{"name": f"g{game}", "acts": of} for game, of in enumerate(acts)]
        content = {"model": model, "settings": {"heat": run / 2}, "games": games}
        (tmp_path / f"run{run}.json").write_text(json.dumps(content))
    text, study = loaded(tmp_path)
    assert 'model = "model"' in text
    assert study.games["model"].value_counts().to_dict() == {"small": 24, "large": 24, "huge": 24}


@pytest.mark.parametrize("name", ["model", "zz"])
def test_what_the_first_row_of_a_file_tells_of_its_game_is_compared(name: str, tmp_path: Path) -> None:
    """The row is of a kind of its own, of which nothing but that is read."""
    for game, (_, rows) in enumerate(rows_of_games().groupby("game")):
        header = {"kind": "meta", name: ("small", "large", "huge")[game % 3], "heat": 0.5}
        acts = [header, *rows.drop(columns=["game", "arm"]).to_dict("records")]
        (tmp_path / f"g{game}.jsonl").write_text("".join(json.dumps(act) + "\n" for act in acts))
    text, study = loaded(tmp_path)
    assert f'{name} = "{name}"' in text
    assert study.games[name].value_counts().to_dict() == {"small": 8, "large": 8, "huge": 8}
    assert study.provenance.reasons() == {"an event that the mapping ignores": 24}
