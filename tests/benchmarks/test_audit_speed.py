"""How long an audit takes: linear in the text, whatever the text."""

from __future__ import annotations

import html
import json
import re
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy import stats

from negstats.audit import audit_text
from negstats.audit.folder import audit_papers
from negstats.audit.lost_signs import repaired
from negstats.audit.office import walked
from negstats.audit.written_findings import audit_json
from tests.audit.planted_slips import drawn
from tests.benchmarks.peers import growth, once, ratio

HOSTILE = {
    "digits": "1",
    "heads": "t(",
    "open": "((((",
    "statistics": "t(1)=1",
    "statistics and p": "t(1)=1,p=.5 ",
    "p": "p=",
    "spaces": " ",
    "lines": "\n",
    "commas": "1,111",
    "tags": "<i ",
    "backslashes": "\\",
    "sentences": "A. ",
    "hyphens": "a-\n",
    "chi": "chi-",
    "df in brackets": "t(1,",
    "dots": ".1",
    "marks": "$*_{^",
    "tens": "10^",
    "blanks": "\\,~ ",
    "comments": "% t(\n",
    "corrections": "Holm test. ",
    "corrected levels": "Bonferroni correct alpha ",
    "tails": "All tests are one-tailed. ",
    "shares": "1 of 9 ",
    "shares of words": "1 of 9 a",
    "per cent": "9% (1 of ",
    "effects": "t(1)=1,p=.5, d = .1, ηp² = ",
    "intervals": "t(1)=1,p=.5, 95% CI [1, 95% CI ",
    "estimates": "b = 1, SE = ",
    "pipes": "|",
    "rows of pipes": "|t|p|\n|-|-|\n",
    "rows of results": "|t|df|p|\n|-|-|-|\n|1.1|28|.05|\n",
    "F without errors": "|F|df|p|\n|-|-|-|\n" + "|1.1|2|.05|\n" * 20,
    "tabulars": r"\begin{tabular}",
    "rows of a tabular": r"\begin{tabular}{l} t & p \\ 1 & .1 \\ \end{tabular}",
    "braces of a tabular": r"\begin{tabular}{{{{",
    "spans": r"\multicolumn{2}{c}{",
    "headers that blanks make": "F df p\n",
    "rows that blanks make": "F df p\n1 2 .3\n1 2 3 4\n",
    "people": "94 students took part. t(102)=2.1,p=.04. ",
    "means of answers": "7-point scale (M = 3.45, SD = 1.2, n = 23) ",
    "ends of scales": "scale from 1 (a) to 1 = a, ",
    "ratios": "OR 2.5 (95% CI 1.1-5.7; p = .03), ",
    "p that lead": "p=.05, t(1)=1; ",
    "stems": "tail",
    "ends": '." ',
    "marks of symbols": "_τ",
    "marginal": "marginally ",
    "links": "osf.io/",
    "preregistered": "preregist",
    "two means": "M = 1, SD = 1, M = 2, SD = 1, t(9) = 2.3, p = .05. ",
    "scattered": "χ 2 9 35 94 ( ) . = ",
    "scattered marks": "χ 2 1 1 1 1 ( , , ",
    "places": "x = 1, y = 2, z = 3 ",
    "p without a sign": "t(9)=2.1,p .05 ",
    "Tukey": "Tukey test. t(28)=2.2,p=.09 ",
    "sphericity": "sphericity F(2, 9)=2.2,p=.19 ",
    "permutations": "permutation of p-values ",
    "negations": "not corrected for multiple ",
    "rows of means": "|n|M|SD|\n|-|-|-|\n" + "|18|3.44|2.47|\n" * 20,
}


def quickest(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=1, repeat=2, timer=time.process_time))


def seconds(text: str) -> float:
    return quickest(partial(audit_text, text))


# A line of ten megabytes, brackets within brackets, and what makes patterns go back: none of it holds a result.
PER_MEGABYTE = {
    "one line": "Words go on and on here and nothing is counted in them at all ",
    "brackets": "(([[{{",
    "brackets of statistics": "t([(",
    "digits": "1",
    "empty brackets": "( ) . = ",
    "blanks": "\\,~ ",
    "words of statements": "multiple tail sided ",
    "words of facts": "significant trend NCT approach ",
}


