"""What the commands print, and write as text, on the studies that ship: the sample, robot and CaSiNo."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from typer.testing import CliRunner

from negstats.cli import app
from negstats.errors import NegstatsError
from tests.conftest import ROOT
from tests.nets.versions import without_versions

SAMPLE, ROBOT, CASINO = "datasets/sample", "datasets/robot/study", "datasets/casino/study"
CONTRACT, ULTIMATUM = "datasets/contract_sim/study", "datasets/ultimatum/ultimatum.csv"
PAPER = (
    "The agents differed, t(48) = 2.10, p = .041. The others did not, F(2, 97) = 1.20, p = .60; chi2(1) = 4.5, p < .05."
)
LONG = 20_000  # characters of a file that is frozen as it is
READABLE = (".csv", ".txt", ".toml", ".tex", ".json", ".md", ".lock")
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?(?![\w.])")
TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?( UTC)?")

# name: the words of a command. A word that begins with OUT/ lies in a folder of its own; what is written there and can
# be read is part of the text. OUT/salt and OUT/paper.txt lie there already.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "load": ("load", SAMPLE, "--out", "OUT/study"),
    "load mapped": ("load", ULTIMATUM, "--map", "datasets/ultimatum/ultimatum.toml", "--out", "OUT/study"),
    "map": ("map", ULTIMATUM),
    "describe sample": ("describe", SAMPLE),
    "describe robot": ("describe", ROBOT),
    "describe casino": ("describe", CASINO),
    "describe casino as JSON": ("describe", CASINO, "--json"),
    "describe robot on DuckDB": ("describe", ROBOT, "--engine", "duckdb"),
    "describe contract": ("describe", CONTRACT),
    "measures sample": ("describe", SAMPLE, "--by", "condition", "--all", "--csv", "OUT/metrics.csv"),
    "measures robot": ("describe", ROBOT, "--by", "condition", "--who", "human", "--all", "--values", "OUT/values.csv"),
    "measures robot on polars": ("describe", ROBOT, "--by", "condition", "--engine", "polars", "--json"),
    "measures contract": ("describe", CONTRACT, "--by", "country", "--all"),
    "compare sample": ("compare", SAMPLE, "points", "--by", "condition", "--who", "agent"),
    "compare robot": ("compare", ROBOT, "points", "--by", "condition", "--who", "human", "--paired", "--json"),
    "compare robot on polars": ("compare", ROBOT, "rounds", "--by", "condition", "--engine", "polars"),
    "compare casino": ("compare", CASINO, "points", "--by", "player"),
    "compare yes or no": (
        "compare",
        CONTRACT,
        "ended_with_commitment",
        "--by",
        "condition",
        "--levels",
        "HvsH,HvsSP-A",
    ),
    "deidentify": ("deidentify", SAMPLE, "--out", "OUT/safe", "--salt-file", "OUT/salt"),
    "plan sample": ("plan", SAMPLE),
    "plan casino": ("plan", CASINO),
    "plan check": ("plan", "tests/plans/robot.toml", ROBOT, "--check"),
    "plan check casino": ("plan", "tests/plans/casino.toml", CASINO, "--check"),
    "plan as AsPredicted": ("plan", "tests/plans/contract.toml", CONTRACT, "--as", "aspredicted"),
    "power": ("power", "tests/plans/robot.toml", "--csv", "OUT/power.csv"),
    "run robot": ("run", "tests/plans/robot.toml", ROBOT),
    "run casino": ("run", "tests/plans/casino.toml", CASINO),
    "run contract": ("run", "tests/plans/contract.toml", CONTRACT, "--out", "OUT/report"),
    "run robot on DuckDB": ("run", "tests/plans/robot.toml", ROBOT, "--engine", "duckdb"),
    "reproduce": ("reproduce",),
    "audit": ("audit", "OUT/paper.txt", "--csv", "OUT/audit.csv"),
    "audit as JSON": ("audit", "OUT/paper.txt", "--json"),
    "figures": ("reproduce", "mell2015", "--figures", "--out", "OUT/findings"),
    "data": ("data", "list"),
    "simulate contract": ("simulate", "contract", "--games", "4", "--seed", "1", "--out", "OUT/simulated"),
    "threshold": ("threshold", CONTRACT, "--role", "provider_y", "--draws", "200"),
    "offer": ("threshold", "--pr", "0.5", "--alpha", "0.01"),
    "no study": ("describe", "OUT/nowhere"),
    "no measure": ("compare", SAMPLE, "pionts", "--by", "condition"),
}


# Results of a paper whose raw data are at hand would stand otherwise.
ENVIRONMENT = {"NEGSTATS_DATA": None}


def command_output(name: str) -> str:
    """Return what the command prints, its exit code, and the text files that it writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder).resolve()
        (out / "salt").write_text("a secret of the tests\n", encoding="utf-8")
        (out / "paper.txt").write_text(PAPER, encoding="utf-8")
        values = {"salt", "paper.txt"}
        words = [_placed(word, out) for word in COMMANDS[name]]
        result = CliRunner().invoke(app, words, env=ENVIRONMENT, terminal_width=120)
        parts = [f"$ negstats {' '.join(COMMANDS[name])}", result.output.rstrip(), f"exit code {result.exit_code}"]
        if isinstance(result.exception, NegstatsError):
            parts.append(f"refused: {result.exception}")
        elif result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        for file in sorted(path for path in out.rglob("*") if path.is_file()):
            place = file.relative_to(out).as_posix()
            if file.suffix in READABLE and place not in values:
                parts.append(f"--- {place}\n{_short(file.read_text(encoding='utf-8'))}")
            elif place not in values:
                parts.append(f"--- {place}")
    text = "\n".join(parts).replace(str(out), "OUT").replace(str(ROOT), "ROOT")
    return TIMES.sub("TIME", text) + "\n"


def _short(text: str) -> str:
    """Return a text without versions, or of a long one its lines and a digest."""
    text = without_versions(text)
    if len(text) <= LONG:
        return text.rstrip()
    rounded = NUMBER.sub(_round, text)
    return f"{len(text.splitlines())} lines, {hashlib.sha256(rounded.encode()).hexdigest()[:16]}"


def _round(number: re.Match[str]) -> str:
    """Return a number with six digits: where a fit is iterated, processors differ from the eighth on."""
    value = float(number[0])
    return f"{value if abs(value) > 1e-9 else 0.0:.6g}"


def _placed(word: str, out: Path) -> str:
    if word.startswith("OUT/"):
        return str(out / word.removeprefix("OUT/"))
    return str(ROOT / word) if "/" in word else word
