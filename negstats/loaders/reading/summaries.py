"""Rows that are no cases but summaries of those above them: means, standard deviations, sums, numbers of cases, notes.

They are known by what stands in them, in whatever language they are called. A number of a summary is a statistic of its
column, to as many digits as are written, and other cells are empty where all cases have something.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from negstats.loaders.reading.columns import Codes, Column, Flags, Numbers, number_of

_MOSTLY = 0.6  # of the rows fill a column, or have digits in it, where a summary may have nothing or a word
_MOST = 0.4  # of the rows are summaries: of two cases each
_FEWEST = 5  # rows of cases
_MOST_WORK = 5_000_000  # cells that odd rows are compared with; of more only odd rows at the end are looked at
_END = 12  # rows
_SAMPLE = 200  # levels of which it is looked whether they are numbers
_MOST_LEVELS = 50_000  # of a column of which it is looked at level by level whether they are numbers
_LEAST_TOGETHER, _LEAST_WORDS, _MOST_OF_BLOCKS = 3, 3, 0.2  # columns, words, and of the rows
_MOST_MEMBERS, _FEWEST_BLOCKS = 100, 4  # words of those of which there are totals, and totals
_RARE, _RARE_ODD = 0.001, 0.05  # chance that any case agrees so, and that one with a word for a number does
_STATISTICS: tuple[Callable[[Numbers], float], ...] = (
    lambda values: float(values.mean()),
    lambda values: float(values.std(ddof=1)),
    lambda values: float(values.std()),
    lambda values: float(values.sum()),
    lambda values: float(len(values)),
    lambda values: float(values.std(ddof=1) / np.sqrt(len(values))),
    lambda values: float(np.median(values)),
    lambda values: float(values.min()),
    lambda values: float(values.max()),
)


@dataclass(frozen=True)
class _Cells:
    """A column as summaries are looked for: its numbers, how they are written, and where its cells are odd."""

    column: Column

    @cached_property
    def numbers(self) -> Numbers:
        """For each row its number, NaN where there is none."""
        if self.column.numbers is not None:
            return self.column.numbers
        numbers = [number_of(level) for level in self.column.levels]
        return np.array([*(np.nan if each is None else each for each in numbers), np.nan])[self.column.codes]

    @cached_property
    def is_measured(self) -> bool:
        """Whether most cells are numbers that do not number the rows."""
        sample = self.column.levels[:: max(1, self.column.n_levels // _SAMPLE)]
        if sum(number_of(level) is None for level in sample) > _MOSTLY * len(sample):
            return False
        values = self.numbers[~np.isnan(self.numbers)]
        is_mostly = len(values) > _MOSTLY * self.column.n_filled
        return bool(is_mostly and not (len(values) > 1 and (np.diff(values) == 1).mean() > 1 - _MOST))

    @cached_property
    def is_lacking(self) -> Flags:
        """For each row whether nothing stands where most rows have something."""
        return ~self.column.filled if self.column.share_filled > _MOSTLY else np.zeros(self.column.rows, bool)

    @cached_property
    def is_word(self) -> Flags:
        """For each row whether a word stands where most rows have numbers or codes."""
        if self.column.has_numbers:
            return np.zeros(self.column.rows, bool)
        digits = np.array([*(any(map(str.isdigit, level)) for level in self.column.levels), False])[self.column.codes]
        is_of_codes = digits.sum() > _MOSTLY * self.column.n_filled
        return self.column.filled & ~digits if is_of_codes else np.zeros(self.column.rows, bool)

    def step_of(self, row: int) -> float:
        """Return the last digit to which a number is written."""
        text = self.column.levels[self.column.codes[row]].strip().replace(",", ".")
        return float(10.0 ** -len(text.partition(".")[2].rstrip("% ")))


def find_summaries(columns: Sequence[Column]) -> Flags:
    """Return for each row whether it is a summary of rows above it, or a note below one.

    Parameters
    ----------
    columns
        Of the table, in which summaries make columns of numbers columns of words.
    """
    rows = max((column.rows for column in columns), default=0)
    none = np.zeros(rows, bool)
    able = [column for column in columns if column.has_numbers or column.n_levels <= _MOST_LEVELS]
    if rows <= _FEWEST or not any(column.share_filled < 1 or not column.has_numbers for column in able):
        return none
    table = _Summaries([_Cells(column) for column in able], rows)
    summaries = (table.find() if table.is_odd.any() else none) | table.close_blocks()
    return summaries if summaries.sum() <= _MOST * rows and (~summaries).sum() >= _FEWEST else none


class _Summaries:
    """The search for summaries, run by run of odd rows."""

    def __init__(self, cells: Sequence[_Cells], rows: int) -> None:
        self.cells, self.rows = cells, rows
        self.lacking = np.zeros(rows, np.int16)
        self.has_word = np.zeros(rows, bool)
        for each in cells:
            if each.column.share_filled < 1:
                self.lacking += each.is_lacking
            if not each.column.has_numbers:
                self.has_word |= each.is_word
        is_odd = (self.lacking > 0) | self.has_word
        if is_odd.sum() * rows * len(cells) > _MOST_WORK:
            is_odd &= np.arange(rows) >= rows - _END
        self.is_odd: Flags = is_odd

    @cached_property
    def measured(self) -> list[_Cells]:
        """The columns of numbers, which summaries are of."""
        return [each for each in self.cells if each.is_measured]

    def find(self) -> Flags:
        """Return which rows are summaries: those that cannot be so by chance, and others that are called as these."""
        found = self._find(frozenset())
        names = self._names(np.flatnonzero(found).tolist())
        return (self._find(names) if names else found) | self._are_notes() | self._are_blocks()

    def _find(self, names: frozenset[str]) -> Flags:
        """Return which rows are statistics of those above, of which some names are known."""
        found = np.zeros(self.rows, bool)
        start, runs = 0, list(self._runs())
        for run in runs:
            # The rows since the last summaries, and all cases above: a mean of a group, and one of all.
            of_group = np.arange(start, run[0])
            above = np.flatnonzero(~found[: run[0]])
            chance, summaries = self._of_run(run, of_group, above)
            rare = _RARE_ODD if self.has_word[run].any() else _RARE
            if chance * len(summaries) * len(runs) < rare or not names.isdisjoint(self._names(summaries)):
                found[summaries] = True
                start = run[-1] + 1 if summaries else start
        return found

    def close_blocks(self) -> Flags:
        """Return which rows have one word, stand at an end of each block of others, and hold all sums or means of it.

        A total of each group may be called as if it were one more member, and have all that cases have.
        """
        for each, is_last in itertools.product(self.cells, (True, False)):
            column = each.column
            if column.has_numbers or not 2 < column.n_levels <= _MOST_MEMBERS or not column.filled.all():
                continue
            codes = column.codes[::-1] if is_last else column.codes
            starts = np.flatnonzero(codes == codes[0])
            sizes = np.diff([*starts, self.rows])
            if len(starts) >= _FEWEST_BLOCKS and sizes.min() > 2 and self._are_statistics(starts, sizes, is_last):
                closing: Flags = column.codes == column.codes[-1 if is_last else 0]
                return closing
        return np.zeros(self.rows, bool)

    def _are_statistics(self, starts: Codes, sizes: Codes, is_last: bool) -> bool:
        """Whether the first row of each block has the sums, or the means, of the others, where cases differ at all."""
        n_told = 0
        for each in self.measured:
            numbers = each.numbers[::-1] if is_last else each.numbers
            totals = numbers[starts]
            if np.isnan(numbers).any() or (
                (np.maximum.reduceat(numbers, starts) == totals).all()
                and (np.minimum.reduceat(numbers, starts) == totals).all()
            ):
                continue  # what is missing, or is called alike in each block
            sums = np.add.reduceat(numbers, starts) - totals
            is_one = (np.isclose(totals, expected).all() for expected in (sums, sums / (sizes - 1)))
            if not any(is_one):
                return False
            n_told += 1
        return n_told > 0

    def _names(self, rows: Sequence[int]) -> frozenset[str]:
        """Return the words that stand in some rows where cases have numbers or codes."""
        words = (each.column.levels[each.column.codes[row]] for each in self.cells for row in rows if each.is_word[row])
        return frozenset(words)

    def _runs(self) -> Iterator[list[int]]:
        """Yield the odd rows that stand together."""
        places = np.flatnonzero(self.is_odd)
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            yield run.tolist()

    def _of_run(self, run: Sequence[int], group: Codes, above: Codes) -> tuple[float, list[int]]:
        """Return the rows of a run that are statistics of cases, and notes below these; first how likely by chance."""
        chance, summaries, rest = 1.0, list[int](), list[int]()
        for row in run:
            agreements = [self._agreement(row, np.append(cases, rest).astype(np.int64)) for cases in (group, above)]
            agreeing = [own for agrees, own in agreements if agrees]
            if agreeing and (min(agreeing) < 1 or summaries):
                summaries.append(row)
                chance *= min(agreeing)
            elif summaries and self._is_note(row):
                summaries.append(row)
            else:
                rest.append(row)  # a case in which something is missing
        return chance, summaries

    def _agreement(self, row: int, cases: Codes) -> tuple[bool, float]:
        """Return whether all numbers of a row are one statistic of the cases, and how likely those of a case are.

        Of numbers that cases have too, as a mean that is written without digits, it may be anything.
        """
        agree = np.ones(len(_STATISTICS), bool)
        chance, n_numbers = 1.0, 0
        for each in self.measured:
            number = each.numbers[row]
            values = each.numbers[cases]
            values = values[~np.isnan(values)]
            if np.isnan(number) or len(values) < 2:
                continue
            n_numbers += 1
            step = each.step_of(row)
            seen = np.array([statistic(values) for statistic in _STATISTICS])
            agree &= np.abs(number - seen) <= (0.5 + 1e-6) * step + 1e-9 * np.abs(seen)
            if not agree.any():
                return False, 1.0
            if not (values == number).any():
                # As many numbers as can be written between the least and the greatest one are as likely.
                room = max(float(values.max()), number) - min(float(values.min()), number)
                chance /= 1 + room / step
        return n_numbers > 0, min(1.0, chance * len(_STATISTICS))

    def _is_note(self, row: int) -> bool:
        """Whether a row has no number, and nothing in most of what cases fill."""
        has_number = any(not np.isnan(each.numbers[row]) for each in self.measured)
        return not has_number and self.lacking[row] >= len(self.cells) / 2

    def _are_notes(self) -> Flags:
        """Return which rows have a word where all cases have a number or a code, and nothing in what all cases fill."""
        full = [each.column.filled for each in self.cells if each.column.filled[~self.has_word].all()]
        n_empty = np.sum([~filled for filled in full], axis=0) if full else np.zeros(self.rows, int)
        are_notes: Flags = self.has_word & (n_empty >= max(2, (len(self.cells) - 1) / 2))
        return are_notes

    def _are_blocks(self) -> Flags:
        """Return which rows lack several columns that all others fill, and have words where all others have numbers.

        Summaries may be of something else than columns, such as how often each kind of trial was answered. One word
        alone may say why a case has no answer.
        """
        together: dict[bytes, list[Column]] = {}
        for each in self.cells:
            if each.column.share_filled < 1:
                together.setdefault(each.column.filled.tobytes(), []).append(each.column)
        found = np.zeros(self.rows, bool)
        for columns in together.values():
            lack = ~columns[0].filled
            if len(columns) >= _LEAST_TOGETHER and lack.mean() <= _MOST_OF_BLOCKS:
                found |= lack if any(_has_words_in(each.column, lack) for each in self.cells) else False
        return found


def _has_words_in(column: Column, rows: Flags) -> bool:
    """Whether a column has several words in some rows, and numbers in all others."""
    if column.has_numbers or column.share_filled < 1:
        return False
    are_words = np.array([number_of(level) is None for level in column.levels])
    return int(are_words.sum()) >= _LEAST_WORDS and np.array_equal(are_words[column.codes], rows)
