"""What is asked about cells and rows: codes for missing, slips, series of columns, rows that do not count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from negstats.errors import UsageError
from negstats.loaders.reading.clusters import find_partners, find_unnamed_groups
from negstats.loaders.reading.columns import Column, flag_column
from negstats.loaders.reading.families import alpha_of, are_decisions, are_levels, share_rising
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.missing_codes import far_codes, is_heaped
from negstats.loaders.reading.people_of_seats import find_people
from negstats.loaders.reading.questions import Option
from negstats.loaders.reading.reading import Reading
from negstats.loaders.reading.relations import crossed, determination, determines, joint_codes, name_pair
from negstats.loaders.reading.words import is_named, says_who_acts
from negstats.sanitize import first_few

_NO_GROUP = "they are no group: each row is a separate case"
_NUMBERED = re.compile(r"(.*?)[ _.]?(\d+)([^\d.]*)")  # a name that ends in a number, but for a few letters
_FEWEST_OF_SERIES, _FEWEST_OTHERS = 3, 3  # columns, and numbers besides one that may be a code
_SAME_ROWS = 0.9  # of the rows with a code for missing have it in another column too
_RISING = 0.9  # of the people turn from no to yes once, or never, as the amount that they answer rises
_CONSISTENT = 0.7  # Cronbach's alpha, from which on ratings are likely items of one scale
_MOST_GROUPS, _ALL_OF_GROUP = 12, 0.95  # words of a column, in each of which a number stands always or never
_MOST_OF_SCALE, _FEWEST_OF_SCALE = 25, 20  # levels, and cells, of a scale of which one number may be a slip


def ask_missing(reading: Reading) -> None:
    """Ask about numbers that stand far from all others and are usual codes for a missing value."""
    amounts = [reading.offer.amount] if reading.offer else []
    likely_codes: dict[str, list[float]] = {}
    counts = []
    measured = [*reading.roles.outcomes, *reading.roles.traits, *amounts]
    set_columns = [*reading.roles.conditions, *(column for _, column in reading.roles.asked)]
    measured += [column for column in set_columns if column.name in reading.coded]
    of_numbers = [reading.coded.get(column.name, column) for column in measured if column.has_numbers]
    for column in of_numbers:
        least, *others = np.unique(column.values).tolist()
        codes = far_codes(column)
        if len(others) >= _FEWEST_OTHERS and least < 0 <= others[0] and least not in codes:
            is_code = is_heaped(column, least) or _stands_for_nothing(reading, column, least)
            codes += [least] * is_code
        if codes:
            likely_codes[column.name] = codes
    if not likely_codes:
        return
    likely_codes |= _same_codes(of_numbers, likely_codes)
    marks = _marks_of(reading, likely_codes)
    likely_codes |= {column.name: [float(column.values[0])] for column in marks}
    for column in dict.fromkeys([*of_numbers, *marks]):
        for code in likely_codes.get(column.name, ()):
            cells = int(column.sizes[column.values == code].sum())
            counts.append(f"{code:g} in {column.name} ({cells} cells)")
    evidence = "; ".join(
        f"{name}: the others are far from it, it is the only negative number, or it is that of whole groups"
        for name in likely_codes
    )
    are_codes = Option(f"they mean missing: {', '.join(counts)}", evidence)
    if reading.choose("missing", "Do these numbers mean a missing value?", are_codes, "they are values") == 1:
        reading.missing = likely_codes
        reading.roles.drop(marks)


def _same_codes(columns: Sequence[Column], codes: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Return codes that stand in further columns where they mean missing in others: an answer of 2, of 3, or 999."""
    found: dict[str, list[float]] = {}
    coded = [(column, code) for column in columns for code in codes.get(column.name, ())]
    for column in (each for each in columns if each.name not in codes):
        for other, code in coded:
            is_missing = np.asarray(column.numbers)[other.numbers == code] == code
            if column.n_levels > 2 and is_missing.mean() > _SAME_ROWS and code not in found.get(column.name, ()):
                found.setdefault(column.name, []).append(code)
    return found


def _marks_of(reading: Reading, codes: Mapping[str, Sequence[float]]) -> list[Column]:
    """Return columns of one number besides the code for missing of several others: marks of events, no levels."""
    times = Counter(code for of in codes.values() for code in of)
    return [
        column
        for column in reading.facts.columns
        if column.has_numbers and column.n_levels == 2 and times[float(column.values[0])] >= _FEWEST_OF_SERIES
    ]


