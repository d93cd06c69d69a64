"""From coded files to a study: agreed and adjudicated codes become ``messages.labels``, with where they came from.

A message that one coder coded has that coder's codes, one that several coded alike theirs, and one that they coded
differently what the adjudicator decided. A message that nobody coded has no labels, which is not the same as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from negstats.coding.agreement import agreement_of, find_differences, select_double
from negstats.coding.assignment import Talks, talks_of
from negstats.coding.coded_file import CodedFile, check_together
from negstats.errors import NotEstimable, UsageError, shown
from negstats.sanitize import counted
from negstats.studies import Study
from negstats.studies.provenance import Coding, Source
from negstats.tables import conform


def codes_frame(files: Sequence[CodedFile], talks: Talks) -> pd.DataFrame:
    """Return all that was coded: one row a coder, message and code; a message without codes has one row.

    Parameters
    ----------
    files
        Of coders, and of the adjudicator.
    talks
        The talks of the study.

    Returns
    -------
    pandas.DataFrame
        `game_id`, `message`, `talk`, `coder`, `kind`, `coded` (a decision, not a note alone), `code`, `start`, `end`
        (of a span), `note`, `coded_at`.
    """
    columns = ["game_id", "message", "talk", "coder", "kind", "coded", "code", "start", "end", "note", "coded_at"]
    rows: list[tuple[object, ...]] = []
    for file in files:
        for own in file.messages:
            base = (talks.by_number[own.talk].game_id, own.message, own.talk, file.coder, file.kind, own.coded)
            spans: list[tuple[object, ...]] = [(span.code, span.start, span.end) for span in own.spans]
            spanned = {span.code for span in own.spans}
            parts = [(code, None, None) for code in own.codes if code not in spanned] + spans
            rows += [(*base, *part, own.note, own.coded_at) for part in parts or [(None, None, None)]]
    frame = pd.DataFrame(rows, columns=columns).astype({"start": "Int64", "end": "Int64"})
    return frame.sort_values(["game_id", "message", "coder"], kind="stable", ignore_index=True)


def merge(
    study: Study, files: Sequence[CodedFile], final: CodedFile | None = None, *, seed: int | None = None
) -> Study:
    """Return a study whose messages have the codes as labels.

    Parameters
    ----------
    study
        The study whose talks were coded.
    files
        One file a coder.
    final
        The adjudicator's file, where coders differ.
    seed
        Of the bootstrap; that of the files if none is given.

    Returns
    -------
    Study
        The study with ``messages.labels``: codes in the order of the codebook, comma separated; empty where a message
        was coded with none, missing where nobody coded it. Its provenance has the coders, the files and the agreement.

    Raises
    ------
    LogError
        If a file does not fit the study.
    UsageError
        If files do not fit each other, or a difference is not decided.

    Examples
    --------
    >>> from negstats import datasets
    >>> from negstats.coding import read_coded
    >>> files = [read_coded(f"datasets/casino/coded/{name}.json") for name in ("anna", "ben", "carla")]
    >>> coded = merge(datasets.casino(), files[:2], files[2])
    >>> coded.provenance.coding[0].coders, coded.provenance.coding[0].double
    (('Anna', 'Ben'), 129)
    """
    if not files:
        raise UsageError("no coded file was given; give one for each coder")
    talks = talks_of(study, files[0].seed)
    check_together(files, talks)
    codes = _decide(files, final, talks)
    labels = {
        (talks.by_number[talk].game_id, number): ",".join(files[0].codebook.in_order(names))
        for (talk, number), names in codes.items()
    }
    keys = zip(study.messages["game_id"], study.messages["message"], strict=True)
    texts = pd.Series([labels.get((game, int(number))) for game, number in keys], dtype=object)
    messages = study.messages.assign(labels=texts.to_numpy())
    earlier = int(study.messages["labels"].notna().sum())
    notes = (f"{counted(earlier, 'message')} had labels before, which coded ones replaced",) if earlier else ()
    provenance = replace(
        study.provenance,
        notes=(*study.provenance.notes, *notes),
        coding=(_describe(files, final, talks, len(codes), seed),),
    )
    tables = {**study.tables, "messages": conform("messages", messages)}
    return Study(provenance=provenance, **tables)


def _decide(files: Sequence[CodedFile], final: CodedFile | None, talks: Talks) -> dict[tuple[int, int], frozenset[str]]:
    """Return the codes of each message that was coded, those of the adjudicator where coders differ."""
    codes = {key: frozenset(own.codes) for file in files for key, own in file.decisions.items()}
    differences = find_differences(files)
    decided = dict[tuple[int, int], frozenset[str]]()
    if final is not None:
        if final.kind != "adjudication":
            raise UsageError(f"{final.path}: is a coder's file; --final takes what the adjudication page exported")
        if final.codebook.sha256 != files[0].codebook.sha256:
            raise UsageError(f"{final.path}: was decided with another codebook ({shown(final.codebook.title)})")
        final.check(talks)
        decided = {key: frozenset(own.codes) for key, own in final.decisions.items()}
        other = sorted(decided.keys() - set(differences))
        if other:
            where = f"message {other[0][1]} of talk {other[0][0]}"
            raise UsageError(
                f"{final.path}: decides {where}, on which these coders do not differ; give all their files"
            )
    undecided = [key for key in differences if key not in decided]
    if undecided:
        talk, number = undecided[0]
        raise UsageError(
            f"{counted(len(undecided), 'message')} with different codes not decided, the first message {number} of "
            f"talk {talk}; `negstats code STUDY FILES --adjudicate NAME --out page.html` makes the page for it"
        )
    return codes | decided


def _describe(
    files: Sequence[CodedFile], final: CodedFile | None, talks: Talks, coded: int, seed: int | None
) -> Coding:
    """Return what the provenance keeps of the coding."""
    double = select_double(files)
    try:
        agreement = agreement_of(files, talks, seed=talks.seed if seed is None else seed)
        reliability = tuple(code.record() for code in agreement.codes)
    except NotEstimable:
        reliability = ()
    all_files = [*files, *([final] if final is not None else [])]
    sources = tuple(Source(Path(file.path).name, file.sha256, len(file.messages)) for file in all_files)
    book = files[0].codebook
    return Coding(
        book.title, book.sha256, book.names, tuple(file.coder for file in files),
        None if final is None else final.coder, coded, len(double), len(find_differences(files)), reliability, sources,
        tuple(code.label for code in book.codes),
    )  # fmt: skip
