"""Loaders: a file for each source, with a `Format` that recognises its logs and reads them into a `Study`.

>>> from negstats.loaders import formats
>>> {known.name for known in formats()} >= {"casino", "otree", "qualtrics"}
True
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.format import Evidence, Format, Track, untracked
from negstats.studies import open_study
from negstats.studies.folder import is_study
from negstats.studies.records import sentence
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.loaders.files.damaged import Parts
    from negstats.loaders.mapping import Mapping as Settings

__all__ = ["Evidence", "Format", "formats", "load", "load_several", "load_to", "recognise", "sightings"]

_MODULES = (
    *("solver_cl", "casino", "dealornodeal", "dealornodeal_acts", "contract", "favors", "dominance", "rulesheet"),
    *("otree", "empirica", "jspsych", "qualtrics", "lioness"),
    *("negmas", "genius", "geniusweb", "negolog", "negotiationarena", "llm_deliberation", "lamen", "job_interview"),
    "convokit",
)


def formats() -> list[Format]:
    """Return the formats that `load` knows by looking, in the order in which they are tried.

    Returns
    -------
    list[Format]
        One description a format, with its name and its options.
    """
    return [importlib.import_module(f"negstats.loaders.{name}").FORMAT for name in _MODULES]


def sightings(path: str | Path) -> list[tuple[Format, Evidence]]:
    """Return each format that the file or folder `path` may be in, and why; the strongest evidence first.

    Parameters
    ----------
    path
        The file or folder of the logs.

    Returns
    -------
    list[tuple[Format, Evidence]]
        Pairs of a format and the evidence for it; empty if there is none.

    Examples
    --------
    >>> [(known.name, why.strength) for known, why in sightings("datasets/sample")]
    [('solver_cl', 3)]
    """
    from negstats.loaders.files.damaged import leaving_out
    from negstats.loaders.files.sniff import first_files

    matches = _look(Path(path))
    if not matches and Path(path).is_dir():
        # A format is known by the files that come first. Where these are cut, or of no use, the next ones know it.
        first = first_files(Path(path), most=MOST_PASSED, deep=True)
        for place in range(1, len(first) + 1):
            with leaving_out(first[:place]):
                matches = _look(Path(path))
            if matches:
                break
    return sorted(matches, key=lambda sighting: -sighting[1].strength)


MOST_PASSED = 8  # files of a folder that are passed over, where nothing is known by them


def _look(path: Path) -> list[tuple[Format, Evidence]]:
    return [(format_, why) for format_ in formats() if (why := format_.matches(path)) is not None]


def recognise(path: str | Path) -> Format | None:
    """Return the format that the file or folder `path` is in by the strongest evidence, or None.

    Parameters
    ----------
    path
        The file or folder of the logs.

    Returns
    -------
    Format | None
        The format; None where there is no evidence for any.

    Raises
    ------
    UsageError
        If the evidence for two formats is equally strong.
    """
    match = _strongest(Path(path))
    return None if match is None else match[0]


def _strongest(path: Path) -> tuple[Format, Evidence] | None:
    matches = sightings(path)
    if not matches:
        return None
    best = [(format_, why) for format_, why in matches if why.strength == matches[0][1].strength]
    if len(best) == 1:
        return best[0]
    names = " or ".join(format_.name for format_, _ in best)
    reasons = "; ".join(f"{format_.name}, because {why.because}" for format_, why in best)
    files = [set(why.files) for _, why in best]
    if all(files) and sum(map(len, files)) == len(set().union(*files)):
        which = " and ".join(file.name for _, why in best for file in why.files[:1])
        hint = f"these are several studies to join: load {which} each for itself; or read the folder as one of them"
    else:
        hint = "say which it is"
    raise UsageError(f"{path}: looks like {names} ({reasons}); {hint} with --format {best[0][0].name}")


def _find_format(name: str) -> Format:
    format_ = next((each for each in formats() if each.name == name), None)
    if format_ is None:
        raise UsageError(f"format: there is no {shown(name)}; {meant(name, [each.name for each in formats()])}")
    return format_


def _refuse(options: Mapping[str, Any], what: str) -> None:
    for name in options:
        raise UsageError(f"{name}: is not for {what}, but for raw logs in a format that negstats knows")


def _silent(line: str) -> None:
    """Tell nobody."""


def load(
    path: str | Path,
    *,
    mapping: str | Path | None = None,
    format: str | None = None,  # noqa: A002 - what people call it
    track: Track = untracked,
    tell: Callable[[str], None] = _silent,
    leave_out_bad_games: bool = False,
    **options: Any,
) -> Study:
    """Load the logs of a study: a saved study, a folder or file in a known format, or any table with a mapping file.

    Parameters
    ----------
    path
        The file or folder.
    mapping
        A TOML file that says which column is what, see `negstats.loaders.mapping`. With it the format is not guessed.
    format
        The name of the format, where it shall not be guessed either.
    track
        Called with the list of files to read; yields them one by one (a progress bar).
    tell
        Called with a line that says as what the logs are read, and why.
    leave_out_bad_games
        A damaged game of a file, or file of a folder, is left out and counted, as long as at most a fifth of those like
        it are, instead of costing the log. With a mapping a fault in a row of a game costs this game.
    **options
        What the format's loader may be asked besides, such as ``app="trust"`` for oTree, or ``workers=2`` where each
        game has a file of its own; see `Format.options`.

    Returns
    -------
    Study
        The study with its tables and where they came from.

    Raises
    ------
    UsageError
        If `path` is not there, two formats fit it equally well, or the format has no such option.
    LogError
        If the format is not known (the message lists those that are, and shows a mapping file to start from), or the
        logs are damaged (file, row and column are named).

    Examples
    --------
    >>> import negstats
    >>> negstats.load("datasets/sample").factors
    ['session', 'condition']
    """
    source = Path(path)
    if not source.exists():
        raise UsageError(f"{source}: is not there; name a file or a folder of logs, or a saved study")
    if mapping is not None:
        workers = int(options.pop("workers", 1))
        _refuse({"format": format} if format else options, "logs that are read with a mapping")
        import negstats.loaders.mapping as mapped

        settings = _read_settings(mapping, leave_out_bad_games)
        return _read_study(
            lambda: mapped.read(source, settings, track, workers=workers), source, settings.leave_out_bad_games
        )
    if format is None and is_study(source):
        _refuse(options, "a saved study")
        return open_study(source)
    match = _strongest(source) if format is None else (_find_format(format), None)
    if match is not None:
        format_, why = match
        for option in options:
            if option not in format_.options:
                may = meant(option, format_.options, "it has") if format_.options else "it has none"
                raise UsageError(f"the loader of {format_.name} has no option {shown(option)}; {may}")
        options = {name: _typed(format_, name, value) for name, value in options.items()}
        tell(f"read as {format_.name}, because {'it was asked for' if why is None else why.because}")
        study = _read_study(lambda: format_.read(source, track, **options), source, leave_out_bad_games, format_.parts)
        return _with_roles(study, format_.roles)
    raise _unknown_format_error(source)


def _typed(format_: Format, name: str, value: Any) -> Any:
    """Return an option as the loader's signature has it, where the command line gives it as text."""
    parameter = inspect.signature(format_.read).parameters.get(name)
    kind = str(parameter.annotation) if parameter is not None else ""
    if not isinstance(value, str) or "str" in kind:
        return value
    if "bool" in kind and value.lower() in _TRUTHS:
        return _TRUTHS[value.lower()]
    if "int" in kind and value.isdecimal():
        return int(value)
    what = "yes or no" if "bool" in kind else "a whole number"
    raise UsageError(f"{name}: {shown(value)} is not {what}; {name} is {format_.options[name]}")


