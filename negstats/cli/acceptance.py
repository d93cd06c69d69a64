"""The command of acceptance: from which benefit on people accept offers, and what an agent offers first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from negstats.cli.shared import JsonOption, MapOption, drawn, print_json, print_lines, print_table, study_at
from negstats.errors import NegstatsError, NotEstimable, UsageError, meant, shown

if TYPE_CHECKING:
    import pandas as pd

    from negstats.estimate import Acceptance, StudyOffer, Thresholds
    from negstats.games.contract import Game, Offer
    from negstats.studies.study import Study


OFFER = "An offer from numbers that you give, without a study"  # a heading in the help


def threshold(
    study: Annotated[Path | None, typer.Argument(help="A saved study, or a file or folder of raw logs.")] = None,
    role: Annotated[
        str | None,
        typer.Option(
            help="Role whose offers are used; required where several roles make offers.",
            show_default="provider_y, or the only role",
        ),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Factor to split by, such as country.")] = None,
    model: Annotated[str, typer.Option(help="auto, mixed (people differ) or pooled (one curve for all).")] = "auto",
    answers: Annotated[
        str, typer.Option(help="Whose answers: humans, or humans-to-humans (games without agents).")
    ] = "humans",
    apart: Annotated[bool, typer.Option("--apart", help="With --by: fit a separate model for each level.")] = False,
    points_per_unit: Annotated[
        float | None, typer.Option(help="Points that one exchanged unit is worth.", show_default="as in the study")
    ] = None,
    support: Annotated[
        int, typer.Option(help="Smallest number of accepted offers from which a threshold is estimated.")
    ] = 3,
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 1,
    with_offer: Annotated[
        bool, typer.Option("--offer", help="Print the offer that the agent SP-RAPD would make after this study.")
    ] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw to this .png, .svg or .pdf file.")] = None,
    pr: Annotated[
        float | None, typer.Option(help="Probability that a customer reaches the goal.", rich_help_panel=OFFER)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Risk aversion for each point; 0: risk neutral.", rich_help_panel=OFFER)
    ] = None,
    country: Annotated[
        str | None, typer.Option(help="Take pr and alpha from haim2017: China, Israel or USA.", rich_help_panel=OFFER)
    ] = None,
    benefit: Annotated[
        float | None,
        typer.Option(help="Smallest benefit of the customer for SP-RAPD, in points.", rich_help_panel=OFFER),
    ] = None,
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate the smallest benefit at which people accept offers."""
    if study is None:
        _offer_by_numbers(pr, alpha, country, benefit, as_json=as_json)
        return
    _refuse_numbers({"--pr": pr, "--alpha": alpha, "--country": country, "--benefit": benefit})
    from negstats.estimate.acceptance import goals
    from negstats.studies.participation import participation

    loaded_study = study_at(study, mapping)
    _check_factor(loaded_study, by)
    goal_rates = goals(loaded_study.tables, by)
    acceptance, no_rule = _estimate_by_rule(
        loaded_study.tables, by, seed=seed, role=role, points_per_unit=points_per_unit, support=support, n_draws=draws
    )
    people, no_people, apart_notes = _estimate_by_person(
        loaded_study.tables, by, model, answers, role, points_per_unit, seed, apart=apart
    )
    if not acceptance and isinstance(no_people, UsageError):
        raise no_people
    most = _find_most(loaded_study)
    people = [replace(person, most=most.get(person.unit)) for person in people]
    offers: list[StudyOffer] = []
    if with_offer:
        offers = _find_offers(loaded_study.tables, by, acceptance, no_rule, seed=seed, n_draws=draws)
    in_json, in_lines = drawn(figure, lambda file: _draw(acceptance, people, file, no_rule))
    who = participation(loaded_study)
    if as_json:
        role = acceptance[0].threshold.role if acceptance else role
        estimates = _build_record(acceptance, no_rule, people, no_people)
        own_offers = {"offers": [offer.to_dict() for offer in offers]} if with_offer else {}
        rates = goal_rates.to_dict("records")
        print_json({"participation": who, "role": role, "by": by, "pr": rates, **estimates, **own_offers, **in_json})
        return
    if who == "simulated":
        print_lines(["no person took part: people are simulated players in what follows", ""])
    if len(goal_rates):
        print_table(goal_rates, "pr: customers of human-only games who reached a goal, with Wilson intervals")
    _print_people(people, no_people, apart_notes)
    _print_rule(acceptance, no_rule, most)
    _print_offers(offers)
    print_lines(in_lines)


