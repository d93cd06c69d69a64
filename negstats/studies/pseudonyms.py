"""Pseudonyms of ids, and the ids in a text however they are written: other case, padding, accents, glued to words."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from negstats.studies.given_names import is_given_name

LONG_NUMBER = 4  # digits from which on a number in a text is taken for the id that it equals
NUMBER_WITHIN = re.compile(rf"(?<![\w.-])\d{{{LONG_NUMBER},12}}(?:\.0+)?(?![\w.-]|\.\d)")
_GLUED = 8  # letters and digits from which on an id is recognised inside a longer word
_START = 3  # letters by which candidates are looked up
_EMAIL = re.compile(r"([\w.+%-]{1,64})@[\w.-]{1,255}")
_FULL_NAME = re.compile(r"[^\W\d_]{2,}(?:[ ,._-]+[^\W\d_]{1,})+")
# Words after which a number of few digits is somebody's; "player 1" is a seat and none of them.
_PERSON = re.compile(
    r"(?i)\b(participant|subject|subj|user|worker|person|respondent|student|proband|teilnehmer|vpn|pid)"
    r"([ _.#:=-]{0,3})(?:(?:no|nr|id|number)[ _.#:=-]{0,3})?(0*(\d{1,3})(?:\.0+)?)(?![^\W_])"
)
_SCAN = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONG_RUN = re.compile(rf"[^\W_]{{{_GLUED + 1},}}")
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])(?:[-/.]\d\d)?(?!\d)")


def pseudonym(value: str, salt: str, prefix: str = "p") -> str:
    """Return `prefix` and 16 hexadecimal digits of HMAC-SHA-256 of `value` with the key `salt`.

    Examples
    --------
    >>> pseudonym("ann", "a long secret") == pseudonym("ann", "a long secret")
    True
    """
    return prefix + hmac.new(salt.encode(), f"{prefix}:{value}".encode(), hashlib.sha256).hexdigest()[:16]


def spelled(value: object) -> str:
    """Return an id as spellings of it are compared: composed, without case and outer space, 7.0 as 7.

    Examples
    --------
    >>> spelled(" Ann "), spelled(7.0), spelled("Ren\u0065\u0301") == spelled("REN\u00c9")
    ('ann', '7', True)
    """
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", str(value)).strip().casefold())
    return re.sub(r"^(-?\d+)\.0+$", r"\1", text)


@dataclass(frozen=True, slots=True)
class _Folded:
    """The letters and digits of a text: small, without accents and leading zeros.

    ``at`` is where each begins in the text and ``until`` where it ends. ``edge``
    tells what lies before it: "s" something that is neither letter nor digit, "c" a change between letters and digits,
    "m" a capital after a small letter, "." nothing. Between two numbers stands a "-", so that 1 2 is not 12.
    """

    letters: str
    at: tuple[int, ...]
    until: tuple[int, ...]
    edge: str

    def ends(self, place: int) -> str:
        """Return the edge after the letter before `place`."""
        return self.edge[place] if place < len(self.edge) else "s"


class _Folding:
    """The letters of a text that is being folded: each with its place, its end, and its edge to the letter before."""

    def __init__(self) -> None:
        self.letters: list[str] = []
        self.positions: list[int] = []
        self.ends: list[int] = []
        self.edges: list[str] = []
        self.last_class, self.last_character = "s", ""  # a digit, a letter or a separator; and itself
        self.number_start = -1

    def separate(self) -> None:
        """Take what comes next as apart from what was there."""
        self.last_class = "s"

    def lengthen(self, end: int) -> None:
        """Let the last letter end later, by an accent."""
        if self.ends and self.last_class != "s":
            self.ends[-1] = end

    def add(self, letter: str, character: str, start: int, end: int) -> None:
        """Add a letter of a character that stands from `start` to `end`."""
        letter_class = "d" if letter.isdecimal() else "l" if letter.isalpha() else "s"
        if letter_class == "s":
            self.separate()
            return
        # The edge before a letter: inside a run, after a separator, or where the class or the case changes.
        edge = "." if letter_class == self.last_class else "s" if self.last_class == "s" else "c"
        if edge == "." and character.isupper() and self.last_character.islower():
            edge = "m"
        letter = str(int(letter)) if letter_class == "d" else letter
        # Between two numbers stands a dash, so that 1 and 23 are not 12 and 3.
        if letter_class == "d" and edge != ".":
            if self.letters and self.letters[-1].isdecimal():
                self._append("-", start, start, "s")
            self.number_start = start
        if letter_class == "d" and edge == "." and self._follows_leading_zero():
            self.letters[-1], self.ends[-1] = letter, end  # the zero goes, and its place stays
        else:
            self._append(letter, start, end, edge)
        self.last_class, self.last_character = letter_class, character

    def _follows_leading_zero(self) -> bool:
        is_first = self.positions[-1] == self.number_start and self.edges[-1] != "."
        return self.letters[-1] == "0" and is_first

    def _append(self, letter: str, start: int, end: int, edge: str) -> None:
        self.letters.append(letter)
        self.positions.append(start)
        self.ends.append(end)
        self.edges.append(edge)


def _fold(text: str) -> _Folded:
    """Return the letters by which a text is compared with ids, and where each stands in it."""
    folding, position = _Folding(), 0
    while position < len(text):
        character = text[position]
        start, position = position, position + 1
        category = unicodedata.category(character)
        if character == "%" and re.fullmatch(r"[0-9A-Fa-f]{2}", text[position : position + 2]):  # %40 in an address
            folding.separate()
            position += 2
        elif category == "Mn":
            folding.lengthen(position)
        elif category != "Cf":  # which has no width
            for letter in _plain_letters(character):
                folding.add(letter, character, start, position)
    return _Folded("".join(folding.letters), tuple(folding.positions), tuple(folding.ends), "".join(folding.edges))


def _plain_letters(character: str) -> list[str]:
    """Return the letters of a character in their small forms, without accents."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold())
    return [letter for letter in decomposed if unicodedata.category(letter) != "Mn"]


