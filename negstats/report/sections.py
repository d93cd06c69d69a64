"""The tables of a report: flow, measures, descriptives, hypotheses, means, tests, sensitivity, deviations, quality."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from negstats.analysis.plan.model import Plan
from negstats.report.apa_table import Column, Table, cell, head
from negstats.report.labels import NAME, ROLES, SENTENCE, method_name
from negstats.report.measures import words_of_measure
from negstats.report.numerals import rounded
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences import Question, reference
from negstats.sanitize import counted, line
from negstats.stats.results.apa import decimals_of

CI = "CI = confidence interval."


def _count(value: object, address: str) -> Prose:
    return cell(rounded(float(value), "count", address)) if isinstance(value, (int, float)) else cell("")


def flow_table(results: Mapping[str, Any]) -> Table:
    """Return the way from the logs to the games that were analysed; each column adds up."""
    study, flow = results["study"], results.get("flow") or []
    loaded_counts = study.get("loaded") or {}
    people = bool(study.get("people"))
    rows: list[tuple[Prose, ...]] = []
    if flow:
        excluded_counts = [sum(int(row.get(key) or 0) for row in flow) for key in ("games", "people")]
        first = (
            int(loaded_counts.get("games", int(study["games"]) + excluded_counts[0])),
            loaded_counts.get("people", int(study.get("people") or 0) + excluded_counts[1]),
        )
        at = "/study/loaded" if loaded_counts else "/study"
        rows.append(
            (cell("Loaded"), _count(first[0], f"{at}/games"), _count(first[1] if people else None, f"{at}/people"))
        )
        for place, row in enumerate(flow):
            rows.append(
                (
                    cell(f"Excluded: {line(row['reason'], SENTENCE)}"),
                    _count(row.get("games") or 0, f"/flow/{place}/games"),
                    _count((row.get("people") or 0) if people else None, f"/flow/{place}/people"),
                )
            )
        rows.append(
            (
                cell("Analysed"),
                _count(study["games"], "/study/games"),
                _count(study["people"] if people else None, "/study/people"),
            )
        )
    note = prose(
        "A negotiation that two rules exclude is counted at the first."
        + ("" if people else " Participants were not recorded.")
    )
    return Table(
        "flow:",
        "Flow of Negotiations and People",
        (head("Step"), head("Negotiations", "number"), head("People", "number")),
        tuple(rows),
        note,
    )


def rows_table(questions: Sequence[Question]) -> Table:
    """Return for each question the way from the rows that came to the units that were analysed."""
    rows = []
    for one in questions:
        row_counts = one.entry.get("rows")
        if not row_counts:
            continue
        exclusions = "; ".join(
            f"{each['count']:,} ({line(each['reason'], SENTENCE)})" for each in row_counts["excluded"]
        )
        n = int(one.entry["design"]["n_units"])
        attendance = prose(
            "{n} {rows}",
            n=one.number("/rows/came", "count"),
            rows=Prose((Run(counted(int(row_counts["came"]), row_counts["row"]).partition(" ")[2]),)),
        )
        units = prose(
            "{n} {units}",
            n=one.number("/design/n_units", "count"),
            units=Prose((Run(counted(n, one.units).partition(" ")[2]),)),
        )
        rows.append(
            (
                cell(one.id),
                attendance,
                cell(exclusions),
                cell(one.number("/rows/rows", "count")),
                cell(one.number("/rows/values", "count")),
                units,
            )
        )
    columns = (
        head("Question"),
        head("Considered"),
        head("Excluded"),
        head("Left", "number"),
        head("Values", "number"),
        head("Analysed"),
    )
    note = prose(
        "Left = considered minus excluded. Values = one for each unit of analysis and level, after several of one unit "
        "were averaged; "
        "a model of related rows uses those that are left."
    )
    return Table("rows:", "Seats or Negotiations, Values and Units of Each Question", columns, tuple(rows), note)


def measures_table(questions: Sequence[Question]) -> Table:
    """Return a row a measure: what it is, whose, and what it counts in."""
    from negstats import metrics

    rows: dict[tuple[str, str], tuple[Prose, ...]] = {}
    for one in questions:
        for name in (one.entry["measure"], *(v["name"] for v in one.entry.get("variables") or () if v["name"])):
            outcome = name == one.entry["measure"]
            measure = one.plan.measures.get(name)
            who = str((one.entry.get("who") if outcome else measure.who if measure else None) or "")
            base = measure.measure if measure is not None and measure.answer is None else name
            definition = metrics.definition_of(base)
            meaning = (
                definition.meaning
                if definition
                else f"answer to {line(measure.answer, NAME)}"
                if measure is not None and measure.answer
                else ""
            )
            if measure is not None and measure.scale:
                first, last = (line(measure.scale[at], NAME) for at in (0, -1))
                meaning += f" (1 = {first}, {len(measure.scale)} = {last}); single item"
            unit = definition.unit if definition else "scale"
            owner = {
                "human": "person",
                "agent": "agent",
                "": "negotiation" if definition and definition.per == "game" else "seat",
            }.get(who, line(who, NAME))
            rows.setdefault(
                (name, who), (cell(line(name, NAME).replace("_", " ")), cell(meaning), cell(owner), cell(unit))
            )
    return Table(
        "measures:", "Measures", (head("Measure"), head("Definition"), head("Of"), head("Unit")), tuple(rows.values())
    )


def descriptives_table(questions: Sequence[Question]) -> Table:
    """Return n, mean, SD and range of each measure, over the rows of the question that uses it first."""
    rows: dict[tuple[object, ...], tuple[Prose, ...]] = {}
    for one in questions:
        for place, variable in enumerate(one.entry.get("variables") or ()):
            words = one.words if not variable["name"] else words_of_measure(one.entry, one.plan, variable["name"])
            if variable["mean"] is None or (not variable["name"] and one.entry["kind"] == "nominal"):
                continue
            kind, digits = ("share", 2) if words.kind == "share" else ("measure", decimals_of(variable["sd"]))
            at = f"/variables/{place}"
            key = (words.noun, variable["n"], variable["mean"], variable["sd"])
            numbers = [cell(one.number(f"{at}/{name}", kind, digits)) for name in ("mean", "sd")]
            whole = kind == "measure" and all(float(variable[end]).is_integer() for end in ("low", "high"))
            low, high = (one.number(f"{at}/{end}", kind, 0 if whole else digits) for end in ("low", "high"))
            span = prose("{low} to {high}", low=low, high=high)
            rows.setdefault(
                key,
                (
                    cell(Prose((Run(words.noun[:1].upper() + words.noun[1:]),))),
                    cell(one.id),
                    cell(one.number(f"{at}/n", "count")),
                    *numbers,
                    span,
                ),
            )
    columns = (
        head("Measure"),
        head("Question"),
        head("*n*", "number"),
        head("*M*", "number"),
        head("*SD*", "number"),
        head("Range", "interval"),
    )
    note = prose(
        "*n* = seats or negotiations of the question that is named, before those of one unit were averaged. Of yes and "
        "no *M* is the share of yes."
    )
    return Table("descriptives:", "Descriptive Statistics", columns, tuple(rows.values()), note)


def hypotheses_table(planned: Sequence[Question]) -> Table:
    """Return a row a hypothesis, or a row a term of it: estimate, test, p and verdict."""
    rows = []
    for one in planned:
        verdicts = {verdict["address"]: verdict for verdict in one.entry.get("verdicts") or ()}
        has_several = len(one.answers) > 1
        if not one.answers:
            rows.append((cell(one.id), cell(""), cell(""), cell(""), cell(""), cell("Not tested")))
        for test in one.answers:
            verdict = verdicts.get(test["address"])
            verdict_text = (
                (verdict["word"] + (" (depends on the method)" if verdict["depends"] else ""))
                if verdict
                else "described"
            )
            term = test["address"].partition("#")[0].partition("/")[2]
            name = f"{one.id}, {line(term, NAME)}" if has_several and term else one.id
            rows.append(
                (
                    cell(name),
                    cell(_size(one, test)),
                    cell(_statistic(one, test)),
                    cell(_p(one, test, "p")),
                    cell(_p(one, test, "p_adjusted")),
                    cell(Prose((Run(verdict_text[:1].upper() + verdict_text[1:]),))),
                )
            )
    columns = (
        head("Hypothesis"),
        head("Estimate and interval"),
        head("Test"),
        head("*p*", "number"),
        head("Corrected *p*", "number"),
        head("Verdict"),
    )
    plan = planned[0].plan if planned else Plan()
    note = prose(
        "Intervals are {level}% CI, of one-sided tests and of equivalence {other}%. A corrected *p* decides. ",
        level=f"{100 * plan.confidence_level:g}",
        other=f"{100 * plan.one_sided_level:g}",
    ) + prose(CI)
    return Table("hypotheses:", "Hypotheses and Their Results", columns, tuple(rows), note)


def _size(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return the estimate with its interval in the measure's unit, or the effect."""
    estimate = test.get("estimate") or {}
    path = f"{question.test_at(test)}/estimate"
    if estimate.get("name") in ("difference", "adjusted_difference", "mean"):
        return join([Prose((question.number(f"{path}/value"),)), question.ends(path, level=False)])
    if estimate.get("name") in ("risk_difference", "average_marginal_effect", "share"):
        value = prose("{d}%", d=question.number(f"{path}/value", "percent", 1))
        return join([value, question.ends(path, "percent", 1, level=False)])
    return question.effect_of(test) if test.get("effect") else question.effect_of(test, "estimate")


