"""One LAMEN run as a game: how it ended, what its states are worth, and its rows in a study's tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.lamen.rows import SEATS, Row, State
from negstats.loaders.lamen.settings import worths_filed

AGREED = "issues agreed upon"
PRINTED = 0.0005 + 1e-9  # payoffs have three decimals


@dataclass(slots=True)
class Game:
    """A folder: its rows and settings, and the points of options by seat."""

    name: str
    file: Path
    rows: list[Row]
    settings: Mapping[str, Any]
    worths: dict[str, dict[tuple[str, str], float]] = field(default_factory=lambda: {seat: {} for seat in SEATS})

    @property
    def accepts(self) -> bool:
        """Whether the last row accepts the offer before it."""
        if len(self.rows) < 2:
            return False
        next_to_last, last = self.rows[-2:]
        return bool(last.state) and next_to_last.state == last.state and next_to_last.seat != last.seat

    @property
    def ended(self) -> str:
        """How it ended, by the last two states or by the rounds that were allowed."""
        if self.accepts:
            return "agreement"
        most, last_round = self.settings.get("max_rounds"), self.rows[-1].line.whole("round")
        return "timeout" if most is not None and last_round is not None and last_round >= most else "unknown"

    def worth(self, seat: str, state: State) -> float | None:
        """Return what a state is worth to a seat; None if one of its options has no payoff."""
        worths = [self.worths[seat].get(pair) for pair in state.items()]
        known_worths = [worth for worth in worths if worth is not None]
        return math.fsum(known_worths) if known_worths and len(known_worths) == len(worths) else None


def value(game: Game, issues: Mapping[str, Any], counts: Counter[str]) -> None:
    """Find what options are worth: from the rows, and from the files of the issues where these agree with the rows."""
    for row in game.rows:
        worths = game.worths[row.seat]
        for issue, payoff in row.payoffs.items():
            if issue in row.state and worths.setdefault((issue, row.state[issue]), payoff) != payoff:
                counts["changed"] += 1
        total = row.line.finite("total_payoff")
        if total is not None:
            counts["equal" if abs(total - math.fsum(row.payoffs.values())) <= PRINTED else "unequal"] += 1
    filed = worths_filed(game.settings, issues)
    if filed is None:
        return
    pairs = [
        (observed_worth, filed[seat].get(pair))
        for seat, worths in game.worths.items()
        for pair, observed_worth in worths.items()
    ]
    if all(
        filed_worth is not None and abs(observed_worth - filed_worth) <= PRINTED
        for observed_worth, filed_worth in pairs
    ):
        game.worths = filed
        counts["filed"] += 1
    else:
        counts["unlike"] += 1


def add_game(game: Game, rows: Gathered, counts: Counter[str], *, notes: bool) -> None:
    """Add a run's rows; `notes` keeps the private notes too."""
    end, first = game.ended, game.rows[0].time
    reason = game.rows[-1].line.told("completion_reason")
    if reason is not None:
        counts["reason" if (reason == AGREED) == game.accepts else "no reason"] += 1
    models = {
        seat: next((row.line.told("model_name") for row in game.rows if row.seat == seat), None) for seat in SEATS
    }
    last = game.rows[-1].line.whole("round")
    rows.add(
        "games",
        game_id=game.name,
        study="lamen",
        scenario=game.settings.get("scenario"),
        protocol="notes and messages",
        ended=end,
        rounds=None if last is None else last + 1,
        started_at=first,
        max_rounds=game.settings.get("max_rounds"),
        **{f"model_{seat}": model for seat, model in models.items()},
    )
    for seat in SEATS:
        points = game.worth(seat, game.rows[-1].state) if game.accepts else None
        rows.add("players", game_id=game.name, player=seat, kind="agent", agent=models[seat], points=points)
        for (issue, option), value in game.worths[seat].items():
            rows.add("values", game_id=game.name, player=seat, item=issue, option=option, value=value)
    _add_rows(game, rows, counts, notes=notes)


def _add_rows(game: Game, rows: Gathered, counts: Counter[str], *, notes: bool) -> None:
    first = game.rows[0].time
    accepted_place = len(game.rows) - 2 if game.accepts else None
    with_state = [place for place, row in enumerate(game.rows) if row.state]
    number = offers = 0
    for place, row in enumerate(game.rows):
        accepts = game.accepts and place == len(game.rows) - 1
        when = None if row.time is None or first is None else (row.time - first).total_seconds()
        note_text = {"note": row.line.cells.get("note")} if notes and row.line.cells.get("note") else {}
        for act, text in (note_text | {"accept" if accepts else "": row.line.cells.get("message")}).items():
            number += 1
            message_fields = {"time_s": when, "sender": row.seat, "text": text, "act": act or None}
            rows.add("messages", game_id=game.name, message=number, **message_fields)
        counts["unvalued"] += bool(row.state) and game.worth(row.seat, row.state) is None
        if accepts or not row.state:
            continue
        offers += 1
        other = SEATS[1 - SEATS.index(row.seat)]
        round_number = row.line.whole("round")
        rows.add(
            "offers",
            game_id=game.name,
            offer=offers,
            round=None if round_number is None else round_number + 1,
            time_s=when,
            proposer=row.seat,
            responder=other,
            value_proposer=game.worth(row.seat, row.state),
            value_responder=game.worth(other, row.state),
            framing="note",
            response="accepted" if place == accepted_place else "superseded" if place != with_state[-1] else "none",
        )
        for issue, option in row.state.items():
            rows.add("items", game_id=game.name, offer=offers, item=issue, option=option)
