"""The pages on which people code: for each coder and for the adjudicator, a file that loads nothing from a network.

A page holds the talks under neutral numbers, the codebook, and the one script and style that its policy names by their
SHA-256. It has no name of a condition, a game, a seat or an agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from typing import Any

from negstats.coding.agreement import find_differences
from negstats.coding.assignment import Message, Talk, Talks, assign, check_coders
from negstats.coding.codebook import Code, Codebook
from negstats.coding.coded_file import CodedFile, check_together
from negstats.errors import UsageError, meant, shown
from negstats.pages import page_template, show_hidden, source_hash
from negstats.sanitize import HIDDEN, embedded_json

TITLES = {"coding": "Coding", "adjudication": "Adjudication"}


def coding_page(
    talks: Talks,
    codebook: Codebook,
    coder: str,
    *,
    coders: Sequence[str] = (),
    shared: str | int | None = None,
) -> str:
    """Return the page on which a coder codes their talks.

    Parameters
    ----------
    talks
        The talks of the study.
    codebook
        The codes.
    coder
        Whose page it is.
    coders
        All coders, if talks are dealt to them; else the page has every talk.
    shared
        How many talks all coders code, or their share, as "20%"; all if it is None.

    Returns
    -------
    str
        HTML that stands alone.

    Raises
    ------
    UsageError
        If the coder is none of the coders, or nothing is left for them to code.

    Examples
    --------
    >>> from negstats import datasets
    >>> from negstats.coding import read_codebook, talks_of
    >>> book = read_codebook("datasets/casino/codes.toml")
    >>> coding_page(talks_of(datasets.casino()), book, "Anna")[:15]
    '<!doctype html>'
    """
    names = list(coders) or [coder]
    if coder not in names:
        raise UsageError(f"the coder {shown(coder)} is not among the coders; {meant(coder, names, 'they are')}")
    if shared is not None and not coders:
        raise UsageError("shared is for talks that are dealt to several coders; name all of them as coders")
    order = assign(talks, names, shared).order[coder]
    if not order:
        raise UsageError(f"no talk is left for {shown(coder)}; share more talks, or name fewer coders")
    rows = ({"n": number, "m": _rows(talks.by_number[number])} for number in order)
    return _render("coding", talks, codebook, coder, rows)


def adjudication_page(talks: Talks, coded: Sequence[CodedFile], adjudicator: str) -> str:
    """Return the page on which an adjudicator decides where coders chose different codes.

    Parameters
    ----------
    talks
        The talks of the study.
    coded
        One file a coder.
    adjudicator
        Who decides.

    Returns
    -------
    str
        HTML that stands alone; talks without differences are not on it.

    Raises
    ------
    LogError
        If a file does not fit the study.
    UsageError
        If files do not fit each other, or coders differ nowhere.
    """
    check_coders([adjudicator])
    check_together(coded, talks)
    differences = find_differences(coded)
    if not differences:
        raise UsageError("the coders agree on every message, so that no decision is needed")
    decisions = {file.coder: file.decisions for file in coded}

    def choices(talk: int, message: int) -> list[dict[str, Any]] | None:
        if (talk, message) not in asked:
            return None
        own = [
            (coder, coder_decisions[talk, message])
            for coder, coder_decisions in decisions.items()
            if (talk, message) in coder_decisions
        ]
        return [
            {"coder": coder, "codes": decision.codes, "note": decision.note,
             "spans": [{"code": span.code, "start": span.start, "end": span.end} for span in decision.spans]}
            for coder, decision in own
        ]  # fmt: skip

    asked = set(differences)
    numbers = sorted({talk for talk, _ in differences})
    rows = ({"n": number, "m": _rows(talks.by_number[number], choices)} for number in numbers)
    return _render("adjudication", talks, coded[0].codebook, adjudicator, rows)


def _rows(talk: Talk, choices: Any = None) -> list[list[Any]]:
    """Return the messages of a talk as the page's script reads them."""

    def row(message: Message) -> list[Any]:
        # What a loader knows of an act beside words would tell the coder an answer.
        act = message.act if message.text is None else None
        base = [message.number, message.speaker, message.text, act, message.sha256]
        if choices is None:
            return [*base, int(message.is_unit)]
        own = choices(talk.number, message.number)
        return [*base, int(own is not None), own]

    return [row(message) for message in talk.messages]


def _render(kind: str, talks: Talks, codebook: Codebook, coder: str, rows: Iterable[Mapping[str, Any]]) -> str:
    source = files("negstats.coding") / "template"
    style, script = (source.joinpath(f"page.{end}").read_text("utf-8") for end in ("css", "js"))
    form = {"finalize": show_hidden, "keep_trailing_newline": True}
    data = {"kind": kind, "coder": coder, "seed": talks.seed, "study_sha256": talks.sha256,
            "codebook_sha256": codebook.sha256, "codebook": codebook.to_dict(), "talks": list(rows)}  # fmt: skip
    return page_template("negstats.coding", "template/page.html.jinja", **form).render(
        mode=kind,
        title=TITLES[kind],
        policy=_policy(script, style),
        style=style,
        script=script,
        codebook=codebook,
        parts=list(_parts(codebook.codes)),
        coder=coder,
        hidden=HIDDEN,
        data=embedded_json(data),
    )


def _parts(codes: Sequence[Code]) -> Iterator[tuple[str, list[Code]]]:
    """Yield the codes in their order, those of a group together where its first stands."""
    first = {code.group: place for place, code in reversed(list(enumerate(codes))) if code.group is not None}
    ordered = sorted(
        enumerate(codes), key=lambda item: (item[0] if item[1].group is None else first[item[1].group], item[0])
    )
    for group, members in groupby((code for _, code in ordered), key=lambda code: code.group):
        yield group or "", list(members)


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
