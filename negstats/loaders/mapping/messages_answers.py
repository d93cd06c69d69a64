"""Messages and survey answers out of the rows of a log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from negstats.loaders.files.columns import Texts
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.frames import Codes, Frame, nothing, picked, stacked
from negstats.loaders.mapping.model import Source, Sources
from negstats.loaders.mapping.offers import numbered
from negstats.loaders.mapping.own_measures import numbers_of
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.seats import Seats, since
from negstats.loaders.mapping.thresholds import QUESTION, least_of, responder_of


def messages_of(lines: Lines, game: Codes, event: Codes | None, player: Codes) -> tuple[Frame, Texts]:
    """Return the utterances, rows with words or an act, also those that are offers too; and their words.

    ``text`` is the place of a row among the words.
    """
    sections = lines.part.sections
    sources, offers = sections["messages"], sections["offers"]
    has_words = lines.any_of(source for name, source in sources.items() if name in ("text", "act"))
    is_message = np.full(len(has_words), lines.part.row == "message" and not offers)
    if event is not None:
        is_message = event == lines.places.vocabulary("event").code("message")
    lines.places.leave_out(lines.index[is_message & ~has_words], "a message without words")
    rows = lines.only(has_words)
    frame: Frame = {"at": rows.index, "game_id": game[has_words], "sender": player[has_words]}
    for name in ("sender", "act", "labels"):
        if name in sources:
            frame[name] = rows.text(sources[name])
    if "player" not in sections["players"] and "sender" not in sources and "proposer" in offers:
        frame["sender"] = rows.text(offers["proposer"])
    words = rows.words(sources["text"]) if "text" in sources else pa.nulls(len(rows), pa.large_string())
    time = sources.get("time_s") or offers.get("time_s")
    if time and time.clock:
        frame["stamp"] = rows.stamp(time)
    elif time:
        frame["time_s"] = rows.number(time)
    if "message" in sources:
        frame["order"] = rows.number(sources["message"])
    frame["text"] = np.arange(len(rows))
    return frame, words


def finished_messages(frame: Frame, seats: Seats, began: np.ndarray, places: Places) -> Frame:
    """Return the rows of the table in order, with a number in the game and seconds since it began."""
    nobody = frame["sender"] < 0
    places.leave_out(frame["at"][nobody], "a message without a sender")
    frame = picked(frame, ~nobody)
    game = seats.rank[frame["game_id"]]
    order = frame.get("order", nothing("float64", len(game)))
    has_order = ~np.isnan(order)
    ordered_messages = {"at": frame["at"][has_order], "game_id": frame["game_id"][has_order], "place": order[has_order]}
    refuse_repeated(ordered_messages, ["game_id", "place"], "the order of a game's messages must be unique", places)
    frame = picked(frame | {"game": game}, np.lexsort((frame["at"], order, game)))
    if "stamp" in frame:
        seconds = since(frame["stamp"], began[frame["game"]])
        seconds_in_log = frame.get("time_s", seconds)
        frame["time_s"] = np.where(np.isnan(seconds_in_log), seconds, seconds_in_log)
    return frame | {"message": numbered(frame["game"])}


def answers_of(lines: Lines, game: Codes, measures: Sources) -> Iterator[Frame]:
    """Yield for each question of one part, and each measure of seats, the row's participant, game and answer."""
    sections = lines.part.sections
    blocks: list[tuple[Sources, dict[str, Sources]]] = [(sections["players"], sections)]
    blocks += [(seat["players"], seat) for seat in lines.part.seats.values()]
    no_game = nothing("int32", len(lines))
    yield from _least(lines, game)
    for name, source in measures.items():
        yield {
            "at": lines.index,
            "participant_id": lines.text(sections["players"]["participant_id"]),
            "game_id": game,
            "question": np.full(len(lines), lines.places.vocabulary("question").code(name), dtype=np.int32),
            "answer": lines.places.vocabulary("answer").add(_as_texts(numbers_of(lines, source))),
        }
    for players, block_sections in blocks:
        for about, sources in ((game, block_sections["answers"]), (no_game, block_sections["person"])):
            for question, source in sources.items():
                code = lines.places.vocabulary("question").code(question)
                if source.is_mean:
                    texts = _as_texts(_mean_of_items(lines, source))
                else:
                    texts = lines.places.vocabulary(source.name).texts(lines.text(source))
                answer = lines.places.vocabulary("answer").add(texts)
                yield {
                    "at": lines.index,
                    "participant_id": lines.text(players["participant_id"]),
                    "game_id": about,
                    "question": np.full(len(lines), code, dtype=np.int32),
                    "answer": answer,
                }


def _as_texts(numbers: npt.NDArray[np.float64]) -> pa.Array:
    return pa.array([None if number != number else f"{number:.15g}" for number in numbers.tolist()], pa.string())


def _mean_of_items(lines: Lines, source: Source) -> npt.NDArray[np.float64]:
    """Return each row's mean of the items of a scale that were answered; missing where fewer than half were."""
    items = np.column_stack([lines.number(item) for item in source.items])
    is_answered = ~np.isnan(items)
    n_answered = is_answered.sum(axis=1)
    total = np.where(is_answered, items, 0.0).sum(axis=1)
    return np.where(2 * n_answered >= items.shape[1], total / np.maximum(n_answered, 1), np.nan)


def _least(lines: Lines, game: Codes) -> Iterator[Frame]:
    """Yield the responders' least acceptable amounts as their answers about the game."""
    offers = lines.part.sections["offers"]
    source = offers.get("accept_from")
    if source is None:
        return
    if lines.part.row == "player":
        people = lines.part.sections["players"]["participant_id"]
    else:
        people = lines.part.seats[responder_of(lines.part) or ""]["players"]["participant_id"]
    proposer = lines.text(offers["proposer"]) if "proposer" in offers else nothing("int32", len(lines))
    answering = least_of(lines, game, proposer)["player"] >= 0
    rows = lines.only(answering)
    words = lines.places.vocabulary(source.name).texts(rows.text(source))
    code = lines.places.vocabulary("question").code(QUESTION)
    yield {
        "at": rows.index,
        "participant_id": rows.text(people),
        "game_id": game[answering],
        "question": np.full(len(rows), code, dtype=np.int32),
        "answer": lines.places.vocabulary("answer").add(words),
    }


def finished_answers(frames: list[Frame], places: Places) -> Frame:
    """Return the rows of the table; an empty cell is not an answer, for not asked and not answered look alike."""
    if not frames:
        return {}
    answers = stacked(frames)
    frames.clear()  # the columns of a long survey are large
    unsaid = answers["answer"] < 0
    places.intake.count("{0} cells of survey questions are empty: not asked, or not answered", int(unsaid.sum()))
    nobody = ~unsaid & (answers["participant_id"] < 0)
    places.leave_out(answers["at"][nobody], "an answer without a participant")
    return settled(picked(answers, ~unsaid & ~nobody), ["participant_id", "game_id", "question"], {}, places)
