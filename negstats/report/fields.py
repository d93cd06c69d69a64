"""Numbers of a Word file as fields: each is a document property by question and number, so that it can be updated.

A field such as ``DOCPROPERTY H1_p`` shows ".017". Word and LibreOffice keep field and property when they save a file;
neither shows a property that was changed from outside, so `update_manuscript` writes both.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negstats.errors import UsageError
from negstats.files import written_whole
from negstats.report.apa_table import Table
from negstats.report.blocks import Heading, Paragraph, Words
from negstats.report.prose import Prose, Run, Slot
from negstats.sanitize import counted, line

NOT_WORDS = re.compile(r"\W+", re.ASCII)
LONGEST = 120  # characters of a property's name
CUSTOM = "docProps/custom.xml"
CUSTOM_TYPE = "application/vnd.openxmlformats-officedocument.custom-properties+xml"
CUSTOM_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/custom-properties"
PROPERTIES = "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
VALUES = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
FORMAT = "{D5CDD505-2E9C-101B-9397-08002B2CF9AE}"  # the id of properties that a user defines
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VERDICT = "_verdict"


class Fields:
    """The names and texts of the numbers of a report.

    Parameters
    ----------
    results
        ``results.json``.
    words
        What the report says.
    """

    def __init__(self, results: Mapping[str, Any], words: Words) -> None:
        self.results = results
        self.texts: dict[str, str] = {}
        self._names: dict[tuple[object, ...], str] = {}
        for run in _runs(words):
            self.name_of(run)
        for entry in results["questions"]:
            if entry.get("verdict"):
                self.texts[_clean(f"{entry['id']}{VERDICT}")] = str(entry["verdict"])

    def name_of(self, run: Run) -> str:
        """Return the name of a number; the same place that is rounded in two ways has two."""
        if run.slot is None or run.slot.kind == "text":
            return ""
        text = line(run.text)
        in_words = text[:1].isalpha()  # "sixty-six", which has the place of 66
        key = (run.slot.address, run.slot.kind, run.slot.digits, in_words)
        known = self._names.get(key)
        if known is not None:
            return known
        base = name = property_name(self.results, run.slot)
        for other in range(2, 100):
            if name not in self.texts:
                break
            name = f"{base}_{other}"
        self._names[key] = name
        self.texts[name] = text
        return name


def property_name(results: Mapping[str, Any], slot: Slot) -> str:
    """Return what a number is called: its question, its test or cell, and which number of it.

    Examples
    --------
    >>> results = {"questions": [{"id": "H1", "tests": [{"address": "H1#ranks"}]}]}
    >>> property_name(results, Slot("/questions/0/tests/0/p", "p"))
    'H1_ranks_p'
    """
    parts = slot.address.partition("|")[0].strip("/").split("/")
    parts += ["sign"] if slot.kind == "p sign" else []
    if parts[0] != "questions":
        return _clean("_".join(parts))
    entry = results["questions"][int(parts[1])]
    rest = parts[2:]
    head = [str(entry["id"])]
    if rest[0] in ("tests", "alternatives") and len(rest) > 1:
        test = entry[rest[0]][int(rest[1])]
        own = str(test["address"]).removeprefix(head[0]).strip("/#")
        head += [own] if own else []
        if rest[0] == "alternatives":
            head.append("agreements" if test.get("without") is None else f"with {test['without']}")
        rest = rest[2:]
    elif rest[0] == "cells" and len(rest) > 1:
        head += [str(level) for level in entry["cells"][int(rest[1])]["levels"].values()]
        rest = rest[2:]
    elif rest[0] == "verdicts" and len(rest) > 1:
        head.append(str(entry["verdicts"][int(rest[1])]["address"]).removeprefix(head[0]).strip("/#"))
        rest = rest[2:]
    return _clean("_".join(part for part in (*head, *rest) if part))


def _clean(name: str) -> str:
    return NOT_WORDS.sub("_", name).strip("_")[:LONGEST]


def _runs(words: Words) -> Iterator[Run]:
    for block in words.blocks:
        texts: Sequence[Prose] = ()
        if isinstance(block, (Paragraph, Heading)):
            texts = [block.text]
        elif isinstance(block, Table):
            heads = (text for column in block.columns for text in (column.over, column.name))
            texts = [*heads, *(text for row in block.rows for text in row), block.note]
        yield from (run for text in texts for run in text.runs if run.slot is not None)


def properties_xml(texts: Mapping[str, str]) -> bytes:
    """Return the part of a Word file that holds the properties."""
    from lxml import etree

    root = etree.Element(f"{{{PROPERTIES}}}Properties", nsmap={None: PROPERTIES, "vt": VALUES})
    for place, (name, text) in enumerate(texts.items(), 2):
        element = etree.SubElement(root, f"{{{PROPERTIES}}}property", fmtid=FORMAT, pid=str(place), name=name)
        etree.SubElement(element, f"{{{VALUES}}}lpwstr").text = text
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def with_properties(parts: dict[str, bytes], texts: Mapping[str, str]) -> dict[str, bytes]:
    """Return the parts of a Word file with properties, their content type and their relation."""
    types, relations = parts["[Content_Types].xml"].decode(), parts["_rels/.rels"].decode()
    override = f'<Override PartName="/{CUSTOM}" ContentType="{CUSTOM_TYPE}"/></Types>'
    relation = f'<Relationship Id="rIdFields" Type="{CUSTOM_RELATION}" Target="{CUSTOM}"/></Relationships>'
    return parts | {
        CUSTOM: properties_xml(texts),
        "[Content_Types].xml": types.replace("</Types>", override).encode(),
        "_rels/.rels": relations.replace("</Relationships>", relation).encode(),
    }


@dataclass(frozen=True, slots=True)
class Update:
    """What became of a manuscript.

    Attributes
    ----------
    changed : Mapping of str to tuple of str
        Each number that changed: its text before and now.
    same : int
        How many numbers did not.
    unknown : tuple of str
        Fields of the manuscript that the new results do not have; their text was left.
    verdicts : Mapping of str to tuple of str
        Verdicts that changed, whose sentences must be read again.
    """

    changed: Mapping[str, tuple[str, str]]
    same: int
    unknown: tuple[str, ...]
    verdicts: Mapping[str, tuple[str, str]]

    def lines(self) -> list[str]:
        """Return it as it is printed."""
        lines = [f"{counted(len(self.changed), 'number')} changed, {self.same:,} are the same"]
        lines += [f"  {name}: {before} → {now}" for name, (before, now) in self.changed.items()]
        if self.unknown:
            fields = counted(len(self.unknown), "field")
            were = ("is", "was") if len(self.unknown) == 1 else ("are", "were")
            names = ", ".join(self.unknown)
            lines.append(f"{fields} {were[0]} not in the new results and {were[1]} left: {names}")
        for name, (before, now) in self.verdicts.items():
            lines.append(f"{name}: the verdict was “{before}” and is “{now}”; read its sentences again")
        return lines


def update_manuscript(path: str | Path, texts: Mapping[str, str]) -> Update:
    """Write the numbers of new results into the fields of a Word file, and change nothing else of it.

    Parameters
    ----------
    path
        A Word file whose numbers are fields of ``report.docx``; it is replaced as a whole or not at all.
    texts
        Those of `Fields`.

    Raises
    ------
    UsageError
        If it is not a Word file, or has no field of a report.
    """
    from lxml import etree

    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = {entry.filename: (entry, archive.read(entry)) for entry in archive.infolist()}
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        bodies = {name: etree.fromstring(data, parser) for name, (_, data) in parts.items() if _is_text_part(name)}
        custom = etree.fromstring(parts[CUSTOM][1], parser) if CUSTOM in parts else None
    except (OSError, zipfile.BadZipFile, etree.XMLSyntaxError) as error:
        raise UsageError(f"{path}: is not a Word file that can be read ({line(error, 200)})") from None
    # Each field of the text: its first run takes the new number, the others are emptied.
    changed: dict[str, tuple[str, str]] = {}
    known: set[str] = set()
    unknown: dict[str, None] = {}
    for body in bodies.values():
        for name, runs in _fields_in(body):
            if name not in texts:
                unknown[name] = None
                continue
            known.add(name)
            shown = "".join(text.text or "" for text in runs)
            if shown != texts[name] and runs:
                changed[name] = (shown, texts[name])
                for place, text in enumerate(runs):
                    text.text = texts[name] if not place else ""
    if not known and not unknown:
        raise UsageError(f"{path}: has no field of a report; its numbers must come from report.docx")
    # The file is written whole; its other parts stay as they were.
    verdicts = _set_properties(custom, texts) if custom is not None else {}
    with written_whole(path) as new_file, zipfile.ZipFile(new_file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (entry, data) in parts.items():
            tree = custom if name == CUSTOM else bodies.get(name)
            whole = (
                data if tree is None else etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
            )
            archive.writestr(entry, whole)
    return Update(changed, len(known) - len(changed), tuple(unknown), verdicts)


def _is_text_part(name: str) -> bool:
    return bool(re.fullmatch(r"word/(document|footnotes|endnotes|header\d*|footer\d*)\.xml", name))


def _fields_in(body: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield each field of a property: its name, and the texts that show it."""
    for paragraph in body.iter(f"{W}p"):
        code, state = "", ""
        runs: list[Any] = []
        for run in paragraph.iter(f"{W}r"):
            mark = run.find(f"{W}fldChar")
            kind = None if mark is None else mark.get(f"{W}fldCharType")
            if kind == "begin":
                code, state, runs = "", "code", []
            elif kind == "separate":
                state = "shown"
            elif kind == "end":
                if (words := code.split())[:1] == ["DOCPROPERTY"] and len(words) > 1:
                    yield words[1].strip('"'), runs
                state = ""
            elif state == "code":
                code += "".join(part.text or "" for part in run.findall(f"{W}instrText"))
            elif state == "shown":
                runs += run.findall(f"{W}t")


def _set_properties(custom: Any, texts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Write the new texts into the properties, and return the verdicts that changed."""
    verdicts = {}
    for element in custom:
        name = str(element.get("name"))
        if name not in texts or not len(element):
            continue
        before = element[0].text or ""
        if name.endswith(VERDICT) and before != texts[name]:
            verdicts[name.removesuffix(VERDICT)] = (before, texts[name])
        element[0].text = texts[name]
    return verdicts
