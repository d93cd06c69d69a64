"""oTree: the exports of its data page, wide or per app, with chat and page times (data card below).

Source
    D. L. Chen, M. Schonger, C. Wickens: oTree, an open-source platform for laboratory, online and field experiments,
    Journal of Behavioral and Experimental Finance 9, 2016; otree.org. A log's licence is that of whoever ran it.
Files
    ``all_apps_wide*.csv``: a row a person, columns ``APP.ROUND.player.FIELD`` and so on. One file an app
    (``trust_2026-11-22.csv``): a row a person and round, columns ``player.FIELD``; the app is the file's name. Both
    hold the same facts, and may be ``.xlsx``: of people that stand in a wide file the others' rows are left out. Chat
    and page times (``ChatMessages*.csv``, ``PageTimes*.csv``): by the headers in oTree 6.0.15's own source; **no real
    file of these two was read**. A custom export has no fixed names: it is left out and needs a mapping.
Game
    One group in one app and round: ``SESSION-APP-ROUND-GROUP``. Where groups are whole sessions without a field of
    their own, an app of one round without payoffs is a survey and no game; in another, such as a task, each person acts
    alone and is a game of one seat (``alone``), unless there are roles, chat, or sessions of one small size whose
    payoffs do not follow from a field of the person. Factors: the app, its round, the session's configuration (its name
    as ``config``), further columns of session and subsession, and the group's fields, each once. ``started_at`` is the
    session's start for round 1 of the first app of a wide file, and what page times say for the others.
Player
    The seat is ``player.id_in_group``; the person ``participant.code``, or the label (``person="label"``) where it
    names one person of the session. Points are ``player.payoff``, in points: money is points times
    ``real_world_currency_per_point`` plus ``participation_fee``, which are factors. Bots of tests have no kind.
Offer
    By the fields, whatever the app is called. *Ultimatum*: ``offer``, ``amount_offered`` or ``kept`` of the group,
    answered by ``accepted``, ``offer_accepted`` or ``response``; without those a dictator's. *Demand*: each player's
    ``request`` or ``demand``, which nobody answers; agreement as ``group.agreed`` says, else where somebody was paid.
    *Trust*: ``sent_amount``, then ``sent_back_amount``; nothing to agree on, so ended is unknown. What there is to
    divide (the endowment, the multiplier) stands in no export: it follows from the payoffs where it is the same in all
    groups, else units of the other side and values are missing. Points are compared with what follows from the deal.
Message
    A row of the chat that belongs to one game, see `negstats.loaders.otree.people`; nicknames are not read.
Answer
    Other fields of players: about the game; without a game in surveys, and for age, gender, education, nationality
    and native language. Further columns of participants are about the person. An empty cell is not an answer.

Traps, and what is done about them
    The group's number repeats across sessions, rounds and apps, so all four name the game; labels repeat across
    sessions. Group fields stand on each member's row: taken once, and two that differ are a LogError. A person who is
    not in an app has empty cells there: no seat, noted. A waiting page that nobody left makes a group without a
    decision: the game stays, ended unknown. Whole numbers are written 1 or 1.0, yes and no 0/1 or True/False. Times
    have no zone: UTC. Columns that name people (MTurk ids, e-mail, IP addresses, the session's comment) are not read.
    Sessions of a demonstration (``session.is_demo``) stand beside real ones: their people are left out and counted,
    unless all sessions are such or ``demo="in"``.
"""

from __future__ import annotations

from pathlib import Path

from negstats.errors import UsageError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.sniff import first_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.otree.sheets import ENDINGS, kind_of
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
_PEOPLE = ("code", "label")
_DEMOS = ("out", "in")
_AMOUNTS = ("participation_fee", "real_world_currency_per_point")


def _matches(path: Path) -> Evidence | None:
    files = [file for file in first_files(path, *ENDINGS) if kind_of(file) in ("wide", "app")]
    if not files:
        return None
    because = f"{files[0].name} has the columns participant.code, session.code and player.id_in_group"
    return Evidence(SIGNATURE, because, tuple(files))


def _read(
    path: Path,
    track: Track,
    app: str | None = None,
    person: str = "code",
    demo: str = "out",
    alone: str | None = None,
) -> Study:
    from negstats.loaders.otree.tables import read_tables  # here, for it takes polars, which no other log needs

    if person not in _PEOPLE:
        raise UsageError(f"person: {shown(person)} is not one of code, label")
    if demo not in _DEMOS:
        raise UsageError(f"demo: {shown(demo)} is not one of out, in")
    intake = Intake(path)
    apps = None if alone is None else [name.strip() for name in alone.split(",") if name.strip() != "none"]
    is_label, has_demos = person == "label", demo == "in"
    tables = read_tables(path, intake, track, app, label=is_label, amounts=_AMOUNTS, has_demos=has_demos, alone=apps)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


FORMAT = Format(
    "otree",
    "oTree's exports: all_apps_wide.csv, or one file per app; with chat and page times",
    _matches,
    _read,
    {
        "app": "the one app to read",
        "person": "code or label: what names the people",
        "demo": "out or in: whether people of demonstrations are read beside others",
        "alone": "the apps in which each person acts alone, with commas between, or none; by default as groups show it",
    },
    parts=recorded(r"(.*\.)?group\.id_in_subsession", ("session.code", "subsession.round_number")),
    roles={"app": "game", "round": "order"} | dict.fromkeys(_AMOUNTS, "setting"),
)