class Names:
    """Pseudonyms for ids, recognised whatever the spelling; an id's own spelling comes first.

    Parameters
    ----------
    ids
        The ids.
    salt
        The key of the pseudonyms.
    prefix
        What pseudonyms begin with.
    aliases
        Other ids, such as those of a platform, each with its pseudonym.
    """

    def __init__(
        self, ids: Sequence[str], salt: str, prefix: str = "p", aliases: Mapping[str, str] | None = None
    ) -> None:
        self.are_people = prefix == "p"  # "participant 5" is the number of a person, and of no game
        self.exact = {**(aliases or {}), **{value: pseudonym(value, salt, prefix) for value in ids}}
        self.alike: dict[str, str] = {}
        self.keys: dict[str, tuple[str, str]] = {}  # folded: edges inside it, pseudonym
        self.numbers: dict[str, str] = {}
        for value, name in self.exact.items():
            self.alike.setdefault(spelled(value), name)
            key_text = _fold(spelled(value) if _is_number(value) else value)
            if key_text.letters.isdecimal():
                self.numbers.setdefault(key_text.letters, name)
            if len(value) >= LONG_NUMBER if key_text.letters.isdecimal() else len(key_text.letters) > 1:
                self.keys.setdefault(key_text.letters, (key_text.edge, name))
        for value, name in self.exact.items():
            for function in ("md5", "sha1", "sha256"):
                code = hashlib.new(function, value.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
                self.alike.setdefault(code, name)
        self.cores = _cores(self.exact)
        for name_part, name in _parts_of_names(self.exact).items():
            self.keys.setdefault(name_part, ("s" + "." * (len(name_part) - 1), name))
        self._starts = {key[:_START] for key in self.keys}  # shorter for shorter ones
        self._lengths = sorted({len(key) for key in self.keys}, reverse=True)
        self._words = {word for key in self.keys for word in _SCAN.findall(key)[:1]}
        self._glued = any(len(key) >= _GLUED for key in self.keys)

    def with_letters(self) -> Names:
        """Return the same pseudonyms, of those ids alone that are not plain numbers."""
        if not self.numbers:
            return self
        lettered = object.__new__(Names)
        lettered.__dict__.update(self.__dict__)
        lettered.keys = {key: value for key, value in self.keys.items() if not key.isdecimal()}
        lettered.alike = {key: value for key, value in self.alike.items() if not key.isdecimal()}
        return lettered

    def get(self, value: object) -> str | None:
        """Return the pseudonym of an id, None for what is none."""
        return self.exact.get(str(value)) or self.alike.get(spelled(value))

    def of_number(self, value: object) -> str | None:
        """Return the pseudonym of an id that is written as its number: 1002.0, 007, or 12 for P012."""
        exact_name = self.get(value)
        if exact_name is not None or not _is_number(str(value)):
            return exact_name
        number = spelled(value).lstrip("0") or "0"
        return self.numbers.get(number) or self.cores.get(number)

    def in_numbers(self, text: str) -> str:
        """Return a text with pseudonyms for the numbers of ids between other things: 1002 in {"with": 1002}."""

        def replace(match: re.Match[str]) -> str:
            return self.of_number(match[0]) or match[0]

        return NUMBER_WITHIN.sub(replace, text)

    def in_text(self, text: str) -> str:
        """Return a text with pseudonyms for the ids in it.

        >>> people = Names(["ann", "1000"], "a secret of mine")
        >>> people.in_text("annual user01000") == "annual user" + people.exact["1000"]
        True
        """
        spelling = spelled(text)
        if spelling in self.alike and not (spelling.isdecimal() and len(spelling) < LONG_NUMBER):
            return self.alike[spelling]
        fragments, end_of_last = [], 0
        for start, stop, name in self.spans(text):
            fragments += [text[end_of_last:start], name]
            end_of_last = stop
        return "".join([*fragments, text[end_of_last:]])

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return where ids stand in a text, in order, and their pseudonyms."""
        spans = list(self._find_keys(text)) if self._may_hold(text) else []
        for match in _PERSON.finditer(text) if self.are_people and (self.numbers or self.cores) else ():
            name = self.numbers.get(match[4]) or self.cores.get(match[4])
            if name is not None and not any(start < match.end() and match.start(3) < stop for start, stop, _ in spans):
                spans.append((match.start(3), match.end(), name))
        return sorted(spans)

    def _may_hold(self, text: str) -> bool:
        if not text.isascii() or "%" in text or (self._glued and _LONG_RUN.search(text)):
            return True
        words = _SCAN.findall(text.lower())
        if any(word in self._words or (word.lstrip("0") or "0") in self._words for word in words):
            return True
        return any(word.lower() in self._words for word in _SCAN.findall(_CAMEL.sub(" ", text)))

    def _find_keys(self, text: str) -> Iterator[tuple[int, int, str]]:
        key_text = _fold(text)
        dates = [match.span() for match in _DATE.finditer(text)]
        letters, position = key_text.letters, 0
        while position < len(letters):
            may_begin = any(letters[position : position + length] in self._starts for length in range(1, _START + 1))
            stop = self._longest(key_text, position) if may_begin else None
            if stop is None:
                position += 1
                continue
            start, end = key_text.at[position], key_text.until[stop - 1]
            key = letters[position:stop]
            if key.isdecimal() and (
                end - start < LONG_NUMBER
                or any(date_start <= start < date_end for date_start, date_end in dates)
                or re.match(r"\.(?!0+(?!\d))\d", text[end:])
                or re.search(r"\d\.$", text[:start])
            ):  # a year in a date, or a number with decimals
                position = stop
                continue
            decimal_zeros = re.match(r"\.0+(?![\d.])", text[end:]) if key.isdecimal() else None
            yield start, end + (decimal_zeros.end() if decimal_zeros else 0), self.keys[key][1]
            position = stop

    def _longest(self, key_text: _Folded, position: int) -> int | None:
        """Return where the longest id that begins at `position` ends, None if none does."""
        for length in self._lengths:
            stop = position + length
            key = key_text.letters[position:stop]
            if len(key) == length and key in self.keys and self._is_bounded(key_text, position, stop, key):
                return stop
        return None

    def _is_bounded(self, key_text: _Folded, position: int, stop: int, key: str) -> bool:
        """Whether an id stands by itself: no longer number, no longer word unless it is long, no pieces of words."""
        edges = self.keys[key][0]
        for own_edge, text_edge in zip(edges[1:], key_text.edge[position + 1 : stop], strict=False):
            if text_edge == "s" and own_edge == "." and len(key) < 6:
                return False
        for character, edge in ((key[0], key_text.edge[position]), (key[-1], key_text.ends(stop))):
            if edge == "s" or (len(key) > 2 and edge in "cm"):
                continue
            if len(key) < _GLUED or character.isdecimal():
                return False
        return True


FEWEST_ALIKE = 5  # people among whom nobody is told apart, as in tables of official statistics
PIECE = 6  # characters of an id by which somebody who has the ids finds the person
PARTED = 4  # characters of a shorter id that is known where a separator parts it: "a 12" may be an article and a number
_SEPARATOR = re.compile(r"[\W_]")
_WORD = re.compile(r"[^\W_]+")
_PSEUDONYM = re.compile(r"[a-z][0-9a-f]{16}")


class Pieces:
    """The pieces of `PIECE` characters of ids, to search a copy for what is left of them.

    A piece that many ids share, such as "mturk_" or the year in which all were drawn, tells nobody apart and is none;
    nor is a piece without digits that five ids or more share. A piece of letters and digits is found between
    separators too, as in 2e8b 1a44. An id of fewer characters, of letters and digits, is looked for whole, and between
    separators where it has four characters or more.

    Parameters
    ----------
    ids
        The ids; of an address the part before the @.
    pseudonyms
        What the ids became, in which a piece of hexadecimal digits stands by chance.

    Examples
    --------
    >>> pieces = Pieces(["5f3c9d2e8b1a", "60aa01bd77fe"], [])
    >>> pieces.find("it ends on 2e8b1a"), pieces.find("it ends on 8b1a"), pieces.find("it ends on 2e8b-1a")
    ('2e8b1a', None, '2e8b-1a')
    >>> Pieces(["KDU61"], []).replace("KDU6-1 left, kdu 61 stayed, KDU 611 and KDU 6 came")
    '[part of an id] left, [part of an id] stayed, KDU 611 and KDU 6 came'
    """

    def __init__(self, ids: Iterable[str], pseudonyms: Iterable[str]) -> None:
        self.pseudonyms = frozenset(pseudonyms)
        counts: Counter[str] = Counter()
        all_ids = [value.casefold().strip() for value in ids]
        for value in all_ids:
            without_domain = address[1] if (address := _EMAIL.fullmatch(value)) else value
            counts.update(
                _windows(without_domain)
                | {piece for piece in _windows(_SEPARATOR.sub("", without_domain)) if _is_mixed(piece)}
            )
        largest_count = max(2, len(all_ids) // 10)
        # Letters alone that five people share are a word of which ids are made, such as the name of a condition.
        largest_count_of_words = min(largest_count, FEWEST_ALIKE - 1)
        self.pieces = frozenset(
            piece
            for piece, n in counts.items()
            if n <= (largest_count if re.search(r"\d", piece) else largest_count_of_words)
        )
        self.mixed = frozenset(filter(_is_mixed, self.pieces))
        bare_ids = (_SEPARATOR.sub("", value) for value in all_ids)
        self.short = frozenset(value for value in bare_ids if len(value) < PIECE and _is_mixed(value))

    def find(self, text: str) -> str | None:
        """Return the first piece of an id in a text, None if there is none."""
        span = next(self._spans(text), None)
        return None if span is None else text[span[0] : span[1]]

    def replace(self, text: str) -> str:
        """Return a text with "[part of an id]" for each run of pieces."""
        runs: list[list[int]] = []
        for start, stop in sorted(self._spans(text)):
            if runs and start <= runs[-1][1]:
                runs[-1][1] = max(runs[-1][1], stop)
            else:
                runs.append([start, stop])
        for start, stop in reversed(runs):
            text = f"{text[:start]}[part of an id]{text[stop:]}"
        return text

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        lower_text = text.casefold()
        if len(lower_text) < PIECE or len(lower_text) != len(text):
            lower_text = text.lower()
        pseudonym_spans = [match.span() for match in _PSEUDONYM.finditer(text) if match[0] in self.pseudonyms]
        for start, stop in (*self._split(lower_text), *self._find_short(lower_text)):
            if not any(span_start < stop and start < span_stop for span_start, span_stop in pseudonym_spans):
                yield start, stop
        for position in range(len(lower_text) - PIECE + 1):
            piece = lower_text[position : position + PIECE]
            if piece not in self.pieces or any(
                start < position + PIECE and position < stop for start, stop in pseudonym_spans
            ):
                continue
            neighbours = (
                lower_text[max(position - 1, 0) : position] + lower_text[position + PIECE : position + PIECE + 1]
            )
            if piece.isdecimal() and any(map(str.isdecimal, neighbours)) and not self._is_longer(lower_text, position):
                continue  # six digits inside a longer number, such as a time
            yield position, position + PIECE

    def _split(self, lower_text: str) -> Iterator[tuple[int, int]]:
        """Yield where pieces stand that separators part."""
        unseparated = _SEPARATOR.sub("", lower_text)
        if len(unseparated) == len(lower_text) or self.mixed.isdisjoint(_windows(unseparated)):
            return
        positions = [position for position, character in enumerate(lower_text) if not _SEPARATOR.match(character)]
        for index in range(len(unseparated) - PIECE + 1):
            if unseparated[index : index + PIECE] in self.mixed:
                yield positions[index], positions[index + PIECE - 1] + 1

    def _find_short(self, lower_text: str) -> Iterator[tuple[int, int]]:
        """Yield where an id of fewer characters stands, in one word or, of `PARTED` or more, in words side by side."""
        words = list(_WORD.finditer(lower_text)) if self.short else []
        for index, first_word in enumerate(words):
            joined_words, stop = "", first_word.start()
            for word in words[index:]:
                if word.start() > stop + 1 or len(joined_words) + len(word[0]) >= PIECE:
                    break
                joined_words, stop = joined_words + word[0], word.end()
                if joined_words in self.short and (word is first_word or len(joined_words) >= PARTED):
                    yield first_word.start(), stop

    def _is_longer(self, lower_text: str, position: int) -> bool:
        """Whether the piece before or after is one as well: then it is a longer part of the id."""
        return any(
            lower_text[start : start + PIECE] in self.pieces
            for start in (max(position - 1, 0), position + 1)
            if start != position
        )


def _windows(text: str) -> set[str]:
    """Return the runs of `PIECE` characters in a text."""
    return {text[start : start + PIECE] for start in range(len(text) - PIECE + 1)}


def _is_mixed(piece: str) -> bool:
    """Whether letters and digits stand in a piece, as in no word and in no number."""
    return re.search(r"\d", piece) is not None and re.search(r"[^\W\d_]", piece) is not None


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\s*-?\d+(?:\.0+)?\s*", value) is not None


def _cores(exact: dict[str, str]) -> dict[str, str]:
    """Return the numbers of ids that are letters and one number, where no two share it: 12 of P012."""
    matches = {value: re.fullmatch(r"\D+0*(\d+)\D*", value) for value in exact}
    numbers = Counter(match[1] for match in matches.values() if match)
    return {match[1]: exact[value] for value, match in matches.items() if match and numbers[match[1]] == 1}


def _parts_of_names(exact: dict[str, str]) -> dict[str, str]:
    """Return the parts of ids that are names of people or addresses: anna and schmidt of anna.schmidt@example.org."""
    names_of_part: dict[str, set[str]] = {}
    for value, name in exact.items():
        address = _EMAIL.fullmatch(value.strip())
        without_domain = address[1] if address else value.strip()
        if address:
            names_of_part.setdefault(_fold(without_domain).letters, set()).add(name)
        words = [_fold(word).letters for word in re.split(r"[\W\d_]+", without_domain)]
        if (address or _FULL_NAME.fullmatch(without_domain)) and any(map(is_given_name, words)):
            for word in words:
                names_of_part.setdefault(word, set()).add(name)
    return {
        name_part: next(iter(names)) if len(names) == 1 else "[name]"
        for name_part, names in names_of_part.items()
        if len(name_part) > 2 and not name_part.isdecimal()
    }
