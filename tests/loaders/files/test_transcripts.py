"""Talk written down in text files: who speaks, what is said, and what is told of the whole game."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders.files.tabular import Form, Table
from negstats.loaders.files.transcripts import is_transcript, read_transcript
from negstats.loaders.mapping import read, read_mapping, suggest

WORDS = (
    "I can offer you three books now.",
    "Let me think about that first: two?",
    "No, I need the hats more than you do.",
    "Then I accept this deal, thank you.",
)


def talk_of(place: int) -> str:
    turns = [f"[00:{turn:02d}:1{turn}] {('Buyer', 'Seller')[turn % 2]}: {WORDS[turn % 4]}" for turn in range(6)]
    return "\n".join([f"Condition: {('chat', 'voice')[place % 2]}", f"Price: {60 + place}", "", *turns, ""])


def table_of(text: str) -> Table:
    return read_transcript(text.encode(), Path("talk.txt"), Form(), None)


@pytest.mark.parametrize("lines", [1, 30])
def test_lines_with_times_and_names_are_a_chat_of_however_many(lines: int) -> None:
    names = [f"Name{chr(65 + place)}" for place in range(15)]
    chat = "\n".join(f"[10:{at:02d}:07] {names[at % 15]}: {WORDS[at % 4]}" for at in range(lines))
    assert is_transcript(chat.encode(), Path("chat.txt"))
    assert table_of(chat).column("speaker").nunique() == min(lines, 15)
    untimed = "\n".join(line.partition("] ")[2] for line in chat.splitlines())
    assert not is_transcript(untimed.encode(), Path("chat.txt"))


def test_a_folder_of_talk_becomes_a_study(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    for place in range(12):
        (log / f"dyad{place:02d}.txt").write_text(talk_of(place))
    (tmp_path / "mapping.toml").write_text(suggest(log))
    study = read(log, read_mapping(tmp_path / "mapping.toml"))
    assert study.games["Condition"].value_counts().to_dict() == {"chat": 6, "voice": 6}
    assert len(study.messages) == 72
    first = study.messages[study.messages["game_id"] == study.games["game_id"].iloc[0]]
    assert first["sender"].tolist() == ["Buyer", "Seller"] * 3
    assert first["text"].iloc[1] == WORDS[1]
    assert first["time_s"].diff().dropna().tolist() == [61.0] * 5


def test_what_is_told_below_the_talk_is_of_the_whole_game_too() -> None:
    table = table_of("Ann: Hello.\nBo: Ten?\nAnn: Nine.\nBo: Deal.\n\nPrice: 9\n")
    assert table.column("Price").tolist() == ["9"] * 4


def test_a_turn_may_have_several_lines_and_none() -> None:
    table = table_of("Ann: I say\n  two things.\nBo:\nAnn: And now?\nBo: Deal\n")
    assert table.column("text").fillna("").tolist() == ["I say\ntwo things.", "", "And now?", "Deal"]
    assert list(table.rows) == [1, 3, 4, 5]


def test_no_line_of_the_talk_is_lost() -> None:
    table = table_of(
        "Talk of dyad 3\n\nAnn: Well,\n\nten?\nHost: One minute.\nBo: Nine.\nAnn: No.\nBo: Yes.\n\nThe end\n"
    )
    assert table.column("speaker").tolist() == ["Ann", "Host", "Bo", "Ann", "Bo"]
    assert table.column("text").tolist() == ["Well,\nten?", "One minute.", "Nine.", "No.", "Yes."]
    assert [row for row, _ in table.unread] == [1, 11]


@pytest.mark.parametrize(
    "text",
    [
        "game,who,offer\n7,A,5\n8,B,2\n",
        "name: Ann\nage: 20\nsex: f\nnote: none\n",  # facts of one person, and no talk
        "Ann: Hello.\nAnn: Is anybody there?\nAnn: No?\nAnn: Bye.\n",
        "Dear both: thank you.\nWe talked about books and hats.\nIt was good.\nBye.\n",
        "12:30,4\n12:31,5\n12:32,6\n12:33,7\n",
    ],
)
def test_other_texts_are_no_talk(text: str) -> None:
    assert not is_transcript(text.encode(), Path("log.txt"))


def test_a_text_without_talk_is_refused() -> None:
    with pytest.raises(LogError, match=r"talk\.txt: holds no talk"):
        table_of("price: 9\n")


NAMES = st.sampled_from([("Ann", "Bo"), ("Käuferin", "Verkäufer 2"), ("P1", "P2"), ("Dr. Wu", "O'Neil-Kay")])
TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1), min_size=4)


@given(names=NAMES, texts=TEXTS)
def test_what_was_written_is_read(names: tuple[str, str], texts: list[str]) -> None:
    lines = [f"{names[turn % 2]}: {text}" for turn, text in enumerate(texts)]
    data = "\n".join(lines).encode()
    assert is_transcript(data, Path("talk.txt"))
    table = read_transcript(data, Path("talk.txt"), Form(), None)
    assert table.column("text").tolist() == texts
    assert table.column("speaker").tolist() == [names[turn % 2] for turn in range(len(texts))]
