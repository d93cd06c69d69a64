"""Writes the log: listings in one file, offers in 64 files by ``thread mod 64``, whole threads in each.

Run ``python -m tests.benchmarks.best_offer.generate FOLDER THREADS [SEED]``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Whole: TypeAlias = npt.NDArray[np.int64]
Real: TypeAlias = npt.NDArray[np.float64]
Bits: TypeAlias = npt.NDArray[np.uint64]

BUCKETS = 64
EXPIRY = 172_800  # seconds
LONGEST = 6  # offers in a thread
STATUS = np.array(["accepted", "declined", "expired", "countered"])
ACCEPTED, DECLINED, EXPIRED, COUNTERED = range(4)


def mix(x: Bits) -> Bits:
    """SplitMix64's output function."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Draws:
    """Uniform numbers by kind (0 thread, 1 item), place and slot."""

    seed: int

    def __call__(self, kind: int, places: Whole, slot: int) -> Real:
        key = mix(np.array([8 * self.seed + kind], dtype=np.uint64))
        bits = mix(mix(places.astype(np.uint64) * np.uint64(256) + np.uint64(slot)) ^ key)
        return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def cents(x: Real) -> Whole:
    return np.floor(100 * x + 0.5).astype(np.int64)


def listings_of(items: Whole, threads: int, seed: int) -> dict[str, npt.NDArray[Any]]:
    """Return the listings of these items; hidden prices are -1 where there are none."""
    draw, sellers = Draws(seed), max(1, threads // 20)
    drawn = [draw(1, items, slot) for slot in range(9)]
    z = np.sqrt(-2 * np.log(1 - drawn[2])) * np.cos(2 * np.pi * drawn[3])
    price = np.maximum(99, cents(np.exp(3.5 + z)))
    other = 1 + np.minimum(np.floor((sellers - 1) * drawn[1] ** 2).astype(np.int64), sellers - 2)
    accept = np.where(drawn[4] < 0.30, cents(price / 100 * (0.80 + 0.15 * drawn[5])), -1)
    decline = np.where(drawn[6] < 0.40, cents(price / 100 * (0.30 + 0.25 * drawn[7])), -1)
    return {
        "item": items,
        "seller": np.where(drawn[0] < 0.02, 0, other),
        "category": np.floor(10 * drawn[8]).astype(np.int64),
        "list_price": price,
        "accept_price": accept,
        "decline_price": decline,
    }


def offers_of(thread: Whole, threads: int, seed: int) -> dict[str, npt.NDArray[Any]]:
    """Return the offers of these threads, offer by offer, as they are written: duplicates and faults are in them."""
    draw = Draws(seed)
    item = np.floor(max(1, threads // 2) * draw(0, thread, 0)).astype(np.int64)
    buyer = np.floor(max(2, threads // 3) * draw(0, thread, 1)).astype(np.int64)
    listed = listings_of(item, threads, seed)
    share = np.where(draw(0, thread, 3) < 0.25, 0.5, 0.35 + 0.60 * draw(0, thread, 4))
    share = np.where(draw(0, thread, 2) < 0.002, 1 + 0.5 * draw(0, thread, 4), share)
    offer_time = 1_340_000_000 + np.floor(31_536_000 * draw(0, thread, 5)).astype(np.int64)
    who = {"thread": thread, "item": item, "buyer": buyer, "seller": listed["seller"]}
    price = {0: listed["list_price"], 1: np.maximum(1, cents(listed["list_price"] / 100 * share))}
    state: dict[str, npt.NDArray[Any]] = {
        **who,
        **{name: listed[name] for name in ("list_price", "accept_price", "decline_price")},
        "made": offer_time,
        "before": price[0],
        "price": price[1],
        "gamma": np.full(len(thread), np.nan),
        "split": np.zeros(len(thread), dtype=bool),
    }
    parts = []
    for k in range(1, LONGEST + 1):
        rows, state = _offer(draw, k, state)
        parts.append(rows)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _offer(
    draw: Draws, k: int, now: Mapping[str, npt.NDArray[Any]]
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, npt.NDArray[Any]]]:
    """Return the k-th offers of threads, and the state of those threads that go on."""
    b, buyers, thread = 16 * k, k % 2 == 1, now["thread"]
    price, offer_times = now["price"], now["made"]
    taken = (now["accept_price"] >= 0) & (price >= now["accept_price"]) & buyers
    refused = (now["decline_price"] >= 0) & (price < now["decline_price"]) & buyers & ~taken
    automatic = taken | refused
    status = _answer(draw, k, now, automatic)
    status[taken], status[refused] = ACCEPTED, DECLINED
    waited = np.floor(-36_000 * np.log(1 - draw(0, thread, b + 4))).astype(np.int64)
    waited = np.clip(waited, 2, EXPIRY - 1)
    waited = np.where(automatic, 0, np.where(status == EXPIRED, EXPIRY, waited))
    answered = offer_times + waited
    wrong = (draw(0, thread, b + 5) < 0.001) & ~automatic & (status != EXPIRED)
    written = np.where(wrong, offer_times - 1 - np.floor(3600 * draw(0, thread, b + 6)).astype(np.int64), answered)
    kind = np.full(len(thread), 0 if k == 1 else 1 if buyers else 2, dtype=np.int64)
    rows = {
        **{name: now[name] for name in ("thread", "item", "buyer", "seller")},
        "type": kind,
        "price": price,
        "made_at": offer_times,
        "answered_at": written,
        "status": status,
        "automatic": automatic,
    }
    twice = draw(0, thread, b + 7) < 0.003
    again = {name: column[twice] for name, column in rows.items()}
    again["made_at"] = again["made_at"] + 1
    rows = {name: np.concatenate([column, again[name]]) for name, column in rows.items()}
    on = status == COUNTERED
    offer_columns = {name: column[on] for name, column in now.items()}
    return rows, _next(draw, k, {**offer_columns, "made": answered[on]})


def _answer(draw: Draws, k: int, now: Mapping[str, npt.NDArray[Any]], automatic: npt.NDArray[np.bool_]) -> Whole:
    b, thread = 16 * k, now["thread"]
    if k == 1:
        logit = 7 * np.minimum(now["price"] / now["list_price"], 1.2) - 6
    else:
        logit = 1.5 * np.nan_to_num(now["gamma"]) - 1.2
    acceptance = 1 / (1 + np.exp(-logit)) + 0.10 * now["split"]
    expired = draw(0, thread, b + 1) < (0.15 if k % 2 else 0.20)
    accepted = draw(0, thread, b + 2) < acceptance
    declined = (draw(0, thread, b + 3) < 0.12) | (k == LONGEST)
    status = np.select([expired, accepted, declined], [EXPIRED, ACCEPTED, DECLINED], COUNTERED)
    return np.asarray(status, dtype=np.int64)


def _next(draw: Draws, k: int, now: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the state with the next price: the gap to the other side's last price, times gamma."""
    if k == LONGEST:
        return now
    b, thread = 16 * k, now["thread"]
    gap = now["price"] - now["before"]
    last = np.where(np.isnan(now["gamma"]), 0.35, now["gamma"])
    moved = 0.10 + 0.40 * last + 0.40 * (draw(0, thread, b + 9) - 0.5) + (0.05 if k % 2 == 0 else 0.0)
    half = draw(0, thread, b + 8) < 0.20
    gamma = np.where(half, 0.5, np.clip(moved, 0, 0.95))
    price = np.maximum(1, cents((now["before"] + gamma * gap) / 100))
    undefined = gap == 0
    return {
        **now,
        "before": now["price"],
        "price": price,
        "gamma": np.where(undefined, np.nan, gamma),
        "split": half & ~undefined,
    }


def as_table(columns: Mapping[str, npt.NDArray[Any]]) -> pa.Table:
    """Return an Arrow table: statuses as text, hidden prices missing."""
    values: dict[str, Any] = dict(columns)
    if "status" in values:
        values["status"] = pa.array(STATUS).take(pa.array(values["status"]))
    for name in ("accept_price", "decline_price"):
        if name in values:
            values[name] = pa.array(values[name], mask=values[name] < 0)
    return pa.table(values)


def write(folder: Path, threads: int, seed: int = 1) -> None:
    """Write ``listings.parquet`` and ``offers/bucket=.../part.parquet`` to a new folder."""
    folder.mkdir(parents=True)
    values = np.zeros(max(1, threads // 2), dtype=bool)
    for bucket in range(BUCKETS):
        rows = offers_of(np.arange(bucket, threads, BUCKETS), threads, seed)
        values[rows["item"]] = True
        (folder / "offers" / f"bucket={bucket:02d}").mkdir(parents=True)
        pq.write_table(as_table(rows), folder / "offers" / f"bucket={bucket:02d}" / "part.parquet")
    items = np.flatnonzero(values)
    schema = as_table(listings_of(items[:1], threads, seed)).schema
    with pq.ParquetWriter(folder / "listings.parquet", schema) as writer:
        for start in range(0, len(items), 1_000_000):
            writer.write_table(as_table(listings_of(items[start : start + 1_000_000], threads, seed)))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), *map(int, sys.argv[3:4]))
