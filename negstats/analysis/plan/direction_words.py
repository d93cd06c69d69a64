"""Words of a question that say which way an effect lies, in the languages in which mappings are guessed.

They serve a warning alone: a verdict is about a prediction that was written as a key, never about a question in words.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Sequence

# English by stems, for a verb of change comes in every form; the other languages by the words themselves.
_ENGLISH = re.compile(
    r"more|most|less|least|fewer|fewest|oftener|better|best|worse|worst|superior|inferior|positively|negatively|"
    r"(?:high|low|larg|bigg|great|small|long|short|fast|slow|soon|earli|strong|weak|rich|poor|tough|soft|happi|fair)"
    r"(?:er|est)|"
    r"(?:increas|decreas|rais|reduc|improv|enhanc|diminish|lessen|heighten|lengthen|shorten|strengthen|weaken|worsen|"
    r"boost|exceed|outperform|outearn|lower|elevat|hamper|hinder|impair|undermin|foster|promot|facilitat|"
    r"ris|fall|drop|grow|shrink|beat|surpass)(?:e|p)?(?:s|es|d|ed|ing|en)?|fell|rose|grew|grown|shrank|shrunk|"
    r"(?:dis)?advantaged?"
)
_OTHER_LANGUAGES = (
    # German
    "mehr meist weniger höher höhere höheren niedriger niedrigere niedrigeren größer größere größeren kleiner kleinere "
    "kleineren länger längere längeren kürzer kürzere kürzeren schneller langsamer früher später besser bessere "
    "besseren schlechter schlechtere stärker schwächer geringer geringere geringeren öfter häufiger seltener steigt "
    "steigen steigert steigern sinkt sinken senkt senken erhöht erhöhen verringert verringern verbessert verbessern "
    "verschlechtert verschlechtern verlängert verkürzt übersteigt übersteigen "
    # Spanish
    "más menos menor menores mayores mejor mejores peor peores aumenta aumentan sube suben disminuye disminuyen bajan "
    "reduce reducen mejora mejoran empeora empeoran supera superan "
    # French
    "moins davantage supérieur supérieure supérieurs inférieur inférieure inférieurs meilleur meilleure meilleurs "
    "meilleures mieux pire pires moindre moindres augmente augmentent diminue diminuent réduit réduisent améliore "
    "améliorent dépasse dépassent "
    # Italian
    "più meno maggiore maggiori minore minori migliore migliori meglio peggio peggiore peggiori aumentano diminuisce "
    "diminuiscono riduce riducono migliora migliorano peggiora peggiorano "
    # Portuguese
    "maior maiores melhor melhores pior piores aumentam diminui diminuem reduz reduzem melhora melhoram piora pioram "
    # Dutch
    "meer hoger hogere lager lagere groter grotere kleinere langer langere korter kortere sneller langzamer beter "
    "betere slechter slechtere vaker stijgt stijgen daalt dalen verhoogt verhogen verlaagt verlagen verbetert "
    # Russian
    "больше меньше выше ниже лучше хуже чаще реже дольше короче быстрее медленнее более менее растёт растет падает "
    "увеличивает увеличивается уменьшает уменьшается снижает снижается повышает повышается"
)
# Of these words the ones that say of an amount which way it lies, whatever is measured.
_SIGNS = (
    (1, re.compile(r"more|(?:high|larg|bigg|great|long)er|mehr|(?:höher|größer|länger)e?n?|más|mayor(?:es)?|davantage|"
                   r"supérieure?s?|più|maggior[ei]|maior(?:es)?|meer|(?:hog|grot|lang)ere?|больше|выше|дольше"),
     re.compile(r"increas(?:e|es|ed|ing)|ris(?:e|es|ing|en)|rose|gr(?:ow|ows|owing|ew|own)|positively|steig(?:t|en)")),
    (-1, re.compile(r"less|fewer|(?:low|small|short)er|weniger|(?:niedriger|geringer|kleiner|kürzer)e?n?|menos|"
                    r"menor(?:es)?|moins|inférieure?s?|meno|minor[ei]|minder|(?:lag|klein|kort)ere?|меньше|ниже|короче"),
     re.compile(r"decreas(?:e|es|ed|ing)|fall(?:s|ing|en)?|fell|drop(?:s|ped|ping)?|diminish(?:es|ed|ing)?|"
                r"shr[aiu]nk(?:s|ing)?|negatively|sink(?:t|en)")),
)  # fmt: skip
_THAN = r"\b(?:than|als|que|di|che|dan|чем)\b"
_OTHERS = frozenset(_OTHER_LANGUAGES.split())
# Words that English has too, with the short words of their language, beside one of which they are not English.
_HOMOGRAPHS = {
    "mayor": "el los las es son y que en con de",
    "mas": "el los las es son y que en con de",
    "baja": "el los las es son y que en con de",
    "plus": "le la les est sont et que en des dans ils elles il elle",
    "mais": "o os as é são e que em com do da",
    "minder": "het een zijn en bij dan met in",
}
# What predicts no direction: both ways, and bounds.
_UNDIRECTED = re.compile(
    r"\b(?:(?:more|higher|larger|greater|better|longer|most|increases?) or (?:less|fewer|lower|smaller|worse|shorter|"
    r"least|decreases?)|(?:less|fewer|lower) or more|mehr oder weniger|más o menos|plus ou moins|più o meno|"
    r"mais ou menos|meer of minder|больше или меньше|at least|at most|no more than|no less than|no longer|"
    r"(?:more|less|fewer) than (?:once|twice|one|two|three|half|\d+))\b"
)
# A question that begins so leaves open which one it is: "Who earns more?", "In welcher Bedingung ist der Preis höher?".
_OPEN = re.compile(
    r"\W*(?:(?:by|for|from|in|of|under|with|bei|mit|von|con|en|de|dans|di|com|em|met|bij|в|у|при) )?"
    r"(?:who|whom|whose|which|where|when|wer|wem|welche[mnrs]?|wo|wann|qui|quel(?:le)?s?|quién(?:es)?|quienes|cuál(?:es)?|"
    r"chi|quale|quali|quem|qual|quais|wie|welke?|кто|у кого|как(?:ой|ая|ое|ие|их|ом))\b"
)


def direction_words(sentence: str, names: Collection[str] = ()) -> list[str]:
    """Return the words of a sentence that say which way an effect lies, each once; words of `names` are none.

    A question that leaves open which way it is ("Who earns more?") has none.

    Examples
    --------
    >>> direction_words("Does the robot earn more in CL than in FC?"), direction_words("Verdient der Roboter mehr?")
    (['more'], ['mehr'])
    >>> direction_words("Are people more or less satisfied?"), direction_words("Does the mayor agree?")
    ([], [])
    >>> direction_words("Who earns more?")
    []
    """
    text = unicodedata.normalize("NFC", sentence).casefold()
    if _OPEN.match(text):
        return []
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", " ", text)
    words = re.findall(r"\w+", _UNDIRECTED.sub(" ", text))
    return list(dict.fromkeys(word for place, word in enumerate(words) if _is_directional(words, place)))


def predicted_by_words(sentence: str, pair: tuple[str, str] | None = None) -> int:
    """Return the sign that the words of a question give: of the first level less the second, or of a relation.

    Only plain cases have one: one word of an amount and "than" between the two levels; and of a relation one verb of
    change, or two words of which each has a sign. It is 0 elsewhere, for a warning must be right.

    Examples
    --------
    >>> predicted_by_words("Does the robot earn less in CL than in FC?", ("CL", "FC"))
    -1
    >>> predicted_by_words("Does joint value fall with messages?"), predicted_by_words("Who pays more?")
    (-1, 0)
    """
    words = direction_words(sentence, pair or ())
    text = unicodedata.normalize("NFC", sentence).casefold()
    signs = [sign for word in words for sign, amount, change in _SIGNS
             if amount.fullmatch(word) or (pair is None and change.fullmatch(word))]  # fmt: skip
    if not words or len(signs) < len(words):
        return 0
    if pair is None:
        is_change = any(change.fullmatch(words[0]) for _, _, change in _SIGNS)
        return math.prod(signs) if len(signs) == 2 or (len(signs) == 1 and is_change) else 0
    places = [[match.start() for match in re.finditer(rf"(?<!\w){re.escape(level.casefold())}(?!\w)", text)]
              for level in pair]  # fmt: skip
    than = [match.start() for match in re.finditer(_THAN, text)]
    if len(signs) != 1 or len(than) != 1 or any(len(found_places) != 1 for found_places in places):
        return 0
    (first,), (second,) = places
    if not min(first, second) < than[0] < max(first, second):
        return 0
    return signs[0] if first < second else -signs[0]


def _is_directional(words: Sequence[str], place: int) -> bool:
    word = words[place]
    if short_words := _HOMOGRAPHS.get(word):
        return not set(short_words.split()).isdisjoint(words)
    following = words[place + 1] if place + 1 < len(words) else ""
    is_comparative = following == "than" and word.endswith("er") and word not in ("other", "rather")
    is_sign = word in ("positive", "negative") and following.startswith(("relat", "correlat", "associat", "effect"))
    return is_comparative or is_sign or word in _OTHERS or _ENGLISH.fullmatch(word) is not None
