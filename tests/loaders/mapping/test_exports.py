"""Worked exports: the strategy method, seats without a row, sentinels, rounds side by side, header rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.studies.study import Study
from tests.conftest import ROOT, DataFolder

Loader = Callable[..., Study]


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    def loaded(mapping: str, log: str | Path, name: str = "log.csv") -> Study:
        (tmp_path / "mapping.toml").write_text(mapping, encoding="utf-8")
        if isinstance(log, str):
            (tmp_path / "log").mkdir(exist_ok=True)
            (tmp_path / "log" / name).write_text(log, encoding="utf-8")
            log = tmp_path / "log"
        return read(log, read_mapping(tmp_path / "mapping.toml"))

    return loaded


def answers(study: Study) -> list[list[str]]:
    return study.answers[["participant_id", "game_id", "question", "answer"]].to_numpy().tolist()


def answers_beside(study: Study, *questions: str) -> list[list[str]]:
    """Return the answers to all but some questions, in one order."""
    return sorted((row for row in answers(study) if row[2] not in questions), key=str)


def offers(study: Study) -> list[list[object]]:
    names = ["game_id", "proposer", "responder", "units_to_proposer", "units_to_responder", "response"]
    return study.offers[names].astype(object).where(study.offers[names].notna(), None).to_numpy().tolist()


CLASSROOM = """
row = "player"
games.game_id = ["UserID", "Round"]
games.scenario = { constant = "ultimatum" }
players = { player = "Role", role = "Role", participant_id = "UserID" }
offers.proposer = { constant = "proposer" }
offers.units_to_responder = { column = "propose", missing = [-1] }
offers.total = { column = "Total" }
answers.least_acceptable = { column = "accept", missing = [-1] }
"""


def test_a_classroom_ultimatum_where_the_pie_varies(load: Loader) -> None:
    log = (
        "UserID,Role,Round,Total,move,propose,accept\n"
        "u1,proposer,1,100,1,40,-1\nu2,responder,1,100,1,-1,30\nu1,proposer,2,50,1,20,-1\n"
    )
    study = load(CLASSROOM, log)
    assert offers(study) == [
        ["u1-1", "proposer", None, 60, 40, "none"],
        ["u1-2", "proposer", None, 30, 20, "none"],
    ]
    assert answers(study) == [["u2", "u2-1", "least_acceptable", "30"]]


def test_decisions_of_responders_make_the_other_seat(load: Loader) -> None:
    study = load(
        """
row = "player"
games.game_id = ["sub", "trial"]
players = { player = { constant = "responder" }, participant_id = "sub" }
offers.proposer = { constant = "proposer" }
offers.units_to_proposer = { column = "unfairness" }
offers.total = 1
offers.response = "choice"
levels.response = { accepted = ["1"], rejected = ["0"] }
where = { choice = { empty = false } }
""",
        "sub,trial,unfairness,choice\ns01,1,0.75,0\ns01,2,0.5,1\ns02,1,0.9,\n",
    )
    assert offers(study) == [
        ["s01-1", "proposer", "responder", 0.75, 0.25, "rejected"],
        ["s01-2", "proposer", "responder", 0.5, 0.5, "accepted"],
    ]
    assert study.players["kind"].isna().all()
    assert study.players["participant_id"].isna().tolist() == [False, True] * 2
    assert "the log has no rows of proposer, whose person is not known in 2 games" in study.provenance.notes
    assert study.provenance.reasons() == {"where choice": 1}


def test_a_constant_that_is_a_seat_elsewhere_is_still_a_stranger(load: Loader) -> None:
    mapping = 'row = "player"\ngames.game_id = "g"\nplayers.player = "p"\n'
    mapping += 'offers = { proposer = { constant = "A" }, units_to_responder = "u" }\n'
    with pytest.raises(LogError, match="'A' is not a seat of game '2', which has 'B'"):
        load(mapping, "g,p,u\n1,A,3\n2,B,4\n")


def test_genius(load: Loader) -> None:
    study = load(
        r"""