def _build_record(
    acceptance: Sequence[Acceptance], no_rule: NegstatsError | None, people: Sequence[Thresholds],
    no_people: NegstatsError | None,
) -> dict[str, Any]:  # fmt: skip
    """Return the thresholds by the rule and by person as JSON has them, or why there are none."""
    return {
        "acceptance": [part.to_dict() for part in acceptance],
        "thresholds": [_threshold_record(person) for person in people],
        "no_acceptance": no_rule and str(no_rule),
        "no_thresholds": no_people and str(no_people),
    }


def _refuse_numbers(by_numbers: Mapping[str, object]) -> None:
    """Refuse an option of an offer without a study, where a study is named."""
    wrong = next((name for name, value in by_numbers.items() if value is not None), None)
    if wrong is not None:
        raise UsageError(f"{wrong} is for an offer without a study; --offer prints that of a study's own numbers")


def _check_factor(study: Study, by: str | None) -> None:
    if by is not None and by not in study.factors:
        factors = ", ".join(study.factors)
        raise UsageError(f"--by names {shown(by)}, which is not a factor; the study has {factors}")


def _find_offers(
    tables: Mapping[str, pd.DataFrame], by: str | None, groups: list[Acceptance], no_rule: NegstatsError | None,
    **options: Any,
) -> list[StudyOffer]:  # fmt: skip
    """Return SP-RAPD's offer by the numbers of each group; its rule must have a threshold."""
    from negstats.estimate.study_offer import study_offers

    if no_rule is not None:
        raise no_rule
    return study_offers(tables, by, groups=groups, **options)


def _print_people(people: Sequence[Thresholds], no_people: NegstatsError | None, apart_notes: Sequence[str]) -> None:
    """Print the thresholds of people, or why there are none."""
    for person in people:
        print_lines([*_person_lines(person), ""])
    if no_people is not None:
        print_lines([f"thresholds by person: {no_people}", ""])
    for note in apart_notes:
        print_lines([f"thresholds by person, {note}", ""])


def _print_rule(groups: Sequence[Acceptance], no_rule: NegstatsError | None, most: Mapping[str, float]) -> None:
    """Print SP-RAPD's rule for each group with its acceptance curve, or why it has no number."""
    if groups:
        print_lines(["SP-RAPD's rule, of games of humans only (haim2017, 6.3):"])
    elif no_rule is not None:
        print_lines([f"SP-RAPD's rule (haim2017, 6.3), of games of humans only: {no_rule}"])
    for part in groups:
        curve_lines = _curve_lines(part, most.get(part.threshold.unit))
        print_lines([part.caption, *(f"  {line}" for line in [*_threshold_lines(part), *curve_lines]), ""])


def _print_offers(offers: Sequence[StudyOffer]) -> None:
    """Print SP-RAPD's offer by the numbers of each group, and what is the paper's."""
    for study_offer in offers:
        print_lines([*_offer_lines(study_offer), ""])
    if offers:
        print_lines(
            ["taken from haim2017: the board, 5 points a chip, 150 for a goal, SP-RAP's utility, and the rule", ""]
        )


