"""Tables of designs that occur, each with its mapping and the question for which such data are collected.

A question is written as ``measure ~ factor * factor``, ``measure ~ with number`` or ``measure`` alone; of measures
between bars each would do. The questions were written before any draft was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from negstats.studies.study import Study
from tests.analysis.studies import mapped


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a log, the mapping that reads it, and what is asked of such data."""

    rows: pd.DataFrame
    mapping: str
    questions: tuple[str, ...]

    def load(self, folder: Path) -> Study:
        """Return the study that is read from the rows."""
        return mapped(self.rows, folder, self.mapping)


DESIGNS: dict[str, Callable[[], Table]] = {}
HELD_OUT = set[str]()  # looked at only after the ranking was frozen


def design(name: str, *, held_out: bool = False) -> Callable[[Callable[[], Table]], Callable[[], Table]]:
    """Register a table under a name."""

    def register(build: Callable[[], Table]) -> Callable[[], Table]:
        DESIGNS[name] = build
        if held_out:
            HELD_OUT.add(name)
        return build

    return register


def _people(n: int, trials: int = 1) -> pd.DataFrame:
    """Return a row for each trial of each person, with codes that alternate over people and trials."""
    at = np.arange(n * trials)
    who, trial = at // trials, at % trials
    return pd.DataFrame({"pid": [f"p{one:03}" for one in who], "trial": trial + 1, "who": who, "at": trial})


def _pick(index: pd.Series, *words: str) -> np.ndarray:
    picked: np.ndarray = np.array(words)[index.to_numpy() % len(words)]
    return picked


def _near(seed: int, mean: np.ndarray | float, sd: float, n: int, low: float = 0, high: float = 100) -> np.ndarray:
    return np.clip(np.random.default_rng(seed).normal(mean, sd, n).round(), low, high)


_GIVEN = 'row = "player"\ngames.game_id = "pid"\nplayers = { player = { constant = "proposer" }, '
_GIVEN += 'participant_id = "pid" }\n'


