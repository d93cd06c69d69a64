"""The command line as a new user meets it: each command, each typo, each broken folder; exit codes and one line."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import negstats
from negstats import files, papers
from negstats.cli import COMMANDS, EXAMPLES, app
from negstats.cli.shared import print_table
from negstats.games.rulesheet import sheet
from tests.analysis.plan.plans import SMALLEST
from tests.conftest import ROOT, DataFolder
from tests.loaders.workbooks import write_log
from tests.shell import Shell

SAMPLE = str(ROOT / "datasets" / "sample")
AGENTS = str(ROOT / "datasets" / "dealornodeal_agents" / "agents.toml")
COMMAND_NAMES = {name for group in COMMANDS.values() for name in group}


class TestCommands:
    @pytest.mark.slow
    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    def test_an_engine_says_the_same(self, shell: Shell, engine: str) -> None:
        study = str(ROOT / "datasets" / "robot" / "study")
        words = ["compare", study, "points", "--by", "condition", "--who", "agent"]
        here, content = shell.json(*words), shell.json(*words, "--engine", engine)
        assert content["sentence"] == here["sentence"]
        assert content["notes"] == here["notes"]
        assert shell.json("describe", study, "--engine", engine)["people"] == shell.json("describe", study)["people"]

    def test_seats_of_unknown_kind_are_counted_and_nothing_is_said_to_be_none(
        self, shell: Shell, tmp_path: Path
    ) -> None:
        (tmp_path / "pairs.csv").write_text("game,price\n1,4\n2,6\n")
        (tmp_path / "pairs.toml").write_text(
            'row = "game"\ngames.game_id = "game"\nmeasures.price = "price"\n'
            'seats.buyer.role = { constant = "buyer" }\nseats.seller.role = { constant = "seller" }\n'
        )
        words = ["describe", str(tmp_path / "pairs.csv"), "--map", str(tmp_path / "pairs.toml")]
        _, out, _ = shell(*words)
        assert "2 games, 4 seats of unknown kind\n" in out
        people = shell.json(*words)["people"]
        assert people == {
            "games": 2,
            "human seats": 0,
            "agent seats": 0,
            "seats of unknown kind": 4,
            "participants": 0,
        }

    @pytest.mark.slow
    def test_a_tournament_says_who_is_before_whom(self, shell: Shell, tmp_path: Path, real_data: DataFolder) -> None:
        study, figure = str(real_data("negmas") / "cartesian"), tmp_path / "payoffs.png"
        content = shell.json("tournament", study, "--n-resamples", "199", "--figure", str(figure))
        assert (content["games"], content["cluster"], content["n_clusters"]) == (72, "scenario", 4)
        assert figure.stat().st_size > 10_000
        _, out, _ = shell("tournament", study, "--n-resamples", "199")
        assert "BoulwareTBNegotiator before " in out
        assert "nash_rating" not in out
        _, whole, _ = shell("tournament", study, "--n-resamples", "199", "--all")
        assert "nash_rating interval" in whole
        assert max(map(len, whole.rpartition("Best responses")[0].splitlines())) <= 80
        assert "excluded: nothing" in out

    @pytest.mark.slow
    def test_a_tournament_of_one_strategy_compares_nothing(self, shell: Shell, real_data: DataFolder) -> None:
        _, out, _ = shell("tournament", str(real_data("negotiationarena") / "ultimatum"), "--n-resamples", "99")
        assert "one strategy, gpt-4-1106-preview, in 22 games: there is no other to compare it with" in out
        assert "Ranking" not in out

    @pytest.mark.slow
    def test_load_says_what_is_left_out(self, shell: Shell, tmp_path: Path) -> None:
        write_log(tmp_path / "raw")
        write_log(tmp_path / "raw", "S002", rows=[])
        _, out, _ = shell("load", str(tmp_path / "raw"), "--out", str(tmp_path / "study"))
        assert "excluded: 1 × a log without an offer" in out

    @pytest.mark.slow
    def test_load_takes_a_log_in_pieces(self, shell: Shell, tmp_path: Path) -> None:
        events: list[dict[str, Any]] = [
            {"event": "game", "game": "g", "players": [{"player": "CS"}]},
            {"event": "end", "game": "g"},
        ]
        log = tmp_path / "log.jsonl"
        log.write_text("\n".join(map(json.dumps, [events[0], events[1] | {"ended": "dormant"}])))
        for options in (["--stream"], ["--no-stream"], []):
            content = shell.json("load", str(log), "--out", str(tmp_path / "study"), *options)
            assert ("in pieces" in content["read_as"][0]) == (options == ["--stream"])
            assert content["rows"][0] == {"table": "games", "rows": 1}

    def test_load_takes_any_option_of_the_loader(self, shell: Shell, tmp_path: Path) -> None:
        names = "participant.code,session.code,session.is_demo,player.id_in_group,player.payoff"
        people = [f"p{place},{'ab'[place % 2]},{place % 2},{1 + place // 2},{place},1,1" for place in range(8)]
        lines = [f"{names},group.id_in_subsession,subsession.round_number", *people]
        (tmp_path / "task.csv").write_text("\n".join(lines), encoding="utf-8")
        for words, games in (([], 1), (["--option", "demo=in"], 2), (["--option", "alone=task"], 4)):
            out = tmp_path / f"study{games}"
            assert shell("load", str(tmp_path / "task.csv"), "--out", str(out), *words)[0] == 0
            assert len(negstats.load(out).games) == games

    @pytest.mark.slow
    def test_load_by_workers(self, shell: Shell, tmp_path: Path) -> None:
        code, out, _ = shell("load", SAMPLE, "--out", str(tmp_path / "study"), "--workers", "2")
        assert (code, "written from 37 files" in out) == (0, True)

    @pytest.mark.slow
    def test_a_large_study_is_described_where_it_lies(
        self, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = shell.json("load", SAMPLE, "--out", str(tmp_path / "study"))
        monkeypatch.setattr("negstats.studies.opening.MANY", 0)
        lazy = shell.json("load", SAMPLE, "--out", str(tmp_path / "study"))
        assert sorted(map(str, lazy.pop("factors"))) == sorted(map(str, plain.pop("factors")))
        assert lazy == plain

    @pytest.mark.parametrize("columns", [None, "30"])
    def test_a_name_in_a_table_is_not_cut_short(
        self, columns: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        name = "a_name_that_is_longer_than_the_eighty_characters_which_a_pipe_is_taken_to_have_room_for"
        print_table(pd.DataFrame({"measure": [name], "unit": ["points"]}), "Measures")
        out = capsys.readouterr().out
        assert "…" not in out
        assert (name in out) is (columns is None)

    @pytest.mark.slow
    def test_what_lacks_for_the_other_measures_is_said_when_asked(self, shell: Shell) -> None:
        assert "what they mean" not in shell("describe", SAMPLE)[1]
        assert "what they mean" in shell("describe", SAMPLE, "--missing")[1]

    @pytest.mark.slow
    def test_reproduce_prints_a_paragraph_then_each_row_that_does_not_stand_with_its_reason(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NEGSTATS_DATA", raising=False)
        code, out, _ = shell("reproduce")
        assert code == 0
        words = " ".join(out.split())
        findings = papers.reproduce()
        odd = papers.findings_of(findings)
        assert words.startswith(f"Of the {len(findings)} results that 8 studies print, ")
        assert f"Of the others, {len(odd)} do not hold as printed: " in words
        assert "cannot be checked" in words
        assert words.count("Reason: ") == len(odd)  # none without its reason
        assert "G² = 31.1" in words
        assert max(map(len, out.splitlines()[:-1])) <= 100
        assert "Another 7 rows (lewis2017) need raw data" in out.splitlines()[-1]
        assert "not checkable  needs the raw data" in shell("reproduce", "--all")[1]

    @pytest.mark.slow
    def test_compare_draws_into_a_folder_of_its_own(self, shell: Shell, tmp_path: Path) -> None:
        figure = tmp_path / "new" / "figure.svg"
        shell("compare", SAMPLE, "points", "--by", "condition", "--who", "agent", "--figure", str(figure))
        assert figure.read_text(encoding="utf-8").startswith("<?xml")

    @pytest.mark.slow
    def test_a_saved_question_is_a_plan(self, shell: Shell, tmp_path: Path) -> None:
        plan = tmp_path / "plan.toml"
        words = ["compare", SAMPLE, "points", "--by", "condition", "--who", "agent", "--predicts", "CL > FC"]
        content = shell.json(*words, "--save", str(plan))
        assert plan.read_text(encoding="utf-8") == content["plan"]
        answered = shell.json("run", str(plan), SAMPLE)["questions"][0]
        assert answered["tests"] == content["tests"]
        assert answered["verdict"] == content["verdict"]


REFUSED = [
    line.split(" ⇒ ")
    for line in (ROOT / "tests" / "refused_commands.txt").read_text(encoding="utf-8").splitlines()
    if "⇒" in line and not line.startswith("#")
]


@pytest.mark.slow(keep=12)
@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[words for words, _ in REFUSED])
def test_bad_input_gives_one_line_and_exit_code_2(
    words: str, message: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(SMALLEST, encoding="utf-8")
    Path("prisoners.kif").write_text(sheet.negotiating_prisoners(3), encoding="utf-8")
    Path("cut.kif").write_text("(role a")
    Path("binary.kif").write_bytes(b"\xff\xfe\x00")
    before = set(tmp_path.iterdir())
    places = {"SAMPLE": SAMPLE, "AGENTS": AGENTS}
    code, out, err = shell(*(places.get(word, word) for word in shlex.split(words)))
    assert (code, out) == (2, "")
    assert err.startswith("negstats: ")
    assert err.count("\n") == 1
    assert message in err
    assert set(tmp_path.iterdir()) == before


def test_an_empty_file_and_an_empty_folder(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "empty.csv", tmp_path / "folder"):
        code, _, err = shell("describe", str(path))
        assert code == 2
        assert str(path) in err
        assert "Traceback" not in err


def test_a_log_cut_in_half(shell: Shell, tmp_path: Path) -> None:
    file = write_log(tmp_path)
    file.write_bytes(file.read_bytes()[:2000])
    code, _, err = shell("describe", str(tmp_path))
    assert code == 2
    assert "workbook" in err
    assert "is the file cut?" in err


@pytest.mark.slow
def test_an_existing_folder_is_not_overwritten(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    code, _, err = shell("load", SAMPLE, "--out", str(tmp_path))
    assert code == 2
    assert "is not a saved study" in err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("word", ["--help", *sorted(COMMAND_NAMES)])
def test_a_help_fits_a_screen(word: str) -> None:
    words = [word] if word == "--help" else [word, "--help"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0].startswith("Usage")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.slow
def test_a_mapping_is_the_same_in_json(shell: Shell) -> None:
    log = str(ROOT / "datasets" / "ultimatum" / "ultimatum.csv")
    _, out, _ = shell("map", log)
    assert shell.json("map", log)["mapping"] == out


@pytest.mark.slow
def test_the_installed_command_runs() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "negstats", "--version"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert process.stdout.startswith("negstats 1.")


class TestEndings:
    """Each way in which a command can end: an exit code and at most one line."""

    @pytest.mark.slow
    def test_an_unforeseen_error_is_one_line_with_the_file(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError("by\nzero\x1b[31m")

        monkeypatch.setattr("negstats.analysis.describe", broken)
        code, out, err = shell("describe", SAMPLE)
        assert (code, out) == (1, "")
        assert err == (
            f"negstats: {SAMPLE}: unexpected error (ZeroDivisionError): by zero\\u001b[31m. Run again with --debug and "
            "report it\n"
        )

    @pytest.mark.slow
    def test_debug_shows_where(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError("by zero")

        monkeypatch.setattr("negstats.analysis.describe", broken)
        for words in (("--debug", "describe", SAMPLE), ("describe", SAMPLE, "--debug")):
            code, _, err = shell(*words)
            assert code == 1
            assert "Traceback (most recent call last)" in err
            assert err.splitlines()[-1].startswith("negstats: ")

    @pytest.mark.slow
    def test_ctrl_c(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def stopped(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("negstats.analysis.describe", stopped)
        assert shell("describe", SAMPLE) == (130, "", "negstats: interrupted\n")

    @pytest.mark.slow(keep=2)
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["lod"], "No such command 'lod'"),
            (["load"], "Missing argument"),
            (["load", SAMPLE, "--uot", "x"], "No such option: --uot"),
            (["describe", SAMPLE, "--by"], "requires an argument"),
            (["threshold", SAMPLE, "--draws", "many"], "--draws"),
            (["\x1b[31m"], "\\x1b"),
        ],
    )
    def test_options_that_are_none_are_one_line(self, words: list[str], message: str, shell: Shell) -> None:
        code, out, err = shell(*words)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert message in err
        command = f"negstats {words[0]} --help" if words[0] in COMMAND_NAMES else "negstats --help"
        assert err.endswith(f"(see {command})\n")

    @pytest.mark.slow
    def test_a_warning_is_one_line(self, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        shell("load", SAMPLE, "--out", str(tmp_path / "study"))
        with files.beside(tmp_path / "study", lambda _: True) as left:
            pass
        left.mkdir()
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back after the test
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            code, _, err = shell("load", SAMPLE, "--out", str(tmp_path / "study"))
        assert code == 0
        assert err == f"negstats: note: {left}: was left behind by an interrupted writing of study; removed\n"

    @pytest.mark.slow
    def test_a_file_name_that_is_no_text(self, tmp_path: Path) -> None:
        name = os.fsencode(tmp_path) + b"/caf\xe9.csv"
        with open(name, "w") as stream:  # noqa: PTH123 - a name of bytes
            stream.write("a,b\n1,2\n")
        process = subprocess.run(
            [sys.executable, "-m", "negstats", "describe", name], capture_output=True, check=False, cwd=ROOT
        )
        assert process.returncode == 2
        assert b"Traceback" not in process.stderr
        assert b"caf\\udce9.csv" in process.stderr

    @pytest.mark.slow
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    def test_no_room_for_the_output(self) -> None:
        with Path("/dev/full").open("w") as full:
            process = subprocess.run(
                [sys.executable, "-m", "negstats", "threshold", "--pr", ".5", "--alpha", "0"],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT,
            )  # fmt: skip
        assert process.returncode == 2
        assert process.stderr == "negstats: the output: No space left on device\n"


def test_every_command_is_in_the_help_under_what_people_do(shell: Shell) -> None:
    _, out, _ = shell("--help")
    titles = [line.removesuffix(":") for line in out.splitlines() if line and not line.startswith(" ")]
    assert [title for title in titles if title in COMMANDS] == list(COMMANDS)
    assert "Others" not in titles
    for names in COMMANDS.values():
        for name in names:
            assert re.search(rf"^  {name} ", out, re.MULTILINE), name


@pytest.mark.parametrize("name", [name for names in COMMANDS.values() for name in names if name != "app"])
def test_every_command_prints_json_on_request(name: str, shell: Shell) -> None:
    words = [name, *{"data": ["list"]}.get(name, [])]
    code, out, _ = shell(*words, "--help")
    assert code == 0
    assert "--json" in out


@pytest.mark.nightly
def test_the_example_at_the_end_of_each_help_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    for name, example in EXAMPLES.items():
        words = shlex.split(example.split(" > ")[0])[1:]
        help_text = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).output
        shown = help_text.rpartition("Example:\n")[2].replace(" \\\n", " ")
        assert " ".join(shown.split()) == example, name
        if name in ("data get", "docs"):  # one needs a network, the other a browser
            continue
        result = CliRunner().invoke(app, words, catch_exceptions=False)
        assert result.exit_code == 0, f"{example}: {result.output}"


def test_completion_can_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))  # no shell may have begun the tests
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).output
    words, home = ["--install-completion", "bash"], {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = CliRunner().invoke(app, words, env=home, prog_name="negstats")
    assert done.exit_code == 0, done.output
    script = tmp_path / ".bash_completions" / "negstats.sh"
    assert "complete -o default" in script.read_text(encoding="utf-8")
    assert str(script) in (tmp_path / ".bashrc").read_text(encoding="utf-8")
