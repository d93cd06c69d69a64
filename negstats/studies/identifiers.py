"""What in a study's tables may tell who took part: addresses, numbers and names, by shape and by a column's name.

Nothing here is certain. A column is suspected when most of its values have a shape that little else has, or when it is
called like what it would be; who knows the column decides.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import pandas as pd

from negstats.english import to_plain_letters
from negstats.studies.given_names import is_given_name
from negstats.studies.pseudonyms import Names

LINKING = "ids"  # the kind that may stay as pseudonyms: it links rows, and says nothing else
_NAMES_OF_PEOPLE = "names of people"
_BIRTH = "dates of birth"
_MOST = 0.5  # share of the values that must look alike
_ENOUGH = 10  # values from which on "each value once" says something
_LONGEST_PHONE = 13  # digits
_YOUNGEST = 12  # years before a study; who is younger takes part in none of this field

# By name. A name's words are compared whole: "zip_code", "ZipCode" and "zip" have "zip", "zipper" has not.
_NAMES: dict[str, set[str]] = {
    "IP addresses": {"ip", "ipaddress", "ipaddr"},
    "e-mail addresses": {"email", "mail", "emailaddress", "correo", "courriel", "pochta"},
    "names of computers": {"host", "hostname", "computername", "machinename", "workstation", "nodename"},
    "phone numbers": {"phone", "telephone", "tel", "mobile", "cellphone", "fax", "whatsapp"}
    | {"telefon", "telefoon", "handy"},
    "ZIP codes": {"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"},
    "places": {"latitude", "longitude", "lat", "lon", "lng", "gps", "geolocation", "coordinates", "address", "street"}
    | {"hometown", "birthplace", "adresse", "anschrift", "direccion", "domicilio", "indirizzo", "endereco", "adres"},
    _NAMES_OF_PEOPLE: {"initials"}
    | {"firstname", "lastname", "surname", "fullname", "forename", "realname", "vorname", "nachname"}
    | {"apellido", "prenom", "cognome", "sobrenome", "achternaam", "voornaam", "familiya", "otchestvo"},
    _BIRTH: {"birthday", "birthdate", "dob", "birth", "geburt", "jahrgang", "naissance", "nacimiento", "nascita"}
    | {"nascimento", "geboorte", "rozhdeniya"},
    "browsers and devices": {"useragent", "fingerprint", "imei"},
    "web addresses": {"url", "homepage", "website", "linkedin", "facebook", "instagram"},
    "bank accounts": {"iban", "bic"},
    LINKING: {
        "id",
        "uid",
        "pid",
        "uuid",
        "guid",
        "worker",
        "workerid",
        "prolific",
        "mturk",
        "participant",
        "respondent",
    }
    | {"subjectid", "userid", "assignmentid", "hitid", "panelist", "ssn", "matriculation", "cookie", "matrikelnummer"}
    | {"matrikel", "plate", "licenseplate", "handle", "username", "login", "vpn", "vp", "proband", "subject", "subj"},
}
# Words that stand glued to others too: gpslatitude, emailhash, birthyear. Words of ids are of too many other things.
_GLUED_WORDS = {kind: {word for word in words if len(word) >= 5} for kind, words in _NAMES.items() if kind != LINKING}
# Who made or led something: names where the values are words with capitals, and not "a" and "b".
_MAKERS = {
    *("artist", "author", "owner", "creator", "experimenter", "interviewer", "researcher", "supervisor", "teacher"),
    *("instructor", "tutor", "assistant", "observer", "coder", "rater", "lehrer", "versuchsleiter"),
}
_PAIRS = {
    ("first", "name"): _NAMES_OF_PEOPLE,
    ("last", "name"): _NAMES_OF_PEOPLE,
    ("family", "name"): _NAMES_OF_PEOPLE,
    ("given", "name"): _NAMES_OF_PEOPLE,
    ("full", "name"): _NAMES_OF_PEOPLE,
    ("real", "name"): _NAMES_OF_PEOPLE,
    ("user", "agent"): "browsers and devices",
    ("year", "birth"): _BIRTH,
    ("student", "number"): LINKING,
    ("student", "no"): LINKING,
    ("employee", "number"): LINKING,
    ("staff", "number"): LINKING,
}
# Columns whose given names are those of agents that the study made up.
_MADE_UP = {"agent", "persona", "avatar", "bot", "character", "model", "virtual", "confederate"}

# Long numbers that are measured or drawn.
_MEASURED = {
    "seed",
    "time",
    "timestamp",
    "ms",
    "us",
    "ns",
    "duration",
    "amount",
    "points",
    "score",
    "random",
    "rng",
    "started",
}

_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_SPELT_EMAIL = re.compile(
    r"(?i)[\w.+%-]{1,64} ?(?:[(\[{] ?at ?[)\]}] ?[\w-]+(?: ?(?:[(\[{] ?dot ?[)\]}]|\bdot\b|\.) ?[\w-]+)+"
    r"|\bat [\w-]+(?: dot [\w-]+)+)"
)  # ann (at) example.org, ann at example dot org
_ISO_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[T ][\d:.]+)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_DAY = re.compile(
    r"(?P<a>(?:19|20)\d\d)-\d{1,2}-\d{1,2}(?:[T ][\d:.+Z-]+)?|\d{1,2}[./-] ?\d{1,2}[./-] ?(?P<b>(?:19|20)\d\d)"
    r"|(?P<c>(?:19|20)\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\.0)?"
    r"|\d{1,2}\.? [^\W\d_]{3,9}\.?,? (?P<d>(?:19|20)\d\d)|[^\W\d_]{3,9}\.? \d{1,2},? (?P<e>(?:19|20)\d\d)"
)
_PHONE = re.compile(
    r"(?:\+|00)\d[\d ()./-]{5,18}\d|\(?\d{2,5}\)?[ ./-]\d{2,5}(?:[ ./-]\d{2,6}){1,4}"
    r"|\(?(?<!\d)0\d{1,5}\)?[ /-]{1,3}\d{5,9}(?!\d)"  # an area code, and all the rest together
)
_ZIP = re.compile(r"\d{5}-\d{4}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d", re.IGNORECASE)
_ID = re.compile(
    r"[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|A(?=[0-9A-Z]*\d)[0-9A-Z]{12,14}|R_[0-9A-Za-z]{15,17}|(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[0-9A-Za-z]{16,}={0,2}"
)
_HASH = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")  # of an address it is found by trying
_ID_WITHIN = re.compile(rf"(?<![\w-])(?<!SHA-256 )(?:{_ID.pattern})(?![\w-])")
_RECORDING = re.compile(r"[^/\\]{1,200}\.(?:wav|mp3|mp4|m4a|ogg|opus|flac|webm|avi|mov|mkv)", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:[Mm]y name is|[Mm]y name's|[Cc]all me|[Tt]his is|[Ii] am|[Ii]'m|[Ii]m|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist"
    r"|[Ii]ch bin|[Jj]e m['’]appelle|[Jj]e suis|[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Ii]k heet"
    r"|[Jj]ag heter|[Mm]eu nome é)\s+([A-ZÀ-ÖØ-Þ][^\W\d_]{1,20})\b"
)
_URL = re.compile(
    r"(?:https?|ftp|file)://[^\s,;\"'<>]+|\bwww\.[\w-]+(?:\.[\w-]+)+(?:/[^\s,;\"'<>]*)?"
    r"|(?<![\w@./-])(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|io|us|me|de|uk|fr|il|eu)/[^\s,;\"'<>]+"
)
_HANDLE = re.compile(rf"(?<![\w@])@[A-Za-z]\w{{2,30}}\b|{_URL.pattern}")
_IPV4 = re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)(?::\d+)?")
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b", re.IGNORECASE)
_YEARS = re.compile(r"(?:(?:1[89]|20)\d\d[ -]?)+")
_CARD = re.compile(r"(?<!\d)(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3\d{3}([ -])\d{6}\2\d{5})(?!\d)")
_AGENT = re.compile(r"[A-Z][\w.-]*/\d[\w.]* \(.*|Mozilla/.*")
_PLACE = re.compile(
    r"[(\[]?\s*-?\d{1,2}\.\d{4,}\s*[,; /]\s*-?\d{1,3}\.\d{4,}\s*[)\]]?"
    r"|-?\d{1,3}(?:\.\d+)?\s*°\s*(?:\d{1,2}(?:\.\d+)?\s*['′]\s*(?:\d{1,2}(?:\.\d+)?\s*[\"″]\s*)?)?[NSEW]?.*"
    r"|(?:geo:|POINT ?\()\s*-?\d.*"
)
_PATH = re.compile(
    r"(?<![\w/\\])(?:[A-Za-z]:[\\/]|\\\\[\w.$-]+\\|~[\w.-]*/|(?:file:/{1,3}))[^\s,;:\"'<>|]*"
    r"|(?<![\w/.<])/(?:[\w.@~+-]+/)+[\w.@~+-]*"
)
_TOP = "com|org|net|edu|gov|mil|info|io|ai|ac|local|lan|internal|intranet|localdomain|eu|de|at|ch|il|uk|fr|nl|be"
_HOST = re.compile(
    rf"(?<![\w.@-])(?:[A-Za-z0-9-]+\.)+(?:{_TOP}|it|es|se|no|dk|fi|us|ca|au|nz|jp|cn|in|br|mx|kr|sg|hk|tr|gr|ru|ie)(?![\w-]|\.\w)"
    r"|(?<![\w-])(?:(?i:desktop|laptop|win|pc|imac|macbook|workstation|lab-?pc)-(?=\w*\d)[\w-]+"
    r"|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-(?i:mbp|mac|macbook|imac|iphone|ipad|pc|laptop|desktop|notebook|surface)(?:-\w+)*)"
    r"(?:\.[\w-]+)*(?![\w])"
    r"|(?i:(?<=\bhost )|(?<=\bhostname )|(?<=\bhostname: )|(?<=\bhost: )|(?<=\bhost=)|(?<=\bhostname=)|(?<=\bcomputer )"
    r"|(?<=\bmachine )|(?<=\bserver )|(?<=\bnode ))(?=[\w.-]*[\d-])[A-Za-z][\w.-]*\w"
)
_ACCOUNT = re.compile(r"(?<![\w.@-])[A-Za-z][\w.-]*@[A-Za-z0-9][\w-]+(?![\w@])")
_WORD = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_SMALL = r"[^\W\d_]{2,}"
_CAPITALS = re.compile(rf"{_WORD}(?:[ .-]+{_WORD})*")
FEWEST_NAMES = 3  # different values that may all be names
_FULL = re.compile(
    rf"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?(?P<first>{_WORD})"
    rf"(?:,? (?:{_WORD}\.?|van|von|der|den|de|da|del|della|di|la|le|bin|ben|al|el)){{1,4}}"
)


def words_of(name: str) -> list[str]:
    """Return the words of a column's name, in small letters.

    >>> words_of("zipCode_2"), words_of("IPAddress"), words_of("Prénom")
    (['zip', 'code'], ['ip', 'address'], ['prenom'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", to_plain_letters(name))]


def is_full_name(value: str) -> bool:
    """Whether a value is a given name of many people and a surname, in either order.

    >>> is_full_name("Anna Schmidt"), is_full_name("Schmidt, Anna"), is_full_name("Computer Science")
    (True, True, False)
    """
    if not _FULL.fullmatch(value):
        return False
    words = [word for word in re.split(r"[ ,.-]+", value) if word]
    return is_given_name(words[0]) or (", " in value and is_given_name(words[-1]))


def _is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value.strip("[]").partition("%")[0])
    except ValueError:
        return _IPV4.fullmatch(value) is not None
    return "." in value or value.count(":") >= 2


def _is_phone(value: str) -> bool:
    value = re.sub(r"(?<=\d)\.0+$", "", value)  # whole numbers that were read as numbers
    digits = sum(letter.isdigit() for letter in value)
    if not 7 <= digits <= 15 or _ISO_DATE.fullmatch(value) or _IPV4.fullmatch(value):
        return False
    if value.isdecimal():  # without a zero before it: ten digits as in America, and no seconds since 1970
        american = re.fullmatch(r"1?[2-9]\d\d[2-9]\d{6}", value) is not None
        return american or (value.startswith("0") and digits >= 9)
    return _PHONE.fullmatch(value) is not None


def _is_card(value: str) -> bool:
    """Whether the last digit of a payment card's number is the one that follows from the others (ISO/IEC 7812-1)."""
    digits = [int(letter) for letter in value if letter.isdecimal()]
    doubled = [
        digit if position % 2 == 0 else sum(divmod(2 * digit, 10)) for position, digit in enumerate(digits[::-1])
    ]
    return sum(doubled) % 10 == 0


def _is_account(value: str) -> bool:
    value = value.upper()
    unspaced = value.replace(" ", "")
    if _IBAN.fullmatch(value) is None or not 15 <= len(unspaced) <= 34:
        return False
    return int("".join(str(int(letter, 36)) for letter in unspaced[4:] + unspaced[:4])) % 97 == 1


def _is_whole_long(value: str) -> bool:
    """Whether a value is a whole number of 9 to 19 digits, and no time since 1970 in seconds to nanoseconds."""
    whole_part = re.sub(r"\.0+$", "", value)
    if not whole_part.isdecimal() or not 9 <= len(whole_part) <= 19:
        return False
    return not any(1.0e9 <= int(whole_part) / scale <= 2.1e9 for scale in (1, 10**3, 10**6, 10**9))


_SHAPES: dict[str, Callable[[str], object]] = {
    "IP addresses": lambda value: _is_ip(value) or _MAC.fullmatch(value),
    "e-mail addresses": lambda value: _EMAIL.fullmatch(value) or _SPELT_EMAIL.fullmatch(value),
    "phone numbers": _is_phone,
    "ZIP codes": lambda value: _ZIP.fullmatch(value),
    "places": _PLACE.fullmatch,
    "browsers and devices": _AGENT.fullmatch,
    "web addresses": _URL.fullmatch,
    "bank accounts": lambda value: (
        _is_account(value) or (_CARD.fullmatch(value) and (_is_card(value) or not _YEARS.fullmatch(value)))
    ),
    _NAMES_OF_PEOPLE: is_full_name,
    LINKING: lambda value: _ID.fullmatch(value) or _RECORDING.fullmatch(value),
}


def _kinds_named(words: Sequence[str]) -> set[str]:
    """Return the kinds that the words of a name tell: one of them, two in a row, or one that is glued to another."""
    kinds = {kind for kind, name_words in _NAMES.items() if "".join(words) in name_words or name_words & set(words)}
    kinds |= {_PAIRS[pair] for pair in pairwise(words) if pair in _PAIRS}
    return kinds | {
        kind
        for kind, glued_words in _GLUED_WORDS.items()
        if any(
            word != glued_word and (word.startswith(glued_word) or word.endswith(glued_word))
            for word in words
            for glued_word in glued_words
        )
    }


def kind_of_column(
    name: str, values: pd.Series, *, unique_is_an_id: bool = True, year: int | None = None
) -> str | None:
    """Return what a column may hold that tells who somebody is, or None.

    Parameters
    ----------
    name
        The column's, or the question's.
    values
        Its values; missing ones are not looked at.
    unique_is_an_id
        Whether words that stand in one row each are taken for ids.
    year
        The year of the study: dates of people who would be younger than 12 then are not dates of birth.

    Examples
    --------
    >>> kind_of_column("contact", pd.Series(["ann@example.org", None, "bob@example.org"]))
    'e-mail addresses'
    >>> kind_of_column("zip", pd.Series(["10115", "80331"])), kind_of_column("points", pd.Series(["10115", "80331"]))
    ('ZIP codes', None)
    """
    known_values = values.dropna()
    if not len(known_values):
        return None
    words = words_of(name)
    texts = [text for value in pd.unique(known_values.astype("str"))[:10_000] if (text := str(value).strip())]
    if not texts:
        return None
    kinds = _kinds_named(words)
    for kind in _NAMES:
        has_shape = _LOOKS[kind] if kind in kinds else _SHAPES.get(kind)
        # Else groups, not people.
        has_enough = kind != LINKING or len(texts) >= max(2, min(_ENOUGH, len(known_values) / 2))
        if has_shape is not None and has_enough and sum(bool(has_shape(value)) for value in texts) > _MOST * len(texts):
            return kind
    # A few different hashes are not conditions: whoever guesses what was hashed, an address or a name, finds it.
    if len(texts) > 1 and all(map(_HASH.fullmatch, texts)):
        return LINKING
    if _MAKERS & set(words) and all(map(_CAPITALS.fullmatch, texts)):
        return _NAMES_OF_PEOPLE
    if _are_births(texts, year):
        return _BIRTH
    is_unique = len(texts) >= max(_ENOUGH, 0.9 * len(known_values))
    if is_unique and _are_long_numbers(texts):
        return None if set(words) & _MEASURED else LINKING
    if values.dtype.kind in "biufcmM":
        return None
    # A number is not written with a zero before it, a code is.
    if all(re.fullmatch(r"\d{5}", value) for value in texts) and any(value.startswith("0") for value in texts):
        return "ZIP codes"
    if len(texts) > 1 and not set(words) & _MADE_UP and _are_names(texts):
        return _NAMES_OF_PEOPLE
    words_once = unique_is_an_id and len(known_values) >= _ENOUGH and known_values.astype("str").is_unique
    if words_once and _are_codes(texts):
        return LINKING
    if words_once and not any(map(str.isspace, "".join(texts))) and not all(map(_number, texts)):
        return LINKING
    return None


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether values are letters and digits of one pattern, as number plates are, and no days: B-XY 1000."""
    patterns = {re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "a", text)) for text in texts}
    pattern = next(iter(patterns))
    return len(patterns) == 1 and "a" in pattern and pattern.count("9") > 1 and len(pattern) >= 5


def _are_names(texts: Sequence[str]) -> bool:
    """Whether values are given names, or full ones: most in small letters, or all shaped as names and some known."""
    if sum(map(is_given_name, texts)) > 0.7 * len(texts):
        return True
    in_small_letters = [
        re.split(r"[ ,.-]+", text) for text in texts if re.fullmatch(rf"{_SMALL}(?:[ .-]{_SMALL}){{1,2}}", text)
    ]
    if sum(is_given_name(words[0]) for words in in_small_letters) > _MOST * len(texts):
        return True
    # All of two capitalised words or more, and one of them a name that many bear: the others are rarer names.
    return len(texts) >= FEWEST_NAMES and all(map(_FULL.fullmatch, texts)) and any(map(is_full_name, texts))


def _are_long_numbers(texts: Sequence[str]) -> bool:
    """Whether values are numbers of people: all of one length, or most as long as phone numbers and few round."""
    whole_parts = [text.partition(".")[0] for text in texts if _is_whole_long(text)]
    if len(whole_parts) == len(texts) and len(set(map(len, whole_parts))) == 1:
        return True
    like_phones = [text for text in whole_parts if len(text) <= _LONGEST_PHONE and not text.endswith("000")]
    return all(map(_number, texts)) and len(like_phones) > 0.8 * len(texts)


def _are_births(texts: Sequence[str], year: int | None) -> bool:
    """Whether most values are days, and these years apart and long before the study."""
    days = [match for value in texts if (match := _DAY.fullmatch(value))]
    if len(days) <= _MOST * len(texts):
        return False
    years = [int(next(group for group in match.groups() if group)) for match in days]
    early_years = [year_of_birth for year_of_birth in years if 1920 <= year_of_birth <= (year or 2024) - _YOUNGEST]
    return len(early_years) > _MOST * len(years) and (year is not None or max(years) - min(years) > 2)


# What a column that is called so must look like besides: "mobile" may hold yes and no, "participant" a role.
_LOOKS: dict[str, Callable[[str], object]] = {
    "IP addresses": re.compile(r"[\da-fA-F]*[.:][\da-fA-F.:/*x]+").fullmatch,
    "e-mail addresses": re.compile("@").search,
    "names of computers": re.compile(r"(?=.*[\d.-])[A-Za-z0-9][\w.-]+").fullmatch,
    "phone numbers": re.compile(r"(?:\D*\d){6,15}\D*").fullmatch,
    "ZIP codes": re.compile(r"(?=.*\d)[\w -]{3,10}").fullmatch,
    "places": re.compile(r"\W*-?\d{1,3}\.\d+.*|.*[^\W\d_]{3}.*").fullmatch,
    _NAMES_OF_PEOPLE: re.compile(r"[^\W\d_][^\d_]+").fullmatch,
    _BIRTH: re.compile(r"(?:\D*\d){4,}.*").fullmatch,
    "browsers and devices": re.compile(r".*\w/\d.*|.*(?=[^ ]*\d)\w{8,}.*").fullmatch,
    "web addresses": re.compile(r".*[\w-]\.[a-z]{2,}\b.*|.*://.*").fullmatch,
    "bank accounts": re.compile(r"[A-Z]{2}\d\d[A-Z0-9 ]{8,}|[A-Z]{6}[A-Z0-9]{2,5}").fullmatch,
    LINKING: re.compile(r".*\w.*").fullmatch,
}


def _number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


_ALWAYS: tuple[tuple[str, re.Pattern[str], Callable[[str], object]], ...] = (
    ("web address", _URL, bool),
    ("e-mail address", _EMAIL, bool),
    ("e-mail address", _SPELT_EMAIL, bool),
    ("device address", _MAC, bool),
    ("IP address", _IPV4, lambda value: _is_ip(value.rpartition(":")[0] or value)),
    ("IP address", _IPV6, _is_ip),
    ("path of a file", _PATH, bool),
    ("bank account", _IBAN, _is_account),
    ("bank account", _CARD, _is_card),
    ("id", _ID_WITHIN, lambda value: re.search(r"\d", value)),
)
_HERE: tuple[tuple[str, re.Pattern[str], Callable[[str], object]], ...] = (
    ("account on a computer", _ACCOUNT, bool),
    ("name of a computer", _HOST, bool),
    ("phone number", _PHONE, lambda value: value[0] in "+0(" and _is_phone(value)),
)


def masked(text: str, *, prose: bool = False) -> tuple[str, Counter[str]]:
    """Return a text with addresses, accounts and paths as "[e-mail address]" and the like, and how many there were.

    Parameters
    ----------
    text
        A value, or a sentence.
    prose
        Whether it is a sentence of a note: then names of computers and phone numbers go too.

    Examples
    --------
    >>> masked("read from /home/ann/logs on lab-pc-07.example.edu", prose=True)[0]
    'read from [path of a file] on [name of a computer]'
    """
    number: Counter[str] = Counter()
    if not prose and not re.search(
        r"[@/\\]|\w\.\w|:\w*:|[A-Za-z]{2}\d\d|[\da-fA-F]{2}-[\da-fA-F]{2}-|\d{4}[ -]\d{4}|\bat\b|\w{13}", text
    ):
        return text, number
    for kind, pattern, is_identifier in (*_ALWAYS, *_HERE) if prose else _ALWAYS:

        def mask(match: re.Match[str], kind: str = kind, is_identifier: Callable[[str], object] = is_identifier) -> str:
            if not is_identifier(match[0]):
                return match[0]
            number[kind] += 1
            return f"[{kind}]"

        text = pattern.sub(mask, text)
    return text, number


_NAME_WITHIN = re.compile(
    rf"\b(?P<first>{_WORD})(?:,? (?:van|von|der|den|de|da|del|della|di|la|le|bin|ben|al|el))*(?: (?P<rest>{_WORD}))*"
)
_MADE_BY = re.compile(
    rf"\b(?P<lead>[Bb]y|[Ww]ith|[Ff]rom|[Oo]f|[Vv]on|[Mm]it)(?P<gap>[ _-]+)(?P<name>{_WORD}(?: {_WORD})+)"
)
_BY_GIVEN = re.compile(r"\b(?P<lead>by|with|from)(?P<gap>[ _-]+)(?P<name>[^\W\d_]{3,})\b", re.IGNORECASE)
_DROPPED_OUT = re.compile(rf"^(?P<name>{_WORD} {_WORD})(?= [a-z])")


def without_names(text: str, *, prose: bool = False) -> tuple[str, int]:
    """Return a text with "[name]" for names of people in it, and how many there were.

    A given name that many people bear is known by itself where a surname follows it or "by" comes before it. In the
    prose of a note, two words with capitals after "by" or "of", or at its beginning, are taken for a name too.

    Examples
    --------
    >>> without_names("Room 12 with Anna Vandermeer"), without_names("New York")
    (('Room 12 with [name]', 1), ('New York', 0))
    >>> without_names("mapping by Esperanza Morales", prose=True)
    ('mapping by [name]', 1)
    """
    number = 0

    def mask_full(match: re.Match[str]) -> str:
        nonlocal number
        if match["rest"] is None or not is_given_name(match["first"]):
            return match[0]
        number += 1
        return "[name]"

    def mask_after(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return f"{match['lead']}{match['gap']}[name]"

    def mask_given(match: re.Match[str]) -> str:
        return mask_after(match) if is_given_name(match["name"]) else match[0]

    text = _BY_GIVEN.sub(mask_given, _NAME_WITHIN.sub(mask_full, text))
    if prose:
        text = _MADE_BY.sub(mask_after, text)
        text, count = _DROPPED_OUT.subn("[name]", text)
        number += count
        # Given names that remain inside a sentence.
        given_words = [word for word in re.findall(r"(?<=[a-z] )" + _WORD + r"\b", text) if is_given_name(word)]
        for word in given_words:
            text, number = re.sub(rf"\b{re.escape(word)}\b", "[name]", text), number + 1
    return text, number


def named_in_texts(texts: Iterable[str], ids: Sequence[str]) -> tuple[int, dict[str, int]]:
    """Return how many texts may name somebody, and how many of each kind of suspect there are.

    Parameters
    ----------
    texts
        What people wrote.
    ids
        Ids of people, looked for however they are written; numbers of fewer than four digits only after a word such as
        "participant".

    Examples
    --------
    >>> named_in_texts(["I am Ann", "mail me: bob@example.org", "I am ready", "ok", "DAN2, dan_3"], ["dan"])
    (3, {'e-mail addresses': 1, 'ids of people': 2, 'names after "I am" or "my name is"': 1})
    """
    id_names = Names([name for name in ids if len(name.strip()) > 1 or name.isdecimal()], "only to find them")
    total: Counter[str] = Counter()
    suspects = 0
    for text in texts:
        shortened = text[:20_000]
        counts = {
            "e-mail addresses": len(_EMAIL.findall(shortened)) + len(_SPELT_EMAIL.findall(shortened)),
            "phone numbers": sum(map(_is_phone, (match[0] for match in _NUMBER.finditer(_IPV4.sub(" ", shortened))))),
            'names after "I am" or "my name is"': len(_SAID.findall(shortened)),
            "full names": sum(map(_is_name_in_text, _PAIR_OF_WORDS.finditer(shortened))),
            "links and @names": len(_HANDLE.findall(shortened)),
            "ids of people": len(id_names.spans(shortened)) if ids else 0,
            "paths, addresses and accounts": sum(n for kind, n in masked(shortened)[1].items() if kind not in _COUNTED),
        }
        suspects += any(counts.values())
        total.update({kind: number for kind, number in counts.items() if number})
    return suspects, dict(sorted(total.items()))


def _is_name_in_text(match: re.Match[str]) -> bool:
    """Whether two words with capitals are a given name of many people and another one."""
    first_word, second_word = match.groups()
    return is_given_name(first_word) and not (first_word.isupper() and len(second_word) < 3)


_PAIR_OF_WORDS = re.compile(r"\b(?=(?P<first>[A-ZÀ-ÖØ-Þ][^\W\d_]+) (?P<second>[A-ZÀ-ÖØ-Þ][^\W\d_]+))")
_COUNTED = ("web address", "e-mail address")  # as links and e-mail addresses
_NUMBER = re.compile(rf"{_PHONE.pattern}|(?<![\d.,])\d{{9,12}}(?![\d.,]*\d)")
