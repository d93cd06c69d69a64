"""TOML that anybody may have written: plans and mappings share one bounded reader."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from negstats.analysis.plan.parse import parse as plan_parse
from negstats.errors import NegstatsError
from negstats.loaders.mapping.parse import parse as mapping_parse
from negstats.toml_text import TomlError, read_toml

DOTTED = "a." * 50_000 + "a"
HOSTILE = {
    "a key of 50,000 parts": f"{DOTTED} = 1",
    "a key of quoted parts": '"a".' * 50_000 + "a = 1",
    "a header of 50,000 parts": f"[{DOTTED}]",
    "a header of a list": f"[[{DOTTED}]]",
    "a key inside a table": f"row = {{ {DOTTED} = 1 }}",
    "lists in lists": f"row = {'[' * 50_000}",
    "tables in tables": "row = " + "{a=" * 5_000,
    "a long number": f"row = {'9' * 100_000}",
    "two megabytes": "#" * 2_000_000,
}
READERS: dict[str, Callable[[str], object]] = {
    "the reader": read_toml,
    "a mapping": lambda text: mapping_parse(text, Path("mapping.toml"), ""),
    "a plan": plan_parse,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_at_once(text: str, reader: str) -> None:
    tracemalloc.start()
    start = time.process_time()
    try:
        with pytest.raises(NegstatsError):
            READERS[reader](text)
        seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seconds < 5  # traced, on a machine that is not ours alone; a key of 50,000 parts took minutes and 6 GB
    assert peak < 100e6


def test_the_line_is_told() -> None:
    with pytest.raises(TomlError, match="line 2: TOML cannot read this") as refused:
        read_toml("a = 1\nb\n")
    assert refused.value.line == 2


def test_what_is_no_key_may_have_points() -> None:
    assert read_toml('pattern = "' + ". " * 200 + '"') == {"pattern": ". " * 200}
