"""The command for talks coded by people: a page for each coder, agreement, adjudication, labels in the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from negstats.cli.shared import (
    JsonOption,
    MapOption,
    StudyPath,
    print_json,
    print_lines,
    print_table,
    study_at,
    write_csv,
)
from negstats.sanitize import counted

if TYPE_CHECKING:
    from negstats.coding import Agreement, CodedFile, Talks


AGREEMENT = "With exported files"  # headings in the help of code
PAGE = "Page of a coder"


def code(
    study: StudyPath,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files that coders exported; without files, the page of --coder is written."),
    ] = None,
    codebook: Annotated[Path | None, typer.Option(help="TOML file with the codes.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Page to write (.html); with --final the folder of the study.")
    ] = None,
    coder: Annotated[str | None, typer.Option(help="Write the page of this coder.", rich_help_panel=PAGE)] = None,
    coders: Annotated[
        list[str] | None,
        typer.Option(help="All coders who share the dialogues, separated by commas or repeated.", rich_help_panel=PAGE),
    ] = None,
    shared: Annotated[
        str | None,
        typer.Option(help="Dialogues that every coder codes: a number, or a share such as 20%.", rich_help_panel=PAGE),
    ] = None,
    adjudicate: Annotated[
        str | None,
        typer.Option(help="Write the page of this person, who resolves disagreements.", rich_help_panel=AGREEMENT),
    ] = None,
    final: Annotated[
        Path | None,
        typer.Option(
            help="File that the adjudicator exported; writes the study with labels.", rich_help_panel=AGREEMENT
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the agreement as CSV.", rich_help_panel=AGREEMENT)] = None,
    values: Annotated[
        Path | None, typer.Option(help="Write every code of every coder as CSV.", rich_help_panel=AGREEMENT)
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dialogues and intervals.")] = 1,
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let people code dialogues, measure agreement, and label the study."""
    from negstats.errors import UsageError

    of_page = {"--coder": coder, "--coders": coders, "--shared": shared}
    of_files = {"--adjudicate": adjudicate, "--final": final, "--csv": csv, "--values": values}
    wrong = next((name for name, value in (of_page if files else of_files).items() if value), None)
    if wrong is not None:
        raise UsageError(f"{wrong} is for {'a page: leave out' if files else 'coded talks: add'} the exported files")
    if files:
        _judge(study, files, codebook, adjudicate, final, out, csv, values, seed, mapping, as_json=as_json)
        return
    if codebook is None or coder is None or out is None:
        needed = {"--codebook": codebook, "--coder": coder, "--out": out}
        lacking = [name for name, value in needed.items() if value is None]
        raise UsageError(f"the page of a coder needs {', '.join(lacking)}; or name the files that coders exported")
    _write_page(study, codebook, coder, out, coders, shared, seed, mapping, as_json=as_json)


def _write_page(
    study: Path, codebook: Path, coder: str, out: Path, coders: list[str] | None, shared: str | None, seed: int,
    mapping: Path | None, *, as_json: bool,
) -> None:  # fmt: skip
    """Write the page of one coder."""
    from negstats.coding import assign, coding_page, read_codebook, talks_of
    from negstats.files import write_whole

    book = read_codebook(codebook)
    talks = talks_of(study_at(study, mapping), seed)
    names = _split_names(coders or [])
    html = coding_page(talks, book, coder, coders=names, shared=shared)
    write_whole(out, html)
    dealt = assign(talks, names or [coder], shared if names else None)
    own = dealt.order[coder]
    units = sum(talks.by_number[number].units for number in own)
    if as_json:
        print_json({"page": str(out), "coder": coder, "talks": len(own), "shared": len(dealt.shared) if names else None,
                    "messages": units, "codes": len(book.codes), "seed": seed})  # fmt: skip
        return
    of = f", {len(dealt.shared)} of them shared by {counted(len(names), 'coder')}" if names else ""
    print_lines([f"{out}: {counted(units, 'message')} in {counted(len(own), 'talk')} for {coder}{of}"])
    print_lines([f"open it in a browser; its button Export writes the file for: negstats code {study} FILES"])


