"""Coded files: written and read again, and each way in which one does not fit its study."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from negstats.coding import Codebook, CodedFile, CodedMessage, Span, Talks, read_coded, talks_of
from negstats.coding.coded_file import check_together
from negstats.errors import LogError, NegstatsError, UsageError
from tests.coding.talks import coded, synthetic


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
