"""Words that are read without typer mean what typer reads, for every command; what is not plain is left to typer."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from negstats.cli import COMMANDS, GAMES
from negstats.cli._plain_words import read_plain_words

FUNCTIONS = {
    name: what
    for group in (*COMMANDS.values(), GAMES)
    for name, what in group.items()
    if not isinstance(what, typer.Typer)
}
VALUES = [
    "3",
    "0",
    "17",
    ".5",
    "0.93",
    "1e3",
    "1e-4",
    "a",
    "a=b",
    "ten",
    "-1",
    "",
    "2_000",
    "nan",
    " 4",
    "٣",
    "report/x.md",
]


def words_of(command: Callable[..., Any]) -> list[str]:
    """Return every option of a command, as typer lists them."""
    application = typer.Typer(rich_markup_mode=None)
    application.command()(command)
    parameters: Any = typer.main.get_command(application).params
    return [name for one in parameters for name in (*one.opts, *one.secondary_opts) if name.startswith("--")]


def by_typer(command: Callable[..., Any], words: list[str]) -> dict[str, Any] | None:
    """Return the arguments with which typer calls a command; None if it refuses the words."""
    calls: list[dict[str, Any]] = []

    @functools.wraps(command)
    def record(**values: Any) -> None:
        calls.append(values)

    application = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    application.command()(record)
    try:
        application(args=words, standalone_mode=False)
    except Exception:  # whatever typer refuses with, it is a refusal
        return None
    return calls[0] if calls else None


@functools.cache
def names_of(name: str) -> list[str]:
    return words_of(FUNCTIONS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
@given(st.data())
def test_plain_words_mean_what_typer_reads(name: str, data: st.DataObject) -> None:
    options = st.sampled_from(names_of(name))
    value = st.sampled_from(VALUES)
    pieces = st.one_of(
        value.map(lambda one: [one]),
        options.map(lambda one: [one]),
        st.tuples(options, value).map(list),
        st.tuples(options, value).map(lambda one: ["=".join(one)]),
    )
    words = [word for piece in data.draw(st.lists(pieces, max_size=4)) for word in piece]
    plain = read_plain_words(FUNCTIONS[name], words)
    if plain is not None:
        expected = by_typer(FUNCTIONS[name], words)
        assert plain == expected
        assert [type(one) for one in plain.values()] == [type(one) for one in (expected or {}).values()]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("offer", ["--pr", ".5", "--alpha=.01", "--json"]),
        ("describe", ["datasets/robot/study"]),
        ("compare", ["study", "points", "--by", "condition", "--paired", "--who", "agent"]),
        ("metrics", ["study", "--by", "country", "--by", "condition"]),
        ("load", ["one.csv", "two.csv", "--out", "study", "--no-stream", "--workers", "2"]),
    ],
)
def test_usual_words_are_plain(name: str, words: list[str]) -> None:
    plain = read_plain_words(FUNCTIONS[name], words)
    assert plain is not None
    assert plain == by_typer(FUNCTIONS[name], words)


@pytest.mark.parametrize(
    "words", [["--help"], ["--pr", "often"], ["--pr"], ["--pr", ".5", "--pr", ".6"], ["--ph", "1"], ["study"], ["--"]]
)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert read_plain_words(FUNCTIONS["offer"], words) is None


def test_what_comes_from_elsewhere_than_its_words_is_left_to_typer() -> None:
    def with_variable(folder: Annotated[Path, typer.Option(envvar="FOLDER")] = Path()) -> None: ...

    def bare(number: int = 1) -> None: ...

    assert read_plain_words(with_variable, []) is None
    assert read_plain_words(bare, []) is None
