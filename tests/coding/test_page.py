"""The pages as text: blind to condition, alone, with nothing that runs but their own script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from negstats.coding import Codebook, Talks, adjudication_page, assign, coding_page, find_differences, talks_of
from negstats.errors import UsageError
from negstats.studies import Study
from tests.coding.talks import TELLING, coded, synthetic

ATTACKS = (
    "<script>window.hit=1</script>", "</script><script>window.hit=2</script>", "<img src=x onerror=window.hit=3>",
    "{{ 7*7 }} {% raw %}", "\u202eturned\u202c \u200bhidden", "'\"><svg onload=window.hit=4>", "]]><!-- -->",
    "\\u0000 \\u003cscript> \\", "javascript:window.hit=5", "a\u2028b\u2029c", "🙂 👩‍👩‍👧 ه",
)  # fmt: skip


def content(page: str) -> dict[str, Any]:
    """Return the data of a page."""
    [text] = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    data: dict[str, Any] = json.loads(text)
    return data


def test_nothing_tells_the_condition(study: Study, talks: Talks, book: Codebook) -> None:
    page = coding_page(talks, book, "Anna", coders=["Anna", "Ben"], shared="25%")
    for word in (*TELLING, "treatment", "buyer", "seller", "chair", *study.games["game_id"]):
        assert word not in page, word
    speakers = {row[1] for talk in content(page)["talks"] for row in talk["m"]}
    assert speakers == {1, 2}
    a, b = coded(talks, book, "Anna"), coded(talks, book, "Ben", lambda _: ())
    page = adjudication_page(talks, [a, b], "Carla")
    assert not [word for word in (*TELLING, "treatment", "buyer") if word in page]


def test_an_act_beside_words_is_no_answer_for_the_coder(study: Study, book: Codebook) -> None:
    acts = study.messages["act"].where(study.messages["act"].notna(), "propose")
    named = replace(study, messages=study.messages.assign(act=acts))
    page = coding_page(talks_of(named), book, "Anna")
    assert "propose" not in page
    assert "submit-deal" in page


def test_a_page_has_the_talks_of_its_coder_in_order(talks: Talks, book: Codebook) -> None:
    dealt = assign(talks, ["Anna", "Ben"], 4)
    for coder in ("Anna", "Ben"):
        data = content(coding_page(talks, book, coder, coders=["Ben", "Anna"], shared=4))
        assert tuple(talk["n"] for talk in data["talks"]) == dealt.order[coder]
        assert data["codebook_sha256"] == book.sha256
        assert "shared" not in data  # a coder does not know which talks are compared


def test_only_its_own_script_may_run(talks: Talks, book: Codebook) -> None:
    page = coding_page(talks, book, "Anna")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    assert not re.search(r"unsafe|https?:|\*|data:", policy[1])
    assert not re.search(r"(?:src|href)=[\"']?https?:", page)
    assert not re.search(r"\son\w+=", page.partition("<script")[0])
    assert page.count("<script") == 2


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_stays_text(attack: str, book: Codebook) -> None:
    talks = talks_of(synthetic(1, 1, [attack]))
    codes = [replace(code, label=f"{code.label} {attack}", definition=attack, example=attack) for code in book.codes]
    hostile = replace(book, title=attack[:60], codes=tuple(codes))
    page = coding_page(talks, hostile, "Anna")
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "<svg" not in page
    data = content(page)
    assert data["talks"][0]["m"][0][2] == attack
    assert data["codebook"]["codes"][0]["definition"] == attack


def test_the_adjudicator_sees_only_differences(talks: Talks, book: Codebook) -> None:
    a = coded(talks, book, "Anna", among={1, 2, 3})
    changed = replace(a.messages[0], codes=("reason",), note="why not")
    b = replace(a, coder="Ben", messages=(changed, *a.messages[1:]))
    assert find_differences([a, b]) in ([], [changed.key])
    data = content(adjudication_page(talks, [a, b], "Carla"))
    assert [talk["n"] for talk in data["talks"]] == [changed.talk]
    asked = [row for row in data["talks"][0]["m"] if row[5]]
    assert [row[0] for row in asked] == [changed.message]
    assert [(one["coder"], one["note"]) for one in asked[0][6]] == [("Anna", ""), ("Ben", "why not")]
    with pytest.raises(UsageError, match="so that no decision is needed"):
        adjudication_page(talks, [a, replace(a, coder="Ben")], "Carla")


def test_whose_page_it_may_be(talks: Talks, book: Codebook) -> None:
    with pytest.raises(UsageError, match="'Cara' is not among the coders; did you mean 'Carla'"):
        coding_page(talks, book, "Cara", coders=["Anna", "Carla"])
    with pytest.raises(UsageError, match="name all of them as coders"):
        coding_page(talks, book, "Anna", shared=3)
    with pytest.raises(UsageError, match="no talk is left for 'p9'"):  # the last by name
        coding_page(talks, book, "p9", coders=[f"p{place}" for place in range(21)], shared=0)
