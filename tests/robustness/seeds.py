"""Small sound logs, one for each loader and form of file: what the mutations damage."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
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


def _lines(events: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


def contract() -> Log:
    events: list[dict[str, Any]] = []
    for game, points in (("g1", 115), ("g2", 300.5)):
        seats = [
            {"player": "CS", "role": "customer", "participant": f"p-{game}", "batna": 50},
            {"player": "SP", "role": "provider", "agent": "SP-A"},
        ]
        fields = {
            "factors": {"condition": "HvsA", "country": "Israel"},
            "chip_points": 5,
            "started_at": "2016-03-01",
        }
        here = {"game": game}
        offer = {"from": "SP", "to": "CS", "asks": {"gray": 11}, "gives": {"red": 33, "purple": 7}, "time_s": 4.5}
        events += [
            {"event": "game", **here, "players": seats, **fields},
            {"event": "offer", **here, **offer, "response": "rejected", "round": 1, "commitment": False},
            {"event": "message", **here, "player": "CS", "text": "Mehr, bitte: é", "time_s": 6},
            {"event": "offer", **here, **offer, "response": "accepted", "round": 2},
            {"event": "move", **here, "player": "CS", "square": [4, 5], "paid": "yellow", "round": 2},
            {"event": "end", **here, "ended": "goal", "rounds": 2, "points": {"CS": points}, "reached_goal": ["CS"]},
        ]
    return Log("contract", {"log.jsonl": _lines(events)}, "log.jsonl")


def favors() -> Log:
    events: list[dict[str, Any]] = []
    for session in ("s1", "s2"):
        head = {"condition": "betraying", "language": "favor", "returns": "never", "participant": f"p-{session}"}
        events.append({"event": "session", "session": session, **head})
        for number, accepted in ((1, True), (2, False)):
            here = {"session": session}
            batna = {"player": 2, "agent": 8}
            events += [
                {"event": "negotiation", **here, "negotiation": number, "proposer": "agent", "batna": batna},
                {"event": "message", **here, "from": "agent", "text": "Do me a favor?", "act": "favor-request"},
                {"event": "offer", **here, "from": "agent", "player": 1, "agent": 32, "framing": "favor-request"},
                {"event": "answer", **here, "accepted": accepted},
                {"event": "end", **here, "points": {"player": 1, "agent": 32} if accepted else batna},
            ]
    return Log("favors", {"log.jsonl": _lines(events)}, "log.jsonl")


def dominance() -> Log:
    criteria = {"price": ["cheap", "moderate", "dear"], "place": ["quiet", "lively"]}
    whole = ["cheap", "quiet"]
    events: list[dict[str, Any]] = []
    for talk in ("t1", "t2"):
        here = {"talk": talk}
        utterance = {"event": "utterance", **here}
        head = {"relations": {"A": "peer", "B": "dominant"}, "participants": {"B": "p7"}}
        orders = {"A": criteria, "B": criteria}
        events += [
            {"event": "talk", **here, "domain": {"criteria": criteria}, **head, "orders": orders},
            {
                **utterance,
                "from": "A",
                "type": "state",
                "criterion": "price",
                "less": "*",
                "more": "cheap",
                "time_s": 1,
            },
            {
                **utterance,
                "from": "B",
                "type": "propose",
                "criterion": "price",
                "value": "cheap",
                "text": "Cheap?",
            },
            {**utterance, "from": "A", "type": "accept", "criterion": "price", "value": "cheap"},
            {**utterance, "from": "B", "type": "propose", "option": whole},
            {**utterance, "from": "A", "type": "booking", "option": whole},
            {"event": "end", **here, "ended": "agreement", "option": whole},
        ]
    return Log("dominance", {"log.jsonl": _lines(events)}, "log.jsonl")


def acts() -> Log:
    players = [
        {"player": "A", "values": {"book": 10, "hat": 0, "ball": 0}, "participant": "p1"},
        {"player": "B", "agent": "fair", "values": {"book": 2, "hat": 1, "ball": 5}, "batna": 1},
    ]
    events: list[dict[str, Any]] = []
    for game in ("g1", "g2"):
        here = {"game": game}
        events += [
            {"event": "game", **here, "counts": {"book": 1, "hat": 3, "ball": 1}, "players": players, "seed": 3},
            {"event": "act", **here, "number": 0, "player": "A", "act": "propose", "units": {"book": 1, "hat": 3}},
            {"event": "act", **here, "number": 1, "player": "B", "act": "propose", "units": {"hat": 3, "ball": 1}},
            {"event": "act", **here, "number": 2, "player": "A", "act": "accept"},
            {"event": "end", **here, "ended": "agreement", "points": {"A": 10, "B": 8}},
        ]
    return Log("dealornodeal_acts", {"log.jsonl": _lines(events)}, "log.jsonl")


def rulesheet() -> Log:
    from negstats.games.rulesheet import sheet
    from negstats.simulate.rulesheet import Setup, events, sessions_of

    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    return Log("rulesheet", {"log.jsonl": _lines(list(events(setup, sessions_of(setup, 2, seed=1))))}, "log.jsonl")


def _dialogue(number: int) -> dict[str, Any]:
    one, two = "mturk_agent_1", "mturk_agent_2"

    def person(high: str, medium: str, low: str, points: int) -> dict[str, Any]:
        five = ("extraversion", "agreeableness", "conscientiousness", "emotional-stability", "openness-to-experiences")
        return {
            "value2issue": {"Low": low, "Medium": medium, "High": high},
            "value2reason": {"Low": "none", "Medium": "we drink", "High": "cold nights"},
            "outcomes": {"points_scored": points, "satisfaction": "Undecided", "opponent_likeness": "Slightly like"},
            "demographics": {"age": 43, "gender": "female", "ethnicity": "asian", "education": "college"},
            "personality": {"svo": "proself", "big-five": dict.fromkeys(five, 5.5)},
        }

    gets = {"Firewood": "2", "Food": "1", "Water": "0"}, {"Firewood": "1", "Food": "2", "Water": "3"}
    deal = {"issue2youget": gets[0], "issue2theyget": gets[1]}
    return {
        "dialogue_id": number,
        "chat_logs": [
            {"text": "Hello! 🏕", "task_data": {}, "id": one},
            {"text": "Hi there", "task_data": {}, "id": two},
            {"text": "Submit-Deal", "task_data": deal, "id": one},
            {"text": "Accept-Deal", "task_data": {}, "id": two},
        ],
        "participant_info": {
            one: person("Firewood", "Food", "Water", 14),
            two: person("Food", "Water", "Firewood", 25),
        },
        "annotations": [["Hello! 🏕", "small-talk"], ["Hi there", "small-talk"]],
    }


def casino() -> Log:
    dialogues = [_dialogue(number) for number in range(3)]
    return Log("casino", {"casino_test.json": json.dumps(dialogues).encode()}, "casino_test.json")


def dealornodeal() -> Log:
    own, other = "1 4 4 1 1 2", "1 0 4 2 1 2"
    text = "THEM: deal with me <eos> YOU: ok <eos> THEM: <selection> "
    turned = "YOU: deal with me <eos> THEM: ok <eos> YOU: <selection> "
    claims = "item0=1 item1=3 item2=1 <eos> reward=9 agree ", "item0=0 item1=1 item2=0 <eos> reward=2 agree "
    nothing = "no agreement <eos> reward=no agreement agree "
    lines = [
        f"{own} {text}{claims[0]}{other}",
        f"{other} {turned}{claims[1]}{own}",
        f"{own} {text.replace('ok', 'no')}{nothing}{other}",
        f"{other} {turned.replace('ok', 'no')}{nothing}{own}",
        f"{own} {text.replace('ok', 'well')}{claims[0]}{other}",
    ]
    return Log("dealornodeal", {"data.txt": "".join(line + "\n" for line in lines).encode()}, "data.txt")


def solver_cl() -> Log:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_log(place)
        write_log(place, "S002")
        write_table(place, "S001,Session_1,Anger,0.7,0.6\nS002,Session_1,None,0.7,0.6\n")
        assert TABLE
        return Log("solver_cl", _content(place))


def otree() -> Log:
    names = ["participant.code", "session.code", "participant._is_bot", "session.config.name"]
    fields = ("player.id_in_group", "player.payoff", "player.mood", "group.id_in_subsession", "group.offer")
    names += [f"u.{number}.{field}" for number in (1, 2) for field in (*fields, "group.accepted")]
    lines = [
        ["p1", "s1", "0", "x", "1", "6", "glad", "1", "4.0", "1", "1", "0", "", "1", "3", "0"],
        ["p2", "s1", "0", "x", "2", "4", 'so "so"', "1", "4.0", "1", "2", "0", "é", "1", "3", "0"],
        ["p3", "s1", "0", "x", "1", "0", "two\nlines", "2", "1.5", "0", "", "", "", "", "", ""],
        ["p4", "s1", "0", "x", "2", "0", "", "2", "1.5", "0", "", "", "", "", "", ""],
    ]
    return Log("otree", {"all_apps_wide.csv": _csv([names, *lines])}, "all_apps_wide.csv")


def _csv(lines: Sequence[Sequence[str]], *, end: str = "\n", delimiter: str = ",") -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=end, delimiter=delimiter).writerows(lines)
    return buffer.getvalue().encode()


def empirica() -> Log:
    tables = {
        "games": [
            ["id", "treatment", "status", "statusLastChangedAt", "chat"],
            ["g1", '{"pie":100,"power":"equal"}', "ended", "2026-03-03T14:00:12.984Z", _CHAT],
            ["g2", '{"pie":100,"power":"other"}', "failed", "2026-03-03T14:01:12.984Z", ""],
        ],
        "players": [
            ["id", "participantIdentifier", "ended", "exitSurvey"],
            *(["p1", "x1", "game ended", '{"age":"49"}'], ["p2", "x2", "game ended", ""]),
            *(["p3", "x3", "game ended", ""], ["p4", "x4", "player left", '{"age":"20"}']),
        ],
        "playerGames": [
            ["id", "gameID", "gameIDLastChangedAt", "playerID", "bonus"],
            *([f"m{seat}", f"g{(seat + 1) // 2}", "2026-03-03T14:00:00Z", f"p{seat}", "0.5"] for seat in (1, 2, 3, 4)),
        ],
        "rounds": [
            ["id", "gameID", "index", "indexLastChangedAt"],
            *(["r1", "g1", "0", "2026-03-03T14:00:10Z"], ["r2", "g1", "1", "2026-03-03T14:01:10Z"]),
            ["r3", "g2", "0", "2026-03-03T14:02:10Z"],
        ],
        "playerRounds": [
            ["id", "gameID", "roundID", "playerID", "role", "batna", "accept", "offer", "offerLastChangedAt", "points"],
            ["q1", "g1", "r1", "p1", "buyer", "20", "false", "", "", ""],
            ["q2", "g1", "r1", "p2", "seller", "20", "", "77", "2026-03-03T14:00:40.5Z", ""],
            ["q3", "g1", "r2", "p1", "buyer", "20", "", "40", "2026-03-03T14:01:40.5Z", "60"],
            ["q4", "g1", "r2", "p2", "seller", "20", "true", "", "", "40"],
            ["q5", "g2", "r3", "p3", "buyer", "20", "", "24", "2026-03-03T14:02:40.5Z", ""],
            ["q6", "g2", "r3", "p4", "seller", "45", "", "", "", ""],
        ],
    }
    return Log("empirica", {f"{name}.csv": b"\xef\xbb\xbf" + _csv(lines, end="\r\n") for name, lines in tables.items()})


_CHAT = json.dumps(
    [
        {"sender": {"id": "p2"}, "text": "77, é\nfair", "timestamp": "2026-03-03T14:00:30Z"},
        {"sender": {"id": "p1"}, "text": 'no "way"', "timestamp": "2026-03-03T14:00:20Z"},
    ],
    ensure_ascii=False,
)


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
    log = contract()
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


def convokit() -> Log:
    utterances: list[dict[str, Any]] = []
    for game in ("g1", "g2"):
        for number, (speaker, text) in enumerate((("ann", "Mehr, bitte: é"), ("bob", "No."), ("ann", "")), start=1):
            reply = f"{game}.{number - 1}" if number > 1 else None
            utterances.append(
                {
                    "id": f"{game}.{number}",
                    "conversation_id": game,
                    "text": text,
                    "speaker": speaker,
                    "meta": {},
                    "reply-to": reply,
                    "timestamp": 1500 + 10 * number,
                    "vectors": [],
                }
            )
    conversations = {game: {"meta": {"topic": "camp", "size": 2}, "vectors": []} for game in ("g1", "g2")}
    speakers = {name: {"meta": {"gender": name[0]}, "vectors": []} for name in ("ann", "bob")}
    objects = {"conversations.json": conversations, "speakers.json": speakers, "corpus.json": {"name": "camp"}}
    return Log(
        "convokit",
        {"utterances.jsonl": _lines(utterances), **{name: json.dumps(one).encode() for name, one in objects.items()}},
    )


def _known() -> dict[str, Callable[[], Log]]:
    values_by_name: dict[str, Callable[[], Log]] = {
        "contract": contract,
        "favors": favors,
        "dominance": dominance,
        "dealornodeal_acts": acts,
        "rulesheet": rulesheet,
        "casino": casino,
        "dealornodeal": dealornodeal,
        "solver_cl": solver_cl,
        "otree": otree,
        "empirica": empirica,
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
        "convokit": convokit,
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
