"""Messages and survey answers out of the rows of a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from negstats.loaders.mapping.conflicts import settled
from negstats.loaders.mapping.model import Source, Sources
from negstats.loaders.mapping.offers import numbered
from negstats.loaders.mapping.own_measures import mean_of, numbers_of
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.seats import player_of, with_seconds
from negstats.loaders.mapping.thresholds import QUESTION, least_of, responder_of


def messages_of(lines: Lines) -> pl.DataFrame:
    """Return the utterances, rows with words or an act, also those that are offers too."""
    sections = lines.part.sections
    sources, offers = sections["messages"], sections["offers"]
    has_words = lines.any_of(source for name, source in sources.items() if name in ("text", "act"))
    is_message = pl.lit(lines.part.row == "message" and not offers)
    if lines.part.event:
        is_message = pl.col("event") == "message"
    lines.places.leave_out(lines.rows.filter(is_message, ~has_words)["at"], "a message without words")
    spoken = lines.only(has_words)
    columns = {"sender": player_of(spoken)} | {
        name: spoken.text(sources[name]) for name in ("sender", "act", "labels") if name in sources
    }
    if "player" not in sections["players"] and "sender" not in sources and "proposer" in offers:
        columns["sender"] = spoken.text(offers["proposer"])
    columns["text"] = spoken.words(sources["text"]) if "text" in sources else spoken.none(pl.String())
    time = sources.get("time_s") or offers.get("time_s")
    if time and time.clock:
        columns["stamp"] = spoken.stamp(time)
    elif time:
        columns["time_s"] = spoken.number(time)
    if "message" in sources:
        columns["order"] = spoken.number(sources["message"])
    return spoken.rows.select("at", "game_id", **columns)


def finished_messages(frame: pl.DataFrame, games: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return the rows of the table in order, with a number in the game and seconds since it began."""
    places.leave_out(frame.filter(pl.col("sender").is_null())["at"], "a message without a sender")
    what = "the order of a game's messages must be unique"
    return with_seconds(numbered(frame.drop_nulls("sender"), "message", what, places), games)


def answers_of(lines: Lines, measures: Sources) -> Iterator[pl.DataFrame]:
    """Yield for each question of one part, and each measure of seats, the row's participant, game and answer."""
    sections = lines.part.sections
    blocks: list[tuple[Sources, dict[str, Sources]]] = [(sections["players"], sections)]
    blocks += [(seat["players"], seat) for seat in lines.part.seats.values()]
    yield from _least(lines)
    for name, source in measures.items():
        yield _answers_of_measure(lines, name, source)
    for players, block_sections in blocks:
        for level in ("answers", "person"):
            for question, source in block_sections[level].items():
                people = lines.text(players["participant_id"])
                answer = _as_texts(mean_of(lines, source)) if source.is_mean else lines.text(source)
                frame = _answers(lines, people, question, answer)
                yield frame if level == "answers" else frame.with_columns(game_id=pl.lit(None, frame.schema["game_id"]))


def _answers_of_measure(lines: Lines, name: str, source: Source) -> pl.DataFrame:
    """Return what a measure of seats says of each row, or of all rows of somebody in a game where one is taken."""
    people = lines.text(lines.part.sections["players"]["participant_id"])
    frame = lines.rows.select("at", "game_id", participant_id=people, answer=numbers_of(lines, source))
    if source.take is not None:
        frame = settled(frame, ["participant_id", "game_id"], {"answer": source}, lines.places)
    text = lines.places.text
    return frame.select(
        *("at", "game_id", "participant_id"),
        question=pl.lit(name, text),
        answer=_as_texts(frame["answer"]).cast(text),
    )


def _answers(lines: Lines, people: pl.Series, question: str, answer: pl.Series) -> pl.DataFrame:
    """Return the answers of the rows to one question, about their games."""
    text = lines.places.text
    return lines.rows.select(
        "at", "game_id", participant_id=people, question=pl.lit(question, text), answer=answer.cast(text)
    )


def _as_texts(numbers: pl.Series) -> pl.Series:
    texts = [None if number is None else f"{number:.15g}" for number in numbers.to_list()]
    return pl.Series(texts, dtype=pl.String)


def _least(lines: Lines) -> Iterator[pl.DataFrame]:
    """Yield the responders' least acceptable amounts as their answers about the game."""
    source = lines.part.sections["offers"].get("accept_from")
    if source is None:
        return
    if lines.part.row == "player":
        people = lines.part.sections["players"]["participant_id"]
    else:
        people = lines.part.seats[responder_of(lines.part) or ""]["players"]["participant_id"]
    proposer = lines.part.sections["offers"].get("proposer")
    least = least_of(lines, lines.text(proposer) if proposer else lines.none())
    answering = lines.only(least["player"].is_not_null())
    yield _answers(answering, answering.text(people), QUESTION, answering.text(source))


def finished_answers(frames: Sequence[pl.DataFrame], places: Places) -> pl.DataFrame:
    """Return the rows of the table; an empty cell is not an answer, for not asked and not answered look alike."""
    if not frames:
        return pl.DataFrame()
    answers = pl.concat(frames)
    n_unsaid = answers["answer"].null_count()
    places.intake.count("{0} cells of survey questions are empty: not asked, or not answered", n_unsaid)
    answers = answers.drop_nulls("answer")
    places.leave_out(answers.filter(pl.col("participant_id").is_null())["at"], "an answer without a participant")
    keys = ["participant_id", "game_id", "question"]
    return settled(answers.drop_nulls("participant_id"), keys, {}, places)
