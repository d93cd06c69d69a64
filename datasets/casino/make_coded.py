"""Make the coded files of ``datasets/casino/coded``: two simulated coders of twelve talks, and an adjudicator.

The simulated coders give the labels that the source has, and err at random: each code that a message has is overlooked
in 12 % of cases, and in 1 % one is given that it does not have. The adjudicator gives the labels of the source. The
files are there for examples and tests; nothing about people follows from them.

Run from the project's root: ``python datasets/casino/make_coded.py``. The same source gives the same files.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np

from negstats import datasets
from negstats.coding import CodedFile, CodedMessage, find_differences, read_codebook, talks_of

HERE = Path(__file__).resolve().parent
TALKS, OVERLOOKED, ADDED = 12, 0.12, 0.01
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def main(target: Path = HERE / "coded") -> None:
    """Write the three files."""
    study, book = datasets.casino(), read_codebook(HERE / "codes.toml")
    talks = talks_of(study)
    rows = study.messages.dropna(subset=["labels"])
    labels = {(game, int(number)): set(text.split(",")) for game, number, text in zip(
        rows["game_id"], rows["message"], rows["labels"], strict=True)}  # fmt: skip
    annotated = [talk for talk in talks.by_number.values() if talk.game_id in set(rows["game_id"])][:TALKS]
    units = [(talk, one) for talk in annotated for one in talk.messages if one.is_unit]
    every = sum(talk.units for talk in talks.by_number.values())

    def coded(name: str, seed: int | None) -> CodedFile:
        rng = np.random.default_rng(seed)
        messages = []
        for place, (talk, one) in enumerate(units):
            codes = labels.get((talk.game_id, one.number), set()) & set(book.names)
            if seed is not None:
                chance = rng.random(len(book.names))
                codes = {code for code, draw in zip(book.names, chance, strict=True)
                         if (draw >= OVERLOOKED if code in codes else draw < ADDED)}  # fmt: skip
            at = START + timedelta(seconds=11 * place)
            messages.append(CodedMessage(talk.number, one.number, one.sha256, tuple(book.in_order(codes)), coded_at=at))
        kind: Literal["coding", "adjudication"] = "coding" if seed is not None else "adjudication"
        return CodedFile(kind, name, talks.sha256, talks.seed, book, every, tuple(messages), START, START)

    coders = [coded("Anna", 11), coded("Ben", 12)]
    differences = set(find_differences(coders))
    whole = coded("Carla", None)
    decided = tuple(one for one in whole.messages if one.key in differences)
    final = CodedFile("adjudication", "Carla", talks.sha256, talks.seed, book, len(decided), decided, START, START)
    for file in (*coders, final):
        file.write(target / f"{file.coder.lower()}.json")


if __name__ == "__main__":
    main()