def _offer_by_numbers(
    pr: float | None, alpha: float | None, country: str | None, benefit: float | None, *, as_json: bool
) -> None:
    """Print what SP-RAP (with a benefit SP-RAPD) offers first on the board of haim2017."""
    from negstats.games.contract import benefit as gain
    from negstats.games.contract import study_game
    from negstats.simulate.contract.equilibrium_seats import sp_rap, sp_rapd

    country_notes: list[str] = []
    if country is not None:
        pr, alpha, country_notes = _find_country(country, pr, alpha)
    if pr is None or alpha is None:
        raise UsageError("give a study; or for an offer --pr and --alpha, or --country for those of haim2017")
    game, seat = study_game(), 2
    numbers = {"pr": pr, "alpha": alpha}
    agent = sp_rap(game, seat, **numbers) if benefit is None else sp_rapd(game, seat, **numbers, benefit=benefit)
    offer_made = agent.offer(game.start)
    of_benefit = "" if benefit is None else f" with a benefit of {benefit:g} points"
    why_none = f"with pr {pr:.4g} and alpha {alpha:.4g} no commitment{of_benefit} is worth more to it than no deal"
    reason = why_none if offer_made is None else None
    grants, asks = ({}, {}) if offer_made is None else _colours(game, offer_made)
    points = None if offer_made is None else gain(offer_made, 0, game.chip_points)
    if as_json:
        of_offer = {"gives": grants, "asks": asks, "benefit": points, "no_offer": reason}
        print_json({**numbers, **of_offer, "notes": country_notes})
        return
    if offer_made is None:
        print_lines([f"SP_y makes no offer: {reason}"])
    else:
        total_grant, total_ask = sum(grants.values()), sum(asks.values())
        print_lines([f"SP_y gives {total_grant} chips ({_chips(grants)}) for {total_ask} ({_chips(asks)})"])
        print_lines([f"benefit to the customer: {points} points"])
    print_lines(f"note: {country_note}" for country_note in country_notes)


def _colours(game: Game, offer: Offer) -> tuple[dict[str, int], dict[str, int]]:
    """Return the chips by colour that an offer gives the customer, and those that it asks."""
    gives, asks = (
        {colour: count for colour, count in zip(game.colours, hand, strict=True) if count}
        for hand in (offer.to_customer, offer.to_provider)
    )
    return gives, asks


def _offer_lines(study_offer: StudyOffer) -> list[str]:
    """Return what SP-RAPD offers by a study's numbers: what is estimated, the offer, and what the next study needs."""
    lead = "" if study_offer.group is None else f"{study_offer.group}: "
    lines = [f"{lead}SP-RAPD's offer by this study's own numbers"]
    for name, part, unit in (
        ("pr", study_offer.pr, ""),
        ("risk aversion", study_offer.alpha, " a point"),
        ("threshold", study_offer.threshold, " points"),
    ):
        ends = "" if part is None else f"{part.value:.4g}{unit}, 95% CI [{part.low:.4g}, {part.high:.4g}]"
        lines.append(f"  estimated, {name}: {ends} ({part.basis})" if part is not None else f"  {name}: not estimable")
    if study_offer.offer is not None and study_offer.chips is not None:
        gives, asks = sum(study_offer.offer.to_customer), sum(study_offer.offer.to_provider)
        low, high = study_offer.chips
        lines.append(f"  offer: {gives} chips for {asks}; {low} to {high} by the interval of the threshold")
    else:
        words = "; the threshold's interval asks for {} to {} chips"
        range_text = "" if study_offer.chips is None else words.format(*study_offer.chips)
        lines.append(f"  offer: none{range_text}")
    if study_offer.most is not None:
        worst, best = ("none" if most < 0 else f"{most}" for most in study_offer.most)
        lines.append(f"  the most that the provider gives, by the intervals of pr and risk aversion: {worst} to {best}")
    if study_offer.games is not None:
        lines.append(
            f"  the next study needs {study_offer.games} games a condition to show, with a power of .80, that "
            f"{study_offer.tested} chips earn the provider more than people "
            f"(expected d = {study_offer.effect:.2f}, t test)"
        )
    if study_offer.reason:
        lines.append(f"  {study_offer.reason}")
    return lines


