"""Which format a file or folder is in: the strongest evidence wins, ties are asked about, options are the loader's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from negstats import loaders
from negstats.errors import LogError, UsageError
from negstats.loaders import load, recognise, sightings
from negstats.loaders.files.sniff import first_files, head, header, records
from negstats.loaders.format import COLUMNS, SIGNATURE, Evidence, Format, Strength
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.robustness.seeds import SEEDS


def known(name: str, strength: Strength, *files: str) -> Format:
    def matches(path: Path) -> Evidence:
        return Evidence(strength, f"it has {name}'s columns", tuple(path / file for file in files))

    def read(*_: object, **__: object) -> None:
        raise AssertionError(name)

    return Format(name, f"logs of {name}", matches, read, {"app": "one app"})  # type: ignore[arg-type]


def saved_study(folder: Path) -> None:
    games = conform("games", {"game_id": ["g"], "ended": ["unknown"]})
    Study(games=games, provenance=Provenance("by hand", "1")).save(folder)


@pytest.fixture
def of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def use(*made: Format) -> None:
        monkeypatch.setattr(loaders, "formats", lambda: list(made))

    return use


def test_the_strongest_evidence_wins(of: Callable[..., None], tmp_path: Path) -> None:
    of(known("one", COLUMNS), known("two", SIGNATURE))
    result = recognise(tmp_path)
    assert result is not None
    assert result.name == "two"
    assert [why.strength for _, why in sightings(tmp_path)] == [SIGNATURE, COLUMNS]


def test_a_tie_names_both_and_the_option(of: Callable[..., None], tmp_path: Path) -> None:
    of(known("one", SIGNATURE, "a.csv"), known("two", SIGNATURE, "a.csv"))
    with pytest.raises(UsageError, match=r"one or two .*say which it is with --format one"):
        recognise(tmp_path)
    with pytest.raises(AssertionError, match="two"):
        load(tmp_path, format="two")


def test_two_formats_in_different_files_are_two_studies(of: Callable[..., None], tmp_path: Path) -> None:
    of(known("one", SIGNATURE, "a.csv"), known("two", SIGNATURE, "b.csv"))
    with pytest.raises(UsageError, match=r"several studies to join: load a\.csv and b\.csv each for itself"):
        load(tmp_path)


def test_an_option_must_be_the_formats(of: Callable[..., None], tmp_path: Path) -> None:
    of(known("one", SIGNATURE))
    with pytest.raises(UsageError, match=r"loader of one has no option 'ap'; did you mean 'app'"):
        load(tmp_path, ap="trust")
    with pytest.raises(UsageError, match="there is no 'on'; did you mean 'one'"):
        load(tmp_path, format="on")
    mapping = tmp_path / "mapping.toml"
    mapping.write_text('row = "game"\ngames.game_id = "g"\n')
    with pytest.raises(UsageError, match="app: is not for logs that are read with a mapping"):
        load(tmp_path, mapping=mapping, app="trust")
    saved_study(tmp_path / "study")
    with pytest.raises(UsageError, match="app: is not for a saved study"):
        load(tmp_path / "study", app="trust")


def test_what_is_read_as_what_is_told(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(SEEDS["contract"]().files["log.jsonl"])
    values: list[str] = []
    load(tmp_path, tell=values.append)
    assert values == ["read as contract, because log.jsonl begins with the event 'game'"]
    values.clear()
    load(tmp_path, format="contract", tell=values.append)
    assert values == ["read as contract, because it was asked for"]


def test_acts_are_no_contract_game(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(json.dumps({"event": "game", "counts": {"book": 1}}))
    assert [form.name for form, _ in sightings(tmp_path)] == ["dealornodeal_acts", "contract"]


def test_heads_are_bounded_and_raise_nothing(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.csv").write_bytes(b'\xef\xbb\xbf"a";"b\nc"\n1;2\n')
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "z.json").write_text("{}")
    assert [file.name for file in first_files(tmp_path, ".csv")] == [f"{number:02}.csv" for number in range(20)]
    assert first_files(tmp_path, ".json") == []
    assert [file.name for file in first_files(tmp_path, ".json", deep=True)] == ["z.json"]
    assert header(tmp_path / "00.csv") == ["a", "b\nc"]
    assert records(tmp_path / "00.csv", 5) == [["a", "b\nc"], ["1", "2"]]
    assert header(tmp_path / "nowhere.csv") == []
    (tmp_path / "large.csv").write_bytes(b"a,b\n" * 100_000)
    assert len(head(tmp_path / "large.csv")) == 1 << 16
    assert len(records(tmp_path / "large.csv", 10**6)) == (1 << 16) // 4 - 1
    (tmp_path / "binary.csv").write_bytes(b"a,\0b\n")
    assert records(tmp_path / "binary.csv", 1) == []


def test_a_mapping_is_no_log(tmp_path: Path) -> None:
    mapping = tmp_path / "pairs.toml"
    mapping.write_text('row = "player"')
    with pytest.raises(LogError, match=r"a mapping is given beside its log: LOG --map .*pairs\.toml"):
        load(mapping)
