"""The text form of rule sheets (KIF): expressions in brackets, terms, and how a term is printed.

A term is a constant or variable (a text; a variable starts with ``?``), or a name with arguments (a tuple whose first
part is the name). Everything is lower case: letter case carries no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias, Union

from negstats.errors import SheetError, shown

Term: TypeAlias = Union[str, tuple["Term", ...]]  # noqa: UP007 - a type that names itself

DEPTH = 100  # brackets within brackets: more is not a game, and would exhaust the stack
_LINE = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[()]|[^\s();]+")


class Node(NamedTuple):
    """An expression as it stands in the text: a word, or the parts in a pair of brackets; and its line, from 1."""

    word: str | None
    parts: tuple[Node, ...]
    line: int

    def head(self) -> str:
        """Return the word, or the first word in the brackets."""
        if self.word is not None:
            return self.word
        return self.parts[0].head() if self.parts else "()"


def expressions(text: str, name: str) -> Iterator[Node]:
    """Yield the expressions of a text.

    Raises
    ------
    SheetError
        If brackets do not match or are nested too deep.
    """
    open_lines: list[int] = []
    open_nodes: list[list[Node]] = []
    for line, content in enumerate(_LINE.split(text.lower()), 1):
        # Brackets that are open stand in a stack; an expression ends when the last of them closes.
        for token in _TOKEN.finditer(content.partition(";")[0]):
            node = None
            if token[0] == "(":
                open_lines.append(line)
                open_nodes.append([])
                if len(open_nodes) > DEPTH:
                    raise SheetError(f"more than {DEPTH} brackets within each other", file=name, line=line, word="(")
            elif token[0] == ")":
                if not open_nodes:
                    raise SheetError("a bracket closes that was never opened", file=name, line=line, word=")")
                node = Node(None, tuple(open_nodes.pop()), open_lines.pop())
            else:
                node = Node(token[0], (), line)
            if node is not None and open_nodes:
                open_nodes[-1].append(node)
            elif node is not None:
                yield node
    if open_nodes:
        raise SheetError("this bracket is never closed", file=name, line=open_lines[0], word="(")


def term_of(node: Node, name: str) -> Term:
    """Return the term that an expression stands for; ``(a)`` is ``a``.

    Raises
    ------
    SheetError
        If brackets are empty, or start with brackets or a variable.
    """
    if node.word is not None:
        return node.word
    if not node.parts:
        raise SheetError("empty brackets; give a name", file=name, line=node.line, word="()")
    head, *argument_nodes = node.parts
    if head.word is None or is_variable(head.word):
        raise SheetError("brackets must begin with a name", file=name, line=node.line, word=head.head())
    return (head.word, *(term_of(argument, name) for argument in argument_nodes)) if argument_nodes else head.word


def is_variable(term: Term) -> bool:
    """Whether a term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def variables(term: Term) -> frozenset[str]:
    """Return the variables in a term."""
    if isinstance(term, str):
        return frozenset({term}) if is_variable(term) else frozenset()
    return frozenset().union(*(variables(argument) for argument in term[1:]))


def kif(term: Term) -> str:
    """Return a term as text.

    Parameters
    ----------
    term
        A term of a rule sheet.

    Returns
    -------
    str
        The text, in prefix form with parentheses.

    Examples
    --------
    >>> kif(("propose", "d", ("both", "c", "d")))
    '(propose d (both c d))'
    """
    return term if isinstance(term, str) else f"({' '.join(map(kif, term))})"


@lru_cache(maxsize=1 << 16)
def read_term(text: str) -> Term:
    """Read one term.

    Raises
    ------
    SheetError
        If the text is not a single term.

    Examples
    --------
    >>> read_term("(Propose d d)"), read_term("( noop )")
    (('propose', 'd', 'd'), 'noop')
    """
    nodes = list(expressions(text, "term"))
    if len(nodes) != 1:
        raise SheetError(f"{shown(text)} is not a single term such as (propose 7)", file="term")
    return term_of(nodes[0], "term")
