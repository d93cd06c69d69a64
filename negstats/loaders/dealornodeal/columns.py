"""DealOrNoDeal's plain form as whole columns: for a file without a fault, many times faster than line by line.

What repeats (contexts, selections) is parsed once, what was said stays one text with the turns' places. Whatever is not
as the source's card says, or might not be, gives None; then `lines` beside this file takes the lines one by one and
tells the fault. Both give the same games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from negstats.loaders.dealornodeal.tables import ENDS, Games
from negstats.loaders.files.columns import Texts

Array: TypeAlias = npt.NDArray[Any]

_NUMBER = "(0|[1-9][0-9]{0,8})"
_SIX = re.compile(" ".join([_NUMBER] * 6))
_START = re.compile(rf"({_SIX.pattern}) (YOU|THEM)")
_CLAIM = " ".join(f"item{item}={_NUMBER}" for item in range(3))
_OUTCOME = re.compile(rf"(?:{_CLAIM}|(no agreement|disconnect)) <eos> reward=(?:{_NUMBER}|(?:\4)) (dis)?")
_KINDS = {None: 0, "no agreement": 1, "disconnect": 2}
_ITEMS, _NO_AGREEMENT, _DISCONNECT = _KINDS.values()
_SELECTION = "<selection> "
_END = " <eos> "
_YOU, _THEM = f"{_END}YOU: ", f"{_END}THEM: "
_A, _B = "\x01", "\x02"  # in place of the words before a turn
_TURNED = bytes.maketrans(b"\x01\x02", b"\x02\x01")


class _DoubtError(Exception):
    """Something is not as it should be, or might not be."""


def read(text: str, name: str) -> tuple[Games, int] | None:
    """Return the games of the file `name` in the plain form, and how many lines it has; None if there is a doubt."""
    if _A in text or _B in text:
        return None
    marked_text = text.removesuffix("\n").replace(_YOU, _A).replace(_THEM, _B)
    lines = marked_text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    # Of the ends of turns only those behind the selections are left.
    if marked_text.count(_SELECTION) != len(lines) or marked_text.count(_END) != len(lines):
        return None
    try:
        return _games(lines, name), len(lines)
    except _DoubtError:
        return None


def _games(lines: Sequence[str], name: str) -> Games:
    line_parts = [line.partition(_SELECTION) for line in lines]
    heads = [head.partition(": ") for head, _, _ in line_parts]
    tails = [tail.partition("agree ") for _, _, tail in line_parts]
    yours, own, other = _contexts([head[0] for head in heads], [tail[2] for tail in tails])
    if (own[:, ::2] != other[:, ::2]).any():
        raise _DoubtError
    kind, agrees, claims = _outcomes([tail[0] for tail in tails], own)
    talks = _talks([head[2] for head in heads], yours)
    sixes = np.where(yours[:, None], np.hstack([own, other]), np.hstack([other, own]))  # by seat, A first
    first, mirror = _pairs(talks, sixes, yours)
    _refuse_contradictions(first, mirror, own[:, ::2], kind, agrees, claims)
    counts = own[first, ::2]
    names = [f"{name}-{line}" for line in (first + 1).tolist()]
    return _divided(names, talks, first, mirror, kind, agrees, claims, yours, counts, sixes[first])


def _code_texts(values: Sequence[str]) -> tuple[list[str], Array]:
    """Return each text once, in the order in which they first stand, and the place there of each value."""
    distinct_values = list(dict.fromkeys(values))
    place = dict(zip(distinct_values, range(len(distinct_values)), strict=True))
    return distinct_values, np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))


def _numbers(matches: Sequence[re.Match[str] | None], groups: Sequence[int]) -> Array:
    if None in matches:
        raise _DoubtError
    group_texts = [one.group(*groups) for one in matches if one is not None]
    return np.array(group_texts, dtype=object)


def _contexts(starts: Sequence[str], others: Sequence[str]) -> tuple[Array, Array, Array]:
    """Return whether YOU spoke first, and the counts and values of YOU and THEM, of each line."""
    start, of_start = _code_texts(starts)
    own = _numbers([_START.fullmatch(one) for one in start], range(2, 9))
    other, of_other = _code_texts(others)
    six = _numbers([_SIX.fullmatch(one) for one in other], range(1, 7))
    return (own[:, 6] == "YOU")[of_start], own[:, :6].astype(np.int64)[of_start], six.astype(np.int64)[of_other]


def _outcomes(outcome_texts: Sequence[str], own: Array) -> tuple[Array, Array, Array]:
    """Return the kind of each line's selection, whether it agrees, and what it claims (0 if nothing)."""
    outcome, of_line = _code_texts(outcome_texts)
    outcome_parts = _numbers([_OUTCOME.fullmatch(one) for one in outcome], range(1, 7))
    kind = np.array([_KINDS[one] for one in outcome_parts[:, 3]])[of_line]
    claimed = kind == _ITEMS
    numbers = np.where(outcome_parts == None, "0", outcome_parts)[:, [0, 1, 2, 4]].astype(np.int64)[of_line]  # noqa: E711 - each value
    claims, reward = numbers[:, :3], numbers[:, 3]
    has_reward = np.array([one is not None for one in outcome_parts[:, 4]])[of_line]
    worth = (claims * own[:, 1::2]).sum(axis=1)
    if (claims > own[:, ::2]).any() or (reward != worth).any() or (claimed != has_reward).any():
        raise _DoubtError
    return kind, np.array([one is None for one in outcome_parts[:, 5]])[of_line], claims


