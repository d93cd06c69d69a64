"""The results that three papers print, in the forms that people write: found, and exactly the wrong ones flagged.

The numbers are facts that the papers print; the sentences are ours.
"""

from __future__ import annotations

import pytest

from negstats.audit import Audit, audit_text

HAIM = r"""
The customer agent scored more than people in Israel ($t(49)=4.12$, $p<0.0001$), in the USA (t(28) = 3.53, p < 0.0001)
and in China (\textit{t}(30) = 3.80, \textit{p} < .0001). The provider agent scored more than people in Israel
(p < 0.03) and in China (p = 0.05), but it did not differ from the other agent in the USA (p > .05). The defecting
agent scored more still in Israel, p < 0.05. Over all countries the first agent did not differ from people (p > 0.05).
Reaching the goal did not differ between the two settings, p > .05.
"""
MELL = """
Favor framing raised the discovery of joint value, χ² [1, N = 73], = 14.93, p < .001. The interaction of framing and
offer quality was significant, χ2(4, N = 73) = 16.88, p = .002, and so was the decomposition, X^2(10, N = 167) =
29.98, p = 0.001. Those who had accepted accepted again, chi-squared(1) = 12.17, p < .001. Those who had rejected did
not, χ²(1) = 4.67, p = .198. Favor language raised joint value, F(1, 163) = 5.15, p = .025, d = 0.36, and player
points, *F*(1,163) = 5.94, *p* = .016, *d* = 0.37. Offer quality did nothing for players, F (1, 163) = 1.52, p = .22,
d = .18, but something for the agent, F(1, 163) = 5.35, p = .022, d = −.37.
"""
CHAWLA = """
Human points differed by reward (F(1, 577) = 5.00, p = .03) and by partner (F(2, 577) = 3.09, p = .046), with an
interaction (F(2, 577) = 5.40, p = .005). Joint points differed by reward, F(1, 577) = 5.21; p = 0.02. Walk-aways
showed an interaction (G² = 31.1, p < .0001). For selfish agents the partner mattered, χ²(2, N = 289) = 7.63, p = .02,
for fair ones it did not (p > .05). Agent points showed no effect, p > .05. Without walk-aways, reward mattered,
F(1, 510) = 4.62, p = .03. Satisfaction differed by reward, F(1, 576) = 47.32, p < .0001, not by the interaction,
F(2, 576) = 2.54, p = .08. Likeness differed by reward, F(1, 577) = 53.95, p < .0001.
"""


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    return {name: audit_text(text) for name, text in (("haim", HAIM), ("mell", MELL), ("chawla", CHAWLA))}


def test_every_result_is_found(audits: dict[str, Audit]) -> None:
    assert {name: len(audit) for name, audit in audits.items()} == {"haim": 9, "mell": 9, "chawla": 12}
    with_statistic = [r for audit in audits.values() for r in audit.results if r.reported.kind != "p"]
    assert len(with_statistic) == 22


def test_exactly_the_wrong_ones_are_flagged(audits: dict[str, Audit]) -> None:
    flagged = {name: [(r.reported.raw, r.verdict) for r in audit.flagged] for name, audit in audits.items()}
    assert flagged == {
        "haim": [
            ("$t(49)=4.12$, $p<0.0001$", "consistent if one-tailed"),
            ("t(28) = 3.53, p < 0.0001", "inconsistent"),
            (r"\textit{t}(30) = 3.80, \textit{p} < .0001", "inconsistent"),
        ],
        "mell": [("χ²(1) = 4.67, p = .198", "decision error")],
        "chawla": [],
    }


def test_what_cannot_be_checked_says_why(audits: dict[str, Audit]) -> None:
    unknown = {name: [r.why for r in audit.results if r.verdict == "not checkable"] for name, audit in audits.items()}
    assert unknown["haim"] == ["no test statistic is printed next to it"] * 6
    assert unknown["mell"] == []
    assert unknown["chawla"][0] == "df of G² is not printed; df 1 to 7 would agree with the printed p"
    assert len(unknown["chawla"]) == 3


def test_recomputed_p(audits: dict[str, Audit]) -> None:
    """p of the three t: .00015, .0015, .0007; of χ²(1) = 4.67: .031, which df 3 would make .198 (R: pt, pchisq)."""
    low_high = [(r.p_low, r.p_high) for r in audits["haim"].results[:3]]
    for (low, high), exact in zip(low_high, [0.000145, 0.00146, 0.00066], strict=True):
        assert low <= exact * 1.01
        assert high >= exact * 0.99
        assert high < 1.1 * low
    wrong = audits["mell"].flagged[0]
    assert wrong.p_low < 0.0307 < wrong.p_high
    assert "df 3 would give it" in wrong.why


def test_sentences_and_lines(audits: dict[str, Audit]) -> None:
    wrong = audits["mell"].flagged[0]
    assert wrong.reported.place == 5
    assert wrong.reported.sentence == "Those who had rejected did not, χ²(1) = 4.67, p = .198."
    assert "text, line 5: χ²(1) = 4.67, p = .198" in audits["mell"].text(flagged_only=True)
    assert "F(1, 163)" not in audits["mell"].text(flagged_only=True)


def test_the_frame_has_every_result(audits: dict[str, Audit]) -> None:
    frame = audits["chawla"].to_frame()
    assert len(frame) == 12
    first = frame.to_dict("records")[0]
    assert [first[name] for name in ("type", "df1", "df2", "value", "p")] == ["F", 1, 577, 5.0, 0.03]
    assert min(map(len, frame["sentence"])) > 20
    empty = audit_text("nothing here").to_frame()
    assert list(empty.columns) == list(frame.columns)
    assert empty.empty