def _judge(
    study: Path, files: list[Path], codebook: Path | None, adjudicate: str | None, final: Path | None, out: Path | None,
    csv: Path | None, values: Path | None, seed: int, mapping: Path | None, *, as_json: bool,
) -> None:  # fmt: skip
    """Check coded files, measure the agreement of coders, let differences be decided, write labels to a study."""
    from negstats.coding import codes_frame, read_codebook, read_coded, talks_of
    from negstats.errors import UsageError

    if adjudicate is not None and (final is not None or out is None):
        raise UsageError("--adjudicate writes a page: give --out page.html, and --final when all is decided")
    if final is not None and out is None:
        raise UsageError("--final writes the study with labels: give --out and a new folder")
    coded = [read_coded(file) for file in files]
    loaded = study_at(study, mapping)
    talks = talks_of(loaded, coded[0].seed)
    agreement = _measure(coded, talks, seed, None if codebook is None else read_codebook(codebook))
    decided = None if final is None else read_coded(final)
    if agreement is not None:
        write_csv(agreement.to_frame(), csv)
    if values is not None:
        write_csv(codes_frame([*coded, *([] if decided is None else [decided])], talks), values)
    lines = _write(coded, loaded, talks, adjudicate, decided, out, seed)
    if as_json:
        print_json({**_in_json(coded, agreement), "out": None if out is None else str(out)})
        return
    _print(coded, agreement)
    print_lines(lines)


def _split_names(names: list[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _measure(coded: list[CodedFile], talks: Talks, seed: int, book: Any) -> Agreement | None:
    """Return the agreement of several coders; None of one, whose file is checked alone."""
    from negstats.coding import agreement_of
    from negstats.coding.coded_file import check_together

    if len(coded) > 1:
        return agreement_of(coded, talks, seed=seed, codebook=book)
    check_together(coded, talks, book)
    return None


def _write(
    coded: list[CodedFile], study: Any, talks: Talks, adjudicate: str | None, decided: CodedFile | None,
    out: Path | None, seed: int,
) -> list[str]:  # fmt: skip
    """Write the page or the study to `out`, and return what is said of it."""
    from negstats.coding import adjudication_page, find_differences, merge
    from negstats.files import write_whole

    if out is None:
        return []
    if adjudicate is not None:
        html = adjudication_page(talks, coded, adjudicate)
        write_whole(out, html)
        return [f"{out}: {counted(len(find_differences(coded)), 'message')} for {adjudicate} to decide"]
    labelled = merge(study, coded, decided, seed=seed)
    labelled.save(out)
    coding = labelled.provenance.coding[0]
    names = ", ".join(f"labels.{name}" for name in coding.codes[:3])
    return [
        f"{out}: written, {counted(coding.messages, 'message')} with labels",
        f"each code is a measure of seats: {names}{', ...' if len(coding.codes) > 3 else ''}",
    ]


def _print(coded: list[CodedFile], agreement: Agreement | None) -> None:
    progress = [f"{file.coder}: {len(file.decisions):,} of {counted(file.assigned, 'message')} coded" for file in coded]
    print_lines(progress)
    if agreement is None:
        return
    frame = agreement.to_frame()
    for name in ("kappa", "alpha"):
        ends = zip(frame[f"{name}_low"], frame[f"{name}_high"], strict=True)
        frame[f"95% CI of {name}"] = ["" if low != low else f"[{low:.2f}, {high:.2f}]" for low, high in ends]
    columns = ["code", "kind", "n", "agreement", "prevalence", "kappa", "95% CI of kappa", "alpha", "95% CI of alpha"]
    rounded = frame[columns].round(3)
    print_lines([""])
    where = f"{counted(agreement.n, 'message')} in {counted(agreement.talks, 'talk')}"
    less = ("kind", "prevalence", "95% CI of alpha", "alpha")
    print_table(rounded, f"Agreement of {', '.join(agreement.coders)} on {where}", droppable=less)
    for title, table in agreement.confusions.items():
        print_table(table.rename_axis("").reset_index(), f"Confusion in {title} (rows: the first coder)")
    print_lines(f"{code.code}: {code.reason}" for code in agreement.codes if code.reason)
    intervals = (
        "intervals are the jackknife's over whole talks"
        if agreement.by_talk
        else "there are fewer than five talks, so intervals take messages for independent of each other"
    )
    print_lines([f"{counted(len(agreement.differences), 'message')} with different codes; {intervals}"])


def _in_json(coded: list[CodedFile], agreement: Agreement | None) -> dict[str, Any]:
    coders = [{"coder": file.coder, "coded": len(file.decisions), "assigned": file.assigned} for file in coded]
    if agreement is None:
        return {"coders": coders}
    confusions = {name: table.to_dict("index") for name, table in agreement.confusions.items()}
    return {"coders": coders, "messages": agreement.n, "talks": agreement.talks,
            "differences": len(agreement.differences), "codes": agreement.to_frame().to_dict("records"),
            "confusions": confusions}  # fmt: skip