row = "game"
files = "**/*.csv.csv"
games.game_id = [{ file = true }, { row = true }]
games.ended = "Agreement"
games.rounds = "Round"
factors = { deadline = "deadline", profile = "Profile 1" }
seats.A = { agent = { column = "Agent 1", clean = '@\d+$' }, points = "Utility 1", kind = { constant = "agent" } }
seats.B = { agent = { column = "Agent 2", clean = '@\d+$' }, points = "Utility 2", kind = { constant = "agent" } }
levels.ended = { agreement = ["Yes"], timeout = ["No"] }
where = { Exception = { empty = true } }
leave_out_bad_games = true
""",
        "sep=;\nException;Agreement;Round;deadline;Profile 1;Agent 1;Agent 2;Utility 1;Utility 2\n"
        ";Yes;12;180s;p1;Boulware@1;Conceder@12;0.8;0.6\n;No;180;180s;p1;Boulware@3;Boulware@4;0.0;0.0\n"
        "boom;No;3;180s;p1;Boulware@5;Boulware@6;0.0;0.0\n",
        "run.csv.csv",
    )
    assert study.games["ended"].tolist() == ["agreement", "timeout"]
    assert study.players["agent"].tolist() == ["Boulware", "Conceder", "Boulware", "Boulware"]
    assert study.provenance.reasons() == {"where Exception": 1}


OTREE = """
levels.response = { accepted = ["1"], rejected = ["0"] }
[[part]]
row = "player"
each = { round = [1, 2] }
where = { "dg.{round}.player.id_in_group" = { empty = false }, "dg.{round}.group.dropout" = { not = ["1"] } }
games.game_id = ["session.code", { constant = "dg" }, { constant = "{round}" }, "dg.{round}.group.id_in_subsession"]
factors.treatment = "session.config.treatment"
[part.players]
player = "dg.{round}.player.id_in_group"
participant_id = "participant.code"
points = "dg.{round}.player.payoff"
[part.offers]
proposer = { constant = "1" }
units_to_responder = "dg.{round}.group.offer"
response = "dg.{round}.group.accepted"
total = 10
[part.answers]
satisfaction = "dg.{round}.player.satisfaction"
"""


_FIELDS = ("player.id_in_group", "player.payoff", "player.satisfaction", "group.id_in_subsession", "group.offer")
_NAMES = [f"dg.{number}.{field}" for number in (1, 2) for field in (*_FIELDS, "group.accepted", "group.dropout")]
ROUNDS = f"""participant.code,session.code,session.config.treatment,{",".join(_NAMES)}
p1,s,t,1,6,5,1,4,1,0,1,7,,1,3,1,0
p2,s,t,2,4,,1,4,1,0,,,,,,,
p3,s,t,1,0,3,2,2,0,1,2,3,,1,3,1,0
"""


def test_otree_with_dropouts_and_rematching(load: Loader) -> None:
    study = load(OTREE, ROUNDS)
    assert offers(study) == [
        ["s-dg-1-1", "1", "2", 6, 4, "accepted"],
        ["s-dg-2-1", "1", "2", 7, 3, "accepted"],
    ]
    assert answers(study) == [["p1", "s-dg-1-1", "satisfaction", "5"]]
    assert set(study.provenance.reasons()) == {"where dg.1.group.dropout", "where dg.2.player.id_in_group"}


def test_qualtrics_with_labels(load: Loader, real_data: DataFolder) -> None:
    study = load(
        """
row = "player"
header_rows = 3
where = { Status = ["IP Address", "0"], Finished = ["True", "1"] }
games.game_id = "dyad"
factors.condition = "condition"
players = { player = "role", role = "role", participant_id = "PROLIFIC_PID", points = "points" }
answers = { SVI_1 = { column = "SVI_1", clean = ' *[-(].*$' }, SVI_2 = { column = "SVI_2", clean = ' *[-(].*$' } }
leave_out_bad_games = true
""",
        real_data("qualtrics") / "svi_dyads_synthetic.csv",
    )
    assert len(study.games) == 11
    assert len(study.answers) == 44


def test_a_custom_export_of_otree(load: Loader, real_data: DataFolder) -> None:
    study = load(
        """