@pytest.mark.parametrize("name", PER_MEGABYTE)
def test_two_seconds_a_megabyte(benchmark: BenchmarkFixture, name: str) -> None:
    """Ten megabytes in one line that hold no result (one that is not repeated takes about half a millisecond more)."""
    piece = PER_MEGABYTE[name]
    taken = benchmark.pedantic(lambda: seconds(piece * (10_000_000 // len(piece))))  # type: ignore[no-untyped-call]
    assert taken < 20


def test_a_megabyte_of_results_alone(benchmark: BenchmarkFixture) -> None:
    """Eighty thousand results and nothing else: what many of them ask for is looked up once."""
    text = "t(1)=1,p=.5 " * (1_000_000 // 12)
    assert benchmark.pedantic(lambda: seconds(text)) < 10  # type: ignore[no-untyped-call]


def test_a_megabyte_of_digits_after_a_head(benchmark: BenchmarkFixture) -> None:
    text = "t(49) = " + "1" * 1_000_000 + ", p = .05"
    assert benchmark.pedantic(lambda: seconds(text)) < 2  # type: ignore[no-untyped-call]


def check_linear(benchmark: BenchmarkFixture, taken: Callable[[int], float], size: int, least: float = 0.005) -> None:
    """Check that eight times the size takes less than about eight times as long (quadratic: 64)."""

    short, long = benchmark.pedantic(lambda: (taken(size), taken(8 * size)))  # type: ignore[no-untyped-call]
    assert long < 24 * max(short, least)


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear_in_hostile_text(benchmark: BenchmarkFixture, name: str) -> None:
    piece = HOSTILE[name]
    check_linear(benchmark, lambda size: seconds((piece * (size // len(piece) + 1))[:size]), 8_000)


PROSE = "Words go on and on here, and - in short - nothing is counted in them at all. " * 2

SIGNS = ["t(9) 5 ", "p , .05 ", "H11005 ", "/C0", "(1, ", "F(", "t(9) 5 22.61, p , .05; ", "t(9) ¼ 2.2, p ¼ .04; "]


@pytest.mark.parametrize("piece", SIGNS)
def test_time_is_linear_in_lost_signs(benchmark: BenchmarkFixture, piece: str) -> None:
    check_linear(benchmark, lambda size: quickest(partial(repaired, piece * (size // len(piece)))), 16_000)


TAGS = [
    "<p a=1 ",
    "<!--",
    "<div>",
    "<p>",
    "</p>",
    "<i ",
    "&amp;",
    "<![CDATA[",
    "<table><tr><td>",
    "<td rowspan=9999 colspan=99>",
    "<tr><td>t<td>df<td>p<tr><td>1.1<td>9<td>.1",
]


@pytest.mark.parametrize("xml", [False, True])
@pytest.mark.parametrize("tag", TAGS)
def test_time_is_linear_in_hostile_markup(benchmark: BenchmarkFixture, tag: str, xml: bool) -> None:
    page = "<article>" * xml + tag * (800_000 // len(tag))
    check_linear(benchmark, lambda size: quickest(partial(walked, page[:size], xml=xml)), 100_000, least=0.01)


def test_fifty_pages(benchmark: BenchmarkFixture) -> None:
    """A hundred results in 150,000 characters, against the pattern for t alone that one would write, with its p."""
    sentence = "Those who had a fair partner gave more than others did, *t*(49) = 4.12, *p* < .001, in all.\n"
    text = (sentence + "Words go on and on here, and – in short – nothing is counted in them at all.\n" * 18) * 100
    pattern = re.compile(r"\*?t\*?\s*\(\s*(\d+)\s*\)\s*=\s*(-?\d*\.\d+),?\s*\*?p\*?\s*[=<>]\s*(\d*\.\d+)")

    def by_hand() -> list[float]:
        return [2 * stats.t.sf(abs(float(match[2])), int(match[1])) for match in pattern.finditer(text)]

    assert len(audit_text(text)) == len(by_hand()) == 100
    name = "audit of a text with a hundred results; 50 pages"
    assert (
        once(benchmark, lambda: ratio(lambda: audit_text(text), by_hand, name=name, against="one pattern, for t alone"))
        <= 10
    )


def test_blanks_by_the_megabyte(benchmark: BenchmarkFixture) -> None:
    """Eight times the blanks take about eight times as long, also where memory begins to matter."""
    exponent = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: growth(
            [partial(audit_text, " " * size) for size in (1_000_000, 8_000_000)],
            8,
            name="audit of blanks; 8,000,000 characters",
        )
    )
    assert exponent <= 1.3


def test_a_folder_of_papers(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Papers of 50 kB, of other results each, against reading them and one plain pattern for each p."""
    for paper in range(8):
        rng = np.random.default_rng(paper)
        parts = [f"It mattered, {drawn(rng)}. {PROSE}\n\n" for _ in range(300)]
        text = "".join(parts)[:50_000]
        page = f"<!doctype html><html><body><p>{html.escape(text)}</p></body></html>"
        (tmp_path / f"{paper}.{'html' if paper % 4 == 0 else 'md'}").write_text(page if paper % 4 == 0 else text)
    pattern = re.compile(r"\bp\s*[=<>≤]\s*(?:\d*\.\d+)")

    def by_hand() -> list[float]:
        texts = [file.read_text() for file in tmp_path.iterdir()]
        return [2 * stats.t.sf(2.0, 20) for text in texts for _ in pattern.finditer(text)]

    assert sum(len(paper.results) for paper in audit_papers([tmp_path])) > 800
    name = "audit of a folder of papers full of results; 8 papers of 50 kB"
    result = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: ratio(lambda: audit_papers([tmp_path]), by_hand, 5, name, against="one pattern, for p alone")
    )
    assert result <= 9


def test_a_thousand_papers(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Papers of 50 kB with eight results each, about as many as articles of psychology have (Nuijten et al., 2016)."""
    papers, results = 200, 8
    rng = np.random.default_rng(1)
    pool = [f"It mattered, {drawn(rng)}." for _ in range(papers * results)]
    filler = "Words go on and on here, and nothing is counted in them at all. " * 96
    texts = [
        "\n\n".join(f"{text} {filler}" for text in pool[at * results : (at + 1) * results]) for at in range(papers)
    ]
    for place, text in enumerate(texts):
        (tmp_path / f"{place:04d}.md").write_text(text, encoding="utf-8")

    def whole() -> tuple[float, int]:
        before = time.process_time()
        audited = audit_papers([tmp_path])
        written = json.dumps(audit_json(audited), ensure_ascii=False, separators=(",", ":"))
        return (time.process_time() - before) * 1000 / papers, len(written.encode())

    taken, written = benchmark.pedantic(whole)  # type: ignore[no-untyped-call]
    size = sum(len(text.encode()) for text in texts)
    benchmark.extra_info |= {"CPU seconds of 1,000 papers": taken, "JSON's share of the text": written / size}
    print(f"1,000 papers of {size / papers:,.0f} bytes: {taken:.1f} CPU s; JSON {written / size:.3f} of the text")
    assert written <= size / 2
    assert taken <= 12
