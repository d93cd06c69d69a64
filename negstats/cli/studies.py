"""The commands for a study of one's own: load, map, describe, deidentify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, cast

import typer

from negstats import sanitize
from negstats.cli.shared import (
    ADVANCED,
    EngineOption,
    JsonOption,
    MapOption,
    StudyPath,
    WhoOption,
    print_json,
    print_left_out,
    print_lines,
    print_table,
    refuse_joining,
    secret_in,
    studies_at,
    study_at,
    study_in,
    write_csv,
    write_csv_of,
    written_to,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from negstats.analysis import Description
    from negstats.analysis.loading_checks import LoadingCheck
    from negstats.studies.study import Study


PLATFORMS, JOINING = "Options of platforms", "Options of several sources"  # headings in the help of load


def load(
    paths: Annotated[list[Path], typer.Argument(help="File or folder of raw logs; several are joined into one study.")],
    out: Annotated[Path, typer.Option(help="Folder to write the study to.")],
    mapping: MapOption = None,
    leave_out_bad_games: Annotated[
        bool,
        typer.Option("--leave-out-bad-games", help="Leave out and count what is damaged: files, or games with --map."),
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="Name of the format; recognised from the files by default.", rich_help_panel=PLATFORMS
        ),
    ] = None,
    app: Annotated[str | None, typer.Option(help="oTree: read only this app.", rich_help_panel=PLATFORMS)] = None,
    person: Annotated[
        str | None,
        typer.Option(
            help="What identifies people. oTree: code or label; Qualtrics: a column; several sources: NAME=WHAT,...",
            rich_help_panel=PLATFORMS,
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(help="LLM-Deliberation: rule for agreements, authors or strict.", rich_help_panel=PLATFORMS),
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="LAMEN: keep the models' private notes.", rich_help_panel=PLATFORMS)
    ] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Qualtrics: keep unfinished answers.", rich_help_panel=PLATFORMS)
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="Any option of a loader, such as demo=in for oTree.",
            rich_help_panel=PLATFORMS,
        ),
    ] = None,
    prefix: Annotated[
        bool,
        typer.Option("--prefix", help="Begin each game's id with the name of its source.", rich_help_panel=JOINING),
    ] = False,
    same_people: Annotated[
        Path | None,
        typer.Option(help="CSV in which each row holds two ids of the same person.", rich_help_panel=JOINING),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="Where a person answered twice, keep the first or last answer.", rich_help_panel=JOINING),
    ] = None,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read events, or a table with --map, in pieces; the default from 64 MiB on.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of files that are read in parallel.", rich_help_panel=ADVANCED)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read raw logs and save them as a study of tidy tables."""
    reading_notes: list[str] = []
    options: dict[str, Any] = {"format": format_, "app": app, "person": person, "unfinished": unfinished or None}
    options |= {"rule": rule, "notes": notes or None, "workers": workers}
    options = _with_options(options, option or [])
    if len(paths) == 1:
        refuse_joining(prefix=prefix, same_people=same_people, keep=keep)
        options |= {"leave_out_bad_games": leave_out_bad_games, "stream": stream}
        study = written_to(out, paths[0], mapping, tell=reading_notes.append, **options)
    else:
        options |= {"prefix": prefix, "same_people": same_people, "keep": keep, "stream": stream}
        study = studies_at(
            paths, mapping, leave_out_bad_games=leave_out_bad_games, tell=reading_notes.append, **options
        )
        study.save(out)
    from negstats.analysis import describe
    from negstats.analysis.loading_checks import check_loading
    from negstats.studies.records import sentence

    description = describe(study)
    checks = check_loading(study) if study.in_memory else []  # it looks at every row
    suspicious = [check for check in checks if check.suspicious]
    if as_json:
        doubts = [{"about": check.about, "suspicious": check.suspicious} for check in suspicious]
        print_json({"study": str(out), "read_as": reading_notes, **description.to_dict(), "sanity": doubts})
        return
    print_lines(line if len(paths) > 1 else f"{paths[0]}: {line}" for line in reading_notes)
    print_table(description.rows, f"{out}: written from {sanitize.counted(len(study.provenance.sources), 'file')}")
    print_left_out(description.left_out, description.notes)
    questions = [record for record in study.provenance.records if record.kind in ("reading_stop", "reading_question")]
    print_lines(f"open: {sentence(record)}" for record in questions)
    if suspicious:
        print_lines(["", "Suspicious, of which negstats describe says more:", *map(str, suspicious)])
        print_lines(_ways_to_answer(suspicious))


