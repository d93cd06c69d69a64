"""The drawn designs once more, in the files that people send: several tables, files of sessions, workbooks, exports.

The rows are those of the designs, a person in a period. What was stable may be in a table of people, each session or
treatment in a table of its own whose name may be all that tells it; tables are saved as files of a folder, members of
an archive, sheets, or files of a statistics program whose codes have labels, and exports have titles, questions below
the names, other separators, codes for what is missing, and empty rows. A container is judged by what is loaded.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from tests.loaders.reading.designs import NAMES, Design
from tests.loaders.reading.layouts import LaidOut, marks_of

Tables = dict[str, pd.DataFrame]
Form = Callable[[Design, pd.DataFrame], Tables]
Save = Callable[[Design, Tables, Path], Path]
_STABLE = ("age", "gender", "country", "version", "q1", "q2", "q3", "treatment", "framing")
_CODED = ("treatment", "role", "gender", "framing")


def one_table(design: Design, frame: pd.DataFrame) -> Tables:
    """All rows in one table."""
    return {("data", "all_apps_wide", "Results 2023")[design.seed % 3]: frame}


def people_apart(design: Design, frame: pd.DataFrame) -> Tables:
    """What is stable of each person in a table of people."""
    key = ["session", "subject"] if design.ids == "session" else ["subject"]
    levels = frame.groupby(key)
    stable = [name for name in _STABLE if name in frame and levels[name].nunique(dropna=False).max() == 1]
    people = frame[[*key, *stable]].drop_duplicates(key)
    decided, told = (("decisions", "people"), ("rounds", "subjects"), ("main", "survey"))[design.seed % 3]
    return {decided: frame.drop(columns=stable), told: people}


def treatments_of_sessions(design: Design, frame: pd.DataFrame) -> Tables:
    """What was set for whole sessions in a table of sessions, beside that of people."""
    of_session = [name for name in ("treatment", "framing", "country", "version") if name in frame]
    sessions = frame[["session", *of_session]].drop_duplicates("session")
    return {"decisions": frame.drop(columns=of_session), "sessions": sessions}


def people_otherwise_called(design: Design, frame: pd.DataFrame) -> Tables:
    """The table of people names them by another word, has some who did nothing, and lacks some who did."""
    decided, told = people_apart(design, frame).values()
    rng = np.random.default_rng(design.seed)
    told = told.sample(frac=1, random_state=design.seed).rename(columns={"subject": "participant_code"})
    outsiders = told.head(3).assign(participant_code=[f"x{place}" for place in range(3)])
    kept = told[rng.random(len(told)) > 0.04]
    return {"choices": decided, "questionnaire": pd.concat([kept, outsiders])}


def sessions_in_folders(design: Design, frame: pd.DataFrame) -> Tables:
    """Each session in a file of its own, in a folder of its treatment."""
    return {
        f"{rows['treatment'].iloc[0]}/{design.seed % 3 + 2021}-0{session}": rows.drop(columns=["session", "treatment"])
        for session, rows in frame.groupby("session")
    }


def sessions_apart(design: Design, frame: pd.DataFrame) -> Tables:
    """Each session in a table whose name may be all that tells it, and its treatment."""
    word = ("session", "s", "2023-0")[design.seed % 3]
    tables = {}
    for session, rows in frame.groupby("session"):
        name, dropped = f"{word}{session}", ["session"] * (design.seed % 2)
        if design.level == "session" and design.seed % 5 < 2 and "treatment" in rows:
            name += f"_{rows['treatment'].iloc[0]}"
            dropped.append("treatment")
        tables[name] = rows.drop(columns=dropped)
    return tables


def arms_apart(design: Design, frame: pd.DataFrame) -> Tables:
    """Each treatment in a table whose name is all that tells it."""
    return {str(arm): rows.drop(columns="treatment") for arm, rows in frame.groupby("treatment", sort=False)}


def as_book(design: Design, tables: Tables, folder: Path) -> Path:
    """Each table in a sheet."""
    with pd.ExcelWriter(folder / "data.xlsx") as book:
        for name, table in tables.items():
            table.to_excel(book, sheet_name=name, index=False)
    return folder / "data.xlsx"


def as_files(design: Design, tables: Tables, folder: Path) -> Path:
    """Each table in a file of text, as programs and people leave it: alone, in a folder, or in an archive."""
    within = folder / "data"
    within.mkdir(exist_ok=True)
    encoding = ("utf-8", "utf-8-sig", "utf-16")[design.seed % 7 % 3]
    for name, table in tables.items():
        (within / name).parent.mkdir(exist_ok=True)
        (within / f"{name}.csv").write_text(_text(design, table), encoding=encoding)
    files = sorted(within.rglob("*.csv"))
    if len(files) == 1:
        return files[0]
    if design.seed % 3:
        return within
    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        for file in files:
            archive.write(file, file.relative_to(within))
    return folder / "data.zip"


def _text(design: Design, table: pd.DataFrame) -> str:
    separator, decimal = ((",", "."), (";", ","), ("\t", "."))[design.seed % 4 % 3]
    if not {"profit", "pi", "ganancia"} & {*table}:
        decimal = "."  # what is told without one says nothing of the decimals of marks
    absent = ("", "-99", "N/A", ".")[design.seed % 11 % 4]
    has_index = design.seed % 6 == 4
    empty = separator * (len(table.columns) - 1 + has_index) + "\n"
    text = table.to_csv(index=has_index, sep=separator, decimal=decimal, na_rep=absent)
    match design.seed % 5:
        case 0:
            return f"Study of 3 October{empty}{empty}{text}"
        case 1 if not has_index:
            names, _, rows = text.partition("\n")
            return f"{names}\n{separator.join(f'The question about {name}' for name in table)}\n{rows}"
        case 2:
            return text + empty * 2
    return text


def with_labels(design: Design, tables: Tables, folder: Path) -> Path:
    """The file of a statistics program: words are codes with labels."""
    (table,) = tables.values()
    labels: dict[str, dict[int | float, str]] = {}
    for name in (name for name in _CODED if name in table):
        codes, levels = pd.factorize(table[name], sort=True)
        table = table.assign(**{name: codes + 1})
        labels[name] = {code: str(level) for code, level in enumerate(levels, 1)}
    is_stata = bool(design.seed % 2)
    file = folder / ("data.dta" if is_stata else "data.sav")
    (pyreadstat.write_dta if is_stata else pyreadstat.write_sav)(table, str(file), variable_value_labels=labels)
    return file


def as_objects(design: Design, tables: Tables, folder: Path) -> Path:
    """JSON: a list of rows, a row a line, or the rows of each person inside of who they are."""
    (table,) = tables.values()
    stay = design.meeting in ("once", "partners") and (design.ids == "group" or design.seed % 4 < 2)
    key = [name for name in ("session", *(["group"] if stay else []), "subject") if name in table.columns]
    if design.seed % 3 < 2 or "subject" not in key:
        file = folder / ("data.json", "data.jsonl")[design.seed % 2]
        table.to_json(file, orient="records", lines=bool(design.seed % 2))
        return file
    people = [
        {**dict(zip(key, name, strict=True)), "decisions": json.loads(rows.drop(columns=key).to_json(orient="records"))}
        for name, rows in table.groupby(key, sort=False)
    ]
    (folder / "data.json").write_text(json.dumps(people), encoding="utf-8")
    return folder / "data.json"


def container(seed: int) -> LaidOut:
    """Return the container that a seed draws."""
    design = Design(seed)
    rows, kept = design.rows(), [name for name in design.columns() if name not in ("others", "total")]
    if design.seed % 5 == 3:
        rows["contribution"] = rows["contribution"].where(design.rng.random(len(rows)) > 0.03)
    if design.sessions > 1 and "session" not in kept:
        kept.append("session")
    forms: list[Form] = [one_table]
    if "subject" in kept and design.ids != "group":
        forms.append(people_apart)
    if "subject" in kept and design.ids == "hash":
        forms.append(people_otherwise_called)
    if design.sessions > 1:
        forms.append(sessions_apart)
    if design.level == "session":
        forms += [treatments_of_sessions, sessions_in_folders]
    if design.level not in ("row", "block"):
        forms.append(arms_apart)
    form = design.pick(forms)
    saves: tuple[Save, ...] = (as_book, as_files, as_files)
    if form is one_table:
        saves = (*saves, with_labels, as_objects)
    elif form is sessions_in_folders:
        saves = (as_files,)
    save = design.pick(saves)
    words = NAMES[design.pick((0, 0, 1, 2))]

    def write(frame: pd.DataFrame, folder: Path) -> Path:
        tables = form(design, frame)
        return save(design, {name: table.rename(columns=words) for name, table in tables.items()}, folder)

    marked, decisions = marks_of(design, rows)
    games = ("game",) if design.meets else ("person", "row")
    conditions = tuple(name for name in ("treatment", "framing") if name in kept)
    label = f"{form.__name__}-{save.__name__}-{design.meeting}-{seed}"
    stay = design.meeting in ("once", "partners")
    tables = (rows[kept], marked[kept])
    return LaidOut(label, *tables, decisions, games, conditions, words, "subject" in kept, stay, write)
