"""Random terms such as ``(1 + x | person)``: what they say, their blocks of rows, cross-products and parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.sparse import coo_array, csr_array

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.clusters import CodedRows
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import IntArray

TERM = re.compile(r"\s*\(([^()|]+)\|([^()|]+)\)\s*")
# A column: a word, or anything in backticks but what separates columns.
COLUMN = re.compile(r"\w+|`[^`()|/+]+`")
EFFECT = re.compile(rf"(?:{COLUMN.pattern})(?:\s*:\s*(?:{COLUMN.pattern}))*")  # one of a column, or of several together
MOST_DENSE = 2_000_000  # numbers of a block's random columns that are laid out with their zeros
BAR = re.compile(r"\([^()]*\|[^()]*\)")
TRANSFORM = re.compile(r"\w*\([^()]*\)|\{[^{}]*\}")  # whose signs are not signs of the formula


@dataclass(frozen=True, slots=True)
class RandomTerm:
    """One term: whether its intercept varies, which effects do (each of its variables), and over which clusters."""

    intercept: bool
    slopes: tuple[tuple[str, ...], ...]
    clusters: tuple[str, ...]

    @property
    def name(self) -> str:
        """The columns of its clusters, joined by a colon."""
        return ":".join(self.clusters)


def split_bars(formula: str) -> tuple[str, str | None]:
    """Return a formula without its random terms, and these; None if it has none.

    Examples
    --------
    >>> split_bars("y ~ x + (1 | person) + (1 | item)")
    ('y ~ x', '(1 | person) + (1 | item)')
    """
    if not isinstance(formula, str) or "|" not in formula:
        return formula, None
    _check_double(formula)
    outcome, tilde, predictors = formula.partition("~")
    bars = BAR.findall(predictors)
    fixed_part = BAR.sub("", predictors)
    operators = TRANSFORM.sub("t", fixed_part)
    if not tilde or "|" in fixed_part or "|" in outcome or re.search(r"[-*:]\s*(?=[-+*:]|$)", operators):
        raise DesignError(
            f"the formula {shown(formula)} cannot be read; random effects are added, as in "
            "'y ~ x + (1 + x | person) + (1 | item)'"
        )
    fixed = " + ".join(addend.strip() for addend in fixed_part.split("+") if addend.strip())
    return f"{outcome.strip()} ~ {fixed or '1'}", " + ".join(bars)


def _check_double(text: str) -> None:
    if "||" in text:
        raise DesignError(f"{shown(text)} has '||'; correlations of random effects are always estimated, write '|'")


def quote_column(name: object) -> str:
    """Return the name of a column as formulas take it: in backticks if it is not a word.

    Examples
    --------
    >>> quote_column("person"), quote_column("participant id")
    ('person', '`participant id`')
    """
    text = str(name)
    return text if re.fullmatch(r"\w+", text) else f"`{text}`"


def read_terms(random: str, cluster: str | None) -> tuple[RandomTerm, ...]:
    """Read ``"x"`` (with `cluster`) or terms in brackets; nothing in them is executed.

    Examples
    --------
    >>> [term.name for term in read_terms("(1 | session/pair)", None)]
    ['session', 'session:pair']
    """
    would = "give a column such as 'x' with cluster=, or terms such as '(1 + x | person)' or '(1 | session/pair)'"
    if not isinstance(random, str) or not random.strip():
        raise DesignError(f"random is {shown(random)}; {would}")
    _check_double(random)
    if "|" not in random:
        if cluster is None:
            raise DesignError(f"random is {shown(random)} without a cluster; {would}")
        random = f"({random} | {quote_column(cluster)})"
    elif cluster is not None:
        raise DesignError(f"random {shown(random)} names its clusters; leave cluster= out")
    # One bracket after the other, with a plus between; ``a/b`` is a, and b within a.
    terms: list[RandomTerm] = []
    position = 0
    while position < len(random):
        term_match = TERM.match(random, position)
        if term_match is None or random[term_match.end() : term_match.end() + 1] not in ("", "+"):
            raise DesignError(f"random is {shown(random)}; {would}")
        position = term_match.end() + 1
        effect_names = [effect_name.strip() for effect_name in term_match[1].split("+")]
        columns = [name.strip() for name in term_match[2].split("/")]
        unreadable = [name for name in effect_names if not EFFECT.fullmatch(name)]
        unreadable += [name for name in columns if not COLUMN.fullmatch(name)]
        if unreadable or len(set(effect_names)) < len(effect_names):
            raise DesignError(f"random is {shown(random)}; {would}; anything else is computed as a column first")
        slopes = tuple(
            tuple(name.strip("`") for name in COLUMN.findall(effect_name))
            for effect_name in effect_names
            if effect_name not in ("0", "1")
        )
        clusters = tuple(column.strip("`") for column in columns)
        intercept = "0" not in effect_names
        if not intercept and not slopes:
            raise DesignError(f"random is {shown(random)}: a term with 0 needs the column of a slope")
        terms += [RandomTerm(intercept, slopes, clusters[: depth + 1]) for depth in range(len(clusters))]
    return tuple(terms)


@dataclass(frozen=True, slots=True, eq=False)
class RandomColumns:
    """How a term's columns are made of its variables, measured from the fit's origin: coded, moved, made orthonormal.

    `back` turns the random effects of these columns into those of the columns as they are given, called `names`.
    """

    coding: Coding
    move: FloatArray | None
    triangle: FloatArray
    names: tuple[str, ...]
    back: FloatArray

    def of(self, values: dict[str, Any]) -> FloatArray:
        """Return the columns, (rows, k)."""
        x = self.coding.matrix(values)
        x = x if self.move is None else (x @ self.move)[:, 1:]
        return np.asarray(np.linalg.solve(self.triangle.T, x.T).T, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The random terms' columns, brought to be orthonormal, and the blocks of rows that share no random effect."""

    layout: Layout
    columns: tuple[RandomColumns, ...]
    levels: tuple[int, ...]
    codes: tuple[npt.NDArray[np.intp], ...]
    designs: tuple[tuple[tuple[int, ...], npt.NDArray[np.intp], Any], ...]

    @classmethod
    def of(
        cls,
        terms: Sequence[RandomTerm],
        rows: CodedRows,
        groups: dict[str, Any],
        outcome: str,
        origin: dict[str, float],
    ) -> Blocks:
        """Lay out the terms over rows."""
        columns, term_columns, codes = [], [], []
        for term in terms:
            term_column = _columns(term, rows, outcome, origin)
            _, code = np.unique(np.stack([groups[name] for name in term.clusters]), axis=1, return_inverse=True)
            code = np.ravel(code)
            _check_term(term, int(code.max()) + 1, len(term_column.names), len(code))
            columns.append(term_column.of(rows.columns))
            term_columns.append(term_column)
            codes.append(code)
        layout = Layout(tuple(column.shape[1] for column in columns))
        levels = tuple(int(code.max()) + 1 for code in codes)
        return cls(layout, tuple(term_columns), levels, tuple(codes), tuple(_designs(columns, codes)))

    def batches(self, z: FloatArray) -> tuple[Batch, ...]:
        """Return the cross-products of each block with outcome and predictors z, alike blocks together."""
        products_by_levels: dict[tuple[int, ...], list[tuple[FloatArray, FloatArray]]] = {}
        for levels, rows, design in self.designs:
            gram = design.T @ design
            dense = np.asarray(gram if isinstance(gram, np.ndarray) else gram.toarray())
            products_by_levels.setdefault(levels, []).append((dense, np.asarray(design.T @ z[rows])))
        return tuple(
            Batch(
                np.stack([gram for gram, _ in products]),
                np.stack([mixed_products for _, mixed_products in products]),
                levels,
                self.layout.columns,
            )
            for levels, products in products_by_levels.items()
        )