def _with_options(options: dict[str, Any], given: list[str]) -> dict[str, Any]:
    """Return the options of a loader with those that are written NAME=VALUE."""
    from negstats.errors import UsageError, meant
    from negstats.loaders import formats

    known = {name for each in formats() for name in each.options} if given else set()
    for text in given:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name and sign and value):
            raise UsageError(f"--option {text}: is not NAME=VALUE, such as demo=in")
        if name not in known:
            raise UsageError(f"--option {text}: no loader has the option {name}; {meant(name, sorted(known))}")
        if options.get(name) is not None:
            raise UsageError(f"--option {text}: {name} is given twice; give it once")
        options[name] = value
    return options


def _ways_to_answer(checks: Sequence[LoadingCheck]) -> list[str]:
    """Return what answers each suspicion: until then it is shown, and an alarm of each analysis."""
    from negstats.studies.records import answers_of

    answers = (f"  to answer: {answers_of(record)}" for check in checks for record in check.records)
    return list(dict.fromkeys(answers))  # one answer may stand for several records


def write_mapping(
    path: Annotated[Path, typer.Argument(help="A log of your own.", show_default=False)],
    encoding: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Encoding of text files, such as cp1252; recognised from the file by default.", show_default=False
        ),
    ] = None,
    delimiter: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Character that separates cells, such as ';'.", show_default=False),
    ] = None,
    decimal: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Decimal sign of numbers: a point or a comma.", show_default=False),
    ] = None,
    answer: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="Answer to an open question by its subject and number, such as row=2.",
            show_default=False,
        ),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the likely answer to each open question, and record it in the file.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the draft of a mapping file for a log of your own."""
    from negstats.loaders import mapping

    answers = _answers_in(answer or [])
    text = mapping.suggest(
        path, encoding=encoding, delimiter=delimiter, decimal=decimal, answers=answers, accept=accept
    )
    if as_json:
        print_json({"mapping": text})
        return
    typer.echo(sanitize.text(text), nl=False)


def _answers_in(options: list[str]) -> dict[str, str]:
    """Return the answers of a command, by the subjects of their questions."""
    from negstats.errors import UsageError
    from negstats.loaders.reading.questions import SUBJECTS

    answers: dict[str, str] = {}
    for option in options:
        subject, sign, answer = option.partition("=")
        if not sign or subject not in SUBJECTS:
            raise UsageError(f"--answer {option}: is not SUBJECT=NUMBER; subjects are {', '.join(SUBJECTS)}")
        if answers.setdefault(subject, answer) != answer:
            raise UsageError(f"--answer {option}: {subject} is answered twice; give one answer")
    return answers


def describe(
    study: StudyPath,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Factor by which measures are split; may be repeated.", show_default="the condition"),
    ] = None,
    who: WhoOption = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all measures, not only the first ones.")] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="Print which values are missing, and what a missing value means.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the table of measures as CSV.")] = None,
    values: Annotated[
        Path | None, typer.Option(help="Write every value as CSV, one row for each game and seat.")
    ] = None,
    mapping: MapOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the contents of a study, and n, M and SD of its measures."""
    from negstats.analysis import describe as described
    from negstats.analysis.describe import available, measure_table, measure_values, shown_first
    from negstats.analysis.loading_checks import check_loading
    from negstats.analysis.preregistration.draft_factors import conditions_of
    from negstats.studies.records import answers_of, open_records, sentence

    opened_study = study_in(study, mapping, engine).with_frames()  # each table is passed to the engine once
    description = described(opened_study)
    origin = opened_study.provenance
    questions = [
        record for record in open_records(origin.records, origin.accepted) if record.kind.startswith("reading_")
    ]
    # It looks at every row, which an engine keeps.
    checks = check_loading(opened_study) if opened_study.in_memory else []
    factors = conditions_of(opened_study) if by is None else by
    computable = available(opened_study)
    first = shown_first(opened_study, computable)
    names = computable if everything or csv is not None or as_json else first
    table = measure_table(opened_study, factors, names=names, who=who) if names or names is computable else None
    if table is not None:
        write_csv(table, csv)
    if values is not None:
        write_csv_of(measure_values(opened_study), values)
    if as_json:
        doubts = [{"about": check.about, "text": check.text, "suspicious": check.suspicious} for check in checks]
        contents = {**description.to_dict(), "open": [sentence(record) for record in questions], "sanity": doubts}
        print_json({**contents, "measures": [] if table is None else table.to_dict("records")})
        return
    for record in questions:
        print_lines([f"OPEN, {record.place}: {sentence(record)}", f"  To answer: {answers_of(record)}", ""])
    if checks:
        print_lines(["Sanity check (! is suspicious)", *map(str, checks), *_ways_to_answer(checks), ""])
    _print_contents(description, missing=missing)
    if table is not None:
        _print_measures(table[table["measure"].isin(computable if everything or not first else first)], computable)
    print_left_out(description.left_out, description.notes)


