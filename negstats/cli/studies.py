"""The commands for a study of one's own: load, map, describe, metrics, deidentify, compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, cast

import typer

from negstats import sanitize
from negstats.cli.shared import (
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

    from negstats.analysis.loading_checks import LoadingCheck
    from negstats.studies.study import Study


def load(
    paths: Annotated[
        list[Path],
        typer.Argument(help="File or folder of raw logs; several are joined into one study.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write the study to.", show_default=False)],
    mapping: MapOption = None,
    leave_out_bad_games: Annotated[
        bool, typer.Option("--leave-out-bad-games", help="Leave out damaged files (with --map: games) and count them.")
    ] = False,
    format_: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--format", help="Name of the format; recognised from the files by default.", show_default=False),
    ] = None,
    app: Annotated[Optional[str], typer.Option(help="oTree: read only this app.", show_default=False)] = None,  # noqa: UP045
    person: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="What identifies people. oTree: code or label; Qualtrics: a column; several sources: NAME=WHAT,...",
            show_default=False,
        ),
    ] = None,
    rule: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="LLM-Deliberation: authors or strict.", show_default=False),
    ] = None,
    notes: Annotated[bool, typer.Option("--notes", help="LAMEN: keep the models' private notes.")] = False,
    unfinished: Annotated[bool, typer.Option("--unfinished", help="Qualtrics: keep unfinished answers.")] = False,
    prefix: Annotated[
        bool, typer.Option("--prefix", help="Joining: put the source's name before each game's id.")
    ] = False,
    same_people: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Joining: CSV of two columns, each row two ids of one person.", show_default=False),
    ] = None,
    keep: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Joining: keep the first or the last of different answers to one question.", show_default=False
        ),
    ] = None,
    stream: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--stream/--no-stream",
            help="Read a log of events, or a table with --map, in pieces; the default from 64 MiB on.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            min=1, help="Number of files that are read at a time, where each game has its own.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read raw logs, of one source or several, and save them as a study of tidy tables."""
    reading_notes: list[str] = []
    options: dict[str, Any] = {"format": format_, "app": app, "person": person, "unfinished": unfinished or None}
    options |= {"rule": rule, "notes": notes or None, "workers": workers}
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
    asked = [record for record in study.provenance.records if record.kind in ("reading_stop", "reading_question")]
    print_lines(f"open: {sentence(record)}" for record in asked)
    if suspicious:
        print_lines(["", "Suspicious, of which negstats describe says more:", *map(str, suspicious)])
        print_lines(_ways_to_answer(suspicious))


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
        typer.Option(help="What separates cells, such as ';'.", show_default=False),
    ] = None,
    decimal: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="The decimal sign of numbers: . or a comma.", show_default=False),
    ] = None,
    answer: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="SUBJECT=NUMBER: the option that answers an open question, such as row=2; may be repeated.",
            show_default=False,
        ),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the likely answers to all open questions, and write that down.")
    ] = False,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Ask the open questions one by one, and write the mapping to --out.")
    ] = False,
    out: Annotated[Path, typer.Option(help="File that --interactive writes.")] = Path("mapping.toml"),
    as_json: JsonOption = False,
) -> None:
    """Print a mapping file to start from, written from the columns of a log (negstats map PATH > mapping.toml)."""
    from negstats.loaders import mapping

    if interactive:
        from negstats.cli.interview import interview

        interview(path, out, encoding=encoding, delimiter=delimiter, decimal=decimal)
        return

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
    from negstats.loaders.reading import SUBJECTS

    answers: dict[str, str] = {}
    for option in options:
        subject, sign, answer = option.partition("=")
        if not sign or subject not in SUBJECTS:
            raise UsageError(f"--answer {option}: is not SUBJECT=NUMBER; subjects are {', '.join(SUBJECTS)}")
        if answers.setdefault(subject, answer) != answer:
            raise UsageError(f"--answer {option}: {subject} is answered twice; give one answer")
    return answers


def describe(
    study: StudyPath, mapping: MapOption = None, engine: EngineOption = None, as_json: JsonOption = False
) -> None:
    """Show games, players, conditions, ends and missing values, after ten lines that reveal a wrong mapping."""
    from negstats.analysis import describe as described
    from negstats.analysis.loading_checks import check_loading
    from negstats.studies.records import answers_of, open_records, sentence

    opened_study = study_in(study, mapping, engine)
    description = described(opened_study)
    origin = opened_study.provenance
    asked = [record for record in open_records(origin.records, origin.accepted) if record.kind.startswith("reading_")]
    checks = (
        check_loading(opened_study) if opened_study.in_memory else []
    )  # it looks at every row, which an engine keeps
    if as_json:
        doubts = [{"about": check.about, "text": check.text, "suspicious": check.suspicious} for check in checks]
        print_json({**description.to_dict(), "open": [sentence(record) for record in asked], "sanity": doubts})
        return
    for record in asked:
        print_lines([f"OPEN, {record.place}: {sentence(record)}", f"  To answer: {answers_of(record)}", ""])
    if checks:
        print_lines(["Sanity check (! is suspicious)", *map(str, checks), *_ways_to_answer(checks), ""])
    print_lines(f"{count} {what}" for what, count in description.people.items())
    print_table(description.rows, "Tables")
    print_table(description.ends, "How games ended")
    if len(description.factors):
        print_table(description.conditions(), "Conditions")
    if len(description.missing):
        print_table(description.missing, "Missing values, and what they mean")
    print_left_out(description.left_out, description.notes)


def metrics(
    study: StudyPath,
    by: Annotated[Optional[list[str]], typer.Option(help="Factor to split by; may be repeated.")] = None,  # noqa: UP045
    who: WhoOption = None,
    csv: Annotated[Optional[Path], typer.Option(help="Write the table as CSV.")] = None,  # noqa: UP045
    values: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write every value as CSV, one row for each game and seat."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all measures, not only the first.")] = False,
    mapping: MapOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute every measure that the study allows: n, mean, SD, range, missing values."""
    from negstats.analysis.describe import FIRST, finding, measure_table, measure_values, readable

    loaded_study = study_in(study, mapping, engine)
    table = measure_table(loaded_study, by or [], who=who)
    write_csv(table, csv)
    if values is not None:
        write_csv_of(measure_values(loaded_study), values)
    if as_json:
        print_json(table.to_dict("records"))
        return
    first = table["measure"].isin(FIRST)
    visible = table if everything or not first.any() else table[first]
    print_lines([finding(loaded_study), ""])
    print_table(readable(visible), "Measures (seats and games, not independent units)")
    rest = table["measure"].nunique() - visible["measure"].nunique()
    print_lines([f"{rest} more measures with --all; every value with --values FILE"] if rest else [])


def deidentify(
    study: StudyPath,
    out: Annotated[Path, typer.Option(help="Folder to write the safe study to.", show_default=False)],
    salt_file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="File with your secret in its first line; a random one, not stored, by default.", show_default=False
        ),
    ] = None,
    keep: Annotated[Optional[list[str]], typer.Option(help="Factor or question to keep; may be repeated.")] = None,  # noqa: UP045
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Put games and people in an order that does not identify them.")
    ] = False,
    times: Annotated[Optional[str], typer.Option(help="Coarsen times to the hour, day, week, month or year.")] = None,  # noqa: UP045
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a copy of a study that does not tell who took part: pseudonyms, no free answers, no identifying columns."""
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
