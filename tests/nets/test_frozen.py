"""The frozen texts of the nets: plans, commands, tables."""

from __future__ import annotations

import pytest

from tests.nets import FROZEN, NETS, frozen_file, same

CASES = [(net, name) for net, (names, _) in NETS.items() for name in names]


@pytest.mark.frozen(keep=20)
@pytest.mark.parametrize(("net", "name"), CASES, ids=[f"{net}-{name}" for net, name in CASES])
def test_it_is_as_it_was_frozen(net: str, name: str) -> None:
    _, compute = NETS[net]
    text, frozen = compute(name), frozen_file(net, name).read_text(encoding="utf-8")
    if not same(text, frozen):
        assert text == frozen, f"if the change is meant: python -m tests.nets {net}"


def test_no_text_is_frozen_that_nothing_computes() -> None:
    written = {(file.parent.name, file.stem) for file in FROZEN.glob("*/*.txt")}
    assert written == set(CASES)