def _statistic(question: Question, test: Mapping[str, Any]) -> Prose:
    statistic = question.statistic_of(test)
    return statistic if statistic else Prose((Run(method_name(test["method"]), named=True),))


def _p(question: Question, test: Mapping[str, Any], key: str) -> Prose:
    value = question.value(f"{question.test_at(test)}/{key}")
    return Prose((question.number(f"{question.test_at(test)}/{key}", "p"),)) if value is not None else Prose()


def _is_by_unit(question: Question) -> bool:
    """Whether a cell holds several values of a unit, so that its interval goes by the units."""
    n = sum(one["n"] for one in question.entry["cells"])
    inner_cells = math.prod(len(factor["levels"]) for factor in question.factors if factor["lies"] == "within")
    return (
        any(factor["lies"] == "partly" for factor in question.factors)
        or n > question.entry["design"]["n_units"] * inner_cells
    )


def cells_table(question: Question) -> Table:
    """Return a row a cell: its levels, n, mean and SD or count and share, and the interval."""
    cells = question.entry["cells"]
    factors = question.factors
    if not cells or not factors or all("answers" in one and "mean" not in one for one in cells):
        return _answers_table(question)
    shares = all("count" in one for one in cells)
    rows = []
    for place, one in enumerate(cells):
        at = f"/cells/{place}"
        levels = [cell(_label(question, factor["name"], one["levels"].get(factor["name"], ""))) for factor in factors]
        n = cell(question.number(f"{at}/n", "count"))
        if shares:
            ends = question.ends(at, "percent", 1, level=False) if one.get("low") is not None else Prose()
            rows.append(
                (
                    *levels,
                    n,
                    cell(question.number(f"{at}/count", "count")),
                    cell(question.number(f"{at}/share", "percent", 1)),
                    cell(ends),
                )
            )
        else:
            ends = question.ends(at, level=False) if one.get("low") is not None else Prose()
            rows.append(
                (*levels, n, cell(question.number(f"{at}/mean")), cell(question.number(f"{at}/sd")), cell(ends))
            )
    names = [
        Column(prose("{name}", name=line(factor["name"], NAME).replace("_", " ").capitalize())) for factor in factors
    ]
    numbers = (
        [head("Count", "number"), head("%", "number")] if shares else [head("*M*", "number"), head("*SD*", "number")]
    )
    by = " and ".join(line(factor["name"], NAME).replace("_", " ").title() for factor in factors)
    level = prose("{level}% CI", level=f"{100 * question.plan.confidence_level:g}")
    kind = "Wilson intervals of each share. " if shares else "Intervals are of each group's own mean. "
    if _is_by_unit(question):
        kind = (
            f"Wilson intervals of each share at its effective size, as values of one {question.units} are related. "
            if shares
            else f"Intervals are of each group's own mean, with standard errors by {question.units}. "
        )
    return Table(
        f"cells:{question.id}",
        f"{'Shares' if shares else 'Means'} of {question.id} by {by}",
        (*names, head("*n*", "number"), *numbers, Column(level, "interval")),
        tuple(rows),
        prose(kind + CI),
    )


