"""The page on plans names every field, and no other."""

from __future__ import annotations

import re

from negstats.analysis.plan import parse, sha256
from negstats.analysis.plan.schema import known_fields
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "how-to" / "plan.md").read_text(encoding="utf-8")


def test_each_field_is_named_and_no_other() -> None:
    rows = [line.split(" | ")[0] for line in PAGE.splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    contrast = {"name", "weights"}  # named beside `contrasts`
    sections = {"data", "leave_out", "factors", "measures", "families", "power"}
    assert named == known_fields() - contrast - sections


def test_the_plan_of_the_page_is_the_smallest() -> None:
    text, *_ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert sha256(parse(text)) == "bc2fb121ee0a9944598d8f1c62c26ecea03a9f7372da3e24055534d1512f6de3"