def _stands_for_nothing(reading: Reading, column: Column, code: float) -> bool:
    """Whether a number stands in all rows of some levels of another column and in no others: -1 of responders."""
    flag = flag_column(np.asarray(column.numbers == code))
    words = (each for each in reading.facts.discrete if not each.has_numbers and each.n_levels <= _MOST_GROUPS)
    return any(determination(each, flag) > _ALL_OF_GROUP for each in words if each is not column)


def ask_outliers(reading: Reading) -> None:
    """Ask about a number that stands alone, far from all others of a scale: 30 among offers of 1 to 5."""
    amounts = [reading.offer.amount] if reading.offer else []
    far: dict[str, list[float]] = {}
    for column in [*amounts, *reading.roles.outcomes]:
        is_scale = column.is_whole and 4 <= column.n_levels <= _MOST_OF_SCALE and column.n_filled >= _FEWEST_OF_SCALE
        if not is_scale or column.name in far or column.name in reading.missing:
            continue
        values = np.unique(column.values)
        for place in (0, -1):
            others = np.delete(values, place)
            gap = float(np.min(np.abs(others - values[place])))
            is_lone = int((column.numbers == values[place]).sum()) == 1
            if is_lone and gap > 3 * (others.max() - others.min()):
                far.setdefault(column.name, []).append(float(values[place]))
    if not far:
        return
    named = ", ".join(f"{value:g} in {name}" for name, values in far.items() for value in values)
    evidence = "it occurs once, farther from the others than three times their range"
    is_value = Option(f"a value like the others: {named}", evidence)
    if reading.choose("outlier", f"What is {named}?", is_value, "a slip: it counts as missing") == 2:
        reading.missing |= far


def find_series(reading: Reading) -> list[list[Column]]:
    """Return the families of columns that differ in their last number, of numbers or of the same two words."""
    if reading.row.kind == "events":
        return []
    series: dict[tuple[str, str], list[tuple[int, Column]]] = {}
    facts = reading.facts
    for column in [*facts.columns, *facts.constants]:  # what everybody did is an answer too
        numbered = _NUMBERED.fullmatch(column.name)
        are_grades = column.has_numbers or all(re.match(r"\s*\d", level) for level in column.levels)
        if numbered and numbered[1] and (are_grades or column.n_levels <= 2) and not column.is_unique:
            series.setdefault((numbered[1], numbered[3]), []).append((int(numbered[2]), column))
    seats = {*facts.members}  # of which each has a column
    person = reading.row.person
    units = [each for each in (*reading.row.game, person, reading.row.seat, reading.row.order) if each is not None]
    # Numbers that stand behind the names of people and games too are those of the table's columns.
    of_units = (_NUMBERED.fullmatch(name) for unit in units for name in unit.parts or (unit.name,))
    of_columns = {(numbered[1], numbered[3]) for numbered in of_units if numbered}
    families = [
        [column for _, column in sorted(of, key=lambda each: each[0])]
        for stem, of in series.items()
        if stem not in of_columns and {str(number) for number, _ in of} != seats
    ]
    if reading.row.kind == "repeated" and person is not None:  # items that each person has answered once
        families = [family for family in families if all(determines(person, column) for column in family)]
    return [
        family
        for family in families
        if len(family) >= _FEWEST_OF_SERIES
        and not are_levels(family)
        and len({column.n_levels <= 2 for column in family}) == 1
        and (
            len({level for column in family for level in column.levels}) == 2
            or all(column.has_numbers or re.match(r"\s*\d", column.levels[0]) for column in family)
        )
    ]


def _name_families(families: Sequence[Sequence[Column]]) -> str:
    """Return families by their first and last columns."""
    return "; ".join(f"{family[0].name} to {family[-1].name}" for family in families)


def ask_series(reading: Reading, families: list[list[Column]]) -> None:
    """Ask whether columns that differ in a number are items of a scale, of their own, or answers to amounts."""
    if not families:
        return
    names = _name_families(families)
    decisions = [family for family in families if are_decisions(family)]
    each = "decisions or measures of their own, each of which is asked about"
    alphas = [alpha_of(family) for family in families]
    consistency = f"Cronbach's alpha {min(alphas):.2f}" if len(alphas) == 1 else f"alphas from {min(alphas):.2f}"
    options: list[Option | str] = [
        Option("items of one scale, of which the mean is taken", consistency if min(alphas) > 0 else ""),
        f"{each}; of {_name_families(decisions)} the mean comes first" if decisions else each,
    ]
    shares = [share_rising(family) for family in families]
    rising = families[int(np.argmax(shares))]
    if max(shares) > _RISING:
        words = f"{rising[0].name} to {rising[-1].name} are a yes or no to rising amounts: the least yes counts"
        options.append(Option(words, f"no turns to yes once, or never, in {max(shares):.0%} of the rows"))
    has_numbers = any(all(column.has_numbers for column in family) for family in families)
    if len(options) == 2 and not (has_numbers and reading.row.person is not None):
        return  # no mean can be taken, so that no answer would change anything
    are_ratings = not decisions and len(options) == 2 and min(alphas) >= _CONSISTENT
    likely = 1 if are_ratings else len(options)
    place = reading.choose("decisions", f"What are the columns {names}?", *options, likely=likely)
    reading.are_scales = place == 1
    if place == 3:
        reading.thresholds = rising


