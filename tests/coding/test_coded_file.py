"""From the codebook to labels: its faults, who codes what, coded files, and how those of several coders are joined."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats import open_study
from negstats.coding import (
    Codebook,
    CodedFile,
    CodedMessage,
    Message,
    Span,
    Talks,
    assign,
    codes_frame,
    find_differences,
    merge,
    read_codebook,
    read_coded,
    talks_of,
)
from negstats.coding.coded_file import check_together
from negstats.errors import LogError, NegstatsError, UsageError
from negstats.metrics import measure
from negstats.studies import Provenance, Study
from tests.coding.conftest import codebook_file
from tests.coding.talks import CODEBOOK, by_words, coded, synthetic


@pytest.fixture
def anna(talks: Talks, book: Codebook) -> CodedFile:
    return coded(talks, book, "Anna", among={1, 2})


def test_a_file_is_read_as_it_was_written(anna: CodedFile, talks: Talks, tmp_path: Path) -> None:
    first = replace(
        anna.messages[0], codes=("offer",), spans=(Span("offer", 0, 3),), note="a </script> b",
        coded_at=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
    )  # fmt: skip
    whole = replace(anna, messages=(first, *anna.messages[1:]), exported_at=datetime(2026, 3, 3, tzinfo=UTC))
    file = read_coded(whole.write(tmp_path / "anna.json"))
    file.check(talks)
    assert replace(file, path="", sha256="") == whole
    assert file.path.endswith("anna.json")
    assert len(file.sha256) == 64


def test_a_note_alone_is_no_decision(anna: CodedFile) -> None:
    first = replace(anna.messages[0], codes=(), coded=False, note="unsure")
    file = replace(anna, messages=(first, *anna.messages[1:]))
    assert first.key not in file.decisions
    assert len(file.decisions) == len(anna.decisions) - 1


def _first(**given: Any) -> Callable[[CodedFile], CodedFile]:
    def change(file: CodedFile) -> CodedFile:
        return replace(file, messages=(replace(file.messages[0], **given), *file.messages[1:]))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: replace(file, study_sha256="0" * 64), "was coded from other messages than those of the study"),
        (lambda file: replace(file, seed=6), "was coded with the seed 6, not 5"),
        (_first(talk=99), r"message 1 of talk 99 \(messages 1\): the study has no such message to code"),
        (_first(message=9), "message 9 of talk 1 .*: the study has no such message to code"),  # a deal action
        (_first(text_sha256="0" * 16), "its text is another one in the study"),
        (_first(codes=("ofer",)), "the codebook has no code 'ofer'; did you mean 'offer'?"),
        (_first(codes=("reason", "reason")), "one of them twice"),
        (_first(codes=("offer", "reject")), "offer and reject exclude each other in the group 'move'"),
        (_first(codes=("offer",), spans=(Span("reason", 0, 2),)), "the span 0 to 2 of 'reason'"),
        (_first(codes=("offer",), spans=(Span("offer", 2, 2),)), "is not part of a text"),
        (_first(codes=("offer",), spans=(Span("offer", 0, 999),)), "is not part of a text"),
        (lambda file: replace(file, messages=(file.messages[0], file.messages[0])), "it is in the file twice"),
    ],
)
def test_what_does_not_fit_is_named(
    change: Callable[[CodedFile], CodedFile], message: str, anna: CodedFile, talks: Talks
) -> None:
    with pytest.raises(LogError, match=message):
        change(anna).check(talks)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("coder"), "missing required field `coder`"),
        (lambda content: content.update(seed="x"), r"Expected `int`, got `str` - at `\$.seed`"),
        (lambda content: content["messages"][0].update(codes="offer"), r"at `\$.messages\[0\].codes`"),
        (lambda content: content.update(schema=2), "has the schema 2; this negstats reads 1"),
        (lambda content: content.update(kind="other"), "kind"),
        (lambda content: content["codebook"].update(title="Other"), "its codebook has changed since coding"),
        (lambda content: content["codebook"].update(codes=[]), "codebook, codes: is not a list of codes"),
    ],
)
def test_a_field_that_was_changed_is_named(
    change: Callable[[dict[str, Any]], Any], message: str, anna: CodedFile, tmp_path: Path
) -> None:
    content = json.loads(anna.to_json())
    change(content)
    file = tmp_path / "anna.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(NegstatsError, match=message):
        read_coded(file)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"a": NaN}', "[" * 100_000])
def test_what_is_no_coded_file_is_one_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match="is not a file that a coding page exported"):
        read_coded(file)


def test_files_that_do_not_belong_together(anna: CodedFile, talks: Talks, book: Codebook) -> None:
    other = replace(book, title="Another")
    ben = replace(anna, coder="Ben", path="ben.json")
    check_together([anna, ben], talks)
    for files, message in (
        ([], "no coded file was given"),
        ([anna, replace(ben, coder="Anna")], "ben.json: is a second file of 'Anna'"),
        ([anna, replace(ben, codebook=other)], r"ben.json: was coded with another codebook \('Another'\)"),
        ([anna, replace(ben, kind="adjudication")], "ben.json: is an adjudication; give it with --final"),
    ):
        with pytest.raises(UsageError, match=message):
            check_together(files, talks)
    with pytest.raises(UsageError, match="another codebook"):
        check_together([anna, ben], talks, other)
    with pytest.raises(LogError, match="was coded from other messages"):
        check_together([anna, ben], talks_of(synthetic(20, 7), 5))


def test_characters_beyond_the_first_plane_count_once(book: Codebook) -> None:
    study = synthetic(1, 1, ["🙂🙂 ok"])
    talks = talks_of(study)
    (talk,) = talks.by_number.values()
    one = talk.messages[0]
    file = CodedFile("coding", "A", talks.sha256, 1, book, 1, (
        CodedMessage(1, 1, one.sha256, ("offer",), spans=(Span("offer", 3, 5),)),))  # fmt: skip
    file.check(talks)
    with pytest.raises(LogError, match="span 3 to 6"):
        replace(file, messages=(replace(file.messages[0], spans=(Span("offer", 3, 6),)),)).check(talks)


def test_keys_are_those_of_the_file_and_then_the_free_ones(book: Codebook) -> None:
    assert [(code.name, code.key) for code in book.codes] == [("offer", 1), ("reject", 5), ("reason", 2)]
    assert book.groups == {"move": ("offer", "reject")}
    assert (book.title, book.unit, book.spans) == ("Offers and reasons", "message", True)


def test_the_tenth_code_has_no_key(tmp_path: Path) -> None:
    codes = "\n".join(f'[[codes]]\nname = "c{place}"' for place in range(11))
    book = read_codebook(codebook_file(tmp_path, f'title = "many"\n{codes}'))
    assert [code.key for code in book.codes] == [*range(1, 10), None, None]


def test_comments_and_order_of_fields_do_not_change_its_hash(tmp_path: Path, book: Codebook) -> None:
    other = CODEBOOK.replace('label = "Offer"\n', "").replace("key = 5\n", "") + "\n# a comment\n"
    other = other.replace('name = "offer"\n', 'label = "Offer"\nname = "offer" # same\n').replace(
        'name = "reject"\n', 'key = 5\nname = "reject"\n'
    )
    assert read_codebook(codebook_file(tmp_path, other)).sha256 == book.sha256
    assert read_codebook(codebook_file(tmp_path, CODEBOOK.replace("Says why", "Tells why"))).sha256 != book.sha256


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Offers and reasons"', "", "codes.toml, line 1, title: is not there"),
        ("spans = true", "spans = 1", "line 3, spans: is 1; give true or false"),
        ("spans = true", 'unit = "talk"', "line 3, unit: is 'talk'; only a 'message' can be coded"),
        ("spans = true", "span = true", "line 3, span: is not a field of a codebook; did you mean 'spans'"),
        ('name = "reject"', 'name = "re,ject"', "line 13, codes 2.name: is 're,ject'; a name has"),
        ('name = "reject"', 'name = "none"', "line 13, codes 2.name: is 'none'"),
        ('name = "reject"', 'name = "Offer"', "line 13, codes 2.name: is 'Offer', as that of the code 'offer'"),
        ("key = 5", "key = 10", "line 16, codes 2.key: is 10; a key is a whole number from 1 to 9"),
        ("key = 5", "key = true", "codes 2.key: is True"),
        ('label = "Reason"', 'label = "rejection"', "codes 3.label: is 'rejection', as that of the code 'reject'"),
        ('group = "move"\nkey', "key", "codes 1.group: 'move' has one code; a group has two or more"),
        ('label = "Reason"', "label = 3", "codes 3.label: is 3; write a text"),
        ('label = "Reason"', 'colour = "red"', "codes 3.colour: is not a field of a codebook"),
        ('label = "Reason"', 'label = "Reason', "line 20: TOML cannot read this"),
        ('definition = "Says why."', f'definition = "{"x" * 2001}"', "has 2,001 characters; at most 2,000 fit a page"),
    ],
)
def test_a_fault_is_named_with_file_line_and_field(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in CODEBOOK
    with pytest.raises(UsageError) as error:
        read_codebook(codebook_file(tmp_path, CODEBOOK.replace(old, new, 1)))
    assert message in str(error.value)
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize("text", ['title = "x"', 'title = "x"\ncodes = []', 'title = "x"\ncodes = ["a"]'])
def test_without_codes_it_is_no_codebook(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="codes"):
        read_codebook(codebook_file(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not there"):
        read_codebook(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_codebook(tmp_path / "bytes.toml")


NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)
STUDY = synthetic(17, 3)
BY_SEED = {seed: talks_of(STUDY, seed) for seed in range(4)}


@pytest.mark.slow
@given(names=NAMES, shared=st.integers(0, 17), seed=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_every_talk_is_coded_and_the_shared_ones_by_all(names: list[str], shared: int, seed: int) -> None:
    dealt = assign(BY_SEED[seed], names, shared)
    every = set(BY_SEED[seed].by_number)
    assert len(dealt.shared) == shared
    assert set().union(*map(set, dealt.order.values())) == every
    for own in dealt.order.values():
        assert len(set(own)) == len(own)
        assert set(dealt.shared) <= set(own)
    alone = [number for own in dealt.order.values() for number in own if number not in dealt.shared]
    assert sorted(alone) == sorted(every - set(dealt.shared))  # each by one coder
    assert assign(BY_SEED[seed], names[::-1], shared) == dealt


def test_without_a_share_all_code_all_each_in_another_order() -> None:
    dealt = assign(BY_SEED[1], ["Anna", "Ben"])
    assert sorted(dealt.order["Anna"]) == sorted(dealt.order["Ben"]) == list(range(1, 18))
    assert dealt.order["Anna"] != dealt.order["Ben"]
    assert dealt.order["Anna"] != tuple(range(1, 18))
    assert assign(BY_SEED[2], ["Anna", "Ben"]).order["Anna"] != dealt.order["Anna"]


def test_the_order_is_the_same_everywhere() -> None:
    """The first order that was drawn; another one would separate pages that were made before from those made after."""
    assert assign(BY_SEED[1], ["Anna"]).order["Anna"][:8] == ORDER


ORDER = (16, 11, 3, 10, 8, 5, 6, 13)


def test_numbers_hide_the_games_and_follow_from_the_seed() -> None:
    games = [talk.game_id for talk in BY_SEED[1].by_number.values()]
    assert sorted(games) == sorted(STUDY.games["game_id"])
    assert games != sorted(games)
    assert games != [talk.game_id for talk in BY_SEED[2].by_number.values()]
    assert talks_of(STUDY, 1) == BY_SEED[1]


def test_deal_actions_are_context_and_games_without_words_are_no_talks(study: Study, talks: Talks) -> None:
    for talk in talks.by_number.values():
        assert [one.is_unit for one in talk.messages] == [True] * 8 + [False]
        assert talk.units == 8
        assert {one.speaker for one in talk.messages} == {1, 2}
    silent = study.messages.assign(text=study.messages["text"].where(study.messages["game_id"].str.contains("0001")))
    assert len(talks_of(Study(**{**study.tables, "messages": silent}, provenance=Provenance("x", "1"))).by_number) == 1
    with pytest.raises(UsageError, match="no message with words"):
        talks_of(Study(games=study.games, provenance=Provenance("x", "1")))


@pytest.mark.parametrize(
    ("names", "shared", "message"),
    [
        (["Anna", "anna"], None, "each coder needs a different name"),
        (["Anna", " "], None, "a name is one line of 1 to 60 characters"),
        (["A\u202eB"], None, "a name is one line"),
        (["Anna"], "20 percent", "shared is '20 percent'; give a number of talks"),
        (["Anna"], 18, "17 talks hold words; give fewer"),
        (["Anna"], "101%", "17 talks hold words; give fewer"),
        (["Anna"], "-1", "shared is '-1'"),
    ],
)
def test_what_cannot_be_dealt(names: list[str], shared: str | int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        assign(BY_SEED[1], names, shared)


def hasty(message: Message) -> list[str]:
    """Return the codes of a coder who overlooks reasons in short talks' even messages."""
    return [code for code in by_words(message) if code != "reason" or message.number % 2]


