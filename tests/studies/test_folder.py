"""The folder of a saved study: what it may take the place of, what is noticed when it is opened, and many at once."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from negstats import files
from negstats.errors import LogError, NegstatsError, SchemaError, UsageError
from negstats.studies import LeftOut, Provenance, Source, Study, open_study, parquet_writer
from negstats.studies import folder as study_folder
from negstats.studies.folder import is_study
from negstats.tables import TABLES, conform


def study(mark: str = "a", games: int = 3) -> Study:
    """A study all of whose tables say which one it is."""
    ids = [f"{mark}{place}" for place in range(games)]
    seats = {"game_id": ids, "player": [mark] * games, "participant_id": [f"{mark}-{place}" for place in range(games)]}
    return Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * games, "mark": [mark] * games}),
        players=conform("players", seats),
        messages=conform("messages", {"game_id": ids, "message": [1] * games, "sender": [mark] * games}),
        provenance=Provenance(
            "test", "1", (Source("log.csv", "0" * 64, games),), (LeftOut("log.csv", 2, "odd"),), (mark,)
        ),
    )


def mark_of(found: Study) -> str:
    marks = set(found.games["mark"]) | set(found.players["player"]) | set(found.messages["sender"])
    marks |= set(found.provenance.notes)
    assert len(marks) == 1, marks
    return str(marks.pop())


@pytest.fixture(params=["exchanged", "pointed to"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the system's exchange of folders, and as on one that has none."""
    if request.param == "pointed to":
        monkeypatch.setattr(files, "exchange", lambda *_: False)
    return str(request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_one_study_after_another(tmp_path: Path) -> None:
    for mark in "abcd":
        study(mark).save(tmp_path / "saved")
        assert mark_of(open_study(tmp_path / "saved")) == mark
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


@pytest.mark.slow
def test_after_a_system_without_exchange_one_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study("a").save(tmp_path / "saved")
    monkeypatch.setattr(files, "exchange", lambda *_: False)
    study("b").save(tmp_path / "saved")
    names = sorted(path.name for path in (tmp_path / "saved").iterdir())
    assert names[0] == "study.json"
    assert len(names) == 2
    assert mark_of(open_study(tmp_path / "saved")) == "b"
    monkeypatch.undo()
    study("c").save(tmp_path / "saved")
    assert mark_of(open_study(tmp_path / "saved")) == "c"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["saved"]


def snapshot(folder: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def added(file: Path) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    return file


def linked(file: Path) -> None:
    file.unlink()
    file.symlink_to("elsewhere.parquet")


STANDING: dict[str, tuple[Callable[[Path], object], str]] = {
    "a stranger's study.json": (
        lambda place: (place / "study.json").write_text('{"x": 1}'),
        "its study.json was not written by negstats",
    ),
    "a study.json that is not JSON": (lambda place: (place / "study.json").write_text("my study"), "by negstats"),
    "a script in a study": (
        lambda place: (study().save(place), added(place / "analysis.py")),
        "files in it that negstats did not write: 'analysis.py'",
    ),
    "raw logs beside": (
        lambda place: (study().save(place), added(place / "raw" / "log.csv")),
        "did not write: 'raw'",
    ),
    "a hidden file": (lambda place: (study().save(place), added(place / ".git" / "HEAD")), "did not write: '.git'"),
    "a link in the place of a table": (
        lambda place: linked(study().save(place) / "moves.parquet"),
        "did not write: 'moves.parquet'",
    ),
    "many files": (
        lambda place: (study().save(place), [added(place / f"{letter}.txt") for letter in "abcde"]),
        "'a.txt', 'b.txt', 'c.txt' and 2 more",
    ),
    "a folder of logs": (lambda place: (place / "log.csv").write_text("a"), r"not a saved study \(no study.json in"),
    "an empty folder": (lambda _: None, "not a saved study"),
    "a linked card": (lambda place: (place / "study.json").symlink_to("other.json"), "not a saved study"),
}  # fmt: skip


@pytest.mark.slow(keep=1)
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("case", STANDING)
def test_what_is_not_ours_stands(case: str, tmp_path: Path) -> None:
    make, message = STANDING[case]
    place = tmp_path / "place"
    if not case.endswith(("study", "beside", "hidden file", "table", "many files")):
        place.mkdir()
    make(place)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=message) as refusal:
        study("b").save(place)
    assert str(place) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert snapshot(tmp_path) == before


def test_a_file_in_its_place_stands(tmp_path: Path) -> None:
    (tmp_path / "place").write_text("thesis")
    with pytest.raises(UsageError, match="is not a saved study but a file"):
        study().save(tmp_path / "place")
    assert (tmp_path / "place").read_text() == "thesis"


@pytest.mark.slow
def test_a_file_that_comes_in_the_last_moment_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = study("a").save(tmp_path / "place")
    swap = files.exchange

    def late(one: Path, other: Path) -> bool:
        monkeypatch.undo()
        (place / "thesis.txt").write_text("years of work")
        return swap(one, other)

    monkeypatch.setattr(files, "exchange", late)
    with pytest.raises(UsageError, match=r"thesis\.txt"):
        study("b").save(place)
    assert (place / "thesis.txt").read_text() == "years of work"
    assert mark_of(open_study(place)) == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_a_linked_study_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    study("a").save(tmp_path / "disk" / "study")
    (tmp_path / "link").symlink_to("disk/study")
    study("b").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert mark_of(open_study(tmp_path / "disk" / "study")) == "b"
    assert sorted(path.name for path in (tmp_path / "disk").iterdir()) == ["study"]


@pytest.mark.slow(keep=1)
@pytest.mark.usefixtures("way")
def test_modes_obey_the_umask_and_a_closed_folder_stays_closed(tmp_path: Path) -> None:
    old = os.umask(0o007)
    try:
        place = study().save(tmp_path / "saved")
        modes = {stat.S_IMODE(file.stat().st_mode) for file in place.iterdir()}
        assert (modes, stat.S_IMODE(place.stat().st_mode)) == ({0o660}, 0o770)
        place.chmod(0o700)
        study("b").save(place)
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    finally:
        os.umask(old)


@pytest.mark.slow
def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    rng = random.Random(20)  # noqa: S311
    for _ in range(150):
        file = rng.choice(sorted(place.glob("*.parquet")))
        whole = file.read_bytes()
        broken = bytearray(whole)
        broken[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        file.write_bytes(broken)
        with pytest.raises(LogError, match=rf"{file.name}: was changed after it was written"):
            open_study(place)
        file.write_bytes(whole)
    assert mark_of(open_study(place)) == "a"


def edited(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    card = json.loads((place / "study.json").read_text())
    change(card)
    first_card = {key: value for key, value in card.items() if key not in ("sha256", "folder")}
    card["sha256"] = hashlib.sha256(json.dumps(first_card, sort_keys=True).encode()).hexdigest()
    (place / "study.json").write_text(json.dumps(card))


def test_a_changed_word_of_the_card_is_noticed(tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    card = (place / "study.json").read_text()
    (place / "study.json").write_text(card.replace('"odd"', '"old"'))
    with pytest.raises(LogError, match=r"study\.json: is not a card of a study: not what was written"):
        open_study(place)
    (place / "study.json").write_text(json.dumps(json.loads(card)))  # laid out otherwise
    assert mark_of(open_study(place)) == "a"


def nested(depth: int) -> Any:
    return json.loads("[" * depth + "]" * depth)


ODD_CARDS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no hashes": lambda card: card.pop("tables"),
    "a table less": lambda card: card["tables"].pop("moves"),
    "a table more": lambda card: card["tables"].update(extra={}),
    "hashes in a list": lambda card: card.update(tables=[]),
    "no hash of a table": lambda card: card["tables"].update(moves=3),
    "other rows": lambda card: card["tables"]["moves"].update(rows=7),
    "another hash": lambda card: card["tables"]["moves"].update(sha256="0" * 64),
    "a number for a loader": lambda card: card.update(loader=3),
    "text for sources": lambda card: card.update(sources="abc"),
    "a source without rows": lambda card: card["sources"][0].pop("rows"),
    "text for rows": lambda card: card["sources"][0].update(rows="many"),
    "half a row": lambda card: card["sources"][0].update(rows=1.5),
    "a number for a note": lambda card: card.update(notes=[1]),
    "deep notes": lambda card: card.update(notes=nested(400)),
    "null for what was left out": lambda card: card.update(left_out=None),
    "a folder elsewhere": lambda card: card.update(folder="../../etc"),
    "a number for a folder": lambda card: card.update(folder=4),
    "a version as text": lambda card: card.update(schema_version="1"),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("case", ODD_CARDS)
def test_an_odd_card_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    edited(place, ODD_CARDS[case])
    with pytest.raises(LogError) as refusal:
        open_study(place)
    assert str(place) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 1000


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a": ' * 100_000,
        b'{"loader": 1, "loader": 2}',
        b"\0" * 50,
    ],
)
def test_a_card_that_is_none_is_refused_in_one_line(text: bytes, tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    (place / "study.json").write_bytes(text)
    assert is_study(place)  # be it damaged
    with pytest.raises(LogError, match=r"study\.json: is not a card of a study") as refusal:
        open_study(place)
    assert "\n" not in str(refusal.value)


def test_a_strangers_card_makes_no_study(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text('{"x": 1}')
    (tmp_path / "log.csv").write_text("a,b")
    assert not is_study(tmp_path)


def forge(place: Path, name: str, data: bytes, rows: int = 0) -> None:
    (place / f"{name}.parquet").write_bytes(data)
    written = {"sha256": hashlib.sha256(data).hexdigest(), "rows": rows}
    edited(place, lambda card: card["tables"].update({name: written}))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("metadata", ["[]", "{", "null", '{"columns": 3}', '{"index_columns": [{"kind": "x"}]}', "\0"])
def test_odd_pandas_metadata_are_refused_or_ignored(metadata: str, tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    table = pq.read_table(place / "games.parquet").replace_schema_metadata({b"pandas": metadata.encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    forge(place, "games", sink.getvalue().to_pybytes(), 3)
    try:
        loaded_study = open_study(place)
    except NegstatsError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert mark_of(loaded_study) == "a"


def test_a_table_of_another_kind_is_refused(tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    forge(place, "moves", b"PAR1 and no more")
    with pytest.raises(LogError, match=r"moves\.parquet: is not a table of a study"):
        open_study(place)
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "x.parquet")
    forge(place, "moves", (tmp_path / "x.parquet").read_bytes(), 1)
    with pytest.raises(SchemaError, match="'moves'"):
        open_study(place)


def test_a_pipe_in_the_place_of_a_table_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    (place / "moves.parquet").unlink()
    os.mkfifo(place / "moves.parquet")
    with pytest.raises(LogError, match=r"moves\.parquet: is not a regular file"):
        open_study(place)


def test_a_factor_that_parquet_cannot_hold_is_named(tmp_path: Path) -> None:
    frame = study().games.assign(odd=pd.Series([1, "a", None], dtype=object))
    odd = Study(games=frame, provenance=Provenance("test", "1"))
    with pytest.raises(SchemaError, match=r"table 'games': Parquet cannot hold a column: .*odd"):
        odd.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_file_names_that_are_no_text_survive(tmp_path: Path) -> None:
    source = Source(os.fsdecode(b"caf\xe9.csv"), "0" * 64, 1)
    one = Study(games=study().games, provenance=Provenance("test", "1", (source,)))
    assert open_study(one.save(tmp_path / "saved")).provenance == one.provenance


def test_a_full_disk_leaves_the_old_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = study("a").save(tmp_path / "saved")

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "flushed", full)
    with pytest.raises(UsageError, match=f"^{place}: cannot be written: No space left on device$"):
        study("b").save(place)
    monkeypatch.undo()
    assert mark_of(open_study(place)) == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder without a disk to wait for, where there is one: many more meetings in the same time."""
    memory = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def _write(place: Path, mark: str, times: int, exchanged: bool) -> None:
    if not exchanged:
        files.exchange = lambda *_: False
    for _ in range(times):
        study(mark).save(place)


@pytest.mark.slow
@pytest.mark.parametrize("exchanged", [True, False])
def test_two_writers_and_a_reader_never_mix_studies(exchanged: bool, in_memory: Path) -> None:
    place = study("a").save(in_memory / "saved")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(place, mark, 15, exchanged)) for mark in "bc"]
    for writer in writers:
        writer.start()
    values = set()
    while any(writer.is_alive() for writer in writers):
        values.add(mark_of(open_study(place)))
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert mark_of(open_study(place)) in "bc"
    assert values <= set("abc")
    assert [path.name for path in in_memory.iterdir()] == ["saved"]
    if not exchanged:
        assert len([path for path in place.iterdir() if path.is_dir()]) <= 2


@pytest.mark.slow
def test_a_writer_who_begins_removes_no_study_that_another_has_just_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, exchange = study("a").save(tmp_path / "saved"), files.exchange

    def exchange_and_begin_anew(one: Path, other: Path) -> bool:
        way = exchange(one, other)
        with files.beside(other, study_folder.is_our_entry):  # what another writer does first
            return way

    monkeypatch.setattr(files, "exchange", exchange_and_begin_anew)
    study("b").save(place)
    assert mark_of(open_study(place)) == "b"
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_a_lock_is_that_of_the_folder_which_has_the_name_at_last(tmp_path: Path) -> None:
    name, other = tmp_path / "name", tmp_path / "other"
    name.mkdir()
    other.mkdir()
    first = files.locked(name)
    assert first is not None
    assert files.locked(name, wait=False) is None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(files.locked, name)
        time.sleep(0.05)
        name.rename(tmp_path / "old")
        other.rename(name)
        os.close(first)
        second = waiting.result(timeout=10)
    assert second is not None
    assert os.path.samestat(os.fstat(second), name.stat())
    os.close(second)
    assert files.locked(tmp_path / "gone") is None


@pytest.mark.slow
def test_a_reader_sees_through_writers_who_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = study("a").save(tmp_path / "saved")
    card = (place / study_folder.CARD).read_text()
    real, marks = study_folder.read_table, iter("b")

    def between(file: Path, written: object) -> pd.DataFrame:
        for mark in marks:  # once: another's tables, and when they have been read the first one's card again
            study(mark).save(place)
            try:
                return real(file, written)
            finally:
                study("a").save(place)
        return real(file, written)

    monkeypatch.setattr(study_folder, "read_table", between)
    assert mark_of(open_study(place)) == "a"
    assert (place / study_folder.CARD).read_text() == card


def test_tables_are_all_in_the_card(tmp_path: Path) -> None:
    place = study().save(tmp_path / "saved")
    card = json.loads((place / study_folder.CARD).read_text())
    for name in TABLES:
        data = (place / f"{name}.parquet").read_bytes()
        assert card["tables"][name]["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.slow
def test_rows_that_come_a_few_at_a_time_make_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_writer, "GROUP", 4)
    whole = study(games=23)
    whole.save(tmp_path / "at once")
    with study_folder.writing(tmp_path / "by and by") as writer:
        for start, end in ((0, 0), (0, 1), (1, 9), (9, 12), (12, 23)):
            writer.add({name: frame.iloc[start:end] for name, frame in whole.tables.items()})
        writer.provenance = asdict(whole.provenance)
    assert (tmp_path / "by and by" / "study.json").read_bytes() == (tmp_path / "at once" / "study.json").read_bytes()
    assert pq.ParquetFile(tmp_path / "by and by" / "games.parquet").num_row_groups == 6


def test_rows_of_another_kind_are_refused(tmp_path: Path) -> None:
    games = study().games
    with study_folder.writing(tmp_path / "out") as writer:
        writer.add({"games": games.assign(mark=1)})
        with pytest.raises(SchemaError, match="Parquet cannot hold a column"):
            writer.add({"games": games.assign(mark="one")})
        writer.provenance = asdict(study().provenance)
    assert open_study(tmp_path / "out").games["mark"].tolist() == [1, 1, 1]
    with pytest.raises(KeyError), study_folder.writing(tmp_path / "other") as writer:
        writer.add({"gmes": games})
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_what_a_writer_laid_by_is_cleared_with_it_and_is_no_study_of_ours(tmp_path: Path) -> None:
    with study_folder.writing(tmp_path / "out") as writer:
        left = writer.scratch.parent
        writer.provenance = asdict(study().provenance)
    left.mkdir()
    (left / "scratch").mkdir()
    (left / "scratch" / "rows.arrow").touch()
    added(left / "games.parquet")
    with pytest.warns(files.Leftover):
        study().save(tmp_path / "out")
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    left.mkdir()
    added(left / "scratch" / "thesis.txt")
    study().save(tmp_path / "out")
    assert (left / "scratch" / "thesis.txt").exists()
    added(tmp_path / "out" / "scratch" / "rows.arrow")
    with pytest.raises(UsageError, match="did not write: 'scratch'"):
        study().save(tmp_path / "out")