_TRUTHS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _read_settings(mapping: str | Path, leave_out: bool) -> Settings:
    from negstats.loaders.mapping import read_mapping

    settings = read_mapping(Path(mapping))
    return replace(settings, leave_out_bad_games=True) if leave_out else settings


def _with_roles(study: Study, roles: Mapping[str, str]) -> Study:
    """Return a study whose provenance says what those of its factors are that its format knows."""
    of_study = tuple((name, role) for name, role in roles.items() if name in study.factors)
    return study.with_filled(study.tables, replace(study.provenance, roles=of_study)) if of_study else study


def _unknown_format_error(source: Path) -> LogError:
    """Return the error of logs of no platform: how they are read by a mapping, or why not, and the platforms."""
    if source.suffix.lower() == ".toml":
        reason = "is a TOML file, such as a mapping or a plan, and not a log; a mapping is given beside its log"
        return LogError(f"{reason}: LOG --map {source}", file=source)
    from negstats.loaders.mapping import advice

    text, has_mapping = advice(source)
    format_list = "\n".join(["The platforms are:", *(f"  {form.name}: {form.what}" for form in formats())])
    more = text if has_mapping else f"{text}\n{format_list}"
    return LogError("is not an export of a platform that negstats knows", file=source, more=more)


def _completed(study: Study) -> Study:
    """Return a study with what follows from its log; see `negstats.loaders.derived`."""
    from negstats.loaders.derived import derived  # here, for a saved study needs none of it

    tables, notes = derived(study.tables)
    if not notes:
        return study
    origin = study.provenance
    return study.with_filled(tables, replace(origin, notes=(*origin.notes, *map(str, notes))))


