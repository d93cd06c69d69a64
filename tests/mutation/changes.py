"""The places of a module where a small change would be a fault, and the text of the module with one of them changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
# Where text is made for people, a change of it is not a fault of a number.
WORDS = (ast.JoinedStr, ast.Raise, ast.Assert, ast.FormattedValue)


@dataclass(frozen=True, slots=True)
class Change:
    """One place of a file: the line (from 1), the columns in bytes of its text that are replaced, and by what."""

    line: int
    start: int
    end: int
    before: str
    after: str


def changes_of(text: str) -> list[Change]:
    """Return every change of a module's code: operators, comparisons, numbers, negations.

    Examples
    --------
    >>> [(one.before, one.after) for one in changes_of("y = x[0] < 2")]
    [('0', '1'), ('<', '<='), ('2', '3')]
    """
    lines = text.encode().splitlines()
    return sorted(set(_of(ast.parse(text), lines)), key=lambda one: (one.line, one.start))


def _of(node: ast.AST, lines: list[bytes]) -> Iterator[Change]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, WORDS) and not _is_rest_of_shape(node, child):
                yield from _of(child, lines)
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            yield from _between(sides[place], sides[place + 1], operator, lines)
    elif isinstance(node, ast.BinOp):
        yield from _between(node.left, node.right, node.op, lines)
    elif isinstance(node, ast.BoolOp):
        for one, other in zip(node.values, node.values[1:], strict=False):
            yield from _between(one, other, node.op, lines)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        end = node.end_col_offset or 0
        before = lines[node.lineno - 1][node.col_offset : end].decode()
        after = str(node.value + 1) if isinstance(node.value, int) else repr(node.value * 1.5 + 0.1)
        yield Change(node.lineno, node.col_offset, end, before, after)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Change(node.lineno, node.col_offset, node.col_offset + 4, "not ", "")


def _is_rest_of_shape(node: ast.AST, child: ast.AST) -> bool:
    """Whether a node is the -1 of a new shape: any negative number stands for what is left."""
    is_reshape = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
    return is_reshape and isinstance(child, ast.UnaryOp) and isinstance(child.op, ast.USub)


def _between(one: ast.expr, other: ast.expr, operator: ast.AST, lines: list[bytes]) -> Iterator[Change]:
    """Return the change of the operator between two parts, if it stands on the line where the first one ends."""
    if type(operator) not in OPERATORS or one.end_lineno is None or one.end_col_offset is None:
        return
    before, after = OPERATORS[type(operator)]
    line = lines[one.end_lineno - 1]
    stop = other.col_offset if other.lineno == one.end_lineno else len(line)
    start = line.find(before.encode(), one.end_col_offset, stop)
    if start >= 0:
        yield Change(one.end_lineno, start, start + len(before.encode()), before, after)


def changed(text: str, change: Change) -> str:
    """Return the module's text with one place changed.

    Examples
    --------
    >>> changed("y = x < 2", changes_of("y = x < 2")[0])
    'y = x <= 2'
    """
    lines = text.encode().splitlines(keepends=True)
    line = lines[change.line - 1]
    lines[change.line - 1] = line[: change.start] + change.after.encode() + line[change.end :]
    return b"".join(lines).decode()