@pytest.fixture(scope="module")
def pair(talks: Talks, book: Codebook) -> list[CodedFile]:
    anna = coded(talks, book, "Anna", among=range(1, 11))
    ben = coded(talks, book, "Ben", hasty, among=range(6, 16))
    return [replace(one, path=f"{one.coder}.json", sha256=one.coder) for one in (anna, ben)]


@pytest.fixture(scope="module")
def final(pair: list[CodedFile], talks: Talks, book: Codebook) -> CodedFile:
    differences = set(find_differences(pair))
    careful = coded(talks, book, "Carla")
    messages = tuple(one for one in careful.messages if one.key in differences)
    return replace(careful, kind="adjudication", messages=messages, path="Carla.json")


def test_labels_are_the_coders_and_the_adjudicators(
    study: Study, talks: Talks, pair: list[CodedFile], final: CodedFile
) -> None:
    merged = merge(study, pair, final)
    assert merged.messages.drop(columns="labels").equals(study.messages.drop(columns="labels"))
    labels = merged.messages.set_index(["game_id", "message"])["labels"]
    for talk in talks.by_number.values():
        for one in talk.messages:
            label = labels[talk.game_id, one.number]
            if talk.number > 15 or not one.is_unit:
                assert pd.isna(label)
            else:
                rule = hasty if talk.number > 10 else by_words  # Ben alone; Anna alone, or Carla
                assert label == ",".join(rule(one))
    assert "" in set(labels)