def _answers_table(question: Question) -> Table:
    cells = [one for one in question.entry["cells"] if "answers" in one]
    words = list(dict.fromkeys(word for one in cells for word in one["answers"]))
    rows = []
    for one in cells if len(words) <= 6 else ():
        place = question.entry["cells"].index(one)
        levels = " × ".join(_label(question, name, at) for name, at in one["levels"].items()) or "All"
        counts = [
            rounded(one["answers"].get(word, 0), "count", f"{question.at}/cells/{place}/answers/{word}")
            for word in words
        ]
        rows.append(
            (cell(levels), *(cell(each) for each in counts), cell(question.number(f"/cells/{place}/n", "count")))
        )
    columns = (
        head("Group"),
        *(Column(prose("{word}", word=line(word, NAME)), "number") for word in words),
        head("*n*", "number"),
    )
    return Table(
        f"cells:{question.id}", f"Counts of Answers of {question.id}", columns, tuple(rows) if question.factors else ()
    )


def _label(question: Question, name: str, level: object) -> str:
    from negstats.report.result_tables import level_text

    return level_text(question.plan, name, level)


def tests_table(question: Question) -> Table:
    """Return a row a test of a question: what it is for, the test, its result and p."""
    rows = []
    alike = Counter((test["method"], test["address"].partition("#")[0]) for test in question.tests)
    for test in question.tests:
        term, tag = test["address"].partition("#")[0].partition("/")[2], test["address"].partition("#")[2]
        needs_tag = test["role"] == "follow-up" or tag == "mixed pairs"
        if tag and (needs_tag or alike[test["method"], test["address"].partition("#")[0]] > 1):
            term = tag.replace(" - ", " − ") if test["role"] == "follow-up" else f"{term}, {tag}" if term else tag
        role = ROLES.get(test["role"], line(test["role"], NAME))
        name = method_name(test["method"])
        rows.append(
            (
                cell(Prose((Run(f"{role[:1].upper()}{role[1:]}: {name}", named=True),))),
                cell(line(term, NAME)),
                cell(_size(question, test)),
                cell(question.statistic_of(test)),
                cell(_p(question, test, "p")),
                cell(_p(question, test, "p_adjusted")),
            )
        )
    columns = [
        head("Test"),
        head("Term"),
        head("Estimate or effect"),
        head("Statistic"),
        head("*p*", "number"),
        head("Corrected *p*", "number"),
    ]
    column_places = [at for at in range(len(columns)) if at in (0, 4) or any(str(row[at]) != "–" for row in rows)]
    if len(question.tests) < 2:
        rows = []
    title = f"Main Test and Checks for {question.id}"
    return Table(
        f"tests:{question.id}",
        title,
        tuple(columns[at] for at in column_places),
        tuple(tuple(row[at] for at in column_places) for row in rows),
        prose(
            "Intervals are in brackets. "
            + ("Corrected *p* of follow-ups are corrected among themselves." if 5 in column_places else "")
        ),
    )