def _find_country(country: str, pr: float | None, alpha: float | None) -> tuple[float, float, list[str]]:
    """Return haim2017's pr of a country, the alpha that its printed offers give, and what to know of both."""
    from negstats.estimate.study_offer import FITTED_OFFERS, first_commitment, risk_aversion

    if country not in FITTED_OFFERS:
        raise UsageError(f"--country is {shown(country)}; {meant(country, FITTED_OFFERS, 'there are')}")
    if pr is not None or alpha is not None:
        raise UsageError("--country sets pr and alpha; leave these out")
    offers, offer = FITTED_OFFERS.values(), FITTED_OFFERS[country]
    risk = risk_aversion([fitted.pr for fitted in offers], [fitted.chips for fitted in offers])
    point = risk.alpha
    notes = [
        f"alpha is fitted to the printed offers of the three countries: [{risk.low:.5f}, {risk.high:.5f}), not "
        "measured apart from them"
    ]
    chips = first_commitment(offer.printed_pr, point)
    if chips != offer.chips:
        notes.append(
            f"pr is {offer.pr:.4f}; the printed, rounded pr of {offer.printed_pr:g} gives {country} {chips} chips, not "
            f"the printed {offer.chips}"
        )
    return offer.pr, point, notes


def _chips(chips: dict[str, int]) -> str:
    return ", ".join(f"{count} {colour}" for colour, count in chips.items())


def _estimate_by_rule(
    tables: Mapping[str, pd.DataFrame], by: str | None, **options: Any
) -> tuple[list[Acceptance], NegstatsError | None]:
    """Return SP-RAPD's threshold and curve of each group; nothing, and why, where its rule cannot be asked.

    That is where no game was of humans only, or where several roles made offers and none is named: people's thresholds
    take the offers of all of them.
    """
    from negstats.estimate.acceptance import acceptance

    try:
        return acceptance(tables, by, **options), None
    except UsageError as error:
        if options["role"] is not None and "human" not in str(error):
            raise
        return [], error


def _estimate_by_person(
    tables: Mapping[str, pd.DataFrame],
    by: str | None,
    model: str,
    answers: str,
    role: str | None,
    points_per_unit: float | None,
    seed: int,
    *,
    apart: bool,
) -> tuple[list[Thresholds], NegstatsError | None, list[str]]:
    """Return the thresholds by person, of each level by a model of its own with `apart`; or why there are none.

    Last, with `apart`, the levels that have none, and why.
    """
    from negstats.estimate.thresholds import thresholds

    options: Any = {"model": model, "answers": answers, "role": role, "points_per_unit": points_per_unit, "seed": seed}
    for name, value, choices in (
        ("model", model, ("auto", "mixed", "pooled")),
        ("answers", answers, ("humans", "humans-to-humans")),
    ):
        if value not in choices:
            raise UsageError(f"--{name} is {shown(value)}; choose {', '.join(choices)}")
    if apart and by is None:
        raise UsageError("--apart fits a separate model for each level of --by; name the factor with --by")
    try:
        if apart:
            return _estimate_apart(tables, by, **options)
        return [thresholds(tables, by, **options)], None, []
    except (NotEstimable, UsageError) as error:
        if model == "mixed":
            raise
        return [], error, []


def _estimate_apart(
    tables: Mapping[str, pd.DataFrame], by: str | None, **options: Any
) -> tuple[list[Thresholds], NegstatsError | None, list[str]]:
    """Return the thresholds of each level by its own model, why no level has any, and the levels that have none."""
    from negstats.estimate.acceptance import parts_of
    from negstats.estimate.thresholds import thresholds

    fits: list[Thresholds] = []
    reasons: dict[str, NegstatsError] = {}
    for level, part in parts_of(tables, by):
        try:
            fit = thresholds({**part, "games": tables["games"]}, by, **options)
        except (NotEstimable, UsageError) as error:
            reasons[str(level)] = error
        else:
            fits.append(replace(fit, caption=f"{level}: {fit.caption}"))
    if not fits and reasons:
        return [], next(iter(reasons.values())), []
    return fits, None, [f"{level}: {error}" for level, error in reasons.items()]