def _print_contents(description: Description, *, missing: bool) -> None:
    """Print how many there are of what, how games ended, the conditions, and what is missing."""
    sizes = zip(description.rows["table"], description.rows["rows"], strict=True)
    rows = ", ".join(f"{table} {count:,}" for table, count in sizes if count)
    people = ", ".join(f"{count:,} {what}" for what, count in description.known_counts().items())
    print_lines([people, f"rows: {rows}", ""])
    print_table(description.ends, "How games ended")
    if len(description.factors):
        print_table(description.conditions(), "Conditions")
    if missing and len(description.missing):
        print_table(description.missing, "Missing values, and what they mean")


def _print_measures(table: pd.DataFrame, computable: list[str]) -> None:
    """Print the table of measures, and how many there are beyond it."""
    from negstats.analysis.describe import readable

    print_table(readable(table), "Measures (seats and games, not independent units)", droppable=("from", "to"))
    rest = len(set(computable) - set(table["measure"]))
    print_lines([f"{rest} more measures with --all; every value with --values FILE; tests: negstats compare"])


def deidentify(
    study: StudyPath,
    out: Annotated[Path, typer.Option(help="Folder to write the copy to.")],
    salt_file: Annotated[
        Path | None, typer.Option(help="File whose first line is your secret; by default it is random and not stored.")
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(help="Factor or question to keep; may be repeated.")] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Shuffle games and people, so that their order identifies nobody.")
    ] = False,
    times: Annotated[str | None, typer.Option(help="Coarsen times to the hour, day, week, month or year.")] = None,
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a copy of a study that does not identify its participants."""
    salt = None if salt_file is None else secret_in(salt_file)
    loaded_study = study_at(study, mapping)
    safe = loaded_study.deidentify(salt, keep=keep or [], shuffle=shuffle, times=cast("Any", times))
    _save_checked(loaded_study, safe, out, keep or [])
    from negstats.analysis import describe

    notes = describe(safe).notes
    if as_json:
        print_json({"study": str(out), "games": len(safe.games), "notes": list(notes)})
        return
    print_lines([f"{out}: written, {len(safe.games)} games", *(f"note: {note}" for note in notes)])


def _save_checked(study: Study, safe: Study, out: Path, keep: list[str]) -> None:
    """Search a copy, as it is written, for pieces of ids; save it where none is found, else leave `out` as it is."""
    import tempfile

    from negstats.studies import open_study
    from negstats.studies.pseudonyms import Pieces

    ids = [*study.players["participant_id"].dropna().unique(), *study.answers["participant_id"].dropna().unique()]
    with tempfile.TemporaryDirectory(prefix="negstats-") as folder:
        safe.save(Path(folder) / "copy")
        written = open_study(Path(folder) / "copy")
        pseudonyms = {*written.players["participant_id"].dropna(), *written.answers["participant_id"].dropna()}
        pseudonyms |= {*written.games["game_id"], *written.players["player"]}
        for factor in written.factors:
            pseudonyms |= set(written.games[factor].dropna().astype("str"))
        written.check_pieces(Pieces(dict.fromkeys(ids), pseudonyms), keep)
    safe.save(out)