def sensitivity_table(questions: Sequence[Question]) -> tuple[Table, Prose]:
    """Return the answers beside their checks, and how many of them are below alpha."""
    rows, n_significant, every = [], 0, 0
    for one in questions:
        checks = {check["address"]: check for check in one.entry.get("checks") or ()}
        by_address = {test["address"]: test for test in one.tests}
        others = one.entry.get("alternatives") or ()
        for address in dict.fromkeys([check["of"] for check in (*checks.values(), *others)]):
            group = [address, *(name for name, check in checks.items() if check["of"] == address)]
            for name in group:
                test = by_address.get(name)
                if test is None or test.get("p") is None:
                    continue
                check = checks.get(name)
                agrees = (
                    "main test"
                    if check is None
                    else "yes"
                    if check["agrees"]
                    else f"no: {line(check.get('why', ''), SENTENCE)}"
                )
                term = test["address"].partition("#")[0].partition("/")[2]
                label = f"{one.id}, {line(term, NAME)}" if term else one.id
                every, n_significant = every + 1, n_significant + (test["p"] < one.plan.alpha)
                rows.append(
                    (
                        cell(label),
                        cell(Prose((Run(method_name(test["method"]) + _part(test), named=True),))),
                        cell(_size(one, test)),
                        cell(one.statistic_of(test)),
                        cell(_p(one, test, "p")),
                        cell(Prose((Run(agrees),))),
                    )
                )
            for test in others:
                if test["of"] != address:
                    continue
                every, n_significant = every + 1, n_significant + (test["p"] < one.plan.alpha)
                rows.append(
                    (
                        cell(one.id),
                        cell(
                            f"{method_name(test['method'])}, without the exclusion: {line(test['without'], SENTENCE)}"
                        ),
                        cell(_size(one, test)),
                        cell(one.statistic_of(test)),
                        cell(_p(one, test, "p")),
                        cell("yes" if test["agrees"] else "no: more data are included"),
                    )
                )
    columns = (
        head("Question"),
        head("Analysis"),
        head("Estimate or effect"),
        head("Statistic"),
        head("*p*", "number"),
        head("Agrees"),
    )
    note = prose(
        "*p* before correction. A check agrees if it is on the same side of α and neither estimate lies outside the "
        "other's interval."
    )
    table = Table("sensitivity:", "Main Tests and Their Alternatives", columns, tuple(rows), note)
    dependent_ids = [one.id for one in questions if any(not check["agrees"] for check in one.entry.get("checks") or ())]
    sentences = [
        prose(
            "{table} has each main test with its alternatives; {k} of {n} specifications are below α = {alpha} "
            "before correction.",
            table=reference("sensitivity", ""),
            k=Run(str(n_significant), named=True),
            n=Run(str(every), named=True),
            alpha=f"{questions[0].plan.alpha:g}"[1:] if questions else "",
        )
    ]
    if dependent_ids:
        sentences.append(prose("The conclusion of {ids} depends on the method.", ids=", ".join(dependent_ids)))
    else:
        sentences.append(prose("No conclusion depends on the method."))
    sentences += [
        prose(
            "Without the exclusion ({reason}) the conclusion of {id} would be another.",
            reason=line(test["without"], SENTENCE),
            id=one.id,
        )
        for one in questions
        for test in one.entry.get("alternatives") or ()
        if not test["agrees"]
    ]
    return table, join(sentences)


