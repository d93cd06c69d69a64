"""Formulas: which columns of a frame they need, the terms that they name, and the transforms that they hold.

A *transform* is a part of a formula that is computed from columns, such as ``log(price)`` or ``poly(age, 2)``. Its
names are read from its syntax, and no other function is called than those of `FUNCTIONS`: nothing else in a formula is
executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError, meant, one_line, shown
from negstats.stats.summaries.frames import Factor, numbers

# Of numpy, by their bare names too; the others are formulaic's, of which those of the second line keep what they
# learned of a column (its mean, its knots) for rows that are new.
ELEMENTWISE = ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "abs")
FUNCTIONS = (*ELEMENTWISE, "exp10", "I", "center", "scale", "standardize", "poly", "bs", "cs", "cr", "cc")
CODINGS = ("C", "Treatment", "Sum", "Helmert", "Diff", "Poly")
ALLOWED_SYNTAX = (
    ast.Expression, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare,
    ast.BoolOp, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.Tuple, ast.List, ast.Attribute, ast.Dict,
)  # fmt: skip
# What the bare names of numpy's functions mean when formulaic evaluates a formula.
FUNCTION_VALUES = {name: getattr(np, name) for name in ELEMENTWISE}
QUOTED = re.compile(r"`([^`]*)`")
# For each factor the level that others are compared with.
Reference: TypeAlias = Mapping[str, object] | None


def parse_formula(formula: str) -> Any:
    """Return formulaic's reading of a formula; nothing is evaluated.

    Raises
    ------
    DesignError
        If it cannot be read.
    """
    from formulaic import Formula as Parsed
    from formulaic.errors import FormulaicError

    try:
        return Parsed(formula)
    except (FormulaicError, SyntaxError, AttributeError) as error:
        reason = one_line(error).partition(".")[0]
        raise DesignError(f"the formula {shown(formula)} cannot be read: {reason}") from None


def _syntax_of(text: str) -> tuple[ast.Expression, dict[str, str]]:
    """Return the syntax of a transform, and the columns that it names between backticks by their stand-ins."""
    quoted: dict[str, str] = {}

    def stand_in(match: re.Match[str]) -> str:
        name = f"quoted_column_{len(quoted)}"
        quoted[name] = match[1]
        return name

    return ast.parse(QUOTED.sub(stand_in, text), mode="eval"), quoted


def _names_in(text: str, formula: str) -> Iterator[str]:
    """Yield the columns that a transform names; DesignError for a function that is not offered."""
    tree, quoted = _syntax_of(text)
    call_nodes = {id(node.func): node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    modules = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        is_allowed = isinstance(node, ALLOWED_SYNTAX)
        if id(node) in call_nodes:
            is_allowed = isinstance(node, ast.Name) and node.id in (*FUNCTIONS, *CODINGS)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                is_allowed = (node.value.id == "np" and node.attr in ELEMENTWISE) or node.value.id == "contr"
        elif isinstance(node, ast.Attribute):
            is_allowed = isinstance(node.value, ast.Name) and node.value.id == "contr"
        if not is_allowed:
            raise DesignError(
                f"{formula!r} holds {shown(text)}; formulas have {', '.join(FUNCTIONS)}: for anything else compute it "
                "as a column of the frame first"
            )
        if isinstance(node, ast.Name) and id(node) not in call_nodes and id(node) not in modules:
            yield quoted.get(node.id, node.id)


@dataclass(frozen=True, slots=True)
class Transform:
    """A part of a formula that is computed from columns, and what it learned of the rows that it was first given.

    Attributes
    ----------
    text : str
        As the formula has it.
    columns : tuple of str
        The columns of the frame that it needs.
    names : tuple of str
        The columns that it gives: its text, or ``poly(x, 2)[1]``, ``poly(x, 2)[2]``; none before it was evaluated.
    spec : object
        Means, knots and the like, by which new rows are transformed as those of the fit were.
    """

    text: str
    columns: tuple[str, ...]
    names: tuple[str, ...] = ()
    spec: Any = field(default=None, compare=False, repr=False)

    def add(self, frame: pd.DataFrame) -> tuple[Transform, pd.DataFrame]:
        """Return the transform as it is known now, and the frame with its columns, NaN where one that it needs is.

        Raises
        ------
        DesignError
            If it cannot be computed of these rows.
        """
        source_values = pd.DataFrame({name: numbers(frame[name], name) for name in self.columns}, index=frame.index)
        is_complete = source_values.notna().all(axis=1).to_numpy()
        try:
            with np.errstate(all="ignore"):
                spec, values = self._evaluated(source_values[is_complete])
        except Exception as error:  # formulaic passes on whatever the columns raise
            raise DesignError(f"{self.text!r} does not fit the data: {one_line(error)}") from None
        finite = np.isfinite(values)
        if not finite.all():
            index = int(np.flatnonzero(is_complete)[int((~finite.all(axis=1)).argmax())])
            source = ", ".join(f"{name} = {source_values[name].iloc[index]:g}" for name in self.columns)
            raise DesignError(f"{self.text!r} has no finite value in row {index} ({source}); leave such rows out")
        k = values.shape[1]
        names = (self.text,) if k == 1 else tuple(f"{self.text}[{index + 1}]" for index in range(k))
        columns = np.full((len(frame), k), np.nan)
        columns[is_complete] = values
        added = frame.assign(**dict(zip(names, columns.T, strict=True)))
        return replace(self, names=names, spec=spec), added

    def _evaluated(self, rows: pd.DataFrame) -> tuple[Any, np.ndarray[Any, Any]]:
        from formulaic import Formula as Parsed

        source = Parsed("0 + {" + self.text + "}") if self.spec is None else self.spec
        matrix = source.get_model_matrix(rows, context=FUNCTION_VALUES, na_action="ignore")
        return matrix.model_spec, np.asarray(matrix.to_numpy(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula names.

    Attributes
    ----------
    outcome : str
    terms : tuple of tuple of str
        The variables of each term: columns, or the texts of transforms.
    factors : frozenset of str
        Which columns are said to be factors with ``C(...)``.
    references : dict
        The level that others are compared with, where ``C(g, contr.treatment('b'))`` names it.
    transforms : dict
        Each transform by its text.
    """

    outcome: str
    terms: tuple[tuple[str, ...], ...]
    factors: frozenset[str] = frozenset()
    references: Mapping[str, str] = field(default_factory=dict)
    transforms: Mapping[str, Transform] = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        """The predictors, each once, in the order of the formula; of a transform the columns that it gives."""
        return tuple(dict.fromkeys(column for term in self.terms for name in term for column in self.parts_of(name)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a frame that the formula needs, the outcome's first."""
        names = [self.outcome, *(name for term in self.terms for name in term)]
        return tuple(
            dict.fromkeys(
                column for name in names
                for column in (self.transforms[name].columns if name in self.transforms else (name,))
            )
        )  # fmt: skip

    def parts_of(self, name: str) -> tuple[str, ...]:
        """Return the columns that a variable of a term stands for: itself, but of ``poly(x, 2)`` two."""
        return (self.transforms[name].names or (name,)) if name in self.transforms else (name,)

    @classmethod
    def parse(cls, formula: str) -> Formula:
        """Read a formula such as ``"points ~ reward * center(age)"``; nothing is executed.

        Raises
        ------
        DesignError
            If it is not a formula, calls an unknown function, leaves out the intercept, or has an interaction without
            the terms that it contains.

        Examples
        --------
        >>> Formula.parse("points ~ reward * partner").terms
        (('reward',), ('partner',), ('reward', 'partner'))
        """
        if not isinstance(formula, str) or "~" not in formula:
            raise DesignError(f"the formula is {shown(formula)}; give text such as 'points ~ reward * partner'")
        try:
            parsed = parse_formula(formula)
        except DesignError as error:
            raise DesignError(f"{error}; the cluster goes into cluster=") from None
        if not hasattr(parsed, "lhs") or len(parsed.lhs) != 1:
            raise DesignError(f"the formula {formula!r} needs one outcome before the '~'")
        reader = _Reader(formula)
        (outcome,) = (tuple(reader.names(term)) for term in parsed.lhs)
        if len(outcome) != 1 or reader.factors:
            raise DesignError(f"the formula {formula!r} needs the name of one measured column before the '~'")
        terms = [tuple(dict.fromkeys(reader.names(term))) for term in parsed.rhs]
        if () not in terms:
            raise DesignError(f"the formula {formula!r} leaves out the intercept, which this model keeps")
        named_terms = tuple(dict.fromkeys(term for term in terms if term))
        parsed_formula = cls(outcome[0], named_terms, frozenset(reader.factors), reader.references, reader.transforms)
        parsed_formula._check(formula)
        return parsed_formula

    def evaluated(self, frame: pd.DataFrame) -> tuple[Formula, pd.DataFrame]:
        """Return the formula with what its transforms learned of the frame, and the frame with their columns.

        A transform is computed on every row that has its columns, whatever else the row lacks, as R's ``model.frame``
        does: ``center(x)`` is measured from the mean of the whole column.
        """
        transforms = {}
        for text, transform in self.transforms.items():
            transforms[text], frame = transform.add(frame)
            if text == self.outcome and len(transforms[text].names) > 1:
                raise DesignError(f"the outcome {text!r} is several columns; give one")
        return (replace(self, transforms=transforms) if transforms else self), frame

    def compared_with(self, reference: Reference) -> Formula:
        """Return the formula with the levels of `reference` as those that the other levels are compared with."""
        for name in reference or {}:
            if (name,) not in self.terms:
                raise DesignError(f"reference names {shown(name)}; {meant(name, self.variables, 'the predictors are')}")
        levels = {name: str(level) for name, level in (reference or {}).items()}
        return replace(self, references={**self.references, **levels})

    def in_order(self, factor: Factor, codes: Any) -> tuple[Factor, Any]:
        """Return a factor, and the codes of its rows, with the level first that others are compared with."""
        if factor.name not in self.references:
            return factor, codes
        reference = self.references[factor.name]
        if reference not in factor.levels:
            raise DesignError(
                f"the reference level of {factor.name!r} is {reference!r}; it has {', '.join(map(repr, factor.levels))}"
            )
        reference_code = factor.levels.index(reference)
        order = [reference_code, *(code for code in range(len(factor)) if code != reference_code)]
        reordered = Factor(factor.name, tuple(factor.levels[code] for code in order), factor.ordered)
        return reordered, np.argsort(order)[np.asarray(codes)]

    def _check(self, formula: str) -> None:
        if self.outcome in self.variables:
            raise DesignError(f"{self.outcome!r} is the outcome and a predictor in {formula!r}")
        terms = {frozenset(term) for term in self.terms}
        for term in self.terms:
            for size in range(1, len(term)):
                for margin_term in combinations(term, size):
                    if frozenset(margin_term) not in terms:
                        margin = ":".join(margin_term)
                        raise DesignError(
                            f"{formula!r} has {':'.join(term)} without {margin}; write {'*'.join(term)}, which has both"
                        )


class _Reader:
    """Reads the variables of terms, and gathers which of them are factors and which are transforms."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.factors: set[str] = set()
        self.references: dict[str, str] = {}
        self.transforms: dict[str, Transform] = {}

    def names(self, term: Any) -> Iterator[str]:
        """Yield the variables of a term."""
        for factor in term.factors:
            method, text = factor.eval_method.value, factor.expr
            if method == "literal" and text == "1":
                continue
            if method == "lookup":
                yield text
            elif method == "python" and _is_factor(text):
                yield self._factor(text)
            elif method == "python":
                columns = tuple(dict.fromkeys(_names_in(text, self.formula)))
                if not columns:
                    raise DesignError(f"{self.formula!r} holds {shown(text)}, which names no column; leave it out")
                self.transforms[text] = Transform(text, columns)
                yield text
            else:
                raise DesignError(f"{self.formula!r} holds {shown(text)}; compute it as a column of the frame first")

    def _factor(self, text: str) -> str:
        """Return the column of ``C(g)`` or ``C(g, contr.treatment('b'))``, and keep the level that it names."""
        tree, quoted = _syntax_of(text)
        call = tree.body
        assert isinstance(call, ast.Call)  # noqa: S101 - `_is_factor` looked
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "contrasts")]
        is_readable = len(arguments) == len(call.args) + len(call.keywords) and isinstance(arguments[0], ast.Name)
        reference = _reference_level(arguments[1]) if len(arguments) == 2 else None
        if not is_readable or len(arguments) > 2 or (len(arguments) == 2 and reference is None):
            raise DesignError(
                f"{self.formula!r} holds {shown(text)}; a coefficient is a level against a reference level, which "
                "C(g, contr.treatment('b')) names, and tests of terms do not depend on the coding"
            )
        assert isinstance(arguments[0], ast.Name)  # noqa: S101 - readable
        name = quoted.get(arguments[0].id, arguments[0].id)
        self.factors.add(name)
        if reference is not None:
            self.references[name] = reference
        return name


def _is_factor(text: str) -> bool:
    call = _syntax_of(text)[0].body
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "C" and bool(call.args)


def _reference_level(node: ast.expr) -> str | None:
    """Return the level that a treatment coding names; None for another coding."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("contr.treatment", "Treatment"):
        return None
    values = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg in ("base", "reference"))]
    if len(values) != 1 or not isinstance(values[0], ast.Constant):
        return None
    return str(values[0].value)
