"""Ways in which a log comes to harm: each takes a random generator and a file's bytes and gives other bytes."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeAlias

Mutation: TypeAlias = Callable[[Random, bytes], bytes]

HOSTILE = (
    *("", " ", "\u00a0", "NaN", "nan", "None", "null", "inf", "-0", "0x10", "1_000", "1e5", "1,5", "１２", "²", "٣"),
    *("\u202eabc", "\u200b", "\ufeff", "e\u0301", "\u00e9", "ﬁ", "İ", "ß", "\U0001f3d5", "\ufdd0", "\uffff"),
    *("=1+1", "@SUM(A1)", "'; DROP TABLE games;--", "<script>alert(1)</script>", "&lt;", "../../etc/passwd"),
    *("{'a': 1}", "__import__('os')", "%s%n", "${x}", "a" * 5000, "line\nbreak", "tab\tstop", "\x1b[31m", "a\0b"),
)
NUMBERS = (
    *("0", "-0", "-1", "0.1", "1e999", "-1e999", "1e-320", "9" * 20, "9" * 400, "2147483648", "9223372036854775808"),
    *("1.0", "1e2", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x1F", "1_0", "true", "null", '"1"', "1,5", "-"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e308, 2**31, 2**53 + 1, 2**63, 10**30, "", "x", [], {}, [1, 2], {"a": 1}),
    *([None], [[[]]], {"": ""}, float("nan"), float("inf"), *HOSTILE[:30]),
)


# ---- any file


def flip(rng: Random, data: bytes) -> bytes:
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8)) if content else 0):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


def cut(rng: Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def behead(rng: Random, data: bytes) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def remove(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice((1, 2, 16, 500)) :]


def repeat(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 4, 64, 1000))]
    return data[:start] + piece * rng.choice((2, 3, 50)) + data[start + len(piece) :]


def insert(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    junk = rng.choice((b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\x1a", b'"', b"{", rng.randbytes(5)))
    return data[:start] + junk + data[start:]


def append(rng: Random, data: bytes) -> bytes:
    return data + rng.choice((b"\0", b"\n\n\n", b"\x1a", b"}", b'"', b"PK\x05\x06", data, rng.randbytes(20)))


def replace(rng: Random, data: bytes) -> bytes:
    whole = (b"", b" ", b"\n", b"\0" * 100, b"null", b"[]", b"{}", b"0", rng.randbytes(300), b"\x89PNG\r\n\x1a\n")
    return rng.choice((*whole, b"[" * 100_000, b'{"a":' * 100_000, b"\xef\xbb\xbf", b"PK\x03\x04" + rng.randbytes(40)))


# ---- text


def recode(rng: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-8-sig")), "replace")


def rebreak(rng: Random, data: bytes) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\xc2\x85", b"\xe2\x80\xa8")))


def move_lines(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines.insert(at, rng.choice((b"", b"   ", b"\t", b"#", b"sep=;")))
        case 4:
            rng.shuffle(lines)
        case _:
            lines[at : at + 2] = [b" ".join(lines[at : at + 2])]
    return b"\n".join(lines)


def renumber(rng: Random, data: bytes) -> bytes:
    values = list(re.finditer(rb"\d+(?:\.\d+)?", data))
    if not values:
        return data
    replacement = rng.choice(values)
    return data[: replacement.start()] + rng.choice(NUMBERS).encode() + data[replacement.end() :]


def misspell(rng: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    at = rng.randrange(len(text) + 1)
    return (text[:at] + rng.choice(HOSTILE) + text[at:]).encode("utf-8", "surrogatepass")


# ---- JSON and JSON Lines


class Twice(dict[str, Any]):
    """An object that is written with one of its keys twice."""

    def __init__(self, content: dict[str, Any], key: str, value: Any) -> None:
        super().__init__(content)
        self.again = (key, value)

    def items(self) -> Any:
        return [*super().items(), self.again]


def _objects(content: Any) -> Iterator[Any]:
    waiting = [content]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (dict, list)):
            if node:
                yield node
            waiting += node.values() if isinstance(node, dict) else node


def _change(rng: Random, content: Any) -> Any:
    nodes = list(_objects(content))
    if not nodes:
        return rng.choice(VALUES)
    node = rng.choice(nodes)
    if isinstance(node, list):
        at = rng.randrange(len(node))
        match rng.randrange(4):
            case 0:
                del node[at]
            case 1:
                node.insert(at, node[rng.randrange(len(node))])
            case 2:
                node[at] = rng.choice(VALUES)
            case _:
                rng.shuffle(node)
        return content
    key = rng.choice(list(node))
    match rng.randrange(8):
        case 0:
            del node[key]
        case 1:
            node[rng.choice((key + "s", key.upper(), " " + key, *HOSTILE[:30]))] = node.pop(key)
        case 2:
            node[rng.choice(("extra", "Points", *HOSTILE[:30]))] = rng.choice(VALUES)
        case 3:
            return _within(content, node, Twice(node, key, rng.choice((node[key], *VALUES[:17]))))
        case 4:
            other = rng.choice(list(node))
            node[key], node[other] = node[other], node[key]
        case 5:
            deep: Any = node[key]
            for _ in range(rng.choice((1, 5, 600))):
                deep = [deep] if rng.random() < 0.5 else {key: deep}
            node[key] = deep
        case _:
            node[key] = rng.choice(VALUES)
    return content


def _within(content: Any, old: Any, new: Any) -> Any:
    """Return content with the one object `old` replaced."""
    if content is old:
        return new
    if isinstance(content, dict):
        return {key: _within(value, old, new) for key, value in content.items()}
    return [_within(value, old, new) for value in content] if isinstance(content, list) else content


def change_json(rng: Random, data: bytes) -> bytes:
    try:
        content = _change(rng, json.loads(data))
        return json.dumps(content, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # it is no JSON, or a mutation before this one made it too deep
        return flip(rng, data)


def change_line(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(max(1, len(lines) - 1))
    lines[at] = change_json(rng, lines[at])
    return b"\n".join(lines)


# ---- delimited text


def change_cell(rng: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return flip(rng, data)
    row = rng.choice(rows or [[""]])
    at = rng.randrange(len(row) or 1)
    match rng.randrange(6) if row else 1:
        case 0:
            del row[at]
        case 1:
            row.append(rng.choice(HOSTILE))
        case 2:
            row[at] = rng.choice(row)
        case 3:
            row[at] = rng.choice(NUMBERS)
        case _:
            row[at] = rng.choice(HOSTILE)
    buffer = io.StringIO()
    quoting: Any = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    csv.writer(buffer, delimiter=delimiter, lineterminator=rng.choice(("\n", "\r\n")), quoting=quoting).writerows(rows)
    return buffer.getvalue().encode("utf-8", "surrogatepass")


# ---- workbooks


def _entries(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def _packed(entries: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    import warnings

    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore", UserWarning)  # a name that is there twice, as it is meant to be
        for name, content in entries:
            archive.writestr(name, content)
        archive.comment = comment
    return buffer.getvalue()


def repack(rng: Random, data: bytes) -> bytes:
    try:
        entries = _entries(data)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError):
        return flip(rng, data)
    at = rng.randrange(len(entries))
    name, content = entries[at]
    match rng.randrange(6):
        case 0:
            del entries[at]
        case 1:
            entries.append((name, rng.choice(entries)[1]))
        case 2:
            entries[at] = (name.upper(), content)
        case 3:
            return _packed(entries, zipfile.ZIP_STORED)
        case 4:
            return _packed(entries, comment=rng.randbytes(30))
        case _:
            entries[at] = (name, rng.choice((flip, cut, remove, repeat, insert))(rng, content))
    return _packed(entries)


ENTITIES = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + place, b"&%c;" % (97 + place) * 10) for place in range(9)
)


def change_xml(rng: Random, data: bytes) -> bytes:
    try:
        entries = _entries(data)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError):
        return cut(rng, data)
    sheets = [at for at, (name, _) in enumerate(entries) if "sheet" in name.lower() or "Strings" in name]
    at = rng.choice(sheets or [0])
    name, xml = entries[at]
    far = rng.choice((b'r="XFD1048576"', b'r="A1048577"', b'r="ZZZZ1"', b'r="A0"', b'r=""', b'r="1A"', b'r="A2"'))
    text = rng.choice((b"<t/>", b"<t>&a;</t>", b"<t>&#0;</t>", b"<t>&#x1F3D5;</t>"))
    kind = rng.choice((b't="s"', b't="n"', b't="b"', b't="e"', b't="d"', b't="str"', b't="inlineStr"', b't="x"'))
    changes: list[Callable[[], bytes]] = [
        lambda: _one(rng, rb'\br="[A-Z]+\d+"', far, xml),
        lambda: _one(rng, rb'\bt="\w+"', kind, xml),
        lambda: _one(rng, rb"<v>[^<]*</v>", b"<v>" + rng.choice(NUMBERS).encode() + b"</v>", xml),
        lambda: _one(rng, rb"<v>[^<]*</v>", b"", xml),
        lambda: _one(rng, rb"<t[^>]*>[^<]*</t>", text, xml),
        lambda: _one(rng, rb"<row [^>]*>", b"<row>", xml),
        lambda: _one(rng, rb"<row .*?</row>", b"", xml),
        lambda: _one(rng, rb"</?c\b", b"<d", xml),
        lambda: re.sub(rb"(<\?xml[^>]*\?>)?", lambda found: found[0] + ENTITIES + b"]>", xml, count=1),
        lambda: xml.replace(b"UTF-8", b"UTF-16").replace(b"utf-8", b"utf-16"),
        lambda: _one(rng, rb"<dimension [^>]*/>", b'<dimension ref="A1:XFD1048576"/>', xml),
    ]  # fmt: skip
    entries[at] = (name, rng.choice(changes)())
    return _packed(entries)


def _one(rng: Random, pattern: bytes, new: bytes, data: bytes) -> bytes:
    values = list(re.finditer(pattern, data, re.DOTALL))
    if not values:
        return flip(rng, data)
    place = rng.choice(values)
    return data[: place.start()] + new + data[place.end() :]


ANY: tuple[Mutation, ...] = (flip, cut, behead, remove, repeat, insert, append, replace)
TEXT: tuple[Mutation, ...] = (recode, rebreak, move_lines, renumber, misspell)
OWN: dict[str, tuple[Mutation, ...]] = {
    ".jsonl": (*TEXT, *[change_line] * 5),
    ".json": (*TEXT, *[change_json] * 5),
    ".csv": (*TEXT, *[change_cell] * 4),
    ".tsv": (*TEXT, *[change_cell] * 4),
    ".txt": TEXT,
    ".xlsx": (*[repack] * 3, *[change_xml] * 6),
}


def fitting(name: str) -> tuple[Mutation, ...]:
    """Return the mutations for a file of this name; those that are its own come oftener."""
    return (*ANY, *OWN.get(name[name.rfind(".") :], ()))