def _part(test: Mapping[str, Any]) -> str:
    tag = test["address"].partition("#")[2]
    return f", {tag} units" if tag in ("between", "within") else ""


def correlations_table(results: Mapping[str, Any], questions: Sequence[Question]) -> Table:
    """Return the correlations of the measures, each row with those before it."""
    correlation_rows = results.get("correlations") or []
    nouns = []
    for row in correlation_rows:
        one, own = next(
            (
                (each, True)
                for each in questions
                if (each.entry["measure"], each.entry["who"]) == (row["measure"], row["who"])
            ),
            (next(each for each in questions if row["measure"] in _measures(each)), False),
        )
        noun = (one.words if own else words_of_measure(one.entry, one.plan, row["measure"])).noun
        nouns.append(noun[:1].upper() + noun[1:])
    rows = []
    for place, (row, noun) in enumerate(zip(correlation_rows, nouns, strict=True)):
        each = [
            cell(Prose((rounded(r, "share", f"/correlations/{place}/r/{at}"),))) if r is not None else cell("")
            for at, r in enumerate(row["r"])
        ]
        dashes = [cell("") for _ in range(len(correlation_rows) - 1 - len(each))]
        rows.append((cell(f"{place + 1}. {noun}"), *each, *dashes))
    columns = (head("Measure"), *(head(str(at), "number") for at in range(1, len(correlation_rows))))
    sizes = [n for row in correlation_rows for n in row["n"]]
    span = (
        f"{min(sizes):,}"
        if sizes and min(sizes) == max(sizes)
        else f"{min(sizes):,} to {max(sizes):,}"
        if sizes
        else ""
    )
    note = prose("Pearson's *r* of the means of units; *n* = {span}. Not tested.", span=span)
    return Table("correlations:", "Correlations Between Measures", columns, tuple(rows), note)


def _measures(question: Question) -> set[str]:
    return {question.entry["measure"], *(one["name"] for one in question.entry.get("variables") or ())}


def deviations_table(changes: Sequence[object]) -> Table:
    """Return a row a change of the plan since it was registered."""
    rows = []
    for change in changes:
        if isinstance(change, Mapping):
            rows.append(tuple(cell(change.get(key)) for key in ("path", "then", "now", "grade")))
        else:
            name, _, rest = line(change, SENTENCE).partition(": ")
            registered_text, arrow, current_text = rest.partition(" → ")
            current_text, _, grade = current_text.partition(" (") if arrow else ("", "", "")
            rows.append(
                (
                    cell(name),
                    cell(registered_text if arrow else ""),
                    cell(current_text if arrow else rest),
                    cell(grade.rstrip(")")),
                )
            )
    return Table(
        "deviations:",
        "Deviations From the Registered Plan",
        (head("Field"), head("Registered"), head("Now"), head("What it changes")),
        tuple(rows),
    )


def quality_table(results: Mapping[str, Any]) -> Table:
    """Return what the checks of the data found, of how many."""
    rows = [
        (
            cell(line(row["what"], SENTENCE)[:1].upper() + line(row["what"], SENTENCE)[1:]),
            _count(row["count"], f"/quality/{place}/count"),
            _count(row["of"], f"/quality/{place}/of"),
        )
        for place, row in enumerate(results.get("quality") or ())
        if row["count"]
    ]
    return Table(
        "quality:", "Data Quality Checks", (head("Check"), head("Found", "number"), head("Of", "number")), tuple(rows)
    )
