"""`negstats map --interactive`: asks one question after the other and writes the mapping at the end, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from negstats.cli.shared import print_lines
from negstats.errors import NegstatsError, UsageError
from negstats.files import written_whole
from negstats.sanitize import line as plain_line

if TYPE_CHECKING:
    from negstats.loaders.mapping.suggest import Draft
    from negstats.loaders.reading import Question

BACK, HELP = "<", "?"


def interview(
    path: Path, out: Path, *, encoding: str | None = None, delimiter: str | None = None, decimal: str | None = None
) -> None:
    """Ask about the log at `path`, and write the mapping to `out`.

    Raises
    ------
    UsageError
        If `out` is there already, or a log cannot be read in the form that is said.
    typer.Abort
        If the input ends, or the person stops: nothing is written then.
    """
    from negstats.loaders.mapping import draft_of
    from negstats.loaders.mapping.forms import Asked

    if out.exists():
        raise UsageError(f"{out}: is there already; name another file with --out, or move it away")
    asked = Asked(encoding, delimiter, decimal)
    answers: dict[str, str] = {}
    draft = draft_of(path, asked)
    print_lines([f"Enter takes the answer in brackets, {BACK} goes back, {HELP} lists the columns.", ""])
    _show(partial(_preview, path, draft))
    while draft.questions:
        question = draft.questions[0]
        answer = _ask_one(question)
        if answer == HELP:
            print_lines([f"Columns: {', '.join(draft.log.table.names)}"])
            continue
        # The last answer is taken back by asking again what it answered.
        changed_answers = dict(list(answers.items())[:-1]) if answer == BACK else answers | {question.subject: answer}
        changed = _changed(partial(draft_of, path, asked, changed_answers))
        if changed is not None:
            draft, answers = changed, changed_answers
            _show(partial(_preview, path, draft))
    with written_whole(out) as fresh:
        fresh.write_text(draft.text, encoding="utf-8")
    print_lines([f"{out}: written. Next: negstats load {path} --map {out} --out study"])


def _ask_one(question: Question) -> str:
    """Print a question with its options and the evidence for each, and return the answer."""
    print_lines([question.text])
    for place, option in enumerate(question.options, 1):
        evidence = f" ({option.evidence})" if option.evidence else ""
        print_lines([f"  {place}  {option.words}{evidence}"])
    several = "Numbers, with commas between them, or none" if question.is_several else "A number"
    return _ask(several, ",".join(map(str, question.likely)) or "none")


def _preview(path: Path, draft: Draft) -> list[str]:
    """Return three games as they would be read."""
    from negstats.loaders.mapping import read_as
    from negstats.loaders.mapping.interview import preview

    return list(preview(read_as(path, draft.text)))


def _ask(text: str, default: str) -> str:
    """Return an answer; raises typer.Abort where the input ends or the person stops."""
    from rich.console import Console
    from rich.prompt import Prompt
    from rich.text import Text

    prompt = Text(plain_line(text))
    try:
        answer = Prompt.ask(prompt, default=plain_line(default), console=Console(highlight=False, soft_wrap=True))
    except (EOFError, KeyboardInterrupt):
        typer.echo("")
        typer.echo("stopped: nothing is written", err=True)
        raise typer.Abort from None
    return answer.strip()


def _changed(change: Callable[[], Draft]) -> Draft | None:
    """Return what an answer makes; None, and the fault printed, if it is no answer."""
    try:
        return change()
    except UsageError as fault:
        print_lines([f"  {fault}"])
        return None


def _show(lines: Callable[[], list[str]]) -> None:
    """Print three games as they would be read; why they cannot be yet, if they cannot."""
    try:
        print_lines([*lines(), ""])
    except NegstatsError as fault:
        print_lines([f"  cannot be read so: {fault}", ""])
