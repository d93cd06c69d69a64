"""What a measure is called in a sentence: whose it is, what it counts, and the verb that goes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from negstats.metrics.definition import Noun
from negstats.metrics.registry import MEASURES
from negstats.report.labels import NAME
from negstats.sanitize import capitalised, line

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Measure as PlannedMeasure
    from negstats.metrics.definition import Measure

# What a subject does to get a measure, with the words for more and less: "The agent earned more points"; and what it
# is predicted to do.
VERBS: Mapping[str, tuple[str, str, str]] = {
    "points": ("earned", "more", "less"),
    "rounds": ("took", "more rounds", "fewer rounds"),
    "joint_value": ("reached", "more points together", "fewer points together"),
}
INFINITIVES = {"earned": "earn", "took": "take", "reached": "reach"}
SUBJECTS = {"rounds": "negotiations", "joint_value": "dyads"}
# One of what a measure counts.
STEPS = "scale points"  # the unit of a difference of answers in words; a mean has none
SINGULARS = {"points": "point"}
# What was counted, of yes and no: "4 of 236 pairs walked away".
EVENTS = {
    "agreed": "ended in agreement",
    "walked_away": "ended when somebody walked away",
    "pareto_optimal": "were Pareto optimal",
    "reached_goal": "reached the goal",
    "ended_with_commitment": "ended with a commitment",
}
# The same of games that are a single offer and its answer, with the noun and what it says.
OF_OFFERS = {"agreed": ("acceptance", "were accepted", "whether the offer was accepted"),
             "walked_away": ("rejection", "were rejected", "whether the offer was rejected")}  # fmt: skip
# Units that end the name of a number of the logs: "rt_ms" is a response time, in ms ("min" may be a minimum).
NAMED_UNITS = {"ms": "ms", "msec": "ms", "sec": "s", "secs": "s", "eur": "EUR", "usd": "USD", "gbp": "GBP"}
NOUNS = {"svo": "social value orientation", "rt": "response time"}  # of words that data abbreviate
# What is coded of messages: the share of a label, and of replies to another.
LABELS = {
    "labels": "the share of {whose} messages coded as “{label}”",
    "replies": "the share of {whose} replies to “{before}” coded as “{label}”",
}
# Who has a measure of seats, by who played: the same seat is a person's or a program's.
OWNERS = {"human": "people"}
PLAYERS = {"people": "people", "simulated": "simulated players", "agents": "the agents"}
SHARES = ("share", "correlation")
AS_LOGGED = "as logged"
NO_UNITS = ("1 or 0", "distance", AS_LOGGED, "as answered")  # numbers that stand alone in a sentence
LONGEST = 48  # letters of a title
LETTERED = re.compile(r"(?<= )(?:[a-z]|\d+)$")  # of a role that is one of several: "provider y"
COMMON_NAME = re.compile(r"[A-Z]?[a-z]+(?: [a-z]+)*")  # "Robot", not "SP-A"


@dataclass(frozen=True, slots=True)
class Words:
    """A measure in a sentence.

    Attributes
    ----------
    noun : str
        "the agent's points".
    plural : bool
        Whether the noun is a plural.
    unit : str
        "points"; empty where a number stands alone.
    kind : str
        How it is rounded: "measure" or "share".
    verb : tuple of str or None
        Subject, verb, and the words for more and less.
    event : str
        Of yes and no, what was counted.
    title : str
        A short name for the head of a paragraph.
    meaning : str
        What it says, where that is not what `negstats.metrics` says of it.
    """

    noun: str
    plural: bool
    unit: str
    kind: str
    verb: tuple[str, str, str, str] | None = None
    event: str = ""

    title: str = ""
    meaning: str = ""

    @property
    def noun_in_unit(self) -> str:
        """The noun, with the unit where the name of the number said it: "response time (ms)"."""
        return f"{self.noun} ({self.unit})" if self.unit in NAMED_UNITS.values() else self.noun

    @property
    def was(self) -> str:
        """The verb that goes with the noun."""
        return "were" if self.plural else "was"

    @property
    def counted(self) -> str:
        """What is counted, of a number of things; else the noun."""
        return self.noun.removeprefix("the number of ")


def agent_of(study: Mapping[str, Any], article: str = "the") -> str:
    """Return what sentences call the agent of a study: its name in the data, "the agent" where there is none.

    Examples
    --------
    >>> agent_of({"agent": "Robot"}), agent_of({"agent": "SP-A"}), agent_of({}, "a")
    ('the robot', 'SP-A', 'an agent')
    """
    name = line(study.get("agent") or "agent", NAME)
    if not COMMON_NAME.fullmatch(name):
        return name
    name = name.lower()
    return f"{'an' if article == 'a' and name[0] in 'aeiou' else article} {name}"


def ends_at_goal(study: Mapping[str, Any]) -> bool:
    """Return whether games of a study end with a goal that is reached, and none with an agreement."""
    ends = study.get("ends") or {}
    return "goal" in ends and "agreement" not in ends


def role_name(who: str, plan: Any) -> str:
    """Return what sentences call a role: what the plan calls it, else its name in words, with a letter as a capital.

    Examples
    --------
    >>> role_name("first_buyer", None), role_name("provider_y", None)
    ('first buyer', 'provider Y')
    """
    role = getattr(plan, "factors", {}).get("role")
    name = line(who if role is None else role.labels.get(who, who), NAME).replace("_", " ")
    return re.sub(LETTERED, lambda match: match[0].upper(), name)


def owner_of(who: str | None, study: Mapping[str, Any], plan: Any = None) -> str:
    """Return who a measure is of, as a sentence names them; people are those who took part.

    Examples
    --------
    >>> owner_of("human", {}), owner_of("human", {"participation": "simulated"}), owner_of("buyer", {})
    ('people', 'simulated players', 'the buyer')
    >>> owner_of("provider_y", {})
    'provider Y'
    """
    if not who:
        return ""
    if who == "human" and study.get("participation") == "simulated":
        return PLAYERS["simulated"]
    if who == "agent":
        return agent_of(study)
    name = role_name(who, plan)
    return OWNERS.get(who, name if LETTERED.search(name.lower()) else f"the {name}")


def _is_of_agents(entry: Mapping[str, Any], plan: Any) -> bool:
    """Return whether seats are compared by which agent has them, which those of people have none of."""
    names = [factor["name"] for factor in (entry.get("design") or {}).get("factors") or ()]
    columns = [plan.factors[name].column if name in plan.factors else f"players.{name}" for name in names]
    return "players.agent" in columns


def _to_possessive(owner: str, participation: str | None) -> str:
    if not owner:
        return "a person's" if participation == "people" else "a player's"
    return f"{owner}'" if owner.endswith("s") else f"{owner}'s"


def base_of(plan: Any, name: str) -> str:
    """Return the measure that a name of the plan stands for; of an answer to a questionnaire the name itself."""
    measure = plan.measures.get(name)
    return name if measure is None or measure.answer is not None else str(measure.measure)


def definition_of(plan: Any, name: str) -> Measure | None:
    """Return what is known of the measure that a name of the plan stands for; None of a column of the data."""
    from negstats import metrics

    return metrics.definition_of(base_of(plan, name))


def words_of_measure(
    entry: Mapping[str, Any], plan: Any, name: str | None = None, study: Mapping[str, Any] | None = None
) -> Words:
    """Return how sentences name the outcome of a question, or another of its measures; `study` says who played.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> plan = SimpleNamespace(measures={})
    >>> words_of_measure({"measure": "price", "unit_of_measure": "EUR"}, plan).unit
    'EUR'
    >>> words_of_measure({"measure": "price", "unit_of_measure": "as logged"}, plan).unit  # not known
    ''
    >>> words_of_measure({"measure": "games.rt_ms", "unit_of_measure": "as logged"}, plan).noun_in_unit
    'response time (ms)'
    >>> words_of_measure({"measure": "questions_asked", "kind": "count"}, plan).noun
    'the number of questions asked'
    """
    measure_name = entry["measure"] if name is None else name
    measure, base, study = plan.measures.get(measure_name), base_of(plan, measure_name), study or {}
    kind_of_outcome = entry.get("kind") if name is None else getattr(measure, "kind", None)
    if measure is not None and measure.answer is not None:
        return _words_of_answer(measure_name, measure, is_yes_no=name is None and kind_of_outcome == "yes/no")
    participation = study.get("participation")
    owner = owner_of(entry.get("who") if name is None else measure.who if measure is not None else None, study, plan)
    if name is None and not owner and participation != "agents" and _is_of_agents(entry, plan):
        owner = PLAYERS["agents"]
    if (of_label := _name_label(base, _to_possessive(owner, participation), study)) is not None:
        return of_label
    if name is None and kind_of_outcome == "time" and base != "duration_s":
        noun, plural = f"the time to {'the goal' if ends_at_goal(study) else 'agreement'}", False
    else:
        noun, plural = _noun_of(measure_name, base, is_count=kind_of_outcome == "count")
    unit = _unit_of(entry, plan, name)
    if unit == AS_LOGGED and (named := _split_unit(noun)) is not None:
        noun, unit = named
        plural = _is_plural(noun)
    if "{whose}" in noun and not owner:
        noun = noun.replace("{whose} ", "").replace("of first", "of the first")
    noun = noun.replace("{whose}", _to_possessive(owner, participation))
    event, meaning = EVENTS.get(base, "had the outcome"), ""
    if study.get("ends_by_rejection") and base in OF_OFFERS:
        noun, event, meaning = OF_OFFERS[base]
    kind = "share" if unit.startswith(SHARES) or unit == "1 or 0" else "measure"
    players = PLAYERS.get(participation or "", "people" if study.get("people") else "players")
    verb = VERBS.get(base)
    whole = None if verb is None else (_name_whole(base, study) or owner or players, *verb)
    title = spell(_without_table(measure_name, base)) if len(noun) > LONGEST else noun
    unit_text = "" if kind == "share" or unit in NO_UNITS else unit
    return Words(noun, plural, unit_text, kind, whole, event, capitalised(title), meaning)


def _name_whole(base: str, study: Mapping[str, Any]) -> str | None:
    """Return who has a measure of whole games: dyads, or groups where more people than two play each game."""
    games_each = (study.get("loaded") or {}).get("games_each")
    if base == "joint_value" and games_each and int(study["people"]) * games_each > 2 * study["games"]:
        return "groups"
    return SUBJECTS.get(base)


def _unit_of(entry: Mapping[str, Any], plan: Any, name: str | None) -> str:
    """Return the unit of the outcome of a question, or of another of its measures; empty where none is known."""
    if name is None:
        return line(entry.get("unit_of_measure") or "", NAME)
    definition = definition_of(plan, name)
    return "" if definition is None else definition.unit


def _split_unit(noun: str) -> tuple[str, str] | None:
    """Return a noun without the unit that ends it, and the unit; None where none does."""
    rest, _, last = noun.rpartition(" ")
    return (rest, NAMED_UNITS[last.lower()]) if rest and last.lower() in NAMED_UNITS else None


def _words_of_answer(name: str, measure: PlannedMeasure, *, is_yes_no: bool) -> Words:
    """Return how sentences name an answer to a questionnaire: by its name in the plan."""
    event = f"answered “{line(measure.scale[-1], NAME)}”" if measure.scale else "answered yes"
    steps = STEPS if measure.scale and not is_yes_no else ""
    noun = spell(name)
    return Words(noun, False, steps, "share" if is_yes_no else "measure", event=event, title=capitalised(noun))


def _noun_of(name: str, base: str, *, is_count: bool) -> tuple[str, bool]:
    """Return the noun of a measure, as registered or out of its name, and whether it is a plural."""
    registered = MEASURES[base].noun if base in MEASURES else Noun()
    if registered.text:
        return registered.text, registered.is_plural
    noun = spell(_without_table(name, base))
    plural = _is_plural(noun)
    if is_count and (plural or _is_plural(noun.partition(" ")[0])):  # "questions asked"
        return f"the number of {noun}", False
    return noun, plural


def _without_table(name: str, base: str) -> str:
    """Return a measure's name; of a number of the logs by table and column the column: "price", "first price"."""
    table, _, column = name.partition(".")
    if not column or (base in MEASURES and MEASURES[base].noun.text):
        return name
    return f"{table.removesuffix('_offers')} {column}" if table.endswith("_offers") else column


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def spell(name: str) -> str:
    """Return a name of the data or the plan as words, without what is known to be abbreviated.

    Examples
    --------
    >>> spell("svo"), spell("first_price")
    ('social value orientation', 'first price')
    """
    words = line(name, NAME).replace("_", " ").split(" ")
    return " ".join(NOUNS.get(word, word) for word in words)


def code_text(code: Mapping[str, Any]) -> str:
    """Return what the codebook calls a code, inside a sentence: "own need"; its name where it has no label.

    Examples
    --------
    >>> code_text({"code": "self-need", "label": "Own need"}), code_text({"code": "self-need"})
    ('own need', 'self-need')
    """
    return line(to_lower(code.get("label") or code["code"]), NAME)


def to_lower(label: str) -> str:
    """Return a label as it stands inside a sentence; "TV" keeps its letters."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _name_label(base: str, whose: str, study: Mapping[str, Any]) -> Words | None:
    """Return how sentences name a measure of what people coded; None of any other."""
    table, _, column = base.partition(".")
    if table not in LABELS or not column:
        return None
    codes = {code["code"]: code for coding in study.get("coding") or () for code in coding["codes"]}
    parts = column.rpartition(":")
    before, label = (code_text(codes.get(part, {"code": part})) if part else "" for part in parts[::2])
    noun = LABELS[table].format(whose=whose, before=before, label=label)
    return Words(noun, False, "", "share", title=f"{label} after {before}" if before else f"{label} among messages")