def _columns(term: RandomTerm, rows: CodedRows, outcome: str, origin: dict[str, float]) -> RandomColumns:
    variables = (name for effect in term.slopes for name in effect)
    factors = {name: rows.factors[name] for name in variables if name in rows.factors}
    if factors and not term.intercept:
        raise DesignError(
            f"the factor {next(iter(factors))!r} varies over {term.name} without an intercept; leave 0 out"
        )
    coding = Coding.of(Formula(outcome, term.slopes), factors)
    x, to_origin = coding.matrix(rows.columns), coding.shift(origin)
    if not term.intercept:
        # Without an intercept the slope's column is as it was measured: its origin is no matter of choice.
        x = (x @ to_origin)[:, 1:]
    names = coding.names if term.intercept else coding.names[1:]
    triangle = np.linalg.qr(x, mode="r") / np.sqrt(len(x))
    pivots = np.abs(np.diagonal(triangle))
    if not (pivots > 1e-10 * np.sqrt((x**2).mean(axis=0))).all():
        raise DesignError(f"the random columns {', '.join(names)} of {term.name} follow from each other; leave one out")
    back = np.asarray(np.linalg.inv(triangle @ to_origin if term.intercept else triangle))
    return RandomColumns(coding, None if term.intercept else to_origin, triangle, names, back)