def _threshold_record(result: Thresholds) -> dict[str, object]:
    """Return plain values for JSON."""
    frames = ("population", "shares", "difference", "people")
    counts = {name: getattr(result, name) for name in ("model", "n", "accepted", "persons", "unit", "slope")}
    counts["level"] = result.confidence_level
    tables = {name: getattr(result, name).to_dict("records") for name in frames}
    return {
        **counts,
        **tables,
        "interaction_p": result.interaction_p,
        "caption": result.caption,
        "notes": [*result.notes],
    }


def _find_most(study: Study) -> dict[str, float]:
    """Return the largest benefit that an offer can bring, by the unit of benefits, where the study says it."""
    from negstats.analysis.scales import scale_of_points

    most = {"share of the pie": 1.0}
    scale = scale_of_points(study)
    if scale is not None:
        batna = study.players["batna"].min()
        most["points"] = float(scale["high"]) - (float(batna) if batna == batna else 0.0)
    wholes = (study.offers["units_to_proposer"] + study.offers["units_to_responder"]).dropna()
    if len(wholes):
        most["units"] = float(wholes.max())
    return most


def _person_lines(result: Thresholds) -> list[str]:
    """Return the lines on people's thresholds."""
    from negstats.stats.results import apa

    kinds = {"mixed": "people differ (mixed model)", "pooled": "one curve for all people", "censored": "least amounts"}
    lines = [f"acceptance by people: {result.caption}", f"  {kinds[result.model]}; benefit in {result.unit}"]
    has_groups = len(result.population) > 1
    # What has the same number and interval is printed once: of a symmetric curve half of the people accept the mean.
    same: dict[tuple[str, str], list[str]] = {}
    spreads: dict[tuple[str, str], str] = {}
    beyond: dict[str, list[str]] = {}
    for row in result.population.to_dict("records"):
        if row["mean"] == row["mean"] and result.model != "pooled":  # a pooled curve has its half among the shares
            lead, number = _number_key(row, row["mean"], result, has_groups=has_groups)
            key = lead, f"{number}{result.beyond(row['mean'])}"
            same.setdefault(key, []).append("mean threshold")
            spreads[key] = f", SD of thresholds {row['sd']:.4g}" if row["sd"] == row["sd"] else ""
    for row in result.shares.to_dict("records"):
        lead, number = _number_key(row, row["benefit"], result, has_groups=has_groups)
        share = f"{row['share']:.0%} of {row['of']}"
        if result.beyond(row["benefit"]):
            beyond.setdefault(lead, []).append(share)
        else:
            same.setdefault((lead, number), []).append(share)
    lines += [
        f"  {lead}{_join_labels(labels, number)}{spreads.get((lead, number), '')}"
        for (lead, number), labels in same.items()
    ]
    lines += [
        f"  {lead}{_join_ranges(labels)}: unreachable, for an offer brings at the most {result.most:.4g}"
        for lead, labels in beyond.items()
    ]
    lines += [
        f"  {pair['first']} − {pair['second']}: {pair['difference']:.4g}{_ends(pair, result.confidence_level)}, "
        f"{apa.p_value(pair['p_adjusted'])}"
        for pair in result.difference.to_dict("records")
    ]
    if result.interaction_p == result.interaction_p:
        lines.append(f"  slopes of the groups differ: {apa.p_value(result.interaction_p)} (likelihood ratio)")
    return [*lines, *(f"  note: {note}" for note in result.notes)]


def _number_key(row: Mapping[Any, Any], value: float, result: Thresholds, *, has_groups: bool) -> tuple[str, str]:
    lead = f"{row['group']}: " if has_groups else ""
    return lead, f"{value:.4g}{_ends(row, result.confidence_level)}"


def _join_labels(labels: list[str], number: str) -> str:
    """Return what has one number: "mean threshold 46.08", or "50% of people and 50% of decisions accept 46.08"."""
    by_noun = _shares_by_noun(labels)
    who = " and ".join(f"{', '.join(shares)} of {noun}" for noun, shares in by_noun.items())
    if "mean threshold" not in labels:
        return f"{who} accept {number}"
    return f"mean threshold{f', which {who} accept,' if who else ''} {number}"