def ask_excluded(reading: Reading) -> None:
    """Ask which rows count, where a column says that some were no good, or most hold nothing of what happened."""
    flag = next(iter(reading.roles.flags), None)
    rare = 0 if flag is None else int(np.argmin(flag.sizes))
    options, about = [Option("all rows count")], []
    if flag is not None:
        counts = f"{int(flag.sizes[rare])} of {flag.n_filled} rows"
        options.append(Option(f"rows with {flag.name} = {flag.levels[rare]} are excluded", counts))
        about.append(f"whatever {flag.name} says")
    block = _find_empty_block(reading) if reading.row.kind in ("alone", "repeated") else []
    if block:
        names = first_few([column.name for column in block])
        counts = f"empty together in {block[0].rows - block[0].n_filled} of {block[0].rows} rows"
        options.append(Option(f"rows without {names} are excluded", counts))
        about.append(f"also where {names} are empty")
    if not about:
        return
    place = reading.choose("excluded", f"Do all rows count, {' and '.join(about)}?", *options)
    if block and place == len(options):
        reading.empty_rows = block[0]
    elif flag is not None and place == 2:
        reading.excluded[flag.name] = flag.levels[rare]


def _find_empty_block(reading: Reading) -> list[Column]:
    """Return columns that are empty together in most rows, which no level of another column explains: [] for none.

    A question that one condition only is asked, or what one of two roles does, is empty by design. Where nothing
    says why, people were not there, and a zero in these rows is not a decision.
    """
    facts = reading.facts
    by_rows: dict[bytes, list[Column]] = {}
    for column in facts.columns:
        if 0 < column.n_filled < 0.5 * column.rows:
            by_rows.setdefault(np.packbits(column.filled).tobytes(), []).append(column)
    block = max(by_rows.values(), key=len, default=[])
    if len(block) < _FEWEST_OF_SERIES:
        return []
    for each in facts.discrete:
        if each.share_filled < 1 or each.n_levels > _MOST_GROUPS:
            continue
        shares = np.bincount(each.codes, weights=block[0].filled, minlength=each.n_levels) / each.sizes
        # An outcome that is zero where nothing happened says the same again, unless it leads to these columns.
        rest = 0.0 if each in reading.roles.outcomes else 1 - _ALL_OF_GROUP
        if shares.max() >= 1 - rest and bool(np.all((shares <= rest) | (shares >= 1 - rest))):
            return []
    return block


def ask_doubled(reading: Reading) -> None:
    """Ask about rows that name a seat twice."""
    row = reading.row
    teller = row.seat or row.person
    if teller is None:
        return
    codes = joint_codes([*row.game, teller])
    codes = codes[codes >= 0]
    doubled = int((np.bincount(codes)[codes] > 1).sum()) if codes.size else 0
    if not doubled:
        return
    counts = f"{doubled} rows name a seat that occurs twice"
    of_games = Option("these games are excluded and counted", counts)
    empty = _find_empty_rows(reading, [*row.game, teller])
    options = [of_games]
    if empty is not None:
        options.insert(0, Option(f"rows without {empty.name} are excluded: somebody began anew", counts))
    place = reading.choose("doubled", "What should happen to seats that occur twice in a game?", *options)
    is_of_rows = empty is not None and place == 1
    reading.empty_rows = empty if is_of_rows else None
    reading.has_doubled_seats = not is_of_rows


