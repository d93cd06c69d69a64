"""A second, short version of the dominance dialogue, written apart from the package's: plain tuples and lists.

A statement or question is (type, criterion, less, more) with type S or Q; a proposal, acceptance or rejection is
(P, criterion, value) or (P, option) with type P, A or R; then there are (B, option) and (L,). An order is a list of
values for each criterion, best first.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

Order = dict[str, list[str]]
Said = tuple[Any, ...]


class Speaker:
    def __init__(self, relation: str, order: Order) -> None:
        self.relation, self.order = relation, order
        self.score = {(c, v): len(vs) - 1 - 2 * i for c, vs in order.items() for i, v in enumerate(vs)}
        self.oas: list[tuple[str, str, str]] = []
        self.settled: dict[str, str] = {}
        self.rejected: list[Any] = []
        self.said: Counter[Said] = Counter()
        worth = {o: [self.score[cv] for cv in zip(order, o, strict=True)] for o in product(*order.values())}
        self.total = {o: sum(w) for o, w in worth.items()}
        self.options = sorted(worth, key=lambda o: (self.total[o], worth[o]), reverse=True)

    def likes(self, c: str, v: str) -> bool:
        score, best = self.score[c, v], len(self.order[c]) - 1
        if self.relation == "dominant":
            return 10 * score > 7 * best
        return score > 0 or (self.relation == "submissive" and any(s[:2] == (c, v) for s in self.oas))

    def likes_option(self, o: tuple[str, ...]) -> bool:
        if self.relation == "dominant":
            return 10 * self.total[o] > 7 * max(self.total.values())
        bad = [(c, v) for c, v in zip(self.order, o, strict=True) if self.score[c, v] <= 0]
        met = all(any(s[:2] == cv for s in self.oas) for cv in bad)
        return self.total[o] > 0 or (self.relation == "submissive" and met)

    def told(self, c: str) -> list[tuple[str, str, str]]:
        vs = self.order[c]
        pairs = [(c, less, more) for i, more in enumerate(vs) for less in vs[i + 1 :]]
        return [(c, "*", vs[0]), (c, vs[-1], "*"), *pairs]

    def fresh(self, c: str, about: str = "") -> tuple[str, str, str] | None:
        for s in self.told(c):
            if s not in self.oas and (not about or (about in s[1:] and "*" not in s)):
                return s
        return None

    def react(self, c: str, less: str, more: str) -> tuple[str, str, str]:
        vs = self.order[c]
        for v in (more, less):
            if v == vs[0] and (c, "*", v) not in self.oas:
                return (c, "*", v)
            if v == vs[-1] and (c, v, "*") not in self.oas:
                return (c, v, "*")
        values = [v for v in (more, less) if v != "*"]
        if len(values) < 2:
            return (self.fresh(c, values[0]) if values else None) or self.fresh(c) or (c, "*", vs[0])
        high, low = sorted(values, key=vs.index)
        if (c, low, high) not in self.oas:
            return (c, low, high)
        return self.fresh(c, more) or self.fresh(c, less) or (c, low, high)

    def open(self, c: str) -> list[Said]:
        if self.relation == "dominant":
            return [("P", c, self.order[c][0])]
        if self.relation == "submissive":
            return [("Q", c, "*", "*")]
        s = self.fresh(c)
        return [("S", *s)] if s else []

    def open_next(self) -> list[Said]:
        return next((self.open(c) for c in self.order if c not in self.settled), [])

    def fitting(self, o: tuple[str, ...]) -> int:
        return sum(self.settled.get(c) == v for c, v in zip(self.order, o, strict=True))

    def values_left(self, c: str, v: str) -> list[Said]:
        return [("P", c, u) for u in self.order[c] if u != v and self.likes(c, u) and (c, u) not in self.rejected]

    def options_left(self, o: tuple[str, ...] | None) -> list[Said]:
        left = [p for p in self.options if p != o and self.likes_option(p) and p not in self.rejected]
        return [("P", p) for p in sorted(left, key=lambda p: self.fitting(p) < len(self.settled))]

    def candidates(self, heard: Said | None) -> list[Said]:
        """All candidates, in order."""
        if heard is None:
            return self.open(next(iter(self.order)))
        kind, *what = heard
        tree = {"S": self.on_state, "Q": self.on_ask, "P": self.on_propose, "A": self.on_accept, "R": self.on_reject}
        return tree[kind](*what)

    def on_state(self, c: str, less: str, more: str) -> list[Said]:
        take = more != "*" and self.likes(c, more) and (c, more) not in self.rejected
        return ([("P", c, more)] if take else []) + self.on_ask(c, less, more)

    def on_ask(self, c: str, less: str, more: str) -> list[Said]:
        return [("S", *self.react(c, less, more))]

    def on_propose(self, *what: Any) -> list[Said]:
        if len(what) == 1:
            (o,) = what
            if self.likes_option(o):
                return [("B", o)]
            if self.relation == "submissive":
                c, v = min(zip(self.order, o, strict=True), key=lambda cv: self.score[cv])
                return [("S", c, v, self.order[c][0])]
            return [*(self.options_left(o) if self.relation == "dominant" else []), ("R", o)]
        c, v = what
        if self.likes(c, v):
            return [("A", c, v)]
        if self.relation == "submissive":
            return [("S", c, v, self.order[c][0])]
        return [*(self.values_left(c, v) if self.relation == "dominant" else []), ("R", c, v)]

    def on_accept(self, *what: Any) -> list[Said]:
        if len(what) == 1:
            return [("B", what[0])]
        if self.relation == "submissive":
            left = [o for o in self.options if o not in self.rejected]
            complete = len(self.settled) == len(self.order) and left
            return [("P", max(left, key=self.fitting))] if complete else self.open_next()
        good = [p for p in self.options_left(None) if self.fitting(p[1]) == len(self.settled)]
        return good[:1] + self.open_next()

    def on_reject(self, *what: Any) -> list[Said]:
        if len(what) == 1:
            (o,) = what
            if self.relation == "submissive":
                return self.open_next()
            best = self.total[o] == max(self.total.values())
            again: list[Said] = [("P", o)] if best else []
            return (again if self.relation == "dominant" else self.open_next()) + self.options_left(o)
        c, v = what
        if self.relation == "dominant":
            return [*([("P", c, v)] if v == self.order[c][0] else []), *self.values_left(c, v)]
        return self.open(c)

    def hear(self, heard: Said | None) -> None:
        if heard and heard[0] == "A" and len(heard) == 3:
            self.settled[heard[1]] = heard[2]
        if heard and heard[0] == "R":
            self.rejected.append(heard[1:] if len(heard) == 3 else heard[1])

    def speak(self, said: Said) -> None:
        self.said[said] += 1
        if said[0] == "S":
            self.oas.append(said[1:])
        if said[0] == "A" and len(said) == 3:
            self.settled[said[1]] = said[2]

    def expected(self, heard: Said | None) -> Said:
        """What is said: the first candidate said fewer than twice."""
        return next((x for x in self.candidates(heard) if self.said[x] < 2), ("L",))


def conversation(first: Speaker, second: Speaker) -> list[Said]:
    talk: list[Said] = []
    sides = (first, second)
    heard = None
    while not talk or talk[-1][0] not in "BL":
        me = sides[len(talk) % 2]
        me.hear(heard)
        heard = me.expected(heard)
        me.speak(heard)
        talk.append(heard)
    return talk