def _check_term(term: RandomTerm, levels: int, columns: int, rows: int) -> None:
    if levels < 2:
        raise DesignError(f"all rows are in one level of {term.name!r}; a random effect needs several")
    if levels * columns >= rows:
        raise NotEstimable(
            f"{levels} levels of {term.name!r} with {columns} random effects each are not fewer than the {rows} rows; "
            "leave random effects out"
        )


def _designs(
    columns: list[FloatArray], codes: list[npt.NDArray[np.intp]]
) -> Iterator[tuple[tuple[int, ...], npt.NDArray[np.intp], Any]]:
    """Yield of each block how many levels of each term it has, its rows, and their random columns (sparse if many)."""
    # Rows that share no level of any term are independent: the blocks.
    block = _connected(codes)
    order = np.argsort(block, kind="stable")
    block_ends = np.flatnonzero(np.diff(block[order])) + 1
    for rows in np.split(order, block_ends):
        block_codes = [np.unique(code[rows], return_inverse=True) for code in codes]
        levels = tuple(len(distinct) for distinct, _ in block_codes)
        widths = [column.shape[1] for column in columns]
        # The random columns of a block: for each term, one set for each of its levels.
        starts = np.cumsum([0, *(count * k for count, k in zip(levels, widths, strict=True))])
        column_indices = np.concatenate([
            start + np.ravel(level_code)[:, None] * k + np.arange(k)
            for start, (_, level_code), k in zip(starts[:-1], block_codes, widths, strict=True)
        ], axis=1)  # fmt: skip
        values, row_numbers = (
            np.concatenate([column[rows] for column in columns], axis=1),
            np.arange(len(rows))[:, None],
        )
        if len(rows) * starts[-1] > MOST_DENSE:
            row_indices = np.broadcast_to(row_numbers, column_indices.shape).ravel()
            yield (
                levels,
                rows,
                csr_array((values.ravel(), (row_indices, column_indices.ravel())), shape=(len(rows), int(starts[-1]))),
            )
            continue
        design = np.zeros((len(rows), int(starts[-1])))
        design[row_numbers, column_indices] = values
        yield levels, rows, design


def _connected(codes: list[npt.NDArray[np.intp]]) -> npt.NDArray[np.intp]:
    """Return the block of each row: rows that share a level of any term, however far around, are of one."""
    rows = len(codes[0])
    first_nodes = rows + np.cumsum([0, *(int(code.max()) + 1 for code in codes)])
    level_nodes = np.concatenate([code + start for code, start in zip(codes, first_nodes[:-1], strict=True)])
    graph = coo_array(
        (np.ones(len(level_nodes)), (np.tile(np.arange(rows), len(codes)), level_nodes)),
        shape=(first_nodes[-1], first_nodes[-1]),
    )
    return np.asarray(scipy.sparse.csgraph.connected_components(graph, directed=False)[1][:rows], dtype=np.intp)


