"""Figures 1 and 3 to 7 of mell2015, as far as its numbers are printed or follow from what is printed.

Cell means and SDs are not printed, but tests are: a difference with its F has a standard error, an F with its ns has a
standardized difference, and a chi-squared with its N has few tables that give it.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy import special

from negstats.audit import tables_with
from negstats.errors import DesignError
from negstats.games.pareto import minkowski_sum, pareto_optimal
from negstats.papers.figure import Figure, sources_of
from negstats.papers.ledger import printed_cells, row_named
from negstats.papers.mell2015 import level_sizes
from negstats.papers.recipes import printed, select_rows
from negstats.plots import cell_means, outcome_space, stacked_proportions
from negstats.stats.effects import d_from_t

PAPER = "mell2015"
CAPTION = "by the figure's caption; its bars do not survive"


def figures() -> list[Figure]:
    """Return the figures that can be drawn."""
    return [_two_negotiations(), _tables_that_fit(), _betrayal(), _joint_value(), _effects()]


def _draw_two_negotiations(table: pd.DataFrame) -> Axes:
    columns = (table[name].tolist() for name in ("negotiation_1", "negotiation_2", "player", "agent"))
    place = {(first, second): (player, agent) for first, second, player, agent in zip(*columns, strict=True)}
    deals = {
        "favor returned": ("favor deal", "favor deal"),
        "favor not returned": ("favor deal", "favor not returned"),
        "no deal twice": ("no deal", "no deal"),
    }
    ax = outcome_space(
        table,
        x="player",
        y="agent",
        labels=("player, negotiations 1 + 2 (points)", "agent, negotiations 1 + 2 (points)"),
        points={name: place[cell] for name, cell in deals.items()},
        caption="Pareto over time: sums of the deals and BATNAs that Table 4 prints; other deals are not printed",
    )
    ax.set_xlim(0, 1.08 * table["player"].max())
    ax.set_ylim(0, 1.08 * table["agent"].max())
    return ax


def _two_negotiations() -> Figure:
    """Sum over negotiations 1 and 2, each ending in one of its printed deals or in the BATNAs."""
    ways = {"returned": "favor deal", "never": "favor not returned", "batna": "no deal"}
    rows = {
        (number, way): [row_named(f"{PAPER}.payoff.{number}.{who}.{way}") for who in ("player", "agent")]
        for number in (1, 2)
        for way in ways
    }
    first, second = (
        {
            name: tuple(printed(row, "value").value for row in rows[number, way])
            for way, name in ways.items()
            if (number, way) != (1, "never")  # the favor is asked for here
        }
        for number in (1, 2)
    )
    sums = minkowski_sum(list(first.values()), list(second.values()))
    numbers = pd.DataFrame(
        {
            "negotiation_1": np.repeat(list(first), len(second)),
            "negotiation_2": list(second) * len(first),
            "player": sums[:, 0],
            "agent": sums[:, 1],
            "optimal": pareto_optimal(sums),
        }
    )

    sources = sources_of([row for pair in rows.values() for row in pair])
    computation = "sums over two negotiations, and which of them are Pareto optimal"
    assigned = "the idea of section 3 (Pareto over time) from Table 4, not by the picture"
    return Figure(PAPER, "1", "pareto_over_time", numbers, _draw_two_negotiations, sources, computation, assigned)


def _tables_that_fit() -> Figure:
    """All 2 × 2 tables that print the χ² of the discovery, with favor language ahead as the paper says."""
    return _fitting("3", "tables_that_fit", "mell2015.pareto", ("favor", "generic"), ("both accepted", "not both"))


def _betrayal() -> Figure:
    """All 2 × 2 tables that print the χ² of acceptance in negotiation 3, with the betrayed behind as the paper says."""
    return _fitting(
        "4",
        "betrayal_tables_that_fit",
        "mell2015.betrayal.accepted",
        ("not betrayed", "betrayed"),
        ("accepted negotiation 3", "rejected it"),
    )


def _fitting(number: str, name: str, claim_id: str, groups: tuple[str, str], answers: tuple[str, str]) -> Figure:
    """Draw every table of N people whose uncorrected χ² rounds to the printed one, the group that is ahead first."""
    claim = row_named(claim_id)
    table_pairs = []
    for (a, b), (c, d) in tables_with(chi2=str(printed(claim, "value")), n=claim.size or 0).tables.tolist():
        # χ² does not tell rows from columns nor the answers from each other: all readings.
        for rows in ({(a, b), (c, d)}, {(a, c), (b, d)}):
            for flip in (False, True):
                pair = sorted((row[::-1] if flip else row for row in rows), key=lambda row: -row[0] / sum(row))
                table_pairs.append(tuple(pair))
    tables = sorted(set(table_pairs), key=lambda pair: -pair[0][0] / sum(pair[0]))
    if not tables:
        raise DesignError(f"{claim.id}: no table of {claim.size} people gives {claim.printed}")
    numbers = pd.DataFrame(
        [
            {"table": "ABCDEFGH"[i], "group": group, answers[0]: row[0], answers[1]: row[1]}
            for i, pair in enumerate(tables)
            for group, row in zip(groups, pair, strict=True)
        ]
    )

    def draw(table: pd.DataFrame) -> Axes:
        cross = table[list(answers)].set_axis(table["table"] + ": " + table["group"])
        caption = (
            f"The counts are not printed. These {len(tables)} tables, {groups[0]} ahead, "
            f"are all that give {claim.printed}, N = {claim.size}"
        )
        return stacked_proportions(cross, label="people who accepted negotiation 1", caption=caption)

    computation = "the tables: all counts of N people whose uncorrected χ² rounds to the printed one"
    return Figure(PAPER, number, name, numbers, draw, (claim.source,), computation, CAPTION)


def _joint_value() -> Figure:
    claim = row_named("mell2015.joint.framing")
    rows = [row for row in printed_cells(PAPER) if row.of == "joint value, negotiation 5"]
    cells = level_sizes("factor_a")
    means = {row.factor_a: printed(row, "mean").value for row in rows}
    difference = means["favor"] - means["generic"]
    # F compares the means of two cells each: F = difference² / (s² Σ 1/n / 4).
    sd = abs(difference) / math.sqrt(printed(claim, "value").value * sum(1 / n for n in chain(*cells.values())) / 4)
    reach = float(special.stdtrit(claim.df2 or 0, 0.975))
    numbers = pd.DataFrame(
        {
            "framing": list(means),
            "n": [sum(cells[level]) for level in means],
            "mean": list(means.values()),
            "se": [sd * math.sqrt(sum(1 / n for n in cells[level])) / 2 for level in means],
        }
    )
    numbers = numbers.assign(low=numbers["mean"] - reach * numbers["se"], high=numbers["mean"] + reach * numbers["se"])

    def draw(table: pd.DataFrame) -> Axes:
        return cell_means(
            table,
            "framing",
            label="joint value, negotiation 5 (points)",
            bars="given",
            bars_name=f"95% CI, from the printed F({claim.df1}, {claim.df2}) = {claim.value} and the conditions' n",
            joined=False,
            caption="Joint value by framing",
        )

    sources = (
        *sources_of(rows),
        claim.source,
        *sources_of(select_rows(printed_cells(PAPER), of="participants")),
    )
    computation = "SE and interval of each mean: the pooled SD that gives the printed F for the printed difference"
    return Figure(PAPER, "5", "joint_value", numbers, draw, sources, computation, CAPTION)


EFFECTS = {
    "mell2015.joint.framing": "joint value:\nfavor − generic",
    "mell2015.player.framing": "player points:\nfavor − generic",
    "mell2015.player.quality": "player points:\nnever − returned",
    "mell2015.agent.quality": "agent points:\nnever − returned",
}

# The first level less the second, as the signs of d are printed.
ORDERS = {"framing": ("favor", "generic"), "quality": ("never returned", "returned")}


def _effects() -> Figure:
    """Cohen's d of the four tests, from F and the groups' sizes, beside the printed d; its sign is the printed one."""
    records = []
    for name, effect in EFFECTS.items():
        claim = row_named(name)
        as_printed = printed(claim, "effect_value").value
        by_level = level_sizes("factor_a" if name.endswith("framing") else "factor_b")
        sizes = [int(sum(by_level[level])) for level in ORDERS["framing" if name.endswith("framing") else "quality"]]
        t = math.copysign(math.sqrt(printed(claim, "value").value), as_printed)
        d = d_from_t(t, n=(sizes[0], sizes[1]))
        interval = d.confidence_interval()
        shared = {"effect": f"{effect}\nn = {' and '.join(map(str, sizes))}", "n": float(sum(sizes))}
        records.append(shared | {"d": "from F", "mean": d.value, "low": interval.low, "high": interval.high})
        records.append(shared | {"d": "printed", "mean": as_printed, "low": math.nan, "high": math.nan})
    numbers = pd.DataFrame(records)

    def draw(table: pd.DataFrame) -> Axes:
        ax = cell_means(
            table,
            "effect",
            "d",
            label="Cohen's d, negotiation 5 (standard deviations)",
            bars="given",
            bars_name="95% CI (noncentral t) of the d from F; n: of the first group and of the second",
            joined=False,
            sizes=False,
            caption="Effects on points in negotiation 5: d from the printed F and n, and d as printed (without bars). "
            "By the text agents that returned got more: the printed signs are those of never − returned",
        )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.get_figure().set_size_inches(8.2, 4.0)  # type: ignore[union-attr]
        return ax

    sources = (
        *(row_named(name).source for name in EFFECTS),
        *sources_of(select_rows(printed_cells(PAPER), of="participants")),
    )
    computation = "d from F and the sizes of the two groups, with its interval; the sign is the printed one"
    return Figure(PAPER, "5-7", "effects", numbers, draw, sources, computation, CAPTION)
