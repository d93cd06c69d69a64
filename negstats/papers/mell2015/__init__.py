"""mell2015: Mell, Lucas and Gratch, An Effective Conversation Tactic for Creating Value (AAMAS 2015), from its print.

167 people negotiated five times with one of four agents (framing × whether favors were returned). The paper prints
tests, not tables: so p is held against statistic and df, df against the design, d against F by each definition in use,
and the 2 × 2 tables that have a printed χ² are listed. What follows from the print, and is not said there, stands in
the reasons: that the tests of the 73 do not group them the same way, and that somebody lost points in negotiation 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from negstats import audit
from negstats.papers import neighbours
from negstats.papers.ledger import Row, printed_cells, results, row_named
from negstats.papers.mell2015 import examples
from negstats.papers.mell2015.spread import largest_sd, needed_sd
from negstats.papers.recipes import (
    Hooks,
    build_finding,
    describe_checks,
    df_check,
    p_check,
    p_text,
    printed,
    recompute_rows,
    select_rows,
    tail,
)
from negstats.papers.verdict import Check, Finding
from negstats.printed_numbers import Printed
from negstats.printed_numbers import printed as as_printed

PAPER = "mell2015"
CELLS = 4  # agents
SHOWN = 4  # tables that a sentence lists
FROM_N = "√(F(1/n₁ + 1/n₂))"

# The summaries that hold the means, or the difference of means, of a test.
DIFFERENCES = {
    "mell2015.joint.framing": "joint value, negotiation 5",
    "mell2015.player.framing": "player points, negotiation 5",
}
START, MOST = 8, 16  # what a seat has in negotiation 5 if nothing is traded, and the most that it can get; section 4


def findings() -> list[Finding]:
    """Return the finding of every printed number of the paper."""
    return recompute_rows(PAPER, HOOKS)


def _chi_squared(claim: Row) -> Finding:
    """Check p against χ² and df, try other df, and list the 2 × 2 tables that have this χ²."""
    p = p_check(claim)
    why = describe_checks([p], f"from χ²({claim.df1})")
    others = [df for df in neighbours.other_df(claim) if df != claim.df1]
    if not p.holds:
        tails = [f"{p_text(tail('chi2', printed(claim, 'value').value, df, None))} at df {df}" for df in others]
        why += f"; {', '.join(tails) or 'no df up to 12 gives it'}"
    elif claim.id.startswith("mell2015.betrayal"):
        over_all = tail("chi2", printed(claim, "value").value, CELLS - 1, None)
        why += f"; a test of the {CELLS} conditions has {CELLS - 1} df, and would have {p_text(over_all)}"
    tables = audit.tables_with(chi2=str(printed(claim, "value")), n=claim.size or 0).tables.tolist()
    table_list = ", ".join(f"[{a} {b}; {c} {d}]" for (a, b), (c, d) in tables[:SHOWN])
    if len(tables) > SHOWN:
        table_list = f"such as {table_list}"
    kinds = len({min(str(table), str([list(pair) for pair in zip(*table, strict=True)])) for table in tables})
    have = "one 2 × 2 table" if kinds == 1 else f"{kinds} different 2 × 2 tables"
    why += f"; {have}, up to order and transposition, of {claim.size} people with this χ²: {table_list}"
    return build_finding(claim, [p], why + _describe_other_groupings(claim))


def _describe_other_groupings(claim: Row) -> str:
    """Say with which other test of as many people the tables of a χ² have no grouping of these in common."""
    own = examples.splits(str(printed(claim, "value")), claim.size or 0)
    sentences = []
    for other in results(PAPER):
        if other.test != "chi-squared" or other.size != claim.size or other.id == claim.id:
            continue
        theirs = examples.splits(str(printed(other, "value")), other.size or 0)
        if own and theirs and not own & theirs:
            mine, yours = (", ".join(f"{a} + {b}" for a, b in sorted(split)) for split in (own, theirs))
            sentences.append(
                f"; its tables split the {claim.size} into {mine}, those of χ² = {other.value} into {yours}: the two "
                "tests cannot group the same people in the same way"
            )
    return "".join(sentences)


def _log_linear(rows: str, columns: str, layers: str, claim: Row) -> Finding:
    """Check p against G² and df, and df against the interaction of a table of this shape that the claim names."""
    shape = (int(rows), int(columns), int(layers))
    p = p_check(claim)
    table = " × ".join(map(str, shape))
    term = 1
    for levels in shape:
        term *= levels - 1
    why = describe_checks([p], f"from χ²({claim.df1})")
    checks = [p]
    if claim.df1 != term:
        checks.append(Check.exact("df of the interaction", as_printed(str(claim.df1)), float(term), "description"))
        models = neighbours.models_with_df(shape, claim.df1 or 0)
        why += (
            f"; the interaction of all dimensions of a {table} table has {term} df, and {claim.df1} df are those of "
            f"the deviance of {' or '.join(models) or 'no hierarchical model'}"
        )
        if any(neighbours.ALONE in model for model in models):
            why += (
                ", which SPSS prints as the effects of two and more factors (K = 2): the test is one of any association"
            )
    return build_finding(claim, checks, why)


def _main_effect(factor: str, claim: Row) -> Finding:
    """Check p and error df against F, and d against F by each definition.

    A d over the raw SD of the two groups, the other factor left in it, need not follow from a two-way F.
    """
    checks = [p_check(claim), *df_check(claim, CELLS)]
    first, second = (int(sum(cells)) for cells in level_sizes(factor).values())
    d = printed(claim, "effect_value")
    size = replace(d, number=abs(d.number))
    definitions = neighbours.d_definitions(printed(claim, "value"), claim.df2 or 0, (first, second))
    all_d = [Check(f"d = {name}", size, *values, "definition") for name, values in definitions.items()]
    fits = [check for check in all_d if check.holds]
    checks.append(fits[0] if fits else min(all_d, key=lambda check: abs(check.value - size.value)))
    why = describe_checks(checks[:-1], f"from F({claim.df1}, {claim.df2})")
    ranges = ", ".join(f"{check.name.removeprefix('d = ')} = {check.range()}" for check in all_d)
    fit = ", ".join(check.name.removeprefix("d = ") for check in fits)
    verdict = f"is {fit}" if fits else "fits no definition from F and n"
    why += f"; |d| = {size} {verdict} ({ranges})"
    return build_finding(claim, checks, why if fits else f"{why}; {_describe_raw_sds(claim, size, definitions)}")


def _describe_raw_sds(claim: Row, size: Printed, definitions: Mapping[str, tuple[float, float, float]]) -> str:
    """Say what d over the raw SD of the two groups would take, which F and n do not fix."""
    _, least, most = definitions[FROM_N]
    why = (
        "d from the raw means and SDs of the two groups, which are not printed, need not follow from a two-way F: that "
        f"gives it if the difference over SD is {size.low / most:.2f} to {size.high / least:.2f} of what F implies"
    )
    difference = _difference(claim)
    if difference is None:
        return why
    value, low, high = difference
    sd_range = needed_sd(difference, printed(claim, "value"), _sizes())
    return (
        f"{why}, such as the difference of {value:.2f} over an SD of {value / size.value:.2f} "
        f"({low / size.high:.2f} to {high / size.low:.2f}), where F needs one of {sd_range} within the cells"
    )


def _difference(claim: Row) -> tuple[float, float, float] | None:
    """Return the difference of means that a test is about, and its rounding; None if neither it nor means are printed.

    Two printed means lose half a unit each.
    """
    means = [printed(row, "mean") for row in select_rows(printed_cells(PAPER), of=DIFFERENCES.get(claim.id, ""))]
    if not means:
        return None
    first, *rest = means
    second = rest[0] if rest else as_printed("0")
    low, high = (first.low - second.high, first.high - second.low) if rest else (first.low, first.high)
    return first.value - second.value, low, high


def level_sizes(factor: str) -> dict[str, list[float]]:
    """Return how many people met each agent, by the level of a factor that the agent has."""
    sizes: dict[str, list[float]] = {}
    for row in select_rows(printed_cells(PAPER), of="participants"):
        sizes.setdefault(getattr(row, factor), []).append(printed(row, "n").value)
    return sizes


def _sizes() -> list[float]:
    return list(chain(*level_sizes("factor_a").values()))


def _retained() -> int:
    return int(sum(_sizes()))


def _condition(row: Row) -> Finding:
    """Check a condition's n against the tests' N and the other conditions."""
    n = printed(row, "n")
    [total] = {claim.size for claim in results(PAPER) if claim.test == "ANOVA"}
    check = Check.exact("n", n, (total or 0) - (_retained() - n.value), "summaries")
    return build_finding(
        row, [check], f"the tests' N of {total} less the other three conditions leaves {check.value:.0f}"
    )


def _check_answer_counts(row: Row) -> Finding:
    """Check those who accepted (or rejected) against all people and those who did the other."""
    n = printed(row, "n")
    other = {"accepted negotiation 1": "rejected negotiation 1", "rejected negotiation 1": "accepted negotiation 1"}
    [rest] = select_rows(printed_cells(PAPER), of=other[row.of])
    check = Check.exact("n", n, _retained() - printed(rest, "n").value, "summaries")
    return build_finding(row, [check], f"{_retained()} people in four conditions less {rest.n} {rest.of.split()[0]}")


def _recruited(row: Row) -> Finding:
    """Check the recruited against the retained and the percentage that dropped out."""
    n = printed(row, "n")
    [out] = select_rows(printed_cells(PAPER), of="dropped out")
    share = printed(out, "percent")
    low, value, high = (_retained() / (1 - x / 100) for x in (share.low, share.value, share.high))
    return build_finding(row, [Check("n", n, value, low, high)], f"{_retained()} retained, {share}% dropped out")


def _check_dropout(row: Row) -> Finding:
    """Check the percentage of people who dropped out."""
    [recruited] = select_rows(printed_cells(PAPER), of="recruited")
    n = printed(recruited, "n").value
    check = Check.exact("%", printed(row, "percent"), 100 * (n - _retained()) / n, "summaries")
    return build_finding(
        row, [check], f"{_retained()} of {n:.0f} recruited were retained, {check.value:.2f}% dropped out"
    )


def _mean(claim_id: str, n_seats: str, row: Row) -> Finding:
    """Say which SD the printed means and F need, and which is possible if nobody ends below where the game starts."""
    claim, seats = row_named(claim_id), int(n_seats)
    difference = _difference(claim)
    sd_range = needed_sd(difference or (0.0, 0.0, 0.0), printed(claim, "value"), _sizes())
    cells = level_sizes("factor_a")
    means = {other.factor_a: printed(other, "mean") for other in select_rows(printed_cells(PAPER), of=row.of)}
    bounds = (START * seats, MOST * seats)
    most = largest_sd(bounds, cells, means if set(means) == set(cells) else None)
    why = (
        f"needs the SDs; a difference of {(difference or (0.0,))[0]:.2f} with F = {claim.value} needs an SD of "
        f"{sd_range} within the cells"
    )
    if most < sd_range.low:
        why += (
            f"; with all between the {bounds[0]} of the start and the most that there is, {bounds[1]}, it would be at "
            f"most {most:.2f}: somebody's {row.of.split(',')[0]} fell below {bounds[0]}"
        )
    if row.factor_a and (n := sum(cells[row.factor_a])):
        why += f"; {_whole_sum(printed(row, 'mean'), int(n))}"
    return build_finding(row, [], why)


def _whole_sum(mean: Printed, n: int) -> str:
    """Say which sum of whole points a mean is, which holds for a raw mean and not for the mean of two cells' means."""
    totals = audit.grim(str(mean), n).totals
    which = " or ".join(f"{total:.0f}" for total in totals) or "no sum"
    return f"{mean} is {which} over {n} people in whole points, if it is a raw mean"


HOOKS: Hooks = {
    "chi-squared": _chi_squared,
    "log-linear": _log_linear,
    "main effect": _main_effect,
    "condition": _condition,
    "answers": _check_answer_counts,
    "recruited": _recruited,
    "dropout": _check_dropout,
    "mean": _mean,
    **examples.HOOKS,
}