def ask_partners(reading: Reading) -> Hypothesis | None:
    """Stop where rows name each other; return the reading that two of them are the seats of one game, if it holds."""
    facts = reading.facts
    partners = None if facts.sides is not None else find_partners(facts, reading.row)
    if partners is None:
        return None
    person, other, blocks = partners
    names = f"{person.name} and {other.name}"
    text, evidence = f"Why do rows name each other by {names}?", f"rows name each other by {names}"
    are_pair = Option(f"two rows that name each other are the seats of one game: {names} name it together", evidence)
    no_group = f"they are no group: {reading.row.label}"
    if reading.choose("game", text, no_group, are_pair, likely=2, is_stop=True) != 2:
        return None
    pair = name_pair(person, other)
    facts.columns.append(pair)
    hypothesis = Hypothesis("seats", person=person, game=(*blocks, pair))
    hypothesis.add(4.0, f"{names} name each other")
    if reading.row.kind == "repeated":
        hypothesis.person = reading.row.person
    elif blocks:
        hypothesis.person = facts.find_joint(person)
        if hypothesis.person is None:
            numbered = crossed(*blocks, person)
            hypothesis.person = replace(numbered, parts=(*(each.name for each in blocks), person.name))
            facts.columns.append(hypothesis.person)
    return hypothesis


def ask_who_acts(reading: Reading) -> None:
    """Stop where no name says which of two columns that name each other tells who acts, and which who is addressed."""
    row, facts = reading.row, reading.facts
    if row.kind != "events" or row.seat is None:
        return
    met = (one for of in facts.who_act_and_meet if row.seat in of for one in of if one is not row.seat)
    other = next(met, None)
    if other is None or says_who_acts(row.seat) != says_who_acts(other):
        return
    options = []
    for one, two in ((row.seat, other), (other, row.seat)):
        own = [each.name for each in facts.determined_by(one) if not determines(two, each)]
        options.append(Option(one.name, f"constant in each of them alone: {first_few(own)}" if own else ""))
    if reading.choose("proposer", "Which column names who acts in each row?", *options, is_stop=True) == 2:
        row.person = other if row.person is row.seat else row.person
        row.seat = other


def ask_people_of_seats(reading: Reading) -> None:
    """Read who sits in seats side by side; stop where nothing says whether numbers begin anew in each session."""
    people = find_people(reading.facts)
    if people is not None and people.is_open:
        session = " × ".join(people.parts[:-1])
        begin_anew = Option(f"each {session} has people of its own", f"numbers of people begin anew in each {session}")
        text = "Who has one number in several sessions?"
        if reading.choose("person", text, begin_anew, "one person, who came again", is_stop=True) != 1:
            return
    reading.people_of_seats = people


def ask_unnamed_groups(reading: Reading) -> None:
    """Stop where rows that stand together share what only a group has, and no column names the groups."""
    facts = reading.facts
    reason = None if facts.sides is not None else find_unnamed_groups(facts)
    if reason is None:
        return
    are_group = Option("they are one group or game, for which the log needs a column that names it", reason)
    if reading.choose("game", f"Why do {reason}?", _NO_GROUP, are_group, is_stop=True) == 2:
        raise UsageError(f"--answer game=2: {reason}; add a column that names their group, and map the log again")


def ask_doubled_names(reading: Reading) -> None:
    """Ask about rows whose name is that of another row, where a column names nearly each row."""
    name = reading.row.person
    if name is None or name in reading.roles.outcomes:
        return
    is_person, n_doubled = is_named(name, "person"), int(name.sizes[name.sizes > 1].sum())
    if not n_doubled or not (is_person or is_named(name, "game") or not name.has_numbers):
        return
    repeated = [name.levels[place] for place in np.flatnonzero(name.sizes > 1)]
    counts = f"{n_doubled} of {name.n_filled} rows: {first_few(repeated)}"
    is_of_one = is_person or not is_named(name, "game")
    separate = "cases of one person each, who is one unit" if is_of_one else "separate games"
    options = (Option(separate, counts), Option("one case entered twice: it is excluded and counted", counts))
    text = f"What are the {n_doubled} rows whose {name.name} occurs twice?"
    reading.has_doubled_seats = reading.choose("doubled", text, *options) == 2


def _find_empty_rows(reading: Reading, key: list[Column]) -> Column | None:
    """Return an outcome that is empty just in rows whose seat stands twice, and leaves each seat once."""
    codes = joint_codes(key)
    times = np.bincount(codes[codes >= 0])
    is_doubled = (codes >= 0) & (times[np.maximum(codes, 0)] > 1)
    for column in reading.roles.outcomes:
        is_empty = ~column.filled
        rest = codes[column.filled & (codes >= 0)]
        if is_empty.any() and bool(is_doubled[is_empty].all()) and int(np.bincount(rest).max()) == 1:
            return column
    return None
