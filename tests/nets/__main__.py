"""Write the frozen texts anew: `python -m tests.nets [--check] [NET ...]`; `--check` says only which differ."""

from __future__ import annotations

import sys

import pytest

from tests.nets import NETS, frozen_file, same


def main(words: list[str]) -> int:
    nets, different = [word for word in words if word != "--check"], 0
    for net in nets or NETS:
        names, compute = NETS[net]
        for name in names:
            try:
                text = compute(name)
            except pytest.skip.Exception as absent:
                print(f"{net}/{name}: not written, {absent}")
                continue
            file = frozen_file(net, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            frozen = file.read_text(encoding="utf-8") if file.is_file() else ""
            if text == frozen:
                continue
            different += not same(text, frozen)
            if "--check" not in words:
                file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{net}/{name}: {'last digits differ' if same(text, frozen) else 'another text'}", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])) and "--check" in sys.argv)