row = "player"
games.game_id = ["session", { constant = "bargaining" }, "round", "group"]
players = { player = "id_in_group", participant_id = "participant_code" }
offers = { units_to_proposer = "amount", time_s = "seconds", proposer = "id_in_group" }
""",
        real_data("otree") / "bargaining_custom.csv",
    )
    assert [len(study.games), len(study.players), len(study.offers)] == [4, 8, 8]
    assert set(study.offers["time_s"]) == {1.5, 3.0}
    wide = negstats.load(real_data("otree") / "all_apps_wide.csv", app="bargaining")
    keys = ["game_id", "proposer", "units_to_proposer"]
    assert set(study.offers[keys].itertuples(index=False)) == set(wide.offers[keys].itertuples(index=False))
    assert set(study.games["game_id"]) == set(wide.games["game_id"])


# ---- the strategy method

STRATEGY = """
row = "player"
games.game_id = "g"
players = { player = "seat", participant_id = "who" }
offers = { proposer = { constant = "1" }, units_to_responder = "offer", total = 10, accept_from = "least" }
"""


def test_least_amounts_decide(load: Loader) -> None:
    study = load(
        STRATEGY, "g,seat,who,offer,least\n1,1,a,4,\n1,2,b,,3\n2,1,c,2,\n2,2,d,,3\n3,1,e,5,\n3,2,f,,\n4,2,h,,7\n"
    )
    assert [row[-1] for row in offers(study)] == ["accepted", "rejected", "none"]
    assert answers(study) == [
        ["b", "1", "least_acceptable", "3"],
        ["d", "2", "least_acceptable", "3"],
        ["h", "4", "least_acceptable", "7"],
    ]
    assert study.games["ended"].tolist()[:2] == ["agreement", "walkaway"]


def test_an_amount_on_both_rows_of_a_group_is_the_responders(load: Loader) -> None:
    study = load(STRATEGY, "g,seat,who,offer,least\n1,1,a,3,3\n1,2,b,3,3\n")
    assert [row[-1] for row in offers(study)] == ["accepted"]
    assert answers(study) == [["b", "1", "least_acceptable", "3"]]


def test_everybody_offers_and_answers(load: Loader) -> None:
    mapping = STRATEGY.replace('proposer = { constant = "1" }', 'proposer = "seat"')
    study = load(mapping, "g,seat,who,offer,least\n1,1,a,4,6\n1,2,b,5,4.5\n")
    assert [(row[1], row[-1]) for row in offers(study)] == [("1", "rejected"), ("2", "rejected")]
    assert [row[0] for row in answers(study)] == ["a", "b"]


def test_a_row_a_game(load: Loader) -> None:
    mapping = """
