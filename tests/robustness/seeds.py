"""Small sound logs, one for each loader and form of file: what the mutations damage."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import negstats
from tests.conftest import DATA
from tests.loaders import agent_logs
from tests.loaders.workbooks import TABLE, write_log, write_table


@dataclass(frozen=True, slots=True)
class Log:
    """A log as it lies on the disk.

    Attributes
    ----------
    loader : str
        Which loader reads it: a format's name, "mapping", or "study" for one that was saved.
    files : dict[str, bytes]
        Content by path inside a folder.
    root : str
        The file in the folder that is loaded; "" for the folder itself.
    mapping : str
        The mapping file, where there is one.
    """

    loader: str
    files: dict[str, bytes]
    root: str = ""
    mapping: str = ""


LOGS = Path(__file__).parent / "logs"
# Logs that lie there as files, each called by its format; `_known` makes the others.
WRITTEN = (
    *("contract", "favors", "dominance", "dealornodeal_acts", "casino", "dealornodeal", "otree", "empirica"),
    "convokit",
)


def written(name: str) -> Log:
    """Return a log that lies in `logs`: its only file is loaded, or the folder."""
    files = _content(LOGS / name)
    return Log(name, files, *(files if len(files) == 1 else ()))


def _lines(events: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


def rulesheet() -> Log:
    from negstats.games.rulesheet import sheet
    from negstats.simulate.rulesheet import Setup, events, sessions_of

    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    return Log("rulesheet", {"log.jsonl": _lines(list(events(setup, sessions_of(setup, 2, seed=1))))}, "log.jsonl")


def solver_cl() -> Log:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_log(place)
        write_log(place, "S002")
        write_table(place, "S001,Session_1,Anger,0.7,0.6\nS002,Session_1,None,0.7,0.6\n")
        assert TABLE
        return Log("solver_cl", _content(place))


def _csv(lines: Sequence[Sequence[str]], *, end: str = "\n", delimiter: str = ",") -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=end, delimiter=delimiter).writerows(lines)
    return buffer.getvalue().encode()


def _trials(person: str) -> list[dict[str, Any]]:
    here = {"subject_id": person, "condition": "computer"}
    shown = {**here, "trial_type": "html-button-response", "task": "ultimatum", "pie": 10}
    trials: list[dict[str, Any]] = [
        {**here, "trial_type": "instructions", "task": "intro", "rt": 642},
        {**shown, "offer": 2, "response": 1, "accepted": False, "payoff": 0, "round": 1},
        {**shown, "offer": 4.5, "response": 0, "accepted": True, "payoff": 4.5, "round": 2},
        {**here, "trial_type": "html-slider-response", "item": 1, "self": 85, "other": 50, "response": 5},
        {**here, "trial_type": "survey-likert", "response": {"svi_1": 1, "svi_5": 3}},
        {**here, "trial_type": "survey-text", "response": {"age": "55", "comments": 'a "fair" split,\nça va'}},
    ]
    return [{"trial_index": at, "time_elapsed": 24 + at, **trial} for at, trial in enumerate(trials)]


def jspsych() -> Log:
    names = list(dict.fromkeys(name for trial in _trials("p1") for name in trial))

    def cell(value: Any) -> str:
        return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)

    lines = [[cell(trial.get(name)) for name in names] for trial in _trials("p1")]
    return Log("jspsych", {"p1.csv": _csv([names, *lines], end="\r\n"), "p2.json": json.dumps(_trials("p2")).encode()})


SURVEY = ["StartDate", "Status", "Finished", "RecordedDate", "ResponseId", "Q1", "Q2", "dyad", "role", "points", "pid"]


def survey(*answers: Sequence[str]) -> bytes:
    ids = ["startDate", "status", "finished", "recordedDate", "_recordId", "QID1", "QID2_TEXT", *SURVEY[7:]]
    wording = ["Start Date", "Response Type", "Finished", "Recorded", "Response ID", "How fair?\n(1 to 7)", *SURVEY[6:]]
    results = [json.dumps({"ImportId": name}) for name in ids]
    return b"\xef\xbb\xbf" + _csv([SURVEY, wording, results, *answers], end="\r\n")


def answered(number: int, *rest: str) -> list[str]:
    day = f"2026-03-0{number}"
    return [f"{day} 10:00:00", "IP Address", "True", f"{day} 10:09:00", f"R_{number}", *rest]


def qualtrics() -> Log:
    answers = [
        answered(1, "5", 'fine, "really"\nfine', "D1", "buyer", "77", "p1"),
        answered(2, "4", "", "D1", "seller", "43", "p2"),
        answered(3, "2", "é", "D2", "buyer", "60.5", "p3"),
        answered(4, "", "", "D2", "seller", "59.5", "p4"),
        answered(5, "1", "", "D1", "buyer", "1", "p1"),
    ]
    answers.append([*answers[0][:1], "Survey Preview", *answers[0][2:4], "R_6", *answers[0][5:]])
    return Log("qualtrics", {"survey.csv": survey(*answers)}, "survey.csv")


LIONESS: dict[str, list[list[Any]]] = {
    "core": [
        ["playerNr", "groupNrStart", "role", "leftExperiment", "groupAborted", "ipaddress"],
        *([1, 1, "buyer", 0, 0, "10.9.8.7"], [2, 1, "seller", 0, 0, ""], [3, 0, "", 1, 0, ""]),
    ],
    "decisions": [
        ["playerNr", "groupNr", "subjectNr", "period", "price", "payoff", "time_1"],
        *([1, 1, 1, 1, "40", 60, 3.5], [2, 1, 2, 1, "é", 40.5, 2], [3, 0, 1, 1, "7", "", 1]),
        *([1, 1, 1, 2, "", 10, 3.5], [2, 1, 2, 2, "30", 20, 2]),
    ],
    "session": [["playerNr", "externalID", "totalEarnings"], [1, "x1", 3.5], [2, "x2", 2], [3, "", ""]],
    "globals": [["name", "value"], ["pie", 100], ["messageStart", "Hello"], ["active", 1]],
}


def lioness() -> Log:
    from openpyxl import Workbook

    book, buffer = Workbook(), io.BytesIO()
    book.remove(book.worksheets[0])
    for name in ("decisions", "core", "session", "globals"):
        page = book.create_sheet(name)
        for line in LIONESS[name]:
            page.append(line)
    book.save(buffer)
    return Log("lioness", {"s1.xlsx": buffer.getvalue()}, "s1.xlsx")


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


COLUMNS = ("game", "who", "mine", "yours", "said")
ROWS = [
    ("g1", "Ann", "6", "4", "Guten Tag"),
    ("g1", "Bob", "5", "5", 'say "yes", now'),
    ("g2", "Ann", "2.5", "7.5", ""),
    ("g2", "Cem", "0", "10", "é\u4e2d\U0001f3d5"),
    ("g3", "Bob", "-1", "11", "two\nlines"),
    ("g3", "Cem", "1e1", "0", "=1+1"),
]
MAPPING = """row = "offer"
games.game_id = "game"
players.player = "who"
offers = { units_to_proposer = "mine", units_to_responder = "yours" }
messages.text = "said"
"""


def _delimited(delimiter: str) -> bytes:
    return _csv([COLUMNS, *ROWS], delimiter=delimiter)


def _objects() -> list[dict[str, Any]]:
    results = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    return [row | {name: float(row[name]) for name in ("mine", "yours")} for row in results]


def _workbook() -> bytes:
    from openpyxl import Workbook

    book, buffer = Workbook(), io.BytesIO()
    page = book.active
    assert page is not None
    page.append(list(COLUMNS))
    for row in _objects():
        page.append(["'" + row[name] if str(row[name]).startswith("=") else row[name] for name in COLUMNS])
    book.save(buffer)
    return buffer.getvalue()


def _parquet() -> bytes:
    import pandas as pd

    buffer = io.BytesIO()
    pd.DataFrame(_objects()).to_parquet(buffer, index=False)
    return buffer.getvalue()


def _mapped(name: str, data: Callable[[], bytes], more: str = "") -> Callable[[], Log]:
    return lambda: Log("mapping", {name: data()}, name, more + MAPPING)


def study() -> Log:
    log = written("contract")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "log.jsonl").write_bytes(log.files["log.jsonl"])
        saved = negstats.load(Path(folder) / "log.jsonl").save(Path(folder) / "study")
        return Log("study", {f"study/{name}": data for name, data in _content(saved).items()}, "study")


def _real_casino() -> Log:
    dialogues = json.loads((DATA / "casino" / "casino_test.json").read_bytes())[:6]
    return Log("casino", {"casino_test.json": json.dumps(dialogues).encode()}, "casino_test.json")


def _real_dealornodeal() -> Log:
    with (DATA / "dealornodeal" / "data.txt").open("rb") as stream:
        return Log("dealornodeal", {"data.txt": b"".join(islice(stream, 40))}, "data.txt")


def _real_solver_cl() -> Log:
    file = sorted((DATA / "solver_cl").rglob("negotiation_logs_*.xlsx"))[0]
    return Log("solver_cl", {file.name: file.read_bytes()}, file.name)


def _known() -> dict[str, Callable[[], Log]]:
    values_by_name: dict[str, Callable[[], Log]] = {
        **{name: partial(written, name) for name in WRITTEN},
        "rulesheet": rulesheet,
        "solver_cl": solver_cl,
        "jspsych": jspsych,
        "qualtrics": qualtrics,
        "lioness": lioness,
        "mapped CSV": _mapped("log.csv", lambda: _delimited(","), 'delimiter = ","\n'),
        "mapped TSV": _mapped("log.tsv", lambda: _delimited("\t")),
        "mapped Excel": _mapped("log.xlsx", _workbook),
        "mapped JSON": _mapped("log.json", lambda: json.dumps(_objects()).encode()),
        "mapped JSON Lines": _mapped("log.jsonl", lambda: _lines(_objects())),
        "saved study": study,
        "negmas": lambda: Log("negmas", agent_logs.negmas()),
        "negolog": lambda: Log("negolog", agent_logs.negolog()),
        "negotiationarena": lambda: Log("negotiationarena", agent_logs.negotiationarena()),
        "llm_deliberation": lambda: Log("llm_deliberation", agent_logs.llm_deliberation()),
        "lamen": lambda: Log("lamen", agent_logs.lamen()),
        "genius": lambda: Log("genius", agent_logs.genius()),
        "geniusweb": lambda: Log("geniusweb", agent_logs.geniusweb()),
        "job_interview": lambda: Log("job_interview", agent_logs.job_interview()),
    }
    from negstats.loaders.files import any_table

    if ".parquet" in any_table.READERS:
        values_by_name["mapped Parquet"] = _mapped("log.parquet", _parquet)
    for loader, real in (
        ("casino", _real_casino),
        ("dealornodeal", _real_dealornodeal),
        ("solver_cl", _real_solver_cl),
    ):
        if (DATA / loader).is_dir():
            values_by_name[f"{loader}, real"] = real
    return values_by_name


SEEDS = {name: cache(make) for name, make in _known().items()}
