"""What stands on the disk is the user's: links, devices, pipes, modes, full disks, and what a dead writer left."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from negstats import files
from negstats.errors import UsageError
from negstats.files import Leftover, written_whole

ROOT = os.geteuid() == 0


def write(path: Path, text: str = "new") -> None:
    with written_whole(path) as fresh:
        fresh.write_text(text)


@pytest.fixture
def umask() -> Iterator[None]:
    old = os.umask(0o027)
    yield
    os.umask(old)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("deep/real.csv")
    (tmp_path / "again.csv").symlink_to(tmp_path / "link.csv")
    write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").is_symlink()
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "deep" / "real.csv").read_text() == "new"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["real.csv"]


def test_a_link_to_nothing_makes_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("later.csv")
    write(tmp_path / "link.csv")
    assert (tmp_path / "later.csv").read_text() == "new"
    assert (tmp_path / "link.csv").is_symlink()


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UsageError, match="leads to itself"):
        write(tmp_path / "a")


@pytest.mark.skipif(not ROOT, reason="only root may make a device")
def test_a_device_stays_a_device(tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_text("may devices be opened here?")
    except OSError:
        pytest.skip("no devices on this file system")
    write(device)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["null"]


def test_the_null_device_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/null")
    before = os.stat("/dev/null")  # noqa: PTH116
    write(tmp_path / "link")
    assert os.path.samestat(before, os.stat("/dev/null"))  # noqa: PTH116


def test_a_pipe_gets_the_bytes_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write(pipe, "through the pipe")
    reader.join(5)
    assert got == ["through the pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


WRITER = """
import sys
from negstats.files import written_whole
print("before", flush=True)
with written_whole(sys.argv[1]) as fresh:
    fresh.write_text("table\\n")
print("after")
"""


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_standard_output_is_written_in_its_place(name: str, into: str, tmp_path: Path) -> None:
    if into == "pipe":
        text = subprocess.run([sys.executable, "-c", WRITER, name], capture_output=True, text=True, check=True).stdout
    else:
        with (tmp_path / "out").open("w") as out:
            subprocess.run([sys.executable, "-c", WRITER, name], stdout=out, check=True)
        text = (tmp_path / "out").read_text()
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert text == "before\ntable\nafter\n"


@pytest.mark.usefixtures("umask")
def test_a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    write(tmp_path / "new" / "table")
    assert stat.S_IMODE((tmp_path / "new" / "table").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o750
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o600)
    write(tmp_path / "old")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("stop", "error", "message"),
    [
        (OSError(28, "No space left on device"), UsageError, "^{}: cannot be written: No space left on device$"),
        (KeyboardInterrupt(), KeyboardInterrupt, "^$"),
    ],
)
def test_what_stops_the_writing_leaves_the_old_file_and_nothing_beside(
    stop: BaseException, error: type[BaseException], message: str, tmp_path: Path
) -> None:
    (tmp_path / "table").write_text("old")

    def stopped() -> None:
        with written_whole(tmp_path / "table") as fresh:
            fresh.write_text("half")
            raise stop

    with pytest.raises(error, match=message.format(tmp_path / "table")):
        stopped()
    assert (tmp_path / "table").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_full_device_is_told() -> None:
    with pytest.raises(UsageError, match=r"^/dev/full: cannot be written: No space left on device$"):
        write(Path("/dev/full"))


def test_a_write_protected_place_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(UsageError, match="table: cannot be written: it is write-protected"):
        write(tmp_path / "table")
    assert (tmp_path / "table").read_text() == "old"


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_no_system_takes_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written|not a valid file name"):
        write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_a_dead_writer_left_is_named_and_cleared(tmp_path: Path) -> None:
    code = WRITER.replace(
        'fresh.write_text("table\\n")', "import os; fresh.write_text('half'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "table")], check=False, capture_output=True)
    [left] = tmp_path.iterdir()
    assert left.name.startswith(".negstats-")
    write(tmp_path / "other")  # another file's leftovers are not looked for
    assert left.exists()
    with pytest.warns(Leftover, match=f"{left.name}: was left behind by an interrupted writing of table; removed"):
        write(tmp_path / "table")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "table"]


def test_what_a_living_writer_works_on_stays(tmp_path: Path) -> None:
    with written_whole(tmp_path / "table") as slow:
        slow.write_text("slow")
        write(tmp_path / "table", "quick")
        assert slow.exists()
        assert (tmp_path / "table").read_text() == "quick"
    assert (tmp_path / "table").read_text() == "slow"


def test_a_folder_that_looks_like_a_leftover_and_is_not_ours_stays(tmp_path: Path) -> None:
    with files.beside(tmp_path / "table", lambda _: True) as folder:
        pass
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    write(tmp_path / "table")
    assert (folder / "thesis.txt").read_text() == "years of work"


def test_folders_are_exchanged_or_it_is_said_that_they_cannot(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    way = files.exchange(tmp_path / "one", tmp_path / "other")
    inside = [entry.name for entry in (tmp_path / "one").iterdir()]
    assert inside == (["other"] if way else ["one"])
    if way:
        with pytest.raises(FileNotFoundError):
            files.exchange(tmp_path / "one", tmp_path / "nowhere")


STOPPED_WRITER = """
import signal, sys, time
from pathlib import Path
from negstats.files import beside
signal.signal(int(sys.argv[2]), signal.SIG_DFL)  # a run under nohup hands on that it is ignored
with beside(Path(sys.argv[1]) / "study", lambda entry: True) as folder:
    (folder / "games.parquet").write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_what_ends_a_program_leaves_no_hidden_folder(name: str, tmp_path: Path) -> None:
    number = getattr(signal, name)
    words = [sys.executable, "-c", STOPPED_WRITER, str(tmp_path), str(int(number))]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.send_signal(number)
        assert writer.wait(timeout=30) == 128 + number
    assert list(tmp_path.iterdir()) == []
