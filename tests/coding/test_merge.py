"""From coded files to labels: what is missing and what is empty, differences decided, provenance kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from negstats import open_study
from negstats.coding import Codebook, CodedFile, Message, Talks, codes_frame, find_differences, merge
from negstats.errors import LogError, UsageError
from negstats.metrics import measure
from negstats.studies import Study
from tests.coding.talks import by_words, coded


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
