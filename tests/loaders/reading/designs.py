"""Designs of studies that are drawn part by part, each with its table and what somebody who knows it would map.

The families of `tables` are designs that somebody thought of. Here who acts, how people and groups are numbered, what
was set for whom, in which order rows stand, what is missing and what columns are called are drawn independently of each
other, so that most tables are combinations that nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from tests.loaders.reading.tables import Kind, Labelled, Truth

Meeting = Literal["alone", "repeated", "once", "partners", "strangers"]
Level = Literal["session", "person", "group", "block", "row"]
Ids = Literal["whole", "session", "group", "hash", "hundreds"]
Groups = Literal["whole", "session", "period"]
Drawn = TypeVar("Drawn")

# What columns are called: in English, in Spanish, in the short words of programs, or c1, c2, ...
NAMES: tuple[dict[str, str], ...] = (
    {},
    {
        "session": "sesion", "group": "grupo", "subject": "sujeto", "period": "ronda", "role": "papel",
        "treatment": "tratamiento", "framing": "marco", "contribution": "aporte", "profit": "ganancia",
        "total": "ganancia_total", "others": "suma_otros", "belief": "creencia", "age": "edad", "gender": "sexo",
        "accept": "acepta", "comment": "comentario", "date": "fecha", "country": "pais", "block": "bloque",
        "seconds": "segundos",
    },
    {
        "session": "sess", "group": "grp", "subject": "subj", "period": "t", "role": "typ", "treatment": "trt",
        "framing": "frm", "contribution": "x", "profit": "pi", "total": "cumpi", "others": "sx", "belief": "bel",
        "gender": "fem", "accept": "y", "comment": "open", "date": "d", "country": "cty", "block": "blk",
        "seconds": "lat", "q1": "i1", "q2": "i2", "q3": "i3",
    },
)  # fmt: skip
_ARMS = (
    ("control", "treated"), ("0", "1"), ("1", "2"), ("low", "mid", "high"), ("Baseline", "Chat", "Pledge"),
    ("5", "10", "20"),
)  # fmt: skip
_SEATS = (("buyer", "seller", "broker", "agent"), ("A", "B", "C", "D"), ("1", "2", "3", "4"))
_EXTRAS = (
    "profit", "total", "others", "belief", "seconds", "age", "gender", "accept", "comment", "version", "date",
    "country", "block",
)  # fmt: skip
_ONE_SHOT: tuple[Meeting, ...] = ("alone", "once")


@dataclass
class Design:
    """A design, drawn from a seed.

    Attributes
    ----------
    meeting : str
        Whether people are alone, once or again, or meet others: once, the same in each period, or others.
    size, sessions, people, periods : int
        People of a group, sessions, people of a session, and periods.
    ids : str
        Whether people are numbered through, anew in each session or group, by hashes, or by hundreds of sessions.
    groups : str
        Whether groups are numbered through, anew in each session, or through all periods.
    level : str
        What the treatment was set for.
    """

    seed: int
    rng: np.random.Generator = field(init=False)
    meeting: Meeting = field(init=False)
    size: int = field(init=False)
    sessions: int = field(init=False)
    people: int = field(init=False)
    periods: int = field(init=False)
    ids: Ids = field(init=False)
    groups: Groups = field(init=False)
    level: Level = field(init=False)
    arms: tuple[str, ...] = field(init=False)
    seats: tuple[str, ...] = field(init=False)
    order_of_groups: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        """Draw what the study is."""
        self.rng = rng = np.random.default_rng([771, self.seed])
        self.meeting = self.pick(("alone", "repeated", "once", "partners", "strangers"))
        self.size = self.pick((2, 2, 3, 4)) if self.meets else 1
        self.sessions = self.pick((1, 2, 4, 6))
        n_groups = {1: (24, 48), 2: (14, 24)}.get(self.sessions, (8, 14))
        n_of_size = {1: (12, 24), 2: (7, 10)}.get(self.sessions, (3, 5))
        low, high = n_of_size if self.meets else n_groups
        self.people = self.size * int(rng.integers(low, high + 1))
        self.periods = 1 if self.meeting in _ONE_SHOT else int(rng.integers(4, 13))
        of_groups: tuple[Ids, ...] = ("group",) if self.meeting in ("once", "partners") else ()
        of_sessions: tuple[Ids, ...] = ("session",) if self.sessions > 1 else ()
        self.ids = self.pick(("whole", "hash", "hundreds", *of_sessions, *of_groups))
        numberings: list[Groups] = ["whole"]
        numberings += ["period"] if self.meeting == "strangers" else []
        numberings += ["session"] if self.sessions > 1 else []
        self.groups = self.pick(numberings)
        self.arms = self.pick(_ARMS)
        self._draw_level()
        has_seats = self.meets and (self.size == 2 or self.meeting == "once") and rng.random() < 0.5
        self.seats = self.pick(_SEATS)[: self.size] if has_seats else ()

    def _draw_level(self) -> None:
        whole: tuple[Level, ...] = ("session",) if self.sessions >= 4 else ()
        able: dict[Meeting, tuple[Level, ...]] = {
            "alone": ("person",), "repeated": ("person", "row"), "once": ("group",), "partners": ("group", "block"),
            "strangers": ("block",),
        }  # fmt: skip
        self.level = self.pick((*able[self.meeting], *whole))
        if self.level == "block" and self.meeting == "strangers":
            self.arms = self.arms[:2]

    @property
    def meets(self) -> bool:
        """Whether people meet others."""
        return self.meeting in ("once", "partners", "strangers")

    def pick(self, able: Sequence[Drawn]) -> Drawn:
        """Return one of several things."""
        return able[int(self.rng.integers(len(able)))]

    def has(self, chance: float) -> bool:
        """Whether something is so that is so in a share of the designs."""
        return bool(self.rng.random() < chance)

    def rows(self) -> pd.DataFrame:
        """Return all that might be told of each person in each period."""
        self.order_of_groups = self.rng.permutation(self.sessions * self.people // self.size)
        return pd.concat([self._rows_of_session(session) for session in range(self.sessions)], ignore_index=True)

    def _rows_of_session(self, session: int) -> pd.DataFrame:
        rng, people = self.rng, np.arange(self.people)
        n_groups = self.people // self.size
        stable: dict[str, npt.NDArray[np.generic]] = {
            "age": rng.integers(18, 60, self.people), "gender": rng.choice(["m", "f"], self.people),
            **{f"q{item}": rng.integers(1, 8, self.people) for item in (1, 2, 3)},
        }  # fmt: skip
        own, dealt, total = rng.normal(0, 2, self.people), rng.permutation(self.people), np.zeros(self.people)
        hashes = np.array([f"{number:010x}" for number in rng.integers(0, 2**40, self.people)])
        orders = np.array([rng.permutation(self.periods) for _ in people])
        frames = []
        for period in range(self.periods):
            place = people if self.meeting != "strangers" else np.argsort(self._dealt_anew())
            group, seat = np.divmod(place, self.size)
            amounts = np.clip(np.round(10 + own + rng.normal(0, 3, self.people)), 0, 20)
            together = np.bincount(group, amounts)[group]
            profit = 20 - amounts + 0.6 * together if self.meets else amounts / 2 + rng.normal(0, 1, self.people)
            total = total + profit
            whole = session * n_groups + group
            levels = {
                "session": np.full(self.people, session), "person": dealt, "group": self.order_of_groups[whole],
                "block": np.full(self.people, period * len(self.arms) // self.periods), "row": orders[:, period],
            }  # fmt: skip
            frames.append(
                pd.DataFrame(
                    {
                        **stable, "session": session + 1, "period": period + 1,
                        "group": 1 + {
                            "whole": whole, "session": group,
                            "period": (session * self.periods + period) * n_groups + group,
                        }[self.groups],
                        "subject": {
                            "whole": session * self.people + people + 1, "session": people + 1, "group": seat + 1,
                            "hash": hashes, "hundreds": 100 * (session + 1) + people + 1,
                        }[self.ids],
                        "role": np.array(self.seats or ("",) * self.size)[seat],
                        "treatment": np.array(self.arms)[levels[self.level] % len(self.arms)],
                        "framing": np.array(["x", "y"])[levels[self.level] // len(self.arms) % 2],
                        "contribution": amounts.astype(int), "profit": profit.round(1), "total": total.round(1),
                        "others": (together - amounts).astype(int), "belief": rng.integers(0, 21, self.people),
                        "seconds": np.exp(rng.normal(2, 0.5, self.people)).round(2),
                        "accept": (rng.random(self.people) < 0.6).astype(int), "version": "1.2", "country": "DE",
                        "comment": rng.choice(["ok", "", "nothing much", "I tried to be fair"], self.people),
                        "block": 1 + 2 * period // self.periods,
                        "date": [f"2023-0{1 + session}-01 1{period % 9}:{7 * each % 60:02d}" for each in people],
                        "of_group": whole, "of_person": session * self.people + people,
                    }
                )
            )  # fmt: skip
        return pd.concat(frames, ignore_index=True)

    def _dealt_anew(self) -> npt.NDArray[np.int64]:
        """Return who sits where, seat after seat of each group: others meet, and who has a seat keeps it."""
        if not self.seats or self.seed % 3 == 0:
            return self.rng.permutation(self.people)
        columns = [self.rng.permutation(np.arange(seat, self.people, self.size)) for seat in range(self.size)]
        return np.column_stack(columns).ravel()

    def columns(self) -> list[str]:
        """Return which columns the table has, in their order."""
        may_be_nobody = self.meeting in _ONE_SHOT and (bool(self.seats) or not self.meets)
        kept = ["session"] * (self.sessions > 1 or self.has(0.2)) + ["period"] * (self.periods > 1)
        kept += ["subject"] * (not (may_be_nobody and self.has(0.2))) + ["group"] * self.meets
        kept += ["role"] * bool(self.seats) + ["treatment"]
        kept += ["framing"] * (self.level in ("person", "group") and self.has(0.25)) + ["contribution"]
        absent = {"others": not self.meets, "total": self.periods == 1}
        absent["block"] = self.periods == 1 or self.level == "block"
        kept += [extra for extra in _EXTRAS if not absent.get(extra) and self.has(0.33)]
        kept += ["q1", "q2", "q3"] * self.has(0.3)
        return [str(name) for name in self.rng.permutation(kept)] if self.has(0.3) else kept

    def frame(self) -> pd.DataFrame:
        """Return the table: rows in some order, of which some may be missing, with some empty cells."""
        rows = self.rows()
        match self.pick(("periods", "people", "groups", "shuffled")):
            case "people":
                rows = rows.sort_values(["of_person", "period"], kind="stable")
            case "groups":
                rows = rows.sort_values(["of_group", "period"], kind="stable")
            case "shuffled":
                rows = rows.sample(frac=1, random_state=self.seed)
        if self.has(0.15):
            rows = rows.drop(self.rng.choice(rows.index, max(1, len(rows) // 40), replace=False))
        if self.has(0.2):
            rows["contribution"] = rows["contribution"].where(self.rng.random(len(rows)) > 0.03)
        return rows[self.columns()].reset_index(drop=True)

    def truth(self, names: Sequence[str]) -> Truth:
        """Return what somebody who knows the study would map of these columns."""
        anew = {"session": ("session",), "whole": (), "period": ()}[self.groups]
        of_group = " × ".join((*anew, "group", "subject"))
        person: str | None = {"session": "session × subject", "group": of_group}.get(self.ids, "subject")
        conditions = tuple(name for name in ("treatment", "framing") if name in names)
        traits = tuple(name for name in ("age", "gender") if name in names)
        rounds = ("period",) if self.meeting in ("partners", "strangers") and self.groups != "period" else ()
        game = (*anew, "group", *rounds) if self.meets else ()
        kind: Kind = "seats" if self.meets else "alone" if self.meeting == "alone" else "repeated"
        if "subject" not in names:  # who met once is told apart by the seat
            person = " × ".join((*anew, "group", "role")) if self.seats else None
        people = (person or "") if self.meets else ""
        return Truth(kind, person, game, conditions, ("contribution",), traits, people=people)


def drawn(seed: int) -> Labelled:
    """Return the table of the design that a seed draws."""
    design = Design(seed)
    frame = design.frame()
    columns = [str(name) for name in frame.columns]
    language = design.pick((0, 0, 1, 2, 3))
    words = {name: f"c{place}" for place, name in enumerate(columns, 1)} if language == 3 else NAMES[language]
    labelled = Labelled(f"{design.meeting}-{seed}", frame, design.truth(columns))
    return labelled.renamed({name: words.get(name, name) for name in columns})


def as_people_of_groups(labelled: Labelled) -> Labelled | None:
    """Return the other right reading where groups stay together: each person alone, and groups as clusters."""
    truth = labelled.truth
    meeting = labelled.name.partition("-")[0]
    if meeting not in ("once", "partners") or truth.person is None:
        return None
    alone = replace(truth, kind="alone" if meeting == "once" else "repeated", game=())
    return replace(labelled, truth=alone)
