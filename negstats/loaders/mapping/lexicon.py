"""Names that columns of logs often have, by the key of a mapping, with what their cells must be.

A name decides nothing about rows. It says which key a column stands behind that has been read as an outcome, as what
happens in a game or as what a seat is, and breaks ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.spellings import answer_of

MOST_LEVELS = 12  # a column with more different words than this is not a set of levels
Fits = Callable[[Column], bool]


def are_named(column: Column) -> bool:
    """Whether there are values at all."""
    return column.n_levels > 0


def are_few(column: Column) -> bool:
    """Whether there are values, and so few different ones that they may be levels."""
    return 0 < column.n_levels <= MOST_LEVELS


def are_numbers(column: Column) -> bool:
    """Whether there are numbers, which are not spelled as true and false."""
    return column.has_numbers and not {level.lower() for level in column.levels} & {"true", "false"}


def are_whole(column: Column) -> bool:
    """Whether there are whole numbers only."""
    return are_numbers(column) and column.is_whole


def are_amounts(column: Column) -> bool:
    """Whether there are numbers that are more than yes and no."""
    return are_numbers(column) and not set(column.values) <= {0.0, 1.0}


def are_words(column: Column) -> bool:
    """Whether there are words, and not a truth that is the same everywhere."""
    return column.n_levels > 0 and not column.has_numbers and not {*map(str.lower, column.levels)} <= {"true", "false"}


def may_be_codes(column: Column) -> bool:
    """Whether there are words, or two or three numbers that follow each other: answers, and no amounts or scales."""
    if not column.has_numbers:
        return are_few(column)
    return column.n_levels <= 3 and float(column.values.max() - column.values.min()) <= column.n_levels - 1


@dataclass(frozen=True, slots=True)
class Case:
    """A key of a mapping, the names of columns for it, and what their cells must be."""

    key: str
    patterns: tuple[str, ...]
    fits: Fits


_END = r"(?:_?(?:u?uid|guid|id|nr|no|num|number|code|index|key|name|label))?"
_NO_OFFER = (
    r"(?!num|n_|count|(?:.*_)?(?:accepted|rejected|accept|reject|first|last|final|opening|initial|target|mean|time|rt|id|"
    r"min|max)(?:_|$))"
)
_NO_SEAT = r"(?!.*(?:joint|social))(?!(?:.*_)?(?:mean|avg|average|sum|sd|std|var|gini)_)"  # of several seats together
UNITS_TO_PROPOSER = (
    rf"{_NO_OFFER}(.*_)?(to_proposer|keep|kept|demand(ed)?|request(ed)?|own_share|self|mine|unfairness)",
    r"amount",
)
UNITS_TO_RESPONDER = (
    rf"{_NO_OFFER}(.*_)?(to_responder|offer(ed)?|propose[ds]?|proposal|give|given|other_share|share|other|yours)",
    rf"{_NO_OFFER}(offer(ed)?|proposal)_?(size|amount|value|share|money|pct|percent|to_.*)|amount_(offered|given|sent)"
    r"|(offer|proposal)_made|(made|own|my)_offer",
)
# Of the one offer of a game.
UNITS = (
    Case("offers.units_to_responder", UNITS_TO_RESPONDER, are_amounts),
    Case("offers.units_to_proposer", UNITS_TO_PROPOSER, are_amounts),
)
RESPONSE = (
    r"(.*_)?(response|accepted|decision|choice|answer|agreed)",
    r"(.*_)?(accept(ance|ed)?|rejected|reject(ion)?|refused|declined|reply|resp|choice_made|deal|reaction)"
    r"(_?(yn|dummy|bin))?",
)
ENDED = (
    r"(game_)?(ended|outcome|end_reason|result)",
    r"(.*_)?(deal|agreement|agree|agreed|consensus)(_?(reached|made|yn|status))?|(reached|made)_(deal|agreement)"
    r"|(.*_)?(impasse|stalemate|deadlock|disagreement)",
)
ACCEPT_FROM = (
    r"(.*_)?(least_acceptable|(min(imum)?|smallest|lowest|least)_accept(able|ed|ance)?(_offer|_amount)?"
    r"|min(imum)?_offer|mao|threshold|accept)",
)
TOTAL = (r"(.*_)?(total|pie|stakes?|endowment|pie_size|sum|pot|budget|amount_to_split|total_amount|amount|money|pool)",)
GIVEN = (r"(.*_)?(give|given|gave|giving|gift|sent|send|transfer(red)?|donat(ed?|ion)|allocat(ed?|ion))",)
ROUND = (r"(.*_)?(round|turn|step)(_?(number|nr|no|index))?",)
ISSUE = (r"(.*_)?(issue|item|good|resource|commodity|colou?r|chip)(_?(name|id))?",)
PRICE = (r"(.*_)?(price|bid|offer|amount)",)
SURVEY = (
    r"(.*_)?(satisfaction|beliefs?|expectations?|confidence|likeness|likeability|likeable|comments?|feedback|fairness|"
    r"fair|trust|svo|rating|q\d+|anger|happiness|mood|arousal|valence|rapport)(_?(rating|score|\d+))?"
)
# What is not an issue of an offer, though it may change from one offer to the next.
NO_ISSUE = (
    r"(.*_)?(id|nr|no|number|index|time|timestamp|date|ms|seconds?|duration|emotion|mood|sentiment|intent|strategy|act|"
    r"tone|condition|treatment|kind|type|rating|confidence|trust|satisfaction|message|text|comment|round|turn|step)"
)
# What no quantity is, whatever numbers stand there: names, places and moments.
NO_QUANTITY = (
    r".*index|game|group|pair|dyad|match|case|session|seat|player|subject|participant|person|partner|(.*_)?(id|uuid|guid|"
    r"code|hash|key|index|idx|seed|zip|plz|ip|ip_?address|latitude|longitude|lat|lon|date|datetime|timestamp|stamp|"
    r"created|updated|email|phone|version|row|line|nr|no|num|number|trial|round|order|year)(_\d+)?"
    r"|(id|nr|code|index)_.*|(.*_)?(id|index)_in_.*|(.*_)?(current|max|is|has|visited|page)_.*"
)
# Of a part of an offer, where a row is one of its issues.
ITEM_PARTS = (
    Case(
        "item.to_proposer",
        (r"(.*_)?(to_proposer|keep|kept|mine|me|self|own)", r"(.*_)?(quantity|amount|units?|number)"),
        are_numbers,
    ),
    Case("item.to_responder", (r"(.*_)?(to_responder|give|given|yours|you|other)",), are_numbers),
    Case("item.option", (r"(.*_)?(option|level|choice|value)",), are_few),
)
AGENT = Case("players.agent", (r"(agent_)?(model|strategy|llm)(_(name|short|type))?|agent_(type|name)",), are_words)
OF_SEATS = (
    Case("players.role", (r"(.*_)?role(_?(name|label))?",), are_words),
    Case(
        "players.points",
        (
            r"player_payoff",
            rf"points|payoff|score|profit|{_NO_SEAT}(.*_)?utility|final_util(ity)?",
            rf"{_NO_SEAT}(?!.*(?:product|recaptcha))(.*_)?(points|payoff|score|earnings|reward|profit)",
        ),
        are_numbers,
    ),
)
OF_GAMES = (
    Case("games.started_at", (r"(.*_)?(started(_at)?|start_time|time_started(_utc)?)",), are_words),
    Case("games.scenario", (r"(.*_)?(scenario|domain)(_name|_id)?",), are_named),
    Case("games.ended", ENDED, may_be_codes),
    Case(
        "games.rounds",
        (r"((n|num|number_of|total|final|last)_)?(rounds|turns)(_(played|made|taken))?", r"(final|last)_(round|turn)"),
        are_whole,
    ),
)
OF_OFFERS = (
    Case("offers.round", ROUND, are_whole),
    Case(
        "offers.time_s",
        (r"(?!.*duration)(.*_)?(seconds|elapsed(_time)?|time_s|secs?)", r"time(stamp)?"),
        are_numbers,
    ),
    Case("offers.proposer", (rf"(.*_)?(proposer|offerer|bidder){_END}", r"from"), are_few),
    Case("offers.responder", (rf"(.*_)?(responder|receiver|recipient){_END}", r"to"), are_named),
    Case("offers.units_to_proposer", UNITS_TO_PROPOSER, are_numbers),
    Case("offers.units_to_responder", UNITS_TO_RESPONDER, are_numbers),
    Case("offers.response", RESPONSE, may_be_codes),
)
TOTAL_OF_OFFERS = Case("offers.total", TOTAL, are_numbers)
OBJECTS = (r"(.*_)?(bid(_content)?|offer|items|allocation|content|proposal)", r".*")


def sort_words(column: Column) -> tuple[list[str], list[str], list[str]]:
    """Return the words of an outcome that are counted, those that are not, and those that are no answer."""
    answers = {word: answer_of(word) for word in column.levels}
    yes = [word for word, answer in answers.items() if answer == "accepted"]
    no = [word for word, answer in answers.items() if answer == "rejected"]
    none = [word for word, answer in answers.items() if answer == "none"]
    rest = [word for word in answers if word not in none]
    if len(rest) < 2:
        none, rest = [], list(answers)
    if len(yes) != 1 or not no:
        likely = rest if len(rest) == 2 else sorted(rest, key=lambda word: -column.sizes[column.levels.index(word)])
        yes = yes[:1] or [next(word for word in likely if word not in no[:1])]
    return yes, [word for word in rest if word not in yes], none