def _join_ranges(labels: list[str]) -> str:
    """Return shares in a row by their ends.

    >>> _join_ranges([f"{share}% of people" for share in (50, 75, 90)])
    '50% to 90% of people'
    """
    by_noun = _shares_by_noun(labels)
    ends = {noun: " to ".join(dict.fromkeys((shares[0], shares[-1]))) for noun, shares in by_noun.items()}
    return " and ".join(f"{shares} of {noun}" for noun, shares in ends.items())


def _shares_by_noun(labels: list[str]) -> dict[str, list[str]]:
    by_noun: dict[str, list[str]] = {}
    for label in labels:
        share, of, noun = label.partition(" of ")
        if of:
            by_noun.setdefault(noun, []).append(share)
    return by_noun


def _ends(row: Mapping[Any, Any], level: float) -> str:
    low, high = row["low"], row["high"]
    return f", {level:.0%} CI [{low:.4g}, {high:.4g}]" if low == low else ", no interval"


def _draw(
    acceptance: list[Acceptance], people: list[Thresholds], figure: Path, reason: NegstatsError | None = None
) -> None:
    """Draw the curves of SP-RAPD's rule; where there is none, people's thresholds."""
    import matplotlib.pyplot as plt

    from negstats.plots import acceptance_curve, save_figure
    from negstats.plots import thresholds as draw_thresholds

    curves = [part for part in acceptance if part.fitted is not None]
    if not curves:
        if len(people) == 1 and len(people[0].people):
            save_figure(draw_thresholds(people[0]), figure)
            return
        reasons = dict.fromkeys(str(part.no_curve) for part in acceptance) or [str(reason)]
        raise NotEstimable("; ".join(reasons))
    _, axes = plt.subplots(len(curves), squeeze=False, figsize=(6.4, 3.8 * len(curves)), layout="constrained")
    for part, ax in zip(curves, axes[:, 0], strict=True):
        acceptance_curve(part, ax=ax)
    save_figure(axes[0, 0], figure)


def _threshold_lines(part: Acceptance) -> list[str]:
    threshold, unit = part.threshold, part.threshold.unit
    lines = [f"{threshold.n} decisions in {threshold.games} games, {threshold.accepted} accepted; benefit in {unit}"]
    lines.append(f"acceptance threshold: {_number(part.threshold_at, unit, 'not estimable')}")
    lines.append(
        f"  condition 1, all offers from there on accepted: {_number(threshold.answered_always, unit, 'not estimable')}"
    )
    if threshold.rivals:
        least = _number(threshold.as_generous, unit, "no offers")
        lines.append(f"  condition 2, as generous as the rival's mean offer: {least}")
    if threshold.bracket is not None and threshold.bracket.low is not None:
        low, high, level = threshold.bracket.low, threshold.bracket.high, threshold.bracket.confidence_level
        lines.append(f"  if it is sharp, {level:.0%} CI [{low:.4g}, {high:.4g}]")
    reason = threshold.why_not or (threshold.bracket and threshold.bracket.reason)
    return [*lines, f"  {reason}"] if reason else lines


def _number(value: float | None, unit: str, absent: str) -> str:
    return absent if value is None else f"{value:.4g} {unit}"


def _curve_lines(part: Acceptance, most: float | None = None) -> list[str]:
    if part.fitted is None:
        return [f"acceptance curve: {part.no_curve}"]
    from negstats.estimate._thresholds import TOLERANCE

    lines = []
    for point in part.fitted.points:
        if most is not None and point.benefit > most * (1 + TOLERANCE):
            lines.append(f"{point.share:.0%} accept no offer that can be made: it brings at the most {most:.4g}")
            continue
        interval = (
            f"{point.confidence_level:.0%} CI [{point.low:.4g}, {point.high:.4g}]"
            if point.low is not None
            else "no interval"
        )
        lines.append(
            f"{point.share:.0%} accept a benefit of {point.benefit:.4g} {part.fitted.unit}, {interval}"
            f" (isotonic: {_number(point.isotonic, part.fitted.unit, 'never')})"
        )
    return lines