def _read_study(read: Callable[[], Study], source: Path, leave_out: bool, parts: Parts | None = None) -> Study:
    """Read logs; where one game of a file or file of a folder is damaged, leave it out or say how it can be."""
    from negstats.loaders.files.damaged import offer, sparing

    try:
        study = sparing(read, source, parts) if leave_out else read()
        _refuse_nothing(study, source)
        return _completed(study)
    except LogError as fault:
        raise (fault if leave_out else offer(fault, source, parts)) from None


def _refuse_nothing(study: Study, source: Path) -> None:
    """Raise LogError where no table has a row: there is nothing to save, and an empty study would pass for one."""
    if any(len(frame) for frame in study.tables.values()):
        return
    origin = study.provenance
    reasons = [f"{count} × {reason}" for reason, count in origin.reasons().items()]
    causes = [sentence(record) for record in origin.records if record.kind == "file_without_rows"] + reasons
    why = f": {'; '.join(causes[:4])}" if causes else ""
    raise LogError(f"holds nothing that can be read as a study{why}", file=source)


OTHERS = "some of the other options are not for such a log"
LARGE = 2**26  # bytes of a log from which on it is not loaded as a whole


def load_to(
    path: str | Path,
    out: str | Path,
    *,
    mapping: str | Path | None = None,
    format: str | None = None,  # noqa: A002 - what people call it
    stream: bool | None = None,
    track: Track = untracked,
    tell: Callable[[str], None] = _silent,
    leave_out_bad_games: bool = False,
    **options: Any,
) -> Path:
    """Load the logs of a study and save them in the folder `out`; large logs are read piece by piece.

    A log of events in lines, and a table that a mapping reads, need not fit in memory: some megabytes of whole games
    are loaded at a time, for which the log is laid by once more beside `out`. The tables are the same; answers stand
    game by game, and rows that are left out lot by lot.

    Parameters
    ----------
    path
        As in `load`.
    out
        The folder to write the study to.
    mapping, format
        As in `load`.
    stream
        Whether to take the log in pieces. None: from 64 MiB on, where its format and mapping allow it.
    track, tell, leave_out_bad_games
        As in `load`.
    **options
        As in `load`.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    UsageError, LogError, SchemaError
        As `load` and `Study.save`; or if `stream` is asked for where it cannot be.

    Examples
    --------
    >>> import tempfile, negstats
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = load_to("datasets/sample", Path(folder) / "study")
    ...     len(negstats.open_study(saved).games) == len(negstats.load("datasets/sample").games)
    True
    """
    source = Path(path)
    arguments: dict[str, Any] = {"mapping": mapping, "format": format, "leave_out_bad_games": leave_out_bad_games}
    if stream is not False and source.exists():
        from negstats.loaders.files.delimited import MixedError
        from negstats.loaders.streaming import streamed

        pieces, why = _pieces(source, options, **arguments)
        if stream and pieces is None:
            raise UsageError(f"{source}: cannot be taken in pieces: {why}; load it as a whole")
        if pieces is not None and (stream or _size(pieces.files) >= LARGE):
            try:
                streamed(pieces, Path(out), track)
                tell(f"read as {pieces.name}, in pieces{why and f', because {why}'}")
                return Path(out)
            except MixedError:
                if stream:
                    reason = "quotes in it leave it open which lines begin a record"
                    raise UsageError(f"{source}: cannot be taken in pieces: {reason}; load it as a whole") from None
    return load(source, track=track, tell=tell, **arguments, **options).save(out)