def test_an_undecided_difference_is_refused(study: Study, pair: list[CodedFile], final: CodedFile) -> None:
    talk, message = find_differences(pair)[0]
    with pytest.raises(UsageError, match=f"the first message {message} of talk {talk};.*--adjudicate NAME"):
        merge(study, pair)
    with pytest.raises(UsageError, match="1 message with different codes"):
        merge(study, pair, replace(final, messages=final.messages[:-1]))


def test_what_does_not_fit_is_refused(study: Study, pair: list[CodedFile], final: CodedFile, book: Codebook) -> None:
    with pytest.raises(UsageError, match=r"Ben\.json: is a coder's file"):
        merge(study, pair, pair[1])
    with pytest.raises(UsageError, match=r"Carla\.json: decides message .* on which these coders do not differ"):
        merge(study, pair[:1], final)
    with pytest.raises(UsageError, match="decided with another codebook"):
        merge(study, pair, replace(final, codebook=replace(book, title="x")))
    with pytest.raises(LogError, match="other messages"):
        merge(study, pair, replace(final, study_sha256="0"))
    with pytest.raises(UsageError, match="no coded file was given"):
        merge(study, [])


@pytest.mark.slow
def test_provenance_says_who_coded_what_and_is_saved(
    study: Study, pair: list[CodedFile], final: CodedFile, tmp_path: Path
) -> None:
    merged = merge(study, pair, final)
    [coding] = merged.provenance.coding
    assert (coding.coders, coding.adjudicator, coding.codes) == (
        ("Anna", "Ben"),
        "Carla",
        ("offer", "reject", "reason"),
    )
    assert (coding.messages, coding.double, coding.differences) == (15 * 8, 5 * 8, len(find_differences(pair)))
    assert [(one.path, one.sha256) for one in coding.sources][:2] == [("Anna.json", "Anna"), ("Ben.json", "Ben")]
    assert [one.code for one in coding.reliability] == ["offer", "reject", "reason", "move"]
    merged.save(tmp_path / "coded")
    assert open_study(tmp_path / "coded").provenance == merged.provenance
    safe = merged.deidentify("one secret salt").provenance.coding[0]
    assert (safe.coders, safe.adjudicator, safe.sources) == (("coder 1", "coder 2"), "adjudicator", ())
    assert safe.reliability == coding.reliability