def _talks(talk_texts: Sequence[str], yours: Array) -> list[str]:
    """Return what was said in each line after A's first words, with `_A` or `_B` before each turn and the selection.

    The marks stand for YOU and THEM; where THEM spoke first they change places.
    """
    talks = list(talk_texts)
    mirrored_lines = np.flatnonzero(~yours).tolist()
    whole = "\n".join([talks[line] for line in mirrored_lines]).encode().translate(_TURNED).decode()
    for line, talk in zip(mirrored_lines, whole.split("\n"), strict=False):  # no lines at all are one empty text
        talks[line] = talk
    if "" in talks or not {talk[-1] for talk in talks} <= {_A, _B}:
        raise _DoubtError
    return talks


def _pairs(talks: Sequence[str], sixes: Array, yours: Array) -> tuple[Array, Array]:
    """Return the first line of each game, and that of its mirror (-1 if it has none)."""
    _, codes = _code_texts(talks)
    keys = np.column_stack([codes, sixes])
    order = np.lexsort(keys.T[::-1])  # stable: lines of a game in their order
    sorted_keys = keys[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (sorted_keys[1:] != sorted_keys[:-1]).any(axis=1)
    begins = np.flatnonzero(fresh)
    sizes = np.diff(begins, append=len(order))
    if sizes.max() > 2:
        raise _DoubtError
    first, mirror = order[begins], np.full(len(begins), -1)
    mirror[sizes == 2] = order[begins[sizes == 2] + 1]
    if (yours[first] == yours[mirror])[mirror >= 0].any():
        raise _DoubtError  # a perspective twice
    by_line = np.argsort(first)
    return first[by_line], mirror[by_line]


def _refuse_contradictions(
    first: Array, mirror: Array, counts: Array, kind: Array, agrees: Array, claims: Array
) -> None:
    one, two = first[mirror >= 0], mirror[mirror >= 0]
    adds_up = (claims[one] + claims[two] == counts[one]).all(axis=1)
    fits = (kind[one] == kind[two]) & (adds_up | (kind[one] != _ITEMS))
    if (agrees[one] != agrees[two]).any() or (fits != agrees[one]).any():
        raise _DoubtError


def _find_ends(first_kind: Array, mirror_kind: Array, agrees: Array) -> Array:
    """Return how each game ended, by what its two lines say at their end."""
    kinds = np.stack([first_kind, mirror_kind])
    return np.select(
        [(kinds == _DISCONNECT).any(axis=0), ~agrees, (kinds == _NO_AGREEMENT).any(axis=0)],
        [ENDS.index("disconnect"), ENDS.index("disagreement"), ENDS.index("walkaway")],
        ENDS.index("agreement"),
    )


def _claims_of_seats(first: Array, mirror: Array, kind: Array, claims: Array, yours: Array) -> tuple[Array, Array]:
    """Return which seat of each game claims items, and how many of each; a game without a mirror has one claim."""
    places, mirrored = np.arange(len(first)), mirror >= 0
    claimed, claimed_units = np.zeros((len(first), 2), dtype=bool), np.zeros((len(first), 2, 3), dtype=np.int64)
    for line, has_claim in ((first, mirrored | True), (mirror, mirrored)):
        has_claim = has_claim & (kind[line] == _ITEMS)
        seat = np.where(yours[line], 0, 1)
        claimed[places[has_claim], seat[has_claim]] = True
        claimed_units[places[has_claim], seat[has_claim]] = claims[line[has_claim]]
    return claimed, claimed_units


def _divided(
    names: list[str],
    talks: Sequence[str],
    first: Array,
    mirror: Array,
    kind: Array,
    agrees: Array,
    claims: Array,
    yours: Array,
    counts: Array,
    sixes: Array,
) -> Games:
    """Return the games with their ends, offers and messages."""
    places, mirrored = np.arange(len(first)), mirror >= 0
    end_codes = _find_ends(kind[first], np.where(mirrored, kind[mirror], kind[first]), agrees[first])
    is_agreement = end_codes == ENDS.index("agreement")
    claimed, claimed_units = _claims_of_seats(first, mirror, kind, claims, yours)
    rest = is_agreement[:, None] & ~claimed
    claimed_units[rest] = (counts[:, None] - claimed_units[:, ::-1])[rest]
    speaks, sender, text, selects = _messages([talks[line] for line in first.tolist()])
    both = np.stack([sender[selects], 1 - sender[selects]], axis=1)
    has_offer = (claimed | rest)[places[:, None], both]
    has_offer[is_agreement, 1] = False
    of_game, which = np.nonzero(has_offer)
    proposer = both[of_game, which]
    share = claimed_units[of_game, proposer]
    return Games(
        names=names,
        ended=end_codes,
        mirrored=mirrored,
        counts=counts,
        worth_each=np.stack([sixes[:, 1:6:2], sixes[:, 7::2]], axis=1),
        of_game=of_game,
        proposer=proposer,
        shares=np.stack([share, counts[of_game] - share], axis=1),
        accepted=is_agreement[of_game],
        speaks=speaks,
        sender=sender,
        text=text,
        selects=selects,
    )


def _messages(talks: Sequence[str]) -> tuple[Array, Array, Texts, Array]:
    """Return of all messages the game, the sender's seat, the text, and whether they are the act of selection."""
    data = np.frombuffer("".join([f"{_A}{talk}\n" for talk in talks]).encode(), dtype=np.uint8)
    marks, ends = (data == ord(_A)) | (data == ord(_B)), data == ord("\n")
    places = np.flatnonzero(marks)
    speaks = np.searchsorted(np.flatnonzero(ends), places)
    selects = ends[places + 1]
    text_bytes = data[~(marks | ends)]
    offsets = np.append(places - np.arange(len(places)) - speaks, len(text_bytes)).astype(np.int64)
    text = pa.LargeStringArray.from_buffers(len(places), pa.py_buffer(offsets), pa.py_buffer(text_bytes))
    unsaid = pc.if_else(pa.array(selects), pa.scalar(None, pa.large_string()), text)
    return speaks, (data[places] == ord(_B)).astype(np.int64), unsaid, selects
