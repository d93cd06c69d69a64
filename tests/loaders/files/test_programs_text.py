"""What programs write into logs: Python literals, YAML, names in angle brackets, rows with their words for nothing."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.literals import last_part, named_values, python_value
from negstats.loaders.files.yaml_text import read_yaml

HERE = Path("log.csv")


def value(text: str) -> Any:
    return python_value(text, file=HERE, row=3, column="offer")


plain = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8).filter(str.isprintable)
nested = st.recursive(plain, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text("ab", max_size=2), of))


class TestLiterals:
    @pytest.mark.slow
    @settings(max_examples=50)
    @given(nested)
    def test_what_python_prints_is_read(self, content: Any) -> None:
        assert value(repr(content)) == content

    def test_nan_and_inf_outside_quotes_only(self) -> None:
        assert value("[nan, inf, -inf, 'nan', \"inf\", 'a nan b']") == [
            *(None, float("inf"), float("-inf")),
            *("nan", "inf", "a nan b"),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "__import__('os').system('true')",
            "[x for x in (1,)]",
            "{1: 2}.get(1)",
            "(lambda: 1)()",
            "b'bytes'",
            "{1, 2}",
            "1 +",
            "[" * 40 + "]" * 40,
            "'\\ud800'",
            "9" * 20_000,
        ],
    )
    def test_anything_else_is_refused_in_its_place(self, text: str) -> None:
        with pytest.raises(LogError, match=r"log\.csv, row 3, column 'offer': .* is not a Python literal"):
            value(text)

    def test_a_key_twice(self) -> None:
        with pytest.raises(LogError, match="has the key 'rent' twice"):
            value("[{'rent': 1, 'rent': 2}]")

    def test_names_in_angle_brackets_are_matched_and_not_evaluated(self) -> None:
        text = "{'P0-85': <ResponseType.ACCEPT_OFFER: 0>, 'P1': <ResponseType.END_NEGOTIATION: 2>}"
        assert named_values(text) == {"P0-85": "ACCEPT_OFFER", "P1": "END_NEGOTIATION"}
        with pytest.raises(SyntaxError):
            ast.literal_eval(text)

    def test_last_parts(self) -> None:
        assert last_part("negmas.sao.SAOMechanism") == "SAOMechanism"
        assert last_part("/home/ann/games/rent.yaml") == "rent"
        assert last_part("plain") == "plain"


class TestYaml:
    def test_objects_and_pickles_are_missing_and_counted(self) -> None:
        text = b"a: !!python/object/apply:os.system [ls]\nb: !!binary aGk=\nc: !other x\nd: [1, .5, no, null, '2020']"
        content, missing = read_yaml(text, Path("c.yaml"))
        assert content == {"a": None, "b": None, "c": None, "d": [1, 0.5, False, None, "2020"]}
        assert missing == 3

    def test_dates_stay_text_and_keys_stay_as_written(self) -> None:
        assert read_yaml(b"1: 2020-01-01\nno: x", Path("c.yaml"))[0] == {"1": "2020-01-01", "no": "x"}

    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (b"a: 1\na: 2", "row 2: is not YAML: has the key 'a' twice"),
            (b"a: &a [*a]", "is not YAML: found unconstructable recursive node"),
            (b"a: [1", "is not YAML"),
            (b"--- 1\n--- 2", "found another document"),
            (b"- " * 200 + b"x", "or more levels, than"),
            (b"[" * 100_000, "nested too deeply"),
            (b"a: " + b"9" * 5000, "a number that is too long"),
            (b"? [1]\n: 2", "a key that is not a word"),
            (b"a: \xff", "not utf-8"),
        ],
    )
    def test_damage(self, text: bytes, message: str) -> None:
        with pytest.raises(LogError, match=message):
            read_yaml(text, Path("c.yaml"))

    @pytest.mark.slow
    def test_references_that_blow_up(self) -> None:
        lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 12)]
        with pytest.raises(LogError, match="more values, or more levels"):
            read_yaml("\n".join(lines).encode(), Path("c.yaml"))


class TestLines:
    def line(self, **cells: str) -> Line:
        return Line(HERE, 3, cells)

    def test_words_for_nothing(self) -> None:
        for word in ("nan", "None", "null", " N/A "):
            line = self.line(x=word)
            assert (line.told("x"), line.number("x"), line.value("x"), line.truth("x")) == (None, None, None, None)
        assert self.line().told("x") is None

    def test_numbers(self) -> None:
        assert self.line(x=" -1.5e3 ").number("x") == -1500
        assert self.line(x="0,25").finite("x", decimal=",") == 0.25
        assert self.line(x="inf").number("x") == float("inf")
        for text, read in (("inf", "finite"), ("1_0", "number"), ("0x1", "number"), ("-1", "whole"), ("1.5", "whole")):
            with pytest.raises(LogError, match="row 3, column 'x'"):
                getattr(self.line(x=text), read)("x")

    def test_parquet_and_csv_give_the_same_rows(self, tmp_path: Path) -> None:
        table = pa.table(
            {"who": ["a", None], "n": [1, 2], "x": [0.1, float("nan")], "ok": [True, False], "no": [None] * 2}
        )
        pq.write_table(table, tmp_path / "t.parquet")
        (tmp_path / "t.csv").write_text("who,n,x,ok,no\na,1,0.1,True,\n,2,nan,False,\n", encoding="utf-8")
        values = [read_lines(tmp_path / name, Intake(tmp_path))[1] for name in ("t.parquet", "t.csv")]
        for read in ("told", "number"):
            for column in ("who", "n", "x", "ok", "no") if read == "told" else ("n", "x"):
                assert [getattr(line, read)(column) for line in values[0]] == [
                    getattr(line, read)(column) for line in values[1]
                ]

    def test_a_cut_parquet_file(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"n": [1]}), tmp_path / "t.parquet")
        data = (tmp_path / "t.parquet").read_bytes()
        (tmp_path / "t.parquet").write_bytes(data[:-9])
        with pytest.raises(LogError, match=r"t\.parquet: cannot be read as parquet"):
            read_lines(tmp_path / "t.parquet", Intake(tmp_path))

    def test_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("ofer\n1\n", encoding="utf-8")
        with pytest.raises(LogError, match="column 'offer': there is no such column; did you mean 'ofer'"):
            read_lines(tmp_path / "t.csv", Intake(tmp_path), ("offer",))