def _pieces(
    source: Path,
    options: Mapping[str, Any],
    *,
    mapping: str | Path | None,
    format: str | None,  # noqa: A002
    leave_out_bad_games: bool,
) -> tuple[Any, str]:
    """Return a log as one that is taken in pieces and why it is in its format, or None and why it cannot be."""
    if mapping is not None:
        from negstats.loaders.mapping.streaming import MappedPieces, needs_all

        settings = _read_settings(mapping, leave_out_bad_games)
        why = needs_all(settings)
        if why is not None:
            return None, why
        # A log in pieces is read by one process, however many there may be.
        other = format or options.keys() - {"workers"} or options.get("workers", 1) < 1
        return (None, OTHERS) if other else (MappedPieces(settings, source), "")
    if format is None and is_study(source):
        return None, "it is a saved study"
    format_, because = (_find_format(format), "it was asked for") if format else _recognise(source)
    if format_ is None:
        return None, "it is in no format that negstats knows by looking"
    if format_.events is None:
        return None, f"{format_.name} is not a log of events in lines"
    if leave_out_bad_games or options:
        return None, OTHERS
    from negstats.loaders.streaming import EventPieces

    return EventPieces(format_.events, source), because


def _recognise(path: Path) -> tuple[Format | None, str]:
    match = _strongest(path)
    return (None, "") if match is None else (match[0], match[1].because)


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())


def load_several(
    paths: Sequence[str | Path],
    *,
    prefix: bool = False,
    same_people: str | Path | None = None,
    keep: Literal["first", "last"] | None = None,
    tell: Callable[[str], None] = _silent,
    track: Track = untracked,
    **options: Any,
) -> Study:
    """Load several sources and join them into one study, see `negstats.loaders.join.join`.

    Parameters
    ----------
    paths
        Files and folders, each in a format that `load` knows by looking, or a saved study.
    prefix
        As in `negstats.loaders.join.join`.
    same_people
        A CSV file of two columns whose rows say that two ids are one person's.
    keep
        As in `negstats.loaders.join.join`.
    tell, track
        As in `load`.
    **options
        As in `load`, for each source whose loader has the option. A text may tell sources apart by their names:
        ``person="games=label,survey=PROLIFIC_PID"``.

    Returns
    -------
    Study
        One study with the tables of all sources.

    Raises
    ------
    UsageError, LogError
        As `load` and `join`; or if no source has an option that is given.
    """
    from negstats.loaders.join import join, read_same_people

    studies: dict[str, Study] = {}
    options_to_use = set(options)
    for path in map(Path, paths):
        match = None if is_study(path) else _strongest(path)
        name, number = path.absolute().stem if path.is_file() else path.absolute().name, 1
        while name in studies:
            name, number = f"{name.removesuffix(f'-{number}')}-{number + 1}", number + 1
        known_options = {key: value for key, value in options.items() if match is not None and key in match[0].options}
        source_options = {
            key: value
            for key, value_by_source in known_options.items()
            if (value := _for_source(value_by_source, name)) is not None
        }
        options_to_use -= set(source_options)
        studies[name] = load(path, track=track, tell=lambda line, name=name: tell(f"{name}: {line}"), **source_options)  # type: ignore[misc]
    if options_to_use:
        raise UsageError(f"no source has the option {shown(sorted(options_to_use)[0])}")
    return join(studies, prefix=prefix, same_people=read_same_people(same_people) if same_people else None, keep=keep)


def _for_source(value: Any, name: str) -> Any:
    """Return what an option says for a source: all of it, or the part after its name; None if it names others only."""
    if not isinstance(value, str) or "=" not in value:
        return value
    values_by_source = dict(part.split("=", 1) for part in value.split(",") if "=" in part)
    return values_by_source.get(name)
