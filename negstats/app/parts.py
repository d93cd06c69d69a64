"""Pieces of a page: buttons, cards, tables and sentences, each built from records and escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from shiny import ui

from negstats.sanitize import capitalised, line


def shown(text: object, most: int = 300) -> str:
    """Return text of a log as a page shows it: bounded, and what hides or turns is a mark. Tags escape it."""
    return line(text, most)


def button(label: Any, action: str, value: object = "", kind: str = "", **extra: Any) -> ui.Tag:
    """Return a button that sends its action and a value; one handler on the server takes them all."""
    classes = f"button {kind}".strip()
    return ui.tags.button(
        label, type="button", class_=classes, data_do=action, data_value=json.dumps(value, ensure_ascii=False), **extra
    )


def option_button(label: Any, action: str, value: object, *, is_chosen: bool, evidence: str = "") -> ui.Tag:
    """Return a button for one answer of several, with what speaks for it."""
    content = ui.TagList(ui.span(label), ui.tags.small(evidence) if evidence else None)
    return button(content, action, value, "option", aria_pressed=str(is_chosen).lower())


def card(title: str | None, *content: Any, hint: Any = None, kind: str = "") -> ui.Tag:
    """Return a part of a page with its heading."""
    heading = ui.h2(title) if title else None
    explanation = ui.p(hint, class_="hint") if hint else None
    return ui.tags.section({"class": f"card-part {kind}".strip()}, heading, explanation, *content)


def table(heads: Sequence[Any], rows: Iterable[Sequence[Any]], label: str, *, numbers_from: int = 1) -> ui.Tag:
    """Return a table that scrolls by itself where it is wider than the page."""

    def cells(row: Sequence[Any], tag: Any, **extra: Any) -> list[ui.Tag]:
        return [tag(cell, class_="number" if place >= numbers_from else "", **extra) for place, cell in enumerate(row)]

    head = ui.tags.thead(ui.tags.tr(*cells(heads, ui.tags.th, scope="col")))
    body = ui.tags.tbody(*[ui.tags.tr(*cells(row, ui.tags.td)) for row in rows])
    return ui.div(
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": label}, ui.tags.table(head, body)
    )


def facts(pairs: Iterable[tuple[str, Any]]) -> ui.Tag:
    """Return a list of terms and what is said of each."""
    return ui.tags.dl({"class": "facts"}, *[ui.div(ui.tags.dt(term), ui.tags.dd(text)) for term, text in pairs])


def notes(texts: Iterable[str]) -> ui.TagList:
    """Return remarks below an answer."""
    return ui.TagList(*[ui.p(_sentence(text), class_="note") for text in texts])


def fault(text: str, then: str = "") -> ui.Tag:
    """Return why something cannot be done, and what a person can do then."""
    explanation = ui.div(_sentence(text))
    return ui.div({"class": "fault", "role": "alert"}, explanation, ui.p(then, class_="then") if then else None)


def _sentence(text: str) -> str:
    """Return a remark or an error with a capital letter; the name of a file stays as it is."""
    sentence = shown(text, 2000)
    return capitalised(sentence) if sentence.partition(" ")[0].isalpha() else sentence


def nothing(text: str, label: str, page: str) -> ui.Tag:
    """Return what stands on a page that has nothing to show yet."""
    return ui.div({"class": "nothing"}, ui.p(text), button(label, "go", page, "primary"))


def copy_button(source: str) -> ui.Tag:
    """Return a button that copies the element of an id, with its italics."""
    return ui.tags.button("Copy", type="button", class_="button", data_copy=source)


def select(name: str, label: str, choices: Any, chosen: str, *, is_searched: bool = False) -> ui.Tag:
    """Return a list to choose from; `choices` are labels by value, or groups of these by their names."""

    def options(group: dict[str, str]) -> list[ui.Tag]:
        return [
            ui.tags.option(shown(text, 120), value=value, selected="" if value == chosen else None)
            for value, text in group.items()
        ]

    content: list[ui.Tag] = []
    for value, text in choices.items():
        if isinstance(text, dict):
            content += [ui.tags.optgroup(*options(text), label=value)] if text else []
        else:
            content += options({value: text})
    search = ui.tags.input(
        type="search",
        placeholder="Search",
        class_="search",
        aria_label=f"Search: {label}",
        data_search=f"choice-{name}",
    )
    return ui.div(
        {"class": "choice"},
        ui.tags.label(label, for_=f"choice-{name}"),
        search if is_searched else None,
        ui.tags.select(*content, id=f"choice-{name}", data_choice=name),
    )


def number(value: float | None, spread: float | None = None) -> str:
    """Return a number with as many decimals as its spread lets one see.

    Examples
    --------
    >>> number(0.1234, 0.05), number(14.2), number(None)
    ('0.123', '14.20', '–')
    """
    if value is None or value != value:
        return "–"
    scale = spread if spread and spread == spread else abs(value)
    digits = 3 if scale < 0.2 else 2 if scale < 100 else 1
    return f"{value:,.{digits}f}"
