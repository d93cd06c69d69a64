"""The tables of ``docs/how-to/audit.md``: agreement with statcheck case by case, and what labelled results show.

Run ``python -m tests.audit.document`` to write them into the document, between its marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from negstats.audit.audits import audit_document
from negstats.audit.reading import document
from negstats.audit.readings import Rules
from tests.audit.test_labelled import HALVES, Half, Tally, passages, tally, total
from tests.conftest import reference

FRESH = "fresh article of an open collection"
TRIALS = "trial of an open collection"
SECOND = "second draw of open collections"
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "audit.md"

# statcheck's options, and what they are here.
OPTIONS: Mapping[tuple[str, bool], dict[str, bool]] = {
    ("OneTailedTests", True): {"one_tailed": True},
    ("OneTailedTxt", True): {},
    ("pEqualAlphaSig", False): {"equal_is_significant": False},
    ("pZeroError", False): {},
}
FORM = "a form that journals print; statcheck reads APA style alone"
WHOLE = "the whole document is context: a correction that it names explains a larger p"
# Where the two differ, by what the sentence holds, and why.
REASONS: Mapping[str, str] = {
    "F(1, 28) < 1": "F below 1 means any value below 1, not 1",
    "t(32) = 2.74, p = .005": "half of p has a verdict of its own; it is flagged too",
    "(one-tailed), t(32) = 1.74, p = .046": "what the sentence declares counts (statcheck: only with OneTailedTxt)",
    "p = .000": "p = .000 means any p that rounds to it (`--p-zero-error` counts it as an error)",
    "p < .000": "no p is below 0",
    "Bonferroni": WHOLE,
    "Holm": WHOLE,
    "1.38": "no correlation is above 1, and saying nothing would hide it",
    "1.36": "no p is above 1, and saying nothing would hide it",
    "2.20; p": FORM,
    "t[28]": FORM,
    "t28": FORM,
    "d = 0.80, p": FORM,
    "MSE": FORM,
    "(p = .036": FORM,
    "df = 28": FORM,
    "η2p": FORM,
    "2,20": FORM,
    "chi-square": FORM,
    "rs(28)": FORM,
    "ts(28)": FORM,
    "2.1e-2": "an exponent belongs to its number",
}


def compared() -> Iterator[tuple[str, str, str, str]]:
    """Yield of each case its text with its options, what statcheck says, what the audit says, and why they differ."""
    for case in reference("audit_statcheck"):
        options: dict[str, Any] = dict(case["options"] or {})
        chosen: dict[str, bool] = {}
        for option in options.items():
            chosen |= OPTIONS[option]
        results = audit_document(document(case["text"]), Rules(**chosen)).results
        ours = results[0].verdict if results else "not found"
        reasons = [why for part, why in REASONS.items() if part in case["text"]]
        text = "".join(f" ({name} = {str(value).upper()})" for name, value in options.items())
        differ = ours != case["statcheck"]
        yield case["text"] + text, case["statcheck"], ours, reasons[0] if reasons and differ else ""


def statcheck_table() -> str:
    """Return the cases as a table: first where the two agree, then where they differ and why."""
    lines = ["| sentence | statcheck 1.6.0 | here | why |", "|---|---|---|---|"]
    rows = sorted(compared(), key=lambda row: row[1] != row[2])
    lines += [f"| {text} | {theirs} | {ours} | {why} |" for text, theirs, ours, why in rows]
    same = sum(theirs == ours for _, theirs, ours, _ in rows)
    return "\n".join([f"{same} of {len(rows)} cases agree.", "", *lines])


def measured_table() -> str:
    """Return recall and precision on both halves of the labelled results."""
    lines = [
        "| half | results | found | right of found | wrong ones | flagged | flags right |",
        "|---|---|---|---|---|---|---|",
    ]
    for half in HALVES:
        count = total(tally(half)[0])
        lines.append(f"| {half} | {count.printed} | {' | '.join(_cells(count))} |")
    return "\n".join(lines)


def classes_table() -> str:
    """Return what is right of each class of judgements on both halves."""
    tallies = {half: dict_of(total(tally(half)[0])) for half in HALVES}
    lines = [f"| class | {' | '.join(HALVES)} |", "|---|" + "---|" * len(HALVES)]
    for name in tallies[HALVES[0]]:
        cells = [tallies[half].get(name, "none") for half in HALVES]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def of_form_table(form: str) -> str:
    """Return what is right of each class in the sources of one kind, on both halves."""
    tallies = {half: dict_of(tally(half)[0][form]) for half in HALVES}
    lines = [f"| class | {' | '.join(HALVES)} |", "|---|" + "---|" * len(HALVES)]
    lines += [
        f"| {name} | {' | '.join(tallies[half].get(name, 'none') for half in HALVES)} |" for name in tallies[HALVES[0]]
    ]
    return "\n".join(lines)


def sets_table() -> str:
    """Return of each kind of source how many sources, passages and results are labelled, by half."""
    counts: dict[str, dict[Half, list[int]]] = {}
    for half in HALVES:
        values_by_name: dict[str, set[str]] = {}
        for passage, _ in passages(half):
            form = passage["form"].partition(",")[0]
            count = counts.setdefault(form, {each: [0, 0, 0] for each in HALVES})[half]
            sources = values_by_name.setdefault(form, set())
            count[0] += passage["source"] not in sources
            sources.add(passage["source"])
            count[1] += 1
            count[2] += len(passage["results"])
    lines = [f"| kind of source | {' | '.join(f'{half}: sources, passages, results' for half in HALVES)} |"]
    lines.append("|---|" + "---|" * len(HALVES))
    for form, of in sorted(counts.items(), key=lambda item: -sum(count[2] for count in item[1].values())):
        lines.append(f"| {form} | {' | '.join(', '.join(map(str, of[half])) for half in HALVES)} |")
    return "\n".join(lines)


def dict_of(count: Tally) -> dict[str, str]:
    """Return each class of judgements with its share, how many there are, and its 95 % interval (Wilson)."""
    return {
        name: f"{right} of {whole}: {100 * right / whole:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        for name, right, whole, low, high in count.classes()
    }


def _cells(count: Tally) -> list[str]:
    share_text, right, flagged, flags = (f"{100 * share:.1f} % (≥ {100 * low:.1f})" for _, share, low in count.parts())
    return [share_text, right, str(count.wrong), flagged, flags]


def written(text: str) -> str:
    """Return the document with its tables as they are now."""
    tables = {
        "statcheck": statcheck_table(),
        "measured": measured_table(),
        "classes": classes_table(),
        "fresh": of_form_table(FRESH),
        "trials": of_form_table(TRIALS),
        "second": of_form_table(SECOND),
        "sets": sets_table(),
    }
    for mark, table in tables.items():
        before, _, rest = text.partition(f"<!-- {mark} -->")
        text = f"{before}<!-- {mark} -->\n{table}\n<!-- end of {mark} -->{rest.partition(f'<!-- end of {mark} -->')[2]}"
    return text


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