def test_earlier_labels_are_replaced_and_counted(study: Study, pair: list[CodedFile], final: CodedFile) -> None:
    earlier = replace(study, messages=study.messages.assign(labels="old").astype({"labels": "str"}))
    merged = merge(earlier, pair, final)
    assert not merged.messages["labels"].eq("old").any()
    assert merged.provenance.notes[-1] == "180 messages had labels before, which coded ones replaced"


def test_one_coder_is_enough(study: Study, talks: Talks, book: Codebook) -> None:
    merged = merge(study, [coded(talks, book, "Anna")])
    assert merged.provenance.coding[0].double == 0
    assert merged.provenance.coding[0].reliability == ()
    shares = measure("labels.offer").compute(merged.tables)["labels.offer"]
    units = study.messages[study.messages["act"].isna()]
    expected = units["text"].str.contains("take").groupby([units["game_id"], units["sender"]]).mean()
    assert shares.tolist() == expected.tolist()


def test_every_code_of_every_coder_is_a_row(talks: Talks, pair: list[CodedFile], final: CodedFile) -> None:
    frame = codes_frame([*pair, final], talks)
    assert set(frame["coder"]) == {"Anna", "Ben", "Carla"}
    each = sum(max(1, len(one.codes)) for file in (*pair, final) for one in file.messages)
    assert len(frame) == each
