"""Sentences on the people of a study: their age, gender and the like, as they were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.analysis.questions.traits import ADULT
from negstats.report.labels import NAME
from negstats.report.measures import spell
from negstats.report.numerals import rounded
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences.question import own_words
from negstats.sanitize import counted, line
from negstats.stats.results.apa import decimals_of


def is_of_seats(study: Mapping[str, Any]) -> bool:
    """Return whether a person of ``results.json`` is a seat, as the source does not say who took part twice."""
    return study.get("links_people") is False


def trait_sentences(study: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield what the people of a study say about themselves: numbers first, then the answers that were counted."""
    traits = list(enumerate(study.get("traits") or ()))
    for place, trait in traits:
        if "mean" in trait:
            yield _number_sentence(study, place, trait)
    parts = [_counts_of(study, place, trait) for place, trait in traits if "levels" in trait]
    if parts:
        yield prose("{all}.", all=join(parts, "; ").capitalised)


def _number_sentence(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> Prose:
    """Return mean, SD and range of a number, and of ages how many are of nobody grown up."""
    at = f"/study/traits/{place}"
    digits = min(1, decimals_of(trait["sd"]))
    mean = rounded(trait["mean"], "measure", f"{at}/mean", digits)
    inside = []
    if trait["sd"] is not None:
        inside.append(prose("*SD* = {sd}", sd=rounded(trait["sd"], "measure", f"{at}/sd", digits)))
    inside += _size(study, place, trait)
    is_age = "below_18" in trait
    minors = Prose()
    if n := int(trait.get("below_18") or 0):
        minors = prose(
            "; {n} recorded {ages} below {adult} {were} kept (the lowest was {low})",
            n=rounded(n, "count", f"{at}/below_18"), ages=own_words("age" if n == 1 else "ages"),
            adult=str(ADULT), were=own_words("was" if n == 1 else "were"),
            low=rounded(trait["low"], "measure", f"{at}/low", 0 if float(trait["low"]).is_integer() else digits),
        )  # fmt: skip
    return prose(
        "The mean recorded {noun} was {mean}{unit}{inside}{minors}.",
        noun=_noun(trait),
        mean=mean,
        unit=own_words(" years" if is_age else ""),
        inside=prose(" ({all})", all=join(inside, ", ")) if inside else Prose(),
        minors=minors,
    )


def _counts_of(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> Prose:
    """Return how many people gave each answer: "gender was male for 2 people and female for 1"."""
    noun = "seat" if is_of_seats(study) else "person"
    each = []
    for at, one in enumerate(trait["levels"]):
        n = rounded(one["n"], "count", f"/study/traits/{place}/levels/{at}/n")
        what = f" {counted(one['n'], noun).partition(' ')[2]}" if not at else ""
        level = line(one["level"], NAME)
        each.append(prose("{level} for {n}{what}", level=f"“{level}”" if "," in level else level, n=n,
                          what=own_words(what)))  # fmt: skip
    sizes = _size(study, place, trait)
    around = prose(" ({n})", n=sizes[0]) if sizes else Prose()
    return prose("{noun} was recorded as {each}{around}", noun=_noun(trait), each=listed(each), around=around)


def _size(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> list[Prose]:
    """Return n of a trait where some people have no answer."""
    if trait["n"] == study.get("people"):
        return []
    return [prose("*n* = {n}", n=rounded(trait["n"], "count", f"/study/traits/{place}/n"))]


def _noun(trait: Mapping[str, Any]) -> Prose:
    return Prose((Run(spell(trait["question"].replace("-", " "))),))
