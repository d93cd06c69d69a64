"""Small sound logs of agents' and language models' negotiations, as files: content by path inside a folder."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

Files = dict[str, bytes]


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files below a folder and return it."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


PRICE = {"seller": {"low": 0.0, "high": 1.0}, "buyer": {"low": 1.0, "high": 0.0}}
DAYS = {"seller": {"0": 0.25, "3": 0.5}, "buyer": {"0": 0.5, "3": 0.125}}
WEIGHTS = {"seller": (0.5, 0.5), "buyer": (0.25, 0.75)}
PICKLE = "!!binary |\n    X19MQU1CREFPQkpfXzo="


def _utility(name: str, reserved: float, *, hidden: bool) -> bytes:
    price = "\n".join(f"    {option}: {value}" for option, value in PRICE[name].items())
    days = "\n".join(f"    '{option}': {value}" for option, value in DAYS[name].items())
    second = f"- bias: 0\n  f: {PICKLE}\n  type: LambdaFun" if hidden else f"- mapping:\n{days}\n  type: TableFun"
    return (
        f"name: {name}\nreserved_value: {reserved}\ntype: LinearAdditiveUtilityFunction\nvalues:\n"
        f"- mapping:\n{price}\n  type: TableFun\n{second}\nweights:\n- {WEIGHTS[name][0]}\n- {WEIGHTS[name][1]}\n"
    ).encode()


def worth(name: str, price: str, days: int) -> float:
    """Return what a deal is worth to the seller or the buyer of the NegMAS session."""
    return WEIGHTS[name][0] * PRICE[name][price] + WEIGHTS[name][1] * DAYS[name][str(days)]


def negmas(
    *,
    deals: Sequence[tuple[str, int]] = (("high", 3), ("low", 0), ("low", 3)),
    ended: str = "agreement",
    hidden: bool = True,
    folder: str = "neg0",
    order: tuple[str, str] = ("seller", "buyer"),
) -> Files:
    """Return a saved session whose first negotiator has the file that sorts last."""
    ids = ["P0-1111", "P1-2222"]
    rows = ["time,relative_time,step,negotiator,offer,responses,state,text,data," + ",".join(ids)]
    for step, (price, days) in enumerate(deals):
        utilities = ",".join(str(worth(name, price, days)) for name in order)
        last = step == len(deals) - 1 and ended == "agreement"
        response = f"{{'{ids[1 - step % 2]}': <ResponseType.ACCEPT_OFFER: 0>}}" if last else "{}"
        state = "agreement" if last else "continuing"
        rows.append(
            f"0.{step},0.{step + 1},{step},{ids[step % 2]},\"('{price}', {days})\",{response},{state},,,{utilities}"
        )
    if ended != "agreement":
        state = {"walkaway": "broken", "timeout": "timedout"}.get(ended, "continuing")
        reserved = {"seller": "0.2", "buyer": "0.1"}
        rows.append(f"0.9,1.0,9,{ids[0]},,{{}},{state},,,{reserved[order[0]]},{reserved[order[1]]}")
    agreed = f"\n- {deals[-1][0]}\n- {deals[-1][1]}" if ended == "agreement" else " null"
    points = [worth(name, *deals[-1]) for name in order] if ended == "agreement" else ["null", "null"]
    flags = {"broken": "walkaway", "has_error": "disconnect", "timedout": "timeout"}
    text = "".join(f"{name}: {str(ended == end).lower()}\n" for name, end in flags.items())
    outcome_text = f"agreement:{agreed}\n{text}utilities:\n- {points[0]}\n- {points[1]}\n"
    config = (
        f"id: game-{folder}\nmechanism_type: negmas.sao.SAOMechanism\nn_steps: 10\ntime_limit: .inf\n"
        f"negotiator_ids:\n- {ids[0]}\n- {ids[1]}\nnegotiator_names:\n- P0\n- P1\n"
        "negotiator_types:\n- negmas.Aspiration\n- negmas.Tough\n"
    )
    issues = "issues:\n- name: price\n  type: CategoricalIssue\n- name: days\n  type: ContiguousIssue\nname: shop\n"
    files = {
        "config.yaml": config.encode(),
        "outcome_stats.yaml": outcome_text.encode(),
        "run_info.yaml": b"storage_format: csv\n",
        "scenario/shop.yml": issues.encode(),
        "scenario/buyer.yml": _utility("buyer", 0.1, hidden=hidden),
        "scenario/seller.yml": _utility("seller", 0.2, hidden=hidden),
        "trace.csv": ("\n".join(rows) + "\n").encode(),
    }
    return {f"{folder}/{name}": data for name, data in files.items()}


def _book(name: str, rows: Sequence[Sequence[object]]) -> bytes:
    book, buffer = Workbook(), io.BytesIO()
    page = book.active
    assert page is not None
    page.title = name
    for row in rows:
        page.append(list(row))
    book.save(buffer)
    return buffer.getvalue()


SESSION = ["Round", "Time", "Who", "Action", "AgentAUtility", "AgentBUtility", "BidContent", "ElapsedTime", "Move"]
RESULTS = ["AgentA", "AgentB", "DomainName", "Round", "NumOffer", "Result", "AgentAUtility", "AgentBUtility"]
RESULTS += ["BidContent", "NashDistance", "KalaiDistance", "DomainSize", "FilePath"]


def negolog(*, result: str = "Acceptance", last: str = "Accept", agent: str = "Hard") -> Files:
    """Return a tournament of one session: bids over two issues with two options, additive utilities."""
    worths = {"ax": (1.0, 0.0), "by": (0.0, 1.0), "ay": (0.75, 0.5), "bx": (0.25, 0.5)}

    def bid(name: str) -> str:
        return str({"price": name[0], "place": name[1]})

    rows: list[list[object]] = [
        [number // 2, number / 8, "AB"[number % 2], "Offer", *worths[name], bid(name), number / 100, "-"]
        for number, name in enumerate(("ax", "by", "ay"))
    ]
    rows.append([1, 0.5, "B", last, *worths["ay"], bid("ay"), 0.04, None])
    points = worths["ay"] if result == "Acceptance" else (0, 0)
    values = ["Soft", agent, 7, 1, 3, result, *points, bid("ay"), 0.0, 0.0, 4, "/home/ann/logs"]
    return {
        "results.xlsx": _book("TournamentResults", [RESULTS, values]),
        f"sessions/Soft_{agent}_Domain7.xlsx": _book("Session", [SESSION, *rows]),
    }


def _wrapped(kind: str, value: object) -> dict[str, object]:
    return {"_type": kind, "_value": value}


def _turn(number: object, seat: object, answer: str, gives: tuple[dict[str, float], dict[str, float]] | None) -> Any:
    sides = zip(("RED", "BLUE"), gives or (), strict=False)
    trade = _wrapped("trade", {seat: _wrapped("resource", side) for seat, side in sides}) if gives else "NONE"
    public_info = {"message": f"turn {number}", "player answer": answer, "newly proposed trade": trade}
    return {
        "current_iteration": number,
        "turn": seat,
        "player_public_info_dict": public_info,
        "player_state": [{"secret": 1}],
    }


def negotiationarena(
    *, final: str | None = "ACCEPT", name: str = "1702815336293", turns: Sequence[Any] | None = None, **more: Any
) -> Files:
    """Return a game of buying and selling at a cost of 39 and a willingness to pay of 60."""
    goals = [_wrapped("goal", _wrapped(f"{side}_goal", _wrapped("valuation", {"X": price}))) for side, price in SIDES]
    have = [_wrapped("resource", {"X": 1}), _wrapped("resource", {"ZUP": 100})]
    answers = {"ACCEPT": "ACCEPT", "REJECT": "REJECT"}
    default = [
        _turn(1, 0, "PROPOSAL", ({"X": 1}, {"ZUP": 50})),
        _turn("2", "1", "NONE", ({"X": 1, "item1": 0}, {"ZUP": 45})),
    ]
    if final in answers:
        default.append(_turn(3, 0, answers[final], None))
    entries = [{"current_iteration": "START", "turn": "None"}, *(default if turns is None else turns)]
    if final is not None:
        outcome = [6, 15] if final == "ACCEPT" else [{"_type": "resource", "_value": {"ZUP": 10}}, {"ZUP": 0}]
        summary = {"final_response": final, "player_outcome": outcome}
        entries.append({"current_iteration": "END", "turn": "None", "summary": summary})
    player = {"class": "ChatGPTAgent", "model": "gpt-4", "temperature": 0.7, "max_tokens": 400}
    state = {
        "class": "BuySellGame",
        "run_epoch_time_ms": name,
        "players": [player, {**player, "model": "llama-2"}],
        "game_state": entries,
        "log_dir": "/home/ann/logs/kind_buyer",
        "iterations": 10,
        "player_goals": goals,
        "player_initial_resources": have,
        "player_social_behaviour": ["", "You are kind."],
        **more,
    }
    return {f"{name}/game_state.json": json.dumps(state).encode()}


SIDES = (("seller", 39), ("buyer", 60))


def llm_deliberation(*, answers: Sequence[tuple[str, str]] | None = None, slots: int | None = None) -> Files:
    """Return a game of three seats over two issues."""
    spoken = answers or [
        ("Ann", "I open with <DEAL>A1, B1</DEAL>"),
        ("Bob", "rather A2 than\nA1: <DEAL>A1, B2</DEAL>"),
        ("Cem", "nothing to say"),
        ("Ann", "then <DEAL>A1, B2</DEAL>"),
    ]
    rounds = [{"agent": who, "public_answer": text, "prompt": "secret", "full_answer": text} for who, text in spoken]
    names = [who for who, _ in spoken][1:-1] if slots is None else ["Ann"] * slots
    history = {"slot_assignment": names, "rounds": rounds, "plan": {}, "finished_rounds": len(rounds)}
    return {
        "town/config.txt": b"Ann,ann,p1,cooperative,gpt-4\nBob,bob,p2,greedy,gpt-4\nCem,cem,player,cooperative,gpt-4",
        "town/scores_files/ann.txt": b"50, 0\n10, 20\n40",
        "town/scores_files/bob.txt": b"30, 10\n0, 40\n60 ",
        "town/scores_files/cem.txt": b"0, 60\n5, 10\n50",
        "town/history1.json": json.dumps(history).encode(),
    }


def lamen(*, states: Sequence[tuple[str, str]] | None = None, most: int = 10, unknown: str = "") -> Files:
    """Return a run over the rent; `unknown` is an option without a payoff."""
    worths = {"0": {"$500": 0.0, "$900": 0.4, "$1500": 1.0}, "1": {"$500": 1.0, "$900": 0.6, "$1500": 0.0}}
    spoken = states or [("0", "$1500"), ("1", "$500"), ("0", "$900"), ("1", "$900")]
    rows = ["agent_name,agent_id,round,note,message,issues_state,timestamp,model_name,payoffs,total_payoff"]
    for place, (seat, rent) in enumerate(spoken):
        known = rent != unknown
        payoffs = f"[{{'{seat}': {{'rent': [{worths[seat][rent]}, 0.0, 1.0]}}}}]" if known else "[]"
        total = worths[seat][rent] if known else 0.0
        model = "gpt-4" if seat == "0" else "llama-2"
        state = f"\"{{'rent': '{rent}'}}\""
        line = f'You,{seat},{place // 2},"a note\nof mine",I say {place},{state},20230915_22432{place},{model}'
        rows.append(f'{line},"{payoffs}",{total}')
    settings = "experiments:\n  game:\n    kwargs: /home/ann/games/rent.yaml\n"
    settings += f"  negotiation_protocol:\n    max_rounds: {most}\n"
    return {
        "run/negotiations.csv": ("\n".join(rows) + "\n").encode(),
        "run/hydra/config.yaml": settings.encode(),
    }


GENIUS = "Run time (s);Round;Exception;deadline;Agreement;Discounted;Dist. to Nash;Agent 1;Agent 2;Utility 1;Utility 2;"
GENIUS += "Disc. Util. 1;Disc. Util. 2;Profile 1;Profile 2"


def genius(*rows: str) -> Files:
    """Return a tournament's table."""
    table_rows = rows or (
        "1,5;3;;Time:180s;Yes;false;0,1;agents.Boulware@0;agents.Boulware@1;0,75;0,5;0,75;0,5;etc/a/p1.xml;etc/a/p2.xml",
        "1,5;9;;Time:180s;No;false;0,9;agents.Boulware@2;agents.Conceder@3;0,0;0,0;0,0;0,0;etc/a/p1.xml;etc/a/p2.xml",
        "1,5;0;it broke;Time:180s;No;false;0,9;agents.A@4;agents.B@5;0,25;0,5;0,25;0,5;etc/a/p1.xml;etc/a/p2.xml",
    )
    return {"run.csv.csv": ("sep=;\n" + "\n".join([GENIUS, *table_rows]) + "\n").encode()}