row = "game"
games.game_id = "g"
seats.P = { participant_id = "one" }
seats.R = { participant_id = "two" }
offers = { proposer = { constant = "P" }, units_to_responder = "offer", accept_from = "least" }
"""
    study = load(mapping, "g,one,two,offer,least\n1,a,b,4,4\n2,a,c,3,4\n")
    assert [row[-1] for row in offers(study)] == ["accepted", "rejected"]
    assert answers(study) == [["b", "1", "least_acceptable", "4"], ["c", "2", "least_acceptable", "4"]]


def test_yes_and_no_to_each_amount(load: Loader) -> None:
    mapping = STRATEGY.replace('accept_from = "least"', 'accept_at = { prefix = "yes_" }')
    study = load(
        mapping,
        "g,seat,who,offer,yes_0,yes_2,yes_10\n1,1,a,2,,,\n1,2,b,,0,1,1\n2,1,c,2,,,\n2,2,d,,0,0,1\n"
        "3,1,e,2,,,\n3,2,f,,1,0,1\n4,1,g,2,,,\n4,2,h,,0,0,0\n",
    )
    assert [row[-1] for row in offers(study)] == ["accepted", "rejected", "none", "none"]
    told = [row for row in answers(study) if row[2] == "least_acceptable"]
    assert told == [["b", "1", "least_acceptable", "2"], ["d", "2", "least_acceptable", "10"]]
    assert sum(row[2] == "accept_at_10" for row in answers(study)) == 4
    notes = study.provenance.notes
    assert "1 answers that rise and fall: no least acceptable amount" in notes
    assert "1 people who accept no amount: no least acceptable amount" in notes


@pytest.mark.parametrize(
    ("change", "log", "message"),
    [
        (('participant_id = "who"', 'role = "who"'), "", r"players\.participant_id: is needed: the least acceptable"),
        (('row = "player"', 'row = "offer"'), "", r'accept_from: needs row = "player", or a constant'),
        (
            ('accept_from = "least"', 'accept_at = { prefix = "" }'),
            "",
            r"accept_at\.prefix: is what the names begin with",
        ),
        (('"least"', '"least", accept_at = { prefix = "y" }'), "", "is given together with accept_from"),
        (('accept_from = "least"', 'accept_at = { prefix = "no_" }'), "", r"has no columns no_0, no_1"),
        (('accept_from = "least"', 'accept_at = { prefix = "y" }'), "maybe", "'maybe' is not yes or no"),
        (("", ""), "", "'much' is not a number"),
    ],
)
def test_faults_of_the_strategy_method(change: tuple[str, str], log: str, message: str, load: Loader) -> None:
    with pytest.raises(LogError, match=message):
        load(STRATEGY.replace(*change), f"g,seat,who,offer,least,y1,y2\n1,1,a,2,,,\n1,2,b,,much,0,{log or '1'}\n")


# ---- what `negstats map` writes


def active(text: str) -> list[str]:
    """Return the lines of a mapping that do something, in one order."""
    return [line.partition("  #")[0].strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def changed(text: str, lines: dict[str, str], more: dict[str, list[str]]) -> tuple[str, int]:
    """Return a mapping in which some lines are replaced and others added to sections, and how many."""
    made = text.splitlines()
    for begins, line in lines.items():
        places = [place for place, old in enumerate(made) if old.startswith(begins)]
        assert len(places) == 1, begins
        made[places[0]] = line
    for section, new in more.items():
        place = next(place for place, old in enumerate(made) if old.startswith(f"[{section}]"))
        made[place + 1 : place + 1] = new
    return "\n".join(made) + "\n", len(lines) + sum(map(len, more.values()))


MOST_CHANGES = 5


@pytest.mark.slow
@pytest.mark.parametrize("app", ["ultimatum", "bargaining"])
def test_otrees_apps_need_few_changes(app: str, load: Loader, real_data: DataFolder) -> None:
    file = real_data("otree") / f"{app}.csv"
    lines = {"game_id = ": f'game_id = ["session.code", {{ constant = "{app}" }}, "subsession.round_number", '
             '"group.id_in_subsession"]'}  # fmt: skip
    more: dict[str, list[str]] = {}
    if app == "ultimatum":
        lines["# total = "] = "total = 10"
    else:
        # Nobody answers a claim: the column says how the game ended.
        assert {'ended = "group.agreed"', 'disagreement = ["0"]'} <= set(active(suggest(file)))
    text, changes = changed(suggest(file), lines, more)
    assert changes <= MOST_CHANGES
    study, meant = load(text, file), negstats.load(file)
    assert study.games[["game_id", "ended"]].equals(meant.games[["game_id", "ended"]])
    for name in ("player", "participant_id", "points"):
        assert study.players[name].equals(meant.players[name])
    for name in ("proposer", "units_to_proposer", "units_to_responder"):
        assert study.offers[name].equals(meant.offers[name])
    # What a person has earned in all is read too.
    assert len(answers_beside(study, "payoff")) == len(meant.answers)


@pytest.mark.slow
def test_a_prisoners_dilemma_needs_few_changes(load: Loader, real_data: DataFolder) -> None:
    file = real_data("otree_dyads") / "prisoner.csv"
    game = 'game_id = ["session.code", { constant = "prisoner" }, "subsession.round_number", "group.id_in_subsession"]'
    text, changes = changed(suggest(file), {"game_id = ": game}, {})
    assert changes <= MOST_CHANGES
    study, meant = load(text, file), negstats.load(file)
    assert study.games["game_id"].equals(meant.games["game_id"])
    assert answers_beside(study, "payoff") == answers_beside(meant)
    assert study.players["points"].equals(meant.players["points"])


@pytest.mark.slow
def test_a_survey_of_dyads_needs_no_change(load: Loader, real_data: DataFolder) -> None:
    file = real_data("qualtrics") / "svi_dyads_synthetic.csv"
    text = suggest(file)
    assert text.startswith("# Platform: qualtrics, because svi_dyads_synthetic.csv has a row of ImportIds.")
    assert {"header_rows = 3", "leave_out_bad_games = true", 'game_id = "dyad"', 'SVI_16 = "SVI_16"'} <= set(
        active(text)
    )
    study, meant = load(text, file), negstats.load(file)
    assert len(study.games) == 11
    kept = meant.players["game_id"].isin(study.games["game_id"])
    assert study.players["points"].sum() == meant.players.loc[kept, "points"].sum() == 1320
    items = answers_beside(study, "Duration (in seconds)")
    assert len(items) == meant.answers["game_id"].isin(study.games["game_id"]).sum()


def written(folder: Path, text: str) -> Path:
    (folder / "log.csv").write_text(text)
    return folder / "log.csv"


@pytest.mark.slow
def test_a_classroom_export_needs_no_change(load: Loader, tmp_path: Path) -> None:
    lines = ["UserID,Role,Round,Total,move,propose,accept"]
    for pair in range(1, 9):
        for number in (1, 2, 3):
            total = (100, 50, 80)[(number + pair) % 3]
            lines.append(f"p{pair},proposer,{number},{total},1,{total // 2 - 5 * ((pair + number) % 4)},-1")
            lines.append(f"r{pair},responder,{number},{total},1,-1,{10 + 7 * pair * number % 31}")
    log = written(tmp_path, "\n".join(lines) + "\n")
    text = suggest(log)
    assert "they mean missing: -1 in accept (24 cells), -1 in propose (24 cells)" in text
    assert 'units_to_responder = { column = "propose", missing = ["-1"] }' in text
    study, meant = load(text, log), load(CLASSROOM, log)
    assert offers(study) == offers(meant)
    assert answers(study) == answers(meant)
    assert study.players["player"].equals(meant.players["player"])


@pytest.mark.slow
def test_responders_decisions_need_few_changes(load: Loader, tmp_path: Path) -> None:
    shares = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    lines = ["sub,trial,unfairness,choice"]
    for person in range(6):
        for trial in range(8):
            share = shares[(3 * trial + person) % 8]
            lines.append(f"s{person:02},{trial + 1},{share},{int(share < 0.7 + 0.05 * (person % 3))}")
    log = written(tmp_path, "\n".join(lines) + "\n")
    assert "unfairness is what the other keeps, and the person answers: choice = 1 accepts" in suggest(log)
    made, count = changed(suggest(log), {"# total = ": "total = 1"}, {})
    assert count == 1
    read_offers = offers(load(made, log))
    assert len(read_offers) == 48
    assert read_offers[0] == ["s00-1", "proposer", "responder", 0.5, 0.5, "accepted"]
    assert read_offers[2] == ["s00-3", "proposer", "responder", 0.9, pytest.approx(0.1), "rejected"]


@pytest.mark.slow
def test_otrees_rounds_side_by_side_need_few_changes(load: Loader, tmp_path: Path) -> None:
    log = written(tmp_path, ROUNDS)
    text = suggest(log)
    assert {"[[part]]", "each = { round = [1, 2] }", "[part.games]"} <= set(active(text))
    assert "# total = 10  # NEEDED if the pie is fixed" in text
    where = (
        'where = { "dg.{round}.player.id_in_group" = { empty = false }, "dg.{round}.group.dropout" = { not = ["1"] } }'
    )
    game = (
        'game_id = ["session.code", { constant = "dg" }, { constant = "{round}" }, "dg.{round}.group.id_in_subsession"]'
    )
    made, count = changed(text, {"game_id = ": game, "# total = ": "total = 10", "where = ": where}, {})
    assert count <= MOST_CHANGES
    study, meant = load(made, log), load(OTREE, log)
    assert offers(study) == offers(meant)
    assert answers(study) == answers(meant)
    assert study.players["points"].equals(meant.players["points"])


@pytest.mark.slow
def test_several_games_a_row(load: Loader, tmp_path: Path) -> None:
    log = written(
        tmp_path,
        "dyad,who,offer_1,accepted_1,payoff_1,offer_2,accepted_2,payoff_2\n"
        + "".join(
            f"{n},A,{n % 5},{int(n % 3 > 0)},{10 - n % 5},2,0,0\n{n},B,{n % 5},{int(n % 3 > 0)},{n % 5},2,0,0\n"
            for n in range(7, 19)
        )
        + "19,A,5,1,5,,,\n19,B,5,1,5,,,\n",
    )
    study = load(suggest(log), log)
    assert len(study.games) == 25
    assert study.games["ended"].value_counts().to_dict() == {"agreement": 9, "walkaway": 16}
    assert study.players["points"].sum() == 130


@pytest.mark.slow
def test_other_apps_columns_are_none_of_the_rounds(load: Loader, real_data: DataFolder) -> None:
    file = real_data("otree_dyads") / "all_apps_wide.csv"
    text = suggest(file)
    assert "trust.1" not in "".join(active(text))
    study = load(text, file)
    assert [len(study.games), len(study.players), study.players["points"].sum()] == [24, 48, 7700]


@pytest.mark.slow
def test_columns_that_repeat_in_two_ways_are_asked_about(load: Loader, real_data: DataFolder) -> None:
    file = real_data("otree") / "all_apps_wide.csv"
    text = suggest(file)
    assert "[[part]]" not in active(text)
    question = text.partition('subject = "row"')[2].partition("[[open]]")[0]
    assert "stop = true" in question  # nothing is tested before it is known which of the games is meant
    assert all(f"{app}.1.group.id_in_subsession" in question for app in ("ultimatum", "bargaining"))
    meant = negstats.load(file, app="ultimatum")
    first_rounds = meant.offers[meant.offers["game_id"].str.contains("ultimatum-1-")]
    study = load(suggest(file, answers={"row": "2"}), file)
    assert [len(study.games), len(study.players)] == [4, 8]
    assert study.offers["units_to_responder"].tolist() == first_rounds["units_to_responder"].tolist()


@pytest.mark.slow
def test_codes_are_asked_about_and_words_are_taken(load: Loader, tmp_path: Path) -> None:
    points_of_games = [*range(1, 17), 99, "NA"]
    rows = [f"{game},{seat},{points},{5}" for game, points in enumerate(points_of_games) for seat in "AB"]
    log = written(tmp_path, "\n".join(["game,player,points,round", *rows]) + "\n")
    text = suggest(log)
    assert "they mean missing: 99 in points (2 cells)" in text
    assert 'points = { column = "points", missing = ["NA", "99"] }' in text
    points = load(text, log).players["points"]
    assert points.tolist()[:4] == [1, 1, 2, 2]
    assert points.isna().sum() == 4
    inside = written(tmp_path, log.read_text(encoding="utf-8").replace(",16,", ",100,"))
    assert "they mean missing" not in suggest(inside)


@pytest.mark.slow
def test_the_platform_stands_in_the_first_line(tmp_path: Path, real_data: DataFolder) -> None:
    log = written(tmp_path, "game,player,points\n1,A,1\n1,B,2\n")
    assert suggest(log).startswith("# Not an export of a platform that negstats knows.\n")
    first = suggest(real_data("otree") / "ultimatum.csv").splitlines()[0]
    assert first.startswith("# Platform: otree, because ultimatum.csv has the columns participant.code, session.code")


PAGE = (ROOT / "docs" / "how-to" / "mapping.md").read_text(encoding="utf-8")


def main_and_beside(folder: Path, section: str, log: str, mapping: str) -> tuple[int, int]:
    """Return how many games, and messages or answers about people, a mapping of two tables reads."""
    is_talk = section.startswith("Talk")
    names = ("outcomes.csv", "chat.csv") if is_talk else ("trials.csv", "people.csv")
    second = (
        "negotiation,speaker,message\n1,buyer,34?\n1,seller,yes\n" if is_talk else "pid,group,age\np1,x,30\np2,y,40\n"
    )
    (folder / "logs").mkdir()
    for name, text in zip(names, (log, second), strict=True):
        (folder / "logs" / name).write_text(text)
    (folder / "mapping.toml").write_text(mapping)
    study = negstats.load(folder / "logs", mapping=folder / "mapping.toml")
    return len(study.games), len(study.messages) if is_talk else len(study.answers)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("section", PAGE.split("\n## ")[1:], ids=lambda section: section.partition(",")[0])
def test_the_mappings_of_the_page_are_sound(section: str, load: Loader, real_data: DataFolder, tmp_path: Path) -> None:
    log = re.search(r"```\n(.*?)```", section, re.DOTALL)
    mapping = re.search(r"```toml\n(.*?)```", section, re.DOTALL)
    assert mapping
    assert mapping[1].count("#?") <= MOST_CHANGES
    if section.startswith("Qualtrics"):
        assert len(load(mapping[1], real_data("qualtrics") / "svi_dyads_synthetic.csv").games) == 11
    elif section.startswith("oTree"):
        assert len(load(mapping[1].replace("[1, 2, 3]", "[1, 2]"), ROUNDS).offers) == 2
    elif section.startswith(("Talk", "People")):
        assert log
        assert main_and_beside(tmp_path, section, log[1], mapping[1]) == (log[1].strip().count("\n"), 2)
    elif section.startswith("Three seats"):
        assert log
        study = load(mapping[1], log[1], "log.csv")
        assert study.offers["response"].tolist() == ["rejected", "accepted", "rejected"]
        assert study.players["points"].tolist() == [50, 0, 50, 0, 0, 0]
    elif section.startswith("Lists"):
        assert log
        study = load(mapping[1], log[1], "log.jsonl")
        assert study.offers["response"].tolist() == ["accepted", "accepted"]
        assert study.items["quantity"].tolist() == [100, 90]
    elif section.startswith("Rows of one measure"):
        assert log
        study = load(mapping[1], log[1], "log.csv")
        assert study.games["sent"].tolist() == [4, 7]
        assert study.answers["answer"].tolist() == ["calm", "angry"]
    elif section.startswith("Objects"):
        assert log
        study = load(mapping[1], log[1], "log.jsonl")
        assert study.players["participant_id"].tolist() == ["Ann", "Ben", "Cid", "Ann"]
        assert study.players["points"].tolist() == [9, 7, 8, 4]
    elif section.startswith(("One row", "Nested")):
        assert log
        study = load(mapping[1], log[1], "log.jsonl" if log[1].startswith("{") else "log.csv")
        assert study.offers["units_to_proposer"].tolist() == [5, 3]
        assert study.items["receiver"].tolist() == [*"AABB"] or len(study.items) == 8
    else:
        assert log
        study = load(mapping[1], log[1], "log.csv.csv" if "sep=" in log[1] else "log.csv")
        assert len(study.games) == log[1].strip().count("\n") - ("sep=" in log[1])