# Levels of a block, and the share of its gram that is not 0, from which and up to which products skip the zeros.
LARGE, SPARSE = 200, 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Blocks with as many levels of each term: gram C (J, q, q), mixed B (J, q, 1 + p), these levels, and widths."""

    gram: FloatArray
    mixed: FloatArray
    levels: tuple[int, ...]
    widths: tuple[int, ...]

    def spread(self, parts: list[FloatArray]) -> FloatArray:
        """Return the block matrix with each term's small matrix once a level."""
        matrix = np.zeros(self.gram.shape[-2:])
        start = 0
        for count, block in zip(self.levels, parts, strict=True):
            k = len(block)
            for _ in range(count):
                matrix[start : start + k, start : start + k] = block
                start += k
        return matrix

    def multiply(self, parts: list[FloatArray], matrix: FloatArray) -> FloatArray:
        """Return `spread(parts)` times a matrix of each block, without the zeros."""
        product, start = np.empty_like(matrix), 0
        for count, block in zip(self.levels, parts, strict=True):
            k = len(block)
            rows = slice(start, start + count * k)
            start = rows.stop
            term_rows = matrix[:, rows]
            product[:, rows] = (
                block[0, 0] * term_rows
                if k == 1
                else (block @ term_rows.reshape(len(term_rows), count, k, -1)).reshape(term_rows.shape)
            )
        return product

    def turned(self, parts: list[FloatArray]) -> FloatArray:
        """Return R′CR of each block, where R is `spread(parts)`."""
        transposed = [block.T for block in parts]
        left_product = self.multiply(transposed, self.gram)
        return self.multiply(transposed, np.ascontiguousarray(np.swapaxes(left_product, 1, 2)))

    def times(self, matrix: FloatArray) -> FloatArray:
        """Return C times a matrix of each block."""
        return (
            np.asarray(csr_array(self.gram[0]) @ matrix[0])[None] if self.diagonal is not None else self.gram @ matrix
        )

    @property
    def diagonal(self) -> slice | None:
        """The rows of C of the largest term of intercepts, where one large block is nearly all zeros; else None.

        Rows of one term's levels share no zero-free place off the diagonal, so that they are eliminated one by one.
        """
        size = self.gram.shape[-1]
        if len(self.gram) > 1 or size <= LARGE or np.count_nonzero(self.gram) > SPARSE * self.gram.size:
            return None
        term_ends = np.cumsum(np.multiply(self.levels, self.widths))
        single_columns = [term for term, width in enumerate(self.widths) if width == 1]
        if not single_columns:
            return None
        largest = max(single_columns, key=lambda term: self.levels[term])
        return slice(int(term_ends[largest]) - self.levels[largest], int(term_ends[largest]))


@dataclass(frozen=True, slots=True)
class Layout:
    """How many random columns each term has, and which entry of which term each parameter is."""

    columns: tuple[int, ...]

    @property
    def entries(self) -> list[tuple[int, int, int]]:
        """(term, row, column) of each entry of the lower triangles."""
        return [(t, a, b) for t, k in enumerate(self.columns) for a in range(k) for b in range(a + 1)]

    def unit(self, place: int, *, symmetric: bool) -> list[FloatArray]:
        """Return the small matrices with a 1 at one entry."""
        matrices = [np.zeros((k, k)) for k in self.columns]
        term, a, b = self.entries[place]
        matrices[term][a, b] = 1.0
        if symmetric:
            matrices[term][b, a] = 1.0
        return matrices

    def factors(self, theta: FloatArray) -> list[FloatArray]:
        """Return Λ of each term."""
        matrices = [np.zeros((k, k)) for k in self.columns]
        for value, (term, a, b) in zip(theta, self.entries, strict=True):
            matrices[term][a, b] = value
        return matrices

    def psi(self, parts: list[FloatArray]) -> FloatArray:
        """Return the entries of symmetric small matrices."""
        return np.array([parts[term][a, b] for term, a, b in self.entries])