def geniusweb(*, accept: bool = True, kinds: tuple[str, str] = ("Offer", "Accept")) -> Files:
    """Return a session's trace."""
    parties = ["party_pkg_Ann_1", "party_pkg_Bob_2"]
    worths = [dict(zip(parties, pair, strict=True)) for pair in ((1.0, 0.25), (0.5, 0.75))]
    bids = [{"issuevalues": {"price": price, "place": "here"}} for price in ("high", "low")]
    actions: list[dict[str, Any]] = [
        {kinds[0]: {"actor": actor, "bid": bid, "utilities": utilities}}
        for actor, bid, utilities in zip(parties, bids, worths, strict=True)
    ]
    if accept:
        actions.append({kinds[1]: {"actor": parties[0], "bid": bids[1], "utilities": worths[1]}})
    profiles = {
        name: {"party": {"partyref": f"pythonpath:agents.{name[10:13]}"}, "profile": "file:/home/ann/p.json"}
        for name in parties
    }
    state = {"connections": parties, "partyprofiles": profiles, "actions": actions}
    return {"session_results_trace.json": json.dumps({"SAOPState": state}).encode()}


def job_interview(*, status: str = "completed", accepted: bool = True) -> Files:
    """Return one interview about pay, place, company and position."""
    utilities = [
        {"name": "Pay", "type": "INTEGER", "weight": 0.5, "min": 20, "max": 30},
        {"name": "Place", "type": "DISCRETE", "weight": 0.2, "options": _options("Tokyo", "Seoul")},
        {"name": "Company", "type": "DISCRETE", "weight": 0.2, "options": _options("G", "A")},
        {
            "name": "Position",
            "type": "DISCRETE",
            "weight": 0.1,
            "relatedTo": "Company",
            "options": [{"names": {"Company": "G", "Position": "Chef"}, "weight": 1.0}],
        },
    ]
    users = [
        {"id": number, "worker_id": f"W{number}", "assignment_id": "x", "role": role, "utilities": utilities}
        for number, role in ((1, "recruiter"), (2, "worker"))
    ]
    body = {"Pay": 25, "Place": "Tokyo", "Company": "G", "Position": "Chef"}
    bids = [
        {"id": 2, "user_id": 2, "body": {**body, "Pay": 30}, "accepted": False, "created_at": "2020-01-01 10:00:30"},
        {"id": 3, "user_id": 1, "body": body, "accepted": accepted, "created_at": "2020-01-01 10:01:00"},
    ]
    values = [{"id": 1, "user_id": 1, "body": "Hello", "created_at": "2020-01-01 10:00:00 UTC"[:19]}]
    game = {"id": "n1", "status": status, "users": users, "comments": values, "solutions": bids}
    return {"data.json": json.dumps([game]).encode()}


def _options(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "weight": 1.0 - place} for place, name in enumerate(names)]