@design("2 x 2 between, dictator")
def _dictator_crossed() -> Table:
    rows = _people(80)
    rows["frame"], rows["stakes"] = _pick(rows.who, "give", "take"), _pick(rows.who // 2, "high", "low")
    rows["given"] = _near(1, np.where(rows.frame == "give", 4, 2), 1.5, 80, 0, 10)
    mapping = _GIVEN + 'offers = { units_to_responder = "given", total = 10 }\n'
    mapping += 'factors = { frame = "frame", stakes = "stakes" }\n'
    return Table(rows, mapping, ("units_to_responder|share_to_responder ~ frame * stakes",))


@design("2 x 2 mixed, ultimatum", held_out=True)
def _ultimatum_mixed() -> Table:
    rows = _people(40, 20)
    rows["partner"], rows["priming"] = _pick(rows["at"], "human", "computer"), _pick(rows.who, "power", "neutral")
    rows["offer"] = _pick(rows["at"] // 2, "1", "2", "3", "4", "5").astype(int)
    rows["response"] = (rows.offer + np.random.default_rng(2).normal(0, 1.5, 800) > 2.5).astype(int)
    return Table(rows, _ANSWERED + 'factors = { partner = "partner", priming = "priming" }\n',
                 ("agreed ~ partner * priming",))  # fmt: skip


_ANSWERED = """row = "player"
games.game_id = ["pid", "trial"]
players = { player = { constant = "responder" }, participant_id = "pid" }
offers = { proposer = { constant = "other" }, units_to_responder = "offer", total = 10, response = "response" }
levels.response = { accepted = ["1"], rejected = ["0"] }
"""


def _trust(seed: int) -> pd.DataFrame:
    rows = _people(60).rename(columns={"pid": "pair"})
    rows["sender"], rows["receiver"] = [f"s{n}" for n in rows.who], [f"r{n}" for n in rows.who]
    rows["treatment"] = _pick(rows.who, "chat", "silent")
    rows["sent"] = _near(seed, np.where(rows.treatment == "chat", 6, 4), 2, 60, 1, 10)
    rows["returned"] = np.floor(rows.sent * 3 * np.random.default_rng(seed + 1).uniform(0, 0.6, 60))
    return rows


_TRUST = """row = "game"
games.game_id = "pair"
measures = { sent = "sent", returned = "returned" }
[seats.sender]
participant_id = "sender"
role = { constant = "trustor" }
[seats.receiver]
participant_id = "receiver"
role = { constant = "trustee" }
"""


@design("trust game with a treatment")
def _trust_treated() -> Table:
    return Table(_trust(3), _TRUST + '[factors]\ntreatment = "treatment"\n',
                 ("sent ~ treatment", "returned ~ treatment"))  # fmt: skip


@design("trust game without a treatment", held_out=True)
def _trust_alone() -> Table:
    return Table(_trust(5), _TRUST, ("sent", "returned|returned ~ with sent"))


def _group(n_groups: int, periods: int) -> pd.DataFrame:
    rows = _people(n_groups * 4, periods)
    rows["group"], rows["member"] = rows.who // 4, rows.who % 4
    return rows


_GROUP = """row = "player"
games.game_id = ["group", "trial"]
players = { player = "member", participant_id = "pid" }
"""


@design("public goods with punishment")
def _public_goods() -> Table:
    rows = _group(16, 8)
    rows["treatment"] = _pick(rows.group, "punishment", "none")
    rows["contribution"] = _near(7, np.where(rows.treatment == "none", 8 - rows["at"] / 2, 12), 4, len(rows), 0, 20)
    total = rows.groupby(["group", "trial"])["contribution"].transform("sum")
    rows["payoff"] = 20 - rows.contribution + 0.4 * total
    mapping = _GROUP.replace('"pid" }', '"pid", points = "payoff" }') + 'factors.treatment = "treatment"\n'
    mapping += 'measures.contribution = { column = "contribution", per = "player" }\n'
    return Table(rows, mapping, ("contribution ~ treatment",))


@design("dictator, recipients within people", held_out=True)
def _dictator_within() -> Table:
    rows = _people(45, 3)
    rows["recipient"] = _pick(rows["at"] + rows.who, "friend", "stranger", "charity")
    rows["gave"] = _near(8, np.where(rows.recipient == "friend", 5, 3), 2, 135, 0, 10)
    mapping = """row = "player"
games.game_id = ["pid", "trial"]
players = { player = { constant = "dictator" }, participant_id = "pid" }
offers = { units_to_responder = "gave", total = 10 }
factors.recipient = "recipient"
"""
    return Table(rows, mapping, ("units_to_responder|share_to_responder ~ recipient",))


@design("ultimatum by the strategy method")
def _strategy_method() -> Table:
    rows = _people(60).rename(columns={"pid": "pair"})
    rows["treatment"] = _pick(rows.who, "anonymous", "named")
    rows["offer"], rows["mao"] = _near(9, 4, 1.2, 60, 0, 10), _near(10, 2.6, 1.1, 60, 0, 10)
    rows["p"], rows["r"] = [f"a{n}" for n in rows.who], [f"b{n}" for n in rows.who]
    mapping = """row = "game"
games.game_id = "pair"
offers = { proposer = { constant = "proposer" }, units_to_responder = "offer", total = 10, accept_from = "mao" }
factors.treatment = "treatment"
seats.proposer.participant_id = "p"
seats.responder.participant_id = "r"
"""
    asked = ("units_to_responder|share_to_responder ~ treatment", "least_acceptable ~ treatment")
    return Table(rows, mapping, asked)


@design("ultimatum, repeated answers to people and computers", held_out=True)
def _answers_repeated() -> Table:
    rows = _people(30, 24)
    rows["proposer_type"] = _pick(rows["at"], "human", "computer")
    rows["offer"] = _pick(rows["at"] // 2, "1", "2", "3", "5").astype(int)
    rows["response"] = (rows.offer + np.random.default_rng(11).normal(0, 1.2, len(rows)) > 2.2).astype(int)
    asked = ("agreed ~ proposer_type", "agreed ~ with share_to_responder")
    return Table(rows, _ANSWERED + 'factors.proposer_type = "proposer_type"\n', asked)


def _dyads(n: int, *words: str) -> pd.DataFrame:
    rows = _people(n).rename(columns={"pid": "dyad"})
    rows["condition"] = _pick(rows.who, *words)
    rows["buyer"], rows["seller"] = [f"b{one}" for one in rows.who], [f"s{one}" for one in rows.who]
    return rows


_DYAD = """row = "game"
games.game_id = "dyad"
factors.condition = "condition"
[seats.buyer]
participant_id = "buyer"
role = { constant = "buyer" }
[seats.seller]
participant_id = "seller"
role = { constant = "seller" }
"""

_ENDED = _DYAD.replace('game_id = "dyad"', 'game_id = "dyad"\ngames.ended = "deal"')
_ENDED += '[levels.ended]\nagreement = ["yes"]\ndisagreement = ["no"]\n'


@design("dyads with roles, a price")
def _price() -> Table:
    rows = _dyads(60, "high anchor", "low anchor")
    rows["price"] = _near(12, np.where(rows.condition == "high anchor", 140, 120), 15, 60, 80, 200)
    return Table(rows, _DYAD + '[measures]\nprice = "price"\n', ("price ~ condition",))


@design("dyads with roles, integrative points", held_out=True)
def _integrative() -> Table:
    rows = _dyads(50, "anger", "neutral")
    rows["b"], rows["s"] = _near(13, 50, 12, 50), _near(14, 48, 12, 50)
    mapping = _DYAD.replace('"buyer" }', '"buyer" }\npoints = "b"').replace('"seller" }', '"seller" }\npoints = "s"')
    return Table(rows, mapping, ("joint_value ~ condition", "points ~ condition"))


@design("models in both seats")
def _models() -> Table:
    rows = _people(120)
    rows["one"], rows["two"] = _pick(rows.who, "opus", "gpt", "llama"), _pick(rows.who // 3, "gpt", "opus", "llama")
    rows["x"], rows["y"] = _near(15, 50, 9, 120), _near(16, 50, 9, 120)
    mapping = """row = "game"
games.game_id = "pid"
seats.A = { agent = "one", kind = { constant = "agent" }, points = "x" }
seats.B = { agent = "two", kind = { constant = "agent" }, points = "y" }
"""
    return Table(rows, mapping, ("points ~ agent",))


@design("one model in each game")
def _model_alone() -> Table:
    rows = _people(90)
    rows["model"], rows["sent"] = _pick(rows.who, "opus", "gpt", "llama"), _near(60, 5, 2, 90, 0, 10)
    mapping = 'row = "player"\ngames.game_id = "pid"\nmeasures.sent = "sent"\n'
    mapping += 'players = { player = { constant = "trustor" }, agent = "model", kind = { constant = "agent" } }\n'
    return Table(rows, mapping, ("sent ~ agent",))


@design("a number of a game of one person, by a trait")
def _number_by_trait() -> Table:
    rows = _people(80)
    rows["sex"], rows["kept"] = _pick(rows.who * 5 // 3, "female", "male"), _near(61, 6, 2, 80, 0, 10)
    return Table(rows, _RATED + 'measures.kept = "kept"\nperson.sex = "sex"\n', ("kept ~ sex",))


@design("tournament over domains", held_out=True)
def _tournament() -> Table:
    rows = _people(180)
    names = ("Boulware", "Conceder", "TitForTat")
    rows["first"], rows["second"] = _pick(rows.who, *names), _pick(rows.who // 3, *names)
    rows["domain"], rows["steps"] = _pick(rows.who // 9, "Camera", "Car", "Trip"), _near(17, 40, 20, 180, 1)
    rows["u1"], rows["u2"] = _near(18, 60, 15, 180) / 100, _near(19, 60, 15, 180) / 100
    mapping = """row = "game"
games = { game_id = "pid", scenario = "domain", rounds = "steps" }
factors.domain = "domain"
seats.A = { agent = "first", kind = { constant = "agent" }, points = "u1" }
seats.B = { agent = "second", kind = { constant = "agent" }, points = "u2" }
"""
    return Table(rows, mapping, ("points ~ agent",))


def _talk(n: int, seed: int) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for talk in range(n):
        for turn in range(int(rng.integers(4, 12))):
            words = " ".join(["well"] * int(rng.integers(2, 15)))
            rows.append((f"d{talk}", ("A", "B")[turn % 2], words, ("text", "video")[talk % 2],
                         rng.choice(["threat", "concession", "question"])))  # fmt: skip
    return pd.DataFrame(rows, columns=["talk", "speaker", "text", "channel", "code"])


_TALK = 'row = "message"\ngames.game_id = "talk"\nplayers.player = "speaker"\nmessages.text = "text"\n'


@design("talk alone, two channels")
def _talk_channels() -> Table:
    asked = ("utterances ~ channel", "words_per_utterance ~ channel")
    return Table(_talk(40, 20), _TALK + 'factors.channel = "channel"\n', asked)


@design("talk alone", held_out=True)
def _talk_alone() -> Table:
    return Table(_talk(30, 21), _TALK, ("utterances", "words_per_utterance"))


@design("coded talk, two channels")
def _coded_talk() -> Table:
    mapping = _TALK + 'messages.labels = "code"\nfactors.channel = "channel"\n'
    asked = ("labels.threat ~ channel", "labels.concession ~ channel", "labels.question ~ channel")
    return Table(_talk(40, 22), mapping, asked)


@design("talk with an outcome", held_out=True)
def _talk_outcome() -> Table:
    rows = _talk(40, 23)
    rows["deal"] = _pick(rows.talk.str[1:].astype(int) // 3, "yes", "no", "yes")
    mapping = _TALK + 'games.ended = "deal"\nfactors.channel = "channel"\nmessages.labels = "code"\n'
    mapping += 'levels.ended = { agreement = ["yes"], disagreement = ["no"] }\n'
    return Table(rows, mapping, ("agreed ~ channel",))


_RATED = (
    'row = "player"\ngames.game_id = "pid"\nplayers = { player = { constant = "human" }, participant_id = "pid" }\n'
)


@design("ratings of an agent")
def _ratings() -> Table:
    rows = _people(90)
    rows["emotion"] = _pick(rows.who, "angry", "happy", "neutral")
    rows["satisfaction"], rows["age"] = _near(24, 4.5, 1.4, 90, 1, 7), _near(25, 30, 9, 90, 18, 70)
    mapping = _RATED + 'factors.emotion = "emotion"\nanswers.satisfaction = "satisfaction"\nperson.age = "age"\n'
    return Table(rows, mapping, ("satisfaction|answers.satisfaction ~ emotion",))


@design("two ratings of people and programs", held_out=True)
def _two_ratings() -> Table:
    rows = _people(70)
    rows["opponent"] = _pick(rows.who, "AI", "person")
    rows["q_trust"], rows["q_fair"] = _near(26, 4.2, 1.3, 70, 1, 7), _near(27, 4, 1.4, 70, 1, 7)
    mapping = _RATED + 'factors.opponent = "opponent"\nanswers = { q_trust = "q_trust", q_fair = "q_fair" }\n'
    return Table(rows, mapping, ("q_trust|answers.q_trust ~ opponent", "q_fair|answers.q_fair ~ opponent"))


@design("time to agreement under a deadline")
def _time() -> Table:
    rows = _dyads(60, "deadline", "open")
    rows["minutes"] = _near(28, np.where(rows.condition == "open", 14, 9), 4, 60, 1)
    rows["deal"] = "yes"
    return Table(rows, _ENDED + '[measures]\nminutes = "minutes"\n', ("minutes ~ condition",))


@design("impasse by medium", held_out=True)
def _impasse() -> Table:
    rows = _dyads(80, "chat", "voice")
    rows["deal"] = _pick(rows.who * 7 // 3, "yes", "yes", "no", "yes", "no")
    return Table(rows, _ENDED, ("agreed ~ condition",))


@design("price and satisfaction")
def _two_outcomes() -> Table:
    rows = _dyads(60, "phone", "email")
    rows["price"] = _near(29, 130, 15, 60, 80, 200)
    rows["bs"], rows["ss"] = _near(30, 5, 1.2, 60, 1, 7), _near(31, 5, 1.2, 60, 1, 7)
    mapping = _DYAD.replace('"buyer" }', '"buyer" }\nanswers.satisfaction = "bs"')
    mapping = mapping.replace('"seller" }', '"seller" }\nanswers.satisfaction = "ss"') + '[measures]\nprice = "price"\n'
    return Table(rows, mapping, ("price ~ condition", "satisfaction|answers.satisfaction ~ condition"))


@design("contribution and belief", held_out=True)
def _belief() -> Table:
    rows = _group(14, 6)
    rows["rule"] = _pick(rows.group, "vote", "imposed")
    rows["contrib"], rows["belief"] = _near(32, 10, 4, len(rows), 0, 20), _near(33, 9, 3, len(rows), 0, 20)
    mapping = _GROUP + 'factors.rule = "rule"\n[measures]\ncontrib = { column = "contrib", per = "player" }\n'
    mapping += 'belief = { column = "belief", per = "player" }\n'
    return Table(rows, mapping, ("contrib ~ rule",))


@design("three factors between people")
def _three_factors() -> Table:
    rows = _people(96)
    rows["gain"], rows["eyes"] = _pick(rows.who, "gain", "loss"), _pick(rows.who // 2, "eyes", "no eyes")
    rows["ink"] = _pick(rows.who // 4, "red", "blue")
    rows["given"] = _near(34, 4, 1.5, 96, 0, 10)
    mapping = _GIVEN + 'offers = { units_to_responder = "given", total = 10 }\n'
    mapping += 'factors = { gain = "gain", eyes = "eyes", ink = "ink" }\n'
    given = "units_to_responder|share_to_responder"
    return Table(rows, mapping, tuple(f"{given} ~ {factor}" for factor in ("gain", "eyes", "ink")))


@design("3 within by 2 between", held_out=True)
def _three_by_two() -> Table:
    rows = _people(40, 6)
    rows["distance"], rows["group"] = _pick(rows["at"], "near", "mid", "far"), _pick(rows.who, "oxytocin", "placebo")
    rows["sent"] = _near(35, np.where(rows.distance == "near", 6, 4), 2, len(rows), 0, 10)
    mapping = 'row = "player"\ngames.game_id = ["pid", "trial"]\nplayers = { player = { constant = "sender" }, '
    mapping += 'participant_id = "pid" }\nfactors = { distance = "distance", group = "group" }\n'
    return Table(rows, mapping + 'measures.sent = "sent"\n', ("sent ~ distance * group",))


@design("prisoner's dilemma, repeated")
def _dilemma() -> Table:
    rows = _people(40, 10)
    rows["pair"], rows["seat"] = rows.who // 2, _pick(rows.who, "left", "right")
    rows["matching"] = _pick(rows.pair, "fixed", "random")
    rows["cooperated"] = (np.random.default_rng(36).random(400) < 0.5).astype(int)
    rows["payoff"] = _near(37, 5, 2, 400, 0, 10)
    mapping = 'row = "player"\ngames.game_id = ["pair", "trial"]\nplayers = { player = "seat", participant_id = "pid", '
    mapping += 'points = "payoff" }\nfactors.matching = "matching"\n'
    mapping += 'measures.cooperated = { column = "cooperated", per = "player" }\n'
    return Table(rows, mapping, ("cooperated ~ matching",))


@design("common pool, rules within groups", held_out=True)
def _common_pool() -> Table:
    rows = _group(12, 10)
    rows["rule"] = np.where(rows["at"] < 5, "open access", "quota")
    rows["extraction"] = _near(38, 6, 2, len(rows), 0, 10)
    mapping = _GROUP + 'factors.rule = "rule"\nmeasures.extraction = { column = "extraction", per = "player" }\n'
    return Table(rows, mapping, ("extraction ~ rule",))


@design("offers of people of two genders")
def _gender() -> Table:
    rows = _people(70)
    rows["gender"], rows["given"] = _pick(rows.who * 5 // 3, "female", "male"), _near(39, 4, 1.6, 70, 0, 10)
    mapping = _GIVEN + 'offers = { units_to_responder = "given", total = 10 }\nperson.gender = "gender"\n'
    return Table(rows, mapping, ("units_to_responder|share_to_responder ~ gender",))


@design("offers in three countries", held_out=True)
def _countries() -> Table:
    rows = _people(90)
    rows["country"], rows["offer"] = _pick(rows.who, "Peru", "Japan", "Israel"), _near(40, 4, 1.3, 90, 0, 10)
    rows["accepted"] = (rows.offer > _near(41, 2.5, 1, 90)).astype(int)
    mapping = """row = "game"
games.game_id = "pid"
factors.country = "country"
offers = { proposer = { constant = "P" }, units_to_responder = "offer", total = 10, response = "accepted" }
levels.response = { accepted = ["1"], rejected = ["0"] }
"""
    return Table(rows, mapping, ("units_to_responder|share_to_responder ~ country",))


@design("decisions side by side")
def _side_by_side() -> Table:
    rows = _people(60)
    rows["arm"] = _pick(rows.who, "treated", "control")
    for place in (1, 2, 3):
        rows[f"dg_{place}"] = _near(41 + place, 4, 1.5, 60, 0, 10)
    mapping = _RATED + 'factors.arm = "arm"\nmeasures = { dg_1 = "dg_1", dg_2 = "dg_2", dg_3 = "dg_3" }\n'
    return Table(rows, mapping, ("dg_1 ~ arm", "dg_2 ~ arm", "dg_3 ~ arm"))


@design("offer and threshold side by side", held_out=True)
def _offer_threshold() -> Table:
    rows = _people(64)
    rows["cond"] = _pick(rows.who, "loss", "gain")
    rows["ug_offer"], rows["ug_mao"] = _near(45, 4.4, 1, 64, 0, 10), _near(46, 2.5, 1, 64, 0, 10)
    mapping = _RATED + 'factors.cond = "cond"\nmeasures = { ug_offer = "ug_offer", ug_mao = "ug_mao" }\n'
    return Table(rows, mapping, ("ug_offer ~ cond", "ug_mao ~ cond"))


@design("names that say nothing")
def _nameless() -> Table:
    rows = _people(60)
    rows["v1"], rows["v2"] = _pick(rows.who, "x", "z"), _near(47, 20, 5, 60)
    return Table(rows, _RATED + 'factors.v1 = "v1"\nmeasures.v2 = "v2"\n', ("v2 ~ v1",))


@design("words of another language", held_out=True)
def _other_language() -> Table:
    rows = _people(60)
    rows["skupina"], rows["castka"] = _pick(rows.who, "tma", "svetlo"), _near(48, 50, 15, 60)
    rows["pohlavi"] = _pick(rows.who * 5 // 3, "zena", "muz")
    mapping = _RATED + 'factors.skupina = "skupina"\nmeasures.castka = "castka"\nperson.pohlavi = "pohlavi"\n'
    return Table(rows, mapping, ("castka ~ skupina",))


@design("before and after in two groups")
def _before_after() -> Table:
    rows = _people(50, 2)
    rows["stage"], rows["training"] = _pick(rows["at"], "before", "after"), _pick(rows.who, "trained", "waiting")
    rows["score"] = _near(49, 50 + 8 * (rows.stage == "after").to_numpy(), 10, 100)
    mapping = 'row = "player"\ngames.game_id = ["pid", "stage"]\nplayers = { player = { constant = "human" }, '
    mapping += 'participant_id = "pid" }\nfactors = { stage = "stage", training = "training" }\n'
    return Table(rows, mapping + 'measures.score = "score"\n', ("score ~ stage * training",))


@design("gift exchange", held_out=True)
def _gift_exchange() -> Table:
    rows = _people(56).rename(columns={"pid": "pair"})
    rows["contract"] = _pick(rows.who, "trust", "bonus")
    rows["wage"], rows["effort"] = _near(50, 40, 15, 56, 1), _near(51, 5, 2, 56, 1, 10)
    mapping = _TRUST.replace('sent = "sent", returned = "returned"', 'wage = "wage", effort = "effort"')
    rows["sender"], rows["receiver"] = [f"s{n}" for n in rows.who], [f"r{n}" for n in rows.who]
    return Table(rows, mapping + '[factors]\ncontract = "contract"\n', ("wage ~ contract", "effort ~ contract"))


@design("people meet an agent of two strategies")
def _human_agent() -> Table:
    rows = _people(40, 2)
    rows["strategy"] = _pick(rows["at"], "tough", "soft")
    rows["h"], rows["a"] = _near(52, 55, 10, 80), _near(53, 50, 10, 80)
    mapping = """row = "game"
games.game_id = ["pid", "trial"]
factors.strategy = "strategy"
[seats.human]
participant_id = "pid"
kind = { constant = "human" }
points = "h"
[seats.agent]
kind = { constant = "agent" }
points = "a"
"""
    return Table(rows, mapping, ("points ~ strategy",))


@design("alternating offers with an outside option", held_out=True)
def _alternating() -> Table:
    rng, rows = np.random.default_rng(54), []
    for game in range(40):
        turns = range(1, int(rng.integers(2, 6)))
        rows += [(f"g{game}", turn, ("P", "R")[(turn - 1) % 2], int(rng.integers(2, 7)), 0) for turn in turns]
        if rng.random() < 0.7:
            rows[-1] = (*rows[-1][:4], 1)
    frame = pd.DataFrame(rows, columns=["game", "turn", "mover", "offer", "accepted"])
    frame["outside"] = _pick(frame.game.str[1:].astype(int), "high", "low")
    mapping = """row = "offer"
games.game_id = "game"
factors.outside = "outside"
players = { player = "mover", points_from_deal = true, points_without_deal = 0 }
offers = { offer = "turn", units_to_responder = "offer", total = 10, response = "accepted" }
levels.response = { accepted = ["1"], rejected = ["0"] }
"""
    return Table(frame, mapping, ("points ~ outside|agreed ~ outside",))
