"""Many papers at once: files, folders and standard input, what cannot be read, and what is written."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from negstats.audit.folder import audit_papers, papers_in
from negstats.audit.grim import check_means
from negstats.audit.readings import Rules
from negstats.audit.written_findings import write_papers
from negstats.cli import app
from negstats.errors import LogError, UsageError
from tests.audit.planted_slips import drawn

RUN = CliRunner()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "more").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "a.md").write_text(
        "So <b>it</b> was, *t*(49) = 4.12, *p* < .001. Not so, χ²(1) = 4.67, p = .198.", "utf-8"
    )
    (folder / "more" / "b.txt").write_text("F(1, 28) = 4.60, p = .041, ηp² = .40. And 12 of 48 games (26%).", "utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "data.csv").write_text("t(1) = 1, p = .5")
    (folder / ".hidden" / "c.txt").write_text("t(1) = 1, p = .5")
    return folder


def test_papers_of_folders_and_files(papers: Path) -> None:
    names = papers_in([papers, papers / "data.csv", papers / "a.md"])
    assert [Path(name).name for name in names] == ["a.md", "empty.txt", "b.txt", "data.csv"]
    with pytest.raises(LogError, match="holds no paper"):
        papers_in([_empty(papers)])
    with pytest.raises(LogError, match="is neither a file nor a folder"):
        papers_in([papers / "absent"])


def _empty(folder: Path) -> Path:
    (folder / "nothing").mkdir()
    return folder / "nothing"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_each_paper_stands_for_itself(papers: Path, workers: int) -> None:
    audits = audit_papers([papers], workers=workers)
    assert [(len(one.results), len(one.further), "is empty" in one.error) for one in audits] == [
        (2, 0, False),
        (0, 0, True),
        (1, 2, False),
    ]
    assert [row["judged"] for row in audits[0].flagged()] == ["decision error"]
    assert [row["judged"] for row in audits[2].flagged()] == [
        "partial η² and F: differs",
        "a count and its percentage: differs",
    ]


def test_what_is_written(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    files = write_papers(audit_papers([papers]), out)
    assert [file.relative_to(out).as_posix() for file in files] == [
        "results.csv", "further.csv", "papers.csv", "facts.csv", "audit.json", "index.html",
        "papers/0001-a.md.html", "papers/0002-b.txt.html",
    ]  # fmt: skip
    assert len(pd.read_csv(out / "results.csv")) == 3
    assert pd.read_csv(out / "papers.csv")["decision error"].tolist() == [1, 0, 0]
    content = json.loads((out / "audit.json").read_text("utf-8"))
    assert [len(one.get("results", {}).get("p", [])) for one in content["papers"]] == [2, 1, 0]
    assert content["totals"]["decision error"] == 1
    page = (out / "index.html").read_text("utf-8")
    assert "Not so, <mark>χ²(1) = 4.67, p = .198</mark>." in page
    assert re.search(r"default-src &#39;none&#39;; style-src &#39;sha256-|default-src 'none'; style-src 'sha256-", page)
    assert "<script" not in page


def test_each_paper_has_a_page(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    write_papers(audit_papers([papers]), out)
    links = re.findall(r'href="([^"]+)"', (out / "index.html").read_text("utf-8"))
    assert set(links) == {"papers/0001-a.md.html", "papers/0002-b.txt.html"}
    page = (out / "papers" / "0001-a.md.html").read_text("utf-8")
    assert "Not so, <mark>χ²(1) = 4.67, p = .198</mark>." in page
    assert "<td>*t*(49) = 4.12, *p* &lt; .001</td><td>consistent</td>" in page
    assert (out / "papers" / re.findall(r'href="([^"]+)"', page)[0]).resolve() == (out / "index.html").resolve()
    (out / "papers" / "mine.html").write_text("<p>Mine</p>")
    write_papers(audit_papers([papers / "more"]), out)  # what is no longer there goes; what is not ours stays
    assert sorted(file.name for file in (out / "papers").iterdir()) == ["0001-b.txt.html", "mine.html"]


def test_papers_with_most_to_look_at_come_first(tmp_path: Path) -> None:
    texts = {
        "a.txt": "So t(28) = 2.20, p = .036.",
        "b.txt": "",
        "c.txt": "So t(28) = 2.20, p = .031.",
        "d.txt": "So t(28) = 2.20, p = .500. And t(28) = 2.20, p = .600.",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    write_papers(audit_papers([tmp_path]), out)
    names = [Path(file).name for file in pd.read_csv(out / "papers.csv")["file"]]
    assert names == ["d.txt", "c.txt", "a.txt", "b.txt"]
    page = (out / "index.html").read_text("utf-8")
    assert "4 papers; 1 not read; 4 results" in page
    assert "all papers" in page


@pytest.mark.slow
def test_json_has_one_shape_for_a_file_and_a_folder(tmp_path: Path) -> None:
    paper = tmp_path / "a.txt"
    paper.write_text("So t(28) = 2.20, p = .500. Also F(2, 57) = 4.10, p = .022. And p = .04 alone.")
    one, many = (json.loads(RUN.invoke(app, ["audit", str(path), "--json"]).stdout) for path in (paper, tmp_path))
    assert one == many
    results = one["papers"][0]["results"]
    assert (results["type"], results["df1"], results["df2"]) == (["t", "F"], [28, 2], [None, 57])
    assert results["p"] == [0.5, 0.022]
    assert "n" not in results  # a column with nothing in it
    assert one["totals"]["p_without_a_statistic"] == 1
    doubts = one["papers"][0]["doubts"]
    assert (doubts["result"], doubts["verdict"], doubts["flagged"]) == ([0], ["decision error"], [True])
    assert doubts["p_low"][0] < 0.0362 < doubts["p_high"][0]
    assert "sentence" not in doubts
    frame = pd.DataFrame(results).join(pd.DataFrame(doubts).set_index("result"))
    assert frame["verdict"].fillna("consistent").tolist() == ["decision error", "consistent"]
    paper.write_text("So t(28) = 2.20, p = .500. Also F(2, 57) = 4.10, p = .022.")
    [flagged] = json.loads(RUN.invoke(app, ["audit", str(paper), "--json", "--flagged"]).stdout)["papers"]
    assert flagged["doubts"]["sentence"] == ["So t(28) = 2.20, p = .500."]
    assert len(flagged["results"]["p"]) == 1


def test_json_of_a_text_in_which_all_fits(tmp_path: Path) -> None:
    paper = tmp_path / "a.txt"
    paper.write_text("They differed, t(28) = 2.20, p = .036.")
    [value] = json.loads(RUN.invoke(app, ["audit", str(paper), "--json"]).stdout)["papers"]
    assert value["doubts"] == {"result": [], "verdict": []}
    frame = pd.DataFrame(value["results"]).join(pd.DataFrame(value["doubts"]).set_index("result"))
    assert frame["verdict"].isna().tolist() == [True]


@pytest.mark.slow
def test_json_is_half_of_the_text_at_most(tmp_path: Path) -> None:
    for paper in range(2):
        prose = "Words go on and on here, and - in short - nothing is counted in them at all. " * 2
        rng = np.random.default_rng(paper)
        text = "".join(f"It mattered, {drawn(rng)}. {prose}\n\n" for _ in range(300))
        (tmp_path / f"{paper}.md").write_text(text[:50_000], encoding="utf-8")
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    printed = RUN.invoke(app, ["audit", str(tmp_path), "--json"]).stdout
    assert len(json.loads(printed)["papers"][0]["results"]["p"]) > 100
    assert len(printed.encode()) < 0.5 * size


@pytest.mark.slow
def test_the_columns_of_statcheck(tmp_path: Path) -> None:
    paper = tmp_path / "a.txt"
    paper.write_text("So t(28) = 2.20, p = .500, F(2, 57) = 4.10, p = .022, and χ²(1) = 4.67, p = .031; U = 4, p = .1.")
    printed = RUN.invoke(app, ["audit", str(paper), "--format", "statcheck"]).stdout
    frame = pd.read_csv(io.StringIO(printed))
    assert frame["test_type"].tolist() == ["t", "F", "Chi2"]
    assert frame["df2"].fillna(-1).tolist() == [28, 57, -1]
    assert frame["test_comp"].tolist() == ["="] * 3
    assert frame["error"].tolist() == [True, False, False]
    RUN.invoke(app, ["audit", str(paper), "--format", "statcheck", "--csv", str(tmp_path / "out.csv")])
    assert (tmp_path / "out.csv").read_text("utf-8").strip() == printed.strip()


def test_what_is_printed_again_is_one_matter(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("So t(28) = 2.20, p = .500.\nAgain t(28)=2.20, p=.500.\nAnd t(28) = 2.20, p = .600.")
    [result] = audit_papers([paper])
    assert [(row["place"], row["also"]) for row in result.flagged()] == [(1, [2]), (3, [])]
    assert len(result.results) == 3


def test_a_page_runs_nothing_of_a_paper(tmp_path: Path) -> None:
    paper = tmp_path / "<img src=x onerror=alert(1)>.txt"
    paper.write_text("Then <script>alert(1)</script> came, t(28) = 2.20, p = .500.", encoding="utf-8")
    write_papers(audit_papers([paper]), tmp_path / "out")
    for page in (tmp_path / "out").rglob("*.html"):
        drawn = page.read_text("utf-8")
        assert "<script" not in drawn
        assert "<img" not in drawn
        assert "&lt;script&gt;" in drawn


@pytest.mark.slow
def test_the_text_of_a_pdf_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    figure = plt.figure()
    figure.text(0.1, 0.5, "They differed, t(28) = 2.20, p = .036.")
    with plt.rc_context({"pdf.fonttype": 42}):
        figure.savefig(tmp_path / "paper.pdf")
    plt.close(figure)
    first = audit_papers([tmp_path / "paper.pdf"], cache=tmp_path / "texts")
    assert len(list((tmp_path / "texts").iterdir())) == 1

    def never(path: str) -> None:
        raise AssertionError(path)

    monkeypatch.setattr("negstats.audit.folder.read", never)
    again = audit_papers([tmp_path / "paper.pdf"], cache=tmp_path / "texts")
    assert str(again) == str(first)
    assert len(again[0].results) == 1


def test_rules(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("t(32) = 1.74, p = .046. F(2, 28) = 3.34, p = .05. F(2, 28) = 2.34, p = .05.")

    def verdicts(rules: Rules) -> list[str]:
        return [row["verdict"] for row in audit_papers([paper], rules)[0].results]

    assert verdicts(Rules()) == ["decision error", "consistent", "decision error"]
    assert verdicts(Rules(one_tailed=True))[0] == "consistent"
    assert verdicts(Rules(equal_is_significant=False))[2] == "inconsistent"
    paper.write_text(
        "All tests are one-tailed. t(32) = 1.74, p = .046. t(32) = 5.74, p = .000. t(32) = 9.74, p < .001."
    )
    assert verdicts(Rules()) == ["consistent"] * 3
    assert verdicts(Rules(two_tailed=True)) == ["decision error", "consistent", "consistent"]
    assert verdicts(Rules(zero_is_error=True)) == ["consistent", "inconsistent", "consistent"]


@pytest.mark.slow
def test_command_line(papers: Path, tmp_path: Path) -> None:
    printed = RUN.invoke(app, ["audit", str(papers), "--out", str(tmp_path / "out")])
    assert printed.exit_code == 0, printed.output
    assert "3 papers, 3 results; 1 paper could not be read" in printed.stdout
    assert "empty.txt: is empty" in printed.stdout
    assert (tmp_path / "out" / "index.html").is_file()
    options = ["--two-tailed", "--p-zero-error", "--p-below-alpha"]
    assert RUN.invoke(app, ["audit", str(papers), *options]).exit_code == 0
    only = json.loads(RUN.invoke(app, ["audit", str(papers), "--decision-errors", "--json"]).stdout)
    doubts = [paper.get("doubts", {}) for paper in only["papers"]]
    assert [verdict for of_paper in doubts for verdict in of_paper.get("verdict", [])] == ["decision error"]
    stdin = RUN.invoke(app, ["audit", "-"], input="They differed, t(28) = 2.20, p = .500.")
    assert "standard input: 1 result: 1 decision error" in stdin.stdout
    assert isinstance(RUN.invoke(app, ["audit"]).exception, UsageError)


def test_a_table_of_means(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("name,mean,sd,n\na,3.45,,10\nb,3.44,2.47,18\nc,3.44,2.48,18\n")
    rows = json.loads(RUN.invoke(app, ["audit", "--grim", str(table), "--json"]).stdout)
    assert [row["possible"] for row in rows] == ["no: the mean", "no: the SD", "yes"]
    assert rows[0]["nearest"] == "3.4000 or 3.5000"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean,sd\n3.45,1\n", "has no column n; its columns are mean, sd"),
        ("mean,n\n3.45,ten\n", "row 2, column n: 'ten' is not a whole number"),
        ("mean,n\nthree,10\n", "row 2: mean is 'three'"),
        ("", "cannot be read as a CSV table"),
    ],
)
def test_a_table_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(LogError, match=re.escape(message)):
        check_means(tmp_path / "table.csv")
