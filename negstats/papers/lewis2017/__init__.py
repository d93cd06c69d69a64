"""lewis2017: Lewis, Yarats, Dauphin, Parikh and Batra, Deal or No Deal? (EMNLP 2017): Table 1, from the dialogues.

The public files hold each dialogue from both sides where they hold it whole; those mirrored dialogues are counted. A
dialogue without agreement scores 0 for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats import metrics
from negstats.loaders import load
from negstats.papers.ledger import Row
from negstats.papers.recipes import build_finding
from negstats.papers.sources import with_data
from negstats.papers.verdict import Check, Finding
from negstats.studies.study import Study

PAPER = "lewis2017"
IntArray = npt.NDArray[np.int64]


def findings(root: Path | None = None) -> list[Finding]:
    """Return the finding of every printed number; the data are looked for in the folder ``dealornodeal`` of `root`."""
    return with_data(PAPER, root, _recompute)


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The dialogues: all games of the source, and of the mirrored ones the games, turns, seats and values."""

    study: Study
    games: pd.DataFrame
    agreed: pd.DataFrame
    turns: pd.DataFrame

    @classmethod
    def of(cls, study: Study) -> _Corpus:
        games = study.games[study.games["mirrored"].astype("bool")]
        messages = study.messages[study.messages["game_id"].isin(games["game_id"])]
        return cls(study, games, games[games["ended"] == "agreement"], messages[messages["act"].isna()])

    def points(self, games: pd.DataFrame) -> pd.Series:
        """Return every seat's points in some games."""
        return self.study.players.loc[self.study.players["game_id"].isin(games["game_id"]), "points"]


def scenarios(study: Study, games: pd.DataFrame) -> int:
    """Return how many different scenarios some games have: items, and both sides' values in either order."""
    counts, values = _spaces(study, games)
    sides = [tuple(sorted(map(tuple, pair))) for pair in values.tolist()]
    return len(set(zip(map(tuple, counts.tolist()), sides, strict=True)))


def _spaces(study: Study, games: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Return items (games, kinds) and values (games, sides, kinds), games in the order of their ids."""
    rows = study.tables["values"].sort_values(["game_id", "player", "item"])
    rows = rows[rows["game_id"].isin(games["game_id"])]
    kinds = rows["item"].nunique()
    available, value = (rows[name].to_numpy(dtype=np.int64).reshape(-1, 2, kinds) for name in ("available", "value"))
    return available[:, 0], value


def _dialogues(data: _Corpus) -> tuple[float, str]:
    return len(data.games), f"mirrored dialogues of {len(data.study.games):,} in the public file"


def _turns(data: _Corpus) -> tuple[float, str]:
    per_game = data.turns.groupby("game_id").size()
    turns_to_agreement = per_game[per_game.index.isin(data.agreed["game_id"])]
    with_choice = len(data.turns) / len(data.games) + 1
    return float(per_game.mean()), (
        f"turns of talk a mirrored dialogue; {with_choice:.2f} with the closing choice as one more, "
        f"{turns_to_agreement.mean():.2f} in dialogues that agreed"
    )


def _words(data: _Corpus) -> tuple[float, str]:
    turns = [str(text).split() for text in data.turns["text"]]
    words = [sum(any(map(str.isalnum, token)) for token in tokens) for tokens in turns]
    return float(np.mean([len(tokens) for tokens in turns])), f"tokens a turn; {np.mean(words):.2f} without punctuation"


def _agreement_rate(data: _Corpus) -> tuple[float, str]:
    return 100 * len(data.agreed) / len(data.games), f"% of {len(data.games):,} mirrored dialogues agreed"


def _score(data: _Corpus) -> tuple[float, str]:
    agreement_points = data.points(data.agreed).mean()
    value = float(data.points(data.games).mean())
    return value, f"points a seat, 0 without agreement; {agreement_points:.2f} among those who agreed"


def _pareto(data: _Corpus) -> tuple[float, str]:
    tables = data.study.tables
    optimal = metrics.pareto_optimal(tables["values"], tables["offers"], tables["items"])
    share = optimal.loc[optimal["game_id"].isin(data.agreed["game_id"]), "pareto_optimal"].mean()
    return 100 * float(share), f"% of {len(data.agreed):,} agreements are Pareto optimal"


def _scenarios(data: _Corpus) -> tuple[float, str]:
    in_all, mirrored = (scenarios(data.study, games) for games in (data.study.games, data.games))
    return in_all, f"scenarios in all dialogues of the public file; {mirrored:,} in the mirrored ones"


MEASURES: dict[str, tuple[str, Callable[[_Corpus], tuple[float, str]]]] = {
    "dialogues": ("n", _dialogues),
    "turns per dialogue": ("mean", _turns),
    "words per turn": ("mean", _words),
    "agreed": ("percent", _agreement_rate),
    "score": ("mean", _score),
    "Pareto optimal": ("percent", _pareto),
    "unique scenarios": ("n", _scenarios),
}
NAMES = {"n": "n", "mean": "M", "percent": "%"}


def _recompute(folder: Path, rows: Iterable[Row]) -> list[Finding]:
    data = _Corpus.of(load(folder / "data.txt"))
    return [_recompute_row(data, row) for row in rows]


def _recompute_row(data: _Corpus, row: Row) -> Finding:
    column, compute = MEASURES[row.of]
    value, what = compute(data)
    check = Check.exact(NAMES[column], row.numbers[column], value)
    why = f"{value:,.{0 if column == 'n' else 2}f} {what}"
    return build_finding(row, [check], why if check.holds else f"{why}, not {row.numbers[column]}")
