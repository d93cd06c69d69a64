"""Genius, GeniusWeb and JobInterview by written examples: no real file of theirs was at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import negstats
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.draft import draft
from negstats.errors import LogError
from tests.loaders.agent_logs import GENIUS, genius, geniusweb, job_interview, put


class TestGenius:
    def test_a_tournament(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, genius()))
        assert study.games["ended"].tolist() == ["agreement", "timeout", "disconnect"]
        assert study.games["game_id"].tolist() == ["run-3", "run-4", "run-5"]
        assert study.games["rounds"].tolist()[:2] == [3, 9]
        assert study.players["points"].dropna().tolist() == [0.75, 0.5, 0.0, 0.0]  # a failed session has none
        assert study.players["agent"].tolist() == ["Boulware@0", "Boulware@1", "Boulware", "Conceder", "A", "B"]
        assert study.games["profile_1"].tolist() == ["p1"] * 3
        assert study.offers.empty
        assert "1 sessions failed with an exception: their points are missing" in study.provenance.notes

    def test_an_exception_that_cuts_its_row(self, tmp_path: Path) -> None:
        cut = "1,5;0;it broke; badly;Time:180s;No;false;0,9;a.A@4;a.B@5;0,2;0,5;0,2;0,5;p1;p2"
        sound = "1,5;3;;Time:180s;Yes;false;0,1;a.A@0;a.B@1;0,75;0,5;0,7;0,5;p1;p2"
        study = negstats.load(put(tmp_path, genius(cut, sound)))
        assert study.provenance.reasons() == {"a row cut by the exception's text": 1}
        assert study.games["game_id"].tolist() == ["run-4"]
        assert any(
            "discounted utilities differ from the others in 1 sessions" in note for note in study.provenance.notes
        )

    def test_decimal_points(self, tmp_path: Path) -> None:
        files = genius("1.5;3;;Time:180s;Yes;false;0.1;a.A@0;a.B@1;0.75;0.5;0.75;0.5;p1;p2")
        assert negstats.load(put(tmp_path, files)).players["points"].tolist() == [0.75, 0.5]

    @pytest.mark.slow
    def test_the_question_is_about_the_agents(self, tmp_path: Path) -> None:
        """Profiles are other games; an agent whose sessions all failed has no value and is not compared."""
        agents = ["A", "B", "C", "Broken"]
        pairs = [(first, second) for first in agents for second in agents if first != second] * 3
        rows = []
        for place, (first, second) in enumerate(pairs):
            fault = "it broke" if "Broken" in (first, second) else ""
            ends = f"9rounds;Yes;No;0.1;{first};{second};0.{place + 10};0.5;;;p{place % 2};q"
            rows.append(f"1.5;3;{fault};{ends}")
        text = draft(negstats.load(put(tmp_path, genius(*rows))))
        question = parse(text).questions["H1"]
        assert (question.measure, question.by) == ("points", ("agent",))
        assert "# Not compared, since fewer than two units have one: Broken." in text.splitlines()
        assert parse(text).factors["agent"].levels == ("A", "B", "C")

    @pytest.mark.parametrize("sign", [",", "\t"])
    def test_a_table_saved_again(self, tmp_path: Path, sign: str) -> None:
        """As a published table of a competition is: without the first line, and profiles with their suffix or not."""
        row = "1.5;3;;1000rounds;Yes;No;0.1;Larry;Gravity;0.75;0.5;0.75;0.5;p1.xml;p2"
        text = "\n".join([GENIUS, row, row.replace("p1.xml", "p1").replace("p2", "p2.xml")]).replace(";", sign)
        study = negstats.load(put(tmp_path, {"data.csv": text.encode()}))
        assert study.players["agent"].tolist() == ["Larry", "Gravity"] * 2
        assert study.games["profile_1"].tolist() == ["p1"] * 2
        assert study.players["points"].tolist() == [0.75, 0.5] * 2

    def test_points_and_commas_in_one_file(self, tmp_path: Path) -> None:
        rows = [f"1.5;3;;d;Yes;false;0;a.A@0;a.B@1;{first};{first};;;p1;p2" for first in ("0.75", "0,75")]
        with pytest.raises(LogError, match="numbers with a comma"):
            negstats.load(put(tmp_path, genius(*rows)))

    def test_a_header_without_rows_is_counted(self, tmp_path: Path) -> None:
        files = genius() | {"empty.csv": ("sep=;\n" + GENIUS + "\n").encode()}
        assert negstats.load(put(tmp_path, files)).provenance.reasons() == {"a file without sessions": 1}

    def test_a_sessions_log(self, tmp_path: Path) -> None:
        rows = "round;turn;time;agent;bid\n1;1;0.1;A@0;x\n1;2;0.2;B@1;y\n2;1;0.3;A@0;z\n"
        study = negstats.load(put(tmp_path, {"session.csv": rows.encode()}))
        assert study.offers["proposer"].tolist() == ["A@0", "B@1", "A@0"]
        assert study.offers["time_share"].tolist() == [0.1, 0.2, 0.3]
        assert study.games["ended"].tolist() == ["unknown"]


class TestGeniusWeb:
    @pytest.mark.parametrize("kinds", [("Offer", "Accept"), ("offer", "accept")])
    def test_a_trace(self, tmp_path: Path, kinds: tuple[str, str]) -> None:
        study = negstats.load(put(tmp_path, geniusweb(kinds=kinds)))
        assert study.games["ended"].tolist() == ["agreement"]
        assert study.players["points"].tolist() == [0.5, 0.75]
        assert study.players["agent"].tolist() == ["Ann", "Bob"]
        assert study.offers["response"].tolist() == ["superseded", "accepted"]
        assert study.offers["value_responder"].tolist() == [0.25, 0.5]
        assert study.items["option"].tolist() == ["high", "here", "low", "here"]

    def test_no_acceptance(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, geniusweb(accept=False)))
        assert study.games["ended"].tolist() == ["disagreement"]
        assert study.players["points"].isna().all()

    def test_a_table(self, tmp_path: Path) -> None:
        rows = [
            "num_offers,agent_1,utility_1,agent_2,utility_2,agent_3,utility_3,result",
            "5,Ann,0.5,Bob,0.75,,,agreement",
            "9,,,Ann,0,Bob,0,failed",
            "0,,,Ann,0,Bob,0,ERROR",
        ]
        study = negstats.load(put(tmp_path, {"tournament_results.csv": "\n".join(rows).encode()}))
        assert study.games["ended"].tolist() == ["agreement", "disagreement", "disconnect"]
        assert study.players["player"].tolist() == ["agent_1", "agent_2", *["agent_2", "agent_3"] * 2]
        assert study.players["points"].dropna().tolist() == [0.5, 0.75]

    def test_an_acceptance_of_another_bid(self, tmp_path: Path) -> None:
        files = geniusweb()
        data = files["session_results_trace.json"]
        at = data.rindex(b'"low"')
        files["session_results_trace.json"] = data[:at] + b'"mid"' + data[at + 5 :]
        with pytest.raises(LogError, match=r"row 3, column 'bid': accepts a bid that is not the last offer"):
            negstats.load(put(tmp_path, files))


class TestJobInterview:
    @pytest.mark.slow
    def test_a_deal(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, job_interview()))
        assert study.games["ended"].tolist() == ["agreement"]
        # pay 25 of 20 to 30 is half of .5 for both; place, company and position are worth .2 + .2 + .1
        assert study.players["points"].tolist() == pytest.approx([0.75, 0.75])
        assert study.offers["response"].tolist() == ["superseded", "accepted"]
        assert study.offers["time_s"].tolist() == [30, 60]
        assert study.offers["value_proposer"].tolist() == pytest.approx([1.0, 0.75])
        assert study.messages["text"].tolist() == ["Hello"]
        pay = study.values[(study.values["item"] == "Pay") & (study.values["player"] == "worker")]
        assert pay["option"].tolist() == [str(number) for number in range(20, 31)]
        assert "Position" not in set(study.values["item"])
        assert not study.players["participant_id"].str.contains("W").any()

    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize(("status", "ended"), [("aborted", "walkaway"), ("terminated", "timeout")])
    def test_no_deal(self, tmp_path: Path, status: str, ended: str) -> None:
        study = negstats.load(put(tmp_path, job_interview(status=status, accepted=False)))
        assert study.games["ended"].tolist() == [ended]
        assert study.players["points"].isna().all()
        assert study.offers["response"].tolist() == ["superseded", "none"]


def test_a_misspelt_issue_of_a_job_interview_is_told(tmp_path: Path) -> None:
    files = {name: data.replace(b'"Place": "Tokyo"', b'"Plaec": "Tokyo"') for name, data in job_interview().items()}
    study = negstats.load(put(tmp_path, files))
    assert study.players["points"].isna().all()
    note = "game 'n1': the deal names 'Plaec', which is not an issue; its points are missing"
    assert note in study.provenance.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ('"Pay": 30, "Place": "Tokyo"', '"Pay": 30, "Plaec": "Tokyo"', "'Plaec' is not an issue"),
        ('"Pay": 30', '"Pay": 30, "Extra": "x"', "'Extra' is not an issue"),
        ('"Pay": 30', '"Pay": 99', "'99' of Pay has no worth for the recruiter"),
    ],
)
def test_a_damaged_offer_that_is_no_deal_is_noted_too(old: str, new: str, note: str, tmp_path: Path) -> None:
    data = job_interview()["data.json"].decode()
    study = negstats.load(put(tmp_path, {"data.json": data.replace(old, new).encode()}))
    assert study.players["points"].notna().all()
    assert f"game 'n1': 1 offers are damaged, the first is offer 1: {note}" in study.provenance.notes
    assert not any("damaged" in said for said in negstats.load(put(tmp_path, job_interview())).provenance.notes)


def test_a_whole_number_with_a_point_is_the_same_option(tmp_path: Path) -> None:
    data = job_interview()["data.json"].replace(b'"Pay": 25', b'"Pay": 25.0')
    assert negstats.load(put(tmp_path, {"data.json": data})).players["points"].tolist() == pytest.approx([0.75, 0.75])