def whiten(batch: Batch, factors: list[FloatArray]) -> tuple[FloatArray, float]:
    """Return L⁻¹Λ′B of each block, where W = I + Λ′CΛ = LL′, and ln |W| over the blocks."""
    # I + Λ′Z′ZΛ, whose Cholesky factor whitens the rows of the cross products.
    inner, scaled_mixed = batch.turned(factors), batch.multiply([factor.T for factor in factors], batch.mixed)
    inner[:, np.arange(inner.shape[-1]), np.arange(inner.shape[-1])] += 1.0
    if batch.diagonal is None:
        lower = np.linalg.cholesky(inner)
        return np.asarray(np.linalg.solve(lower, scaled_mixed)), 2 * float(np.log(np.einsum("jaa->ja", lower)).sum())
    # The term with one column a level has a diagonal block: it is eliminated first, and the rest is small.
    split = _Eliminated.of(inner[0], batch.diagonal)
    lower = np.linalg.cholesky(split.complement)
    own_part, other_part = scaled_mixed[0][split.eliminated], scaled_mixed[0][split.remaining]
    half = np.linalg.solve(lower, other_part - split.left @ own_part)
    logdet = float(np.log(split.diagonal).sum()) + 2 * float(np.log(np.diagonal(lower)).sum())
    return np.concatenate([own_part / np.sqrt(split.diagonal)[:, None], half])[None], logdet


def invert(batch: Batch, factors: list[FloatArray]) -> FloatArray:
    """Return D = I − AC of each block without the difference, as the inverse of I + ΨC."""
    matrix = np.eye(batch.gram.shape[-1]) + batch.multiply([factor @ factor.T for factor in factors], batch.gram)
    if batch.diagonal is None:
        return np.asarray(np.linalg.inv(matrix))
    split = _Eliminated.of(matrix[0], batch.diagonal)
    # The inverse by blocks, from that of the Schur complement.
    inner = np.linalg.inv(split.complement)
    upper_right = split.right @ inner
    inverse = np.empty_like(matrix[0])
    inverse[np.ix_(split.remaining, split.remaining)] = inner
    inverse[np.ix_(split.eliminated, split.remaining)] = -upper_right
    inverse[np.ix_(split.remaining, split.eliminated)] = -(split.left.T @ inner.T).T
    inverse[np.ix_(split.eliminated, split.eliminated)] = (split.left.T @ upper_right.T).T
    inverse[split.eliminated, split.eliminated] += 1 / split.diagonal
    return np.asarray(inverse[None])


@dataclass(frozen=True, slots=True, eq=False)
class _Eliminated:
    """A matrix [[E, N], [M, R]] with E diagonal: E, `right` E⁻¹N, `left` ME⁻¹ and `complement` R − ME⁻¹N."""

    eliminated: IntArray
    remaining: IntArray
    diagonal: FloatArray
    right: Any
    left: Any
    complement: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray, rows: slice) -> _Eliminated:
        """Eliminate the rows and columns in which the matrix is diagonal."""
        indices = np.arange(len(matrix))
        own_rows = indices[rows]
        other_rows = np.concatenate([indices[: rows.start], indices[rows.stop :]])
        diagonal = matrix[own_rows, own_rows]
        scaled_right = csr_array(matrix[np.ix_(own_rows, other_rows)] / diagonal[:, None])
        lower_left = csr_array(matrix[np.ix_(other_rows, own_rows)])
        complement = matrix[np.ix_(other_rows, other_rows)] - (lower_left @ scaled_right).toarray()
        return cls(own_rows, other_rows, diagonal, scaled_right, csr_array(lower_left / diagonal), complement)
