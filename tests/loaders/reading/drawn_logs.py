"""Logs of games that are drawn part by part, with their files.

What `designs` does for rows of one person in one period, this does for logs: what a row is, how games, those who act
and turns are named, how amounts and answers are told, what was set for whom, what columns and events are called and in
which files rows stand are drawn independently of each other. `judge_logs` says what somebody who knows the study would
read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import pandas as pd

Row: TypeAlias = dict[str, Any]
Drawn = TypeVar("Drawn")

# What columns are called: in English (of several words one), Spanish, German, in short words, or c1, c2, ...
_NAMES = {
    "session": "session sesion Sitzung sess", "group": "group grupo Gruppe grp", "period": "round ronda Periode per",
    "game": "game|game_id|negotiation|match juego Spiel g", "turn": "turn|step turno Zug t",
    "running": "turn|step turno Zug t", "stamp": "timestamp|time hora Zeitpunkt ts",
    "seconds": "seconds|elapsed segundos Sekunden sec", "actor": "player|proposer|agent|speaker jugador Spieler p",
    "other": "receiver|to destinatario Empfaenger q", "id": "participant|participant_id participante Teilnehmer id",
    "kind": "event|action|type accion Ereignis ev", "own": "own_share|demand|keep demanda Forderung x",
    "rest": "offer|offer_to_other|give oferta Angebot y", "percent": "share_pct porcentaje Prozent pct",
    "price": "price precio Preis pr", "total": "total|pie total Summe tot", "salary": "salary salario Gehalt sal",
    "vacation": "vacation vacaciones Urlaub vac", "start": "start inicio Beginn beg",
    "bundle": "offer|allocation|content propuesta Vorschlag prop", "bid": "bid|amount puja Gebot b",
    "accepted": "accepted|response aceptado angenommen acc", "agreement": "agreement|deal acuerdo Einigung deal",
    "treatment": "treatment|condition tratamiento Bedingung trt", "strategy": "strategy estrategia Strategie strat",
    "age": "age edad Alter age", "text": "message|text mensaje Nachricht msg", "date": "date fecha Datum d",
    "version": "version version Version v", "score_1": "points_1|score_1 puntos_1 Punkte_1 pi1",
    "score_2": "points_2|score_2 puntos_2 Punkte_2 pi2", "winner": "winner ganador Gewinner win",
    "id_1": "participant_1 participante_1 Teilnehmer_1 id1", "id_2": "participant_2 participante_2 Teilnehmer_2 id2",
}  # fmt: skip
ACTS = ("offer", "accept", "reject", "message", "timeout")
_WORDS = {
    1: ("oferta", "aceptar", "rechazar", "mensaje", "tiempo"),
    2: ("Angebot", "annehmen", "ablehnen", "Nachricht", "Abbruch"),
}
_CODES = ("O", "A", "R", "M", "T")
_YES = (("1", "0"), ("yes", "no"), ("True", "False"), ("accepted", "rejected"))
_ARMS = (("control", "treated"), ("0", "1"), ("low", "mid", "high"), ("private", "public"))
_STRATEGIES = (("tough", "soft"), ("conceder", "boulware", "titfortat"))
_MODELS = ("gpt-4o", "claude-3", "llama-3", "gemini-1.5")
_SENTENCES = (
    "I could give you {} of these today", "what about {} for me and the rest for you?", "no, {} is far too much for us",
    "we paid {} last year, so let us stay there", "my last word is {}", "fine, {} sounds fair to both of us",
)  # fmt: skip
_OF_GAME = frozenset({"treatment", "strategy", "agreement", "score_1", "score_2", "winner", "total", "date"})
_TOLD = ("own", "rest", "both", "percent", "price", "issues", "json", "text")


class Act(Protocol):
    """Gives the row of what a seat does."""

    def __call__(self, seat: int, kind: str, **more: object) -> Row:
        """Return the row."""


@dataclass
class DrawnLog:
    """A log, drawn from a seed: `write` writes its files."""

    seed: int
    rng: np.random.Generator = field(init=False)
    rows: list[Row] = field(init=False)

    def __post_init__(self) -> None:
        """Draw what the study is, and what is told of it."""
        self.rng = np.random.default_rng([417, self.seed])
        self.kind = self.pick(("offer", "offer", "event", "event", "message", "deal", "bid", "move"))
        acts = self.kind in ("offer", "event", "message")
        able = ("csv", "csv", "sessions", "joined", "jsonl", "workbook", "sheets", "games", "nested")
        self.container = self.pick(able[:7] if self.kind == "deal" else able)
        self.sessions = self.pick((2, 4, 6) if self.container in ("sessions", "sheets") else (1, 2, 4, 6))
        self.periods = self.pick((1, 1, 1, 4))
        namings = ["whole", "session", "hash", "period"] if self.sessions > 1 else ["whole", "hash"]
        namings += ["pair"] * (acts and self.periods == 1)
        namings += ["turn"] * (self.kind in ("offer", "event") and self.container in ("csv", "sessions"))
        self.naming = "file" if self.container == "games" else self.pick(namings)
        actors = ("role", "id", "seat", "P", "both", "models", "absent")
        of_kind = {"bid": ("id", "P", "models"), "deal": ("role",), "move": ("role",)}
        self.actor = "both" if self.naming == "pair" else self.pick(of_kind.get(self.kind, actors))
        self.actor = "role" if self.kind == "message" and self.actor == "absent" else self.actor
        turns = ("zero", "one", "stamp", "seconds", "absent", "session")
        self.turn = "one" if self.naming == "turn" else self.pick(turns)
        of_told = {"bid": ("bid",), "move": ("rest",), "deal": _TOLD[5:]}
        self.told = self.pick(of_told.get(self.kind, _TOLD))
        self.answer = self.pick(("accepted", "agreement", "both", "absent"))
        self.answer = "agreement" if self.kind in ("deal", "message") else self.answer
        levels = ["game", "game"] + ["session"] * (self.sessions >= 4) + ["seat"] * acts
        levels += ["person"] * (acts and self.actor in ("id", "both") and self.periods == 1)
        self.level = self.pick(levels)
        self.arms = self.pick(_STRATEGIES if self.level == "seat" else _ARMS)
        self.seats = {"models": _MODELS[:2], "P": ("P1", "P2"), "seat": ("1", "2")}.get(self.actor, ("buyer", "seller"))
        if self.told != "price" and self.actor not in ("models", "P", "seat"):
            # Where nobody is named, an id that only people have would name who acts in their rows alone.
            pairs = (("proposer", "responder"), ("A", "B"), ("human", "agent"))
            self.seats = self.pick(pairs[: 2 if self.actor == "absent" else 3])
        self.has_ids = self.actor in ("id", "both") or self.has(0.4)
        self.language = self.pick((0, 0, 1, 2, 3, 4))
        self.words = dict(zip(ACTS, _WORDS.get(self.language) or self.pick((ACTS, ACTS, _CODES)), strict=True))
        self.yes, self.pie = self.pick(_YES), self.pick((10, 20, 100, 240))
        self._simulate()
        self._leave_out()
        self.keys = self._columns()

    def pick(self, able: Sequence[Drawn]) -> Drawn:
        """Return one of several things."""
        return able[int(self.rng.integers(len(able)))]

    def has(self, chance: float) -> bool:
        """Whether something is so that is so in a share of the logs."""
        return bool(self.rng.random() < chance)

    def _simulate(self) -> None:
        """Play all games, of which each gives rows with all that might be told of them."""
        rng = self.rng
        of_session = int(rng.integers(6, 11)) if self.sessions > 2 else int(rng.integers(14, 25))
        pairs = -(-of_session // self.periods) + 2 * (self.periods > 1)
        n_games = self.sessions * pairs * self.periods
        dealt, hashes = rng.permutation(n_games), [f"{n:08x}" for n in rng.integers(0, 2**32, n_games)]
        people = [f"s{n}" for n in rng.permutation(np.arange(100, 100 + 5 * self.sessions * pairs))]
        size = 4 if self.kind == "bid" else 2
        self.rows, running = [], 0
        for game in range(n_games):
            session, place = divmod(game, pairs * self.periods)
            group, period = divmod(place, self.periods)
            first = (session * pairs + group) * size
            arm = self.arms[int(session if self.level == "session" else dealt[game]) % len(self.arms)]
            clock, start = 0.0, pd.Timestamp("2024-03-01 10:00") + pd.Timedelta(minutes=7 * game)
            running = 0 if place == 0 else running
            for turn, played in enumerate(self._play(people[first : first + size])):
                own_arm = self.arms[int(str(played["id"])[1:] or 0) % len(self.arms)]
                is_lost = self.level == "seat" and self.seed % 2 and played["seat"] != 1
                self.rows.append(
                    {
                        "session": session + 1, "group": group + 1, "period": period + 1, "of": game,
                        "game": {"session": place + 1, "hash": hashes[game]}.get(self.naming, game + 1),
                        "treatment": own_arm if self.level == "person" else arm, "strategy": "" if is_lost else arm,
                        "date": f"2024-0{1 + session}-1{period}", "version": "v2", "total": self.pie,
                        "turn": turn + (self.turn != "zero"), "running": running, "seconds": clock,
                        "stamp": str(start + pd.Timedelta(seconds=clock)), "is_first": turn == 0,
                        "id_1": people[first], "id_2": people[first + 1], **played,
                    }
                )  # fmt: skip
                clock, running = clock + float(rng.integers(3, 60)), running + 1

    def _play(self, people: Sequence[str]) -> list[Row]:
        """Return the rows of one game."""
        ages = self.rng.integers(18, 60, len(people))
        names = {"models": _MODELS, "id": people, "both": people}.get(self.actor, (*self.seats, "P3", "P4"))
        names = [f"P{seat + 1}" for seat in range(4)] if self.actor == "P" else names

        def act(seat: int, kind: str, **more: object) -> Row:
            own = {"seat": seat, "actor": names[seat], "age": int(ages[seat]), "act": kind, "kind": self.words[kind]}
            who = {"id": "" if names[seat] == "agent" else people[seat], "other": people[(seat + 1) % len(people)]}
            return own | who | more

        match self.kind:
            case "bid":
                bids = np.cumsum(self.rng.integers(1, 9, int(self.rng.integers(5, 10))))
                rows = [act(int(self.rng.integers(len(people))), "offer", bid=int(bid)) for bid in bids]
                return [row | {"winner": rows[-1]["actor"], "is_deal": True} for row in rows]
            case "move":
                gives = int(self.rng.integers(1, self.pie // 2 + 1))
                is_deal = self.has(0.2 + 1.4 * gives / self.pie)
                answer = act(1, "accept" if is_deal else "reject", accepted=self.yes[not is_deal])
                rows = [act(0, "offer", rest=gives), answer]
                return [row | {"agreement": self.yes[not is_deal], "is_deal": is_deal} for row in rows]
        return self._bargain(act)

    def _bargain(self, act: Act) -> list[Row]:
        """Return the rows of offers in turn, until one is accepted or refused, or time is out."""
        n_turns, is_deal = int(self.rng.integers(2, 7)), self.has(0.7)
        rows, share = list[Row](), 0.0
        for turn in range(n_turns):
            share = min(max(0.85 - 0.05 * turn + self.rng.normal(0, 0.05), 0.05), 0.98)
            said = self.pick(_SENTENCES).format(int(self.rng.integers(1, 999)))
            often = {"message": 1.0, "event": 0.6 * (self.seed % 4 > 0)}.get(self.kind, 0.0)
            rows += [act(turn % 2, "message", text=said)] * self.has(often)
            is_last = turn == n_turns - 1
            accepted = self.yes[not (is_deal and is_last)]
            rows.append(act(turn % 2, "offer", accepted=accepted, **self._amounts(share, turn % 2)))
            rows += [act(1 - turn % 2, "reject")] * (not is_last and self.seed % 3 == 0)
        rows.append(act(n_turns % 2, "accept" if is_deal else self.pick(("reject", "timeout"))))
        kept = {"event": ACTS, "message": ("message",)}.get(self.kind, ("offer",))
        rows = [row for row in rows if row["act"] in kept]
        score = [round(part * self.pie * is_deal, 1) for part in (share, 1 - share)][:: (-1) ** (n_turns + 1)]
        end = {"score_1": score[0], "score_2": score[1], "agreement": self.yes[not is_deal], "is_deal": is_deal}
        return [end | row for row in rows][-1 if self.kind == "deal" else 0 :]

    def _amounts(self, share: float, seat: int) -> Row:
        """Return what an offer holds that gives a share to the side that makes it."""
        own = round(share * self.pie)
        goods = {"books": round(3 * share), "hats": round(4 * (1 - share)), "balls": int(self.rng.integers(0, 3))}
        words = ", ".join(f"{count} {good}" for good, count in goods.items())
        return {
            "own": own, "rest": self.pie - own, "percent": round(100 * share),
            "price": round(100 - 60 * share if seat == 0 else 40 + 60 * share),
            "salary": self.pick((40, 45, 50, 55)), "vacation": self.pick((10, 15, 20)), "start": self.pick((1, 2, 3)),
            "bundle": json.dumps(goods) if self.told == "json" else words,
        }  # fmt: skip

    def _leave_out(self) -> None:
        """Lose a few rows, never the first of a game, and a few cells; and shuffle rows that something orders."""
        if self.has(0.15) and self.naming != "turn":
            self.rows = [row for row in self.rows if row["is_first"] or not self.has(0.03)]
        if self.has(0.15) and self.told in ("own", "rest", "percent", "price"):
            self.rows = [row | ({self.told: ""} if self.has(0.03) else {}) for row in self.rows]
        if self.has(0.3) and self.turn in ("zero", "one", "stamp", "seconds") and self.naming not in ("turn", "file"):
            self.rows = [self.rows[place] for place in self.rng.permutation(len(self.rows))]

    @property
    def amounts(self) -> list[str]:
        """The columns that tell what is offered."""
        bundle = ["bundle"]
        several = {"both": ["own", "rest"], "issues": ["salary", "vacation", "start"], "json": bundle, "text": bundle}
        return several.get(self.told, [self.told])

    def _columns(self) -> list[str]:
        """Return what is told, in the order of the columns."""
        is_deal, is_move, is_bid = (self.kind == kind for kind in ("deal", "move", "bid"))
        of_turn = {"zero": "turn", "one": "turn", "absent": "", "session": "running"}
        is_answered = self.kind == "offer" and self.answer in ("accepted", "both")
        key = {"session": ["session", "game"], "period": ["session", "group", "period"]}.get(self.naming, [])
        kept = key + ["game"] * (self.naming in ("whole", "hash"))
        kept += ["session"] * (self.sessions > 1 and "session" not in kept and self.has(0.6))
        kept += [of_turn.get(self.turn, self.turn)] * (self.turn != "absent" and not (is_deal or is_move))
        kept += ["id_1", "id_2"] * (is_deal and self.has_ids) + ["actor"] * (self.actor != "absent" and not is_deal)
        kept += ["other"] * (self.actor == "both")
        kept += ["id"] * (self.has_ids and self.actor not in ("id", "both", "models") and not is_deal)
        kept += ["kind"] * (self.kind == "event" or (is_move and self.seed % 2 == 0))
        kept += [] if self.kind == "message" else self.amounts
        kept += ["total"] * (self.told in ("own", "rest") and self.has(0.4))
        kept += ["text"] * any("text" in row for row in self.rows)
        kept += ["accepted"] * (is_answered or (is_move and "kind" not in kept))
        kept += ["agreement"] * (self.answer in ("agreement", "both") and not is_bid) + ["winner"] * (
            is_bid and self.has(0.5)
        )
        kept += ["strategy" if self.level == "seat" else "treatment"]
        kept += ["score_1", "score_2"] * ((is_deal or self.has(0.25)) and not (is_bid or is_move))
        kept += ["age"] * (self.has_ids and not is_deal and self.has(0.3))
        kept += [extra for extra in ("date", "version") if self.has(0.2)]
        return [str(name) for name in self.rng.permutation(kept)] if self.has(0.25) else kept

    @property
    def names(self) -> dict[str, str]:
        """What the columns are called."""
        if self.language == len(_YES):
            return {key: f"c{place}" for place, key in enumerate(self.keys, 1)}
        able = {key: _NAMES[key].split()[self.language].split("|") for key in self.keys}
        return {key: words[self.seed % len(words)] for key, words in able.items()}

    def write(self, folder: Path) -> Path:
        """Write the files, and return the file or folder in which they are."""
        names = self.names
        frame = pd.DataFrame([{key: row.get(key, "") for key in self.keys} for row in self.rows]).rename(columns=names)
        games, sessions = (np.array([int(row[key]) for row in self.rows]) for key in ("of", "session"))
        varies = "treatment" if self.level == "person" else "strategy" if self.seed % 2 else ""
        once = [names[key] for key in self.keys if key in _OF_GAME - {varies}]
        key = [names[key] for key in ("session", "group", "period", "game") if key in self.keys]
        tables = {"log": frame}
        match self.container:
            case "sessions" | "games" | "sheets":
                of, word = (games, "game") if self.container == "games" else (sessions, "session")
                tables = {f"{word}_{place}": frame[of == place] for place in np.unique(of)}
            case "joined" | "workbook" if once and key and self.naming in ("whole", "hash", "session"):
                own = [name for name in key if name != names.get("session") or self.naming == "session"]
                is_first = ~pd.Series(games).duplicated().to_numpy()
                tables = {"games": frame.loc[is_first, [*own, *once]], "rows": frame.drop(columns=once)}
        if self.container in ("workbook", "sheets"):
            with pd.ExcelWriter(folder / "log.xlsx") as book:
                for name, table in tables.items():
                    table.to_excel(book, sheet_name=name, index=False)
            return folder / "log.xlsx"
        if self.container in ("jsonl", "nested"):
            once = [*key, *once] if self.container == "nested" else []
            return self._write_objects(folder / f"log.{'json' if once else 'jsonl'}", frame, games, once)
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv", index=False)
        return folder if len(tables) > 1 else folder / f"{next(iter(tables))}.csv"

    def _write_objects(self, file: Path, frame: pd.DataFrame, games: np.ndarray[Any, Any], once: list[str]) -> Path:
        """Write an object for each row, or for each game with a list of its turns."""
        rows = [{name: cell for name, cell in row.items() if cell != ""} for row in frame.to_dict("records")]
        if file.suffix == ".jsonl":
            file.write_text("\n".join(json.dumps(row, default=str) for row in rows))
            return file
        whole = []
        for game in dict.fromkeys(games.tolist()):
            of_game = [row for row, of in zip(rows, games, strict=True) if of == game]
            turns = [{name: cell for name, cell in row.items() if name not in once} for row in of_game]
            whole.append({**{name: of_game[0][name] for name in once if name in of_game[0]}, "turns": turns})
        file.write_text(json.dumps(whole, default=str))
        return file
