"""Words of a question that say which way an effect lies, in the languages in which mappings are guessed.

They serve a warning alone: a verdict is about a prediction that was written as a key, never about a question in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

# By language: words by which it is told, and words that name a direction. English is looked for in every question.
_LANGUAGES: tuple[tuple[str, str], ...] = (
    (
        "",
        "more most less least fewer fewest higher highest lower lowest larger largest bigger greater greatest smaller "
        "longer shorter faster slower sooner earlier better best worse worst stronger weaker richer poorer oftener "
        "increase increases increased increasing decrease decreases decreased decreasing raise raises rise rises "
        "reduce reduces reduced fall falls drop drops grow grows shrink shrinks improve improves worsen worsens "
        "exceed exceeds outperform outperforms beat beats lengthen lengthens shorten shortens",
    ),
    (
        "der die das ist sind und bei als wird werden mit in im",
        "mehr meist weniger höher höhere höheren niedriger niedrigere größer größere größeren kleiner kleinere länger "
        "längere kürzer kürzere schneller langsamer früher später besser bessere schlechter stärker schwächer öfter "
        "häufiger seltener steigt steigen sinkt sinken erhöht erhöhen verringert verbessert verschlechtert",
    ),
    (
        "el la los las es son y que en con de",
        "más mas menos mayor mayores menor menores mejor mejores peor peores aumenta aumentan sube suben disminuye "
        "disminuyen baja bajan reduce mejora empeora",
    ),
    (
        "le la les est sont et que en avec de des dans",
        "plus moins davantage supérieur supérieure inférieur inférieure meilleur meilleure mieux pire augmente "
        "augmentent diminue diminuent réduit améliore",
    ),
    (
        "il lo gli le è sono e che in con di nel",
        "più meno maggiore maggiori minore minori migliore migliori meglio peggio peggiore aumenta aumentano "
        "diminuisce riduce migliora peggiora",
    ),
    (
        "o os as é são e que em com de do no na",
        "mais menos maior maiores menor menores melhor melhores pior piores aumenta aumentam diminui diminuem reduz "
        "melhora piora",
    ),
    (
        "de het een is zijn en bij dan met in",
        "meer minder hoger hogere lager lagere groter grotere kleiner kleinere langer langere korter kortere sneller "
        "langzamer beter betere slechter vaker stijgt stijgen daalt dalen verhoogt verlaagt verbetert",
    ),
    (
        "и в на с у при ли",
        "больше меньше выше ниже лучше хуже чаще реже дольше короче быстрее медленнее более менее растёт растет "
        "падает увеличивает увеличивается уменьшает уменьшается снижает повышает",
    ),
)
_LEXICONS = tuple((frozenset(of.split()), frozenset(words.split())) for of, words in _LANGUAGES)
_OPPOSITES = re.compile(  # of which none is predicted, and bounds, which are no direction of an effect
    r"\b(?:(?:more|higher|larger|greater|better|longer|most|increases?) or (?:less|fewer|lower|smaller|worse|shorter|"
    r"least|decreases?)|(?:less|fewer|lower) or more|mehr oder weniger|más o menos|plus ou moins|più o meno|"
    r"mais ou menos|meer of minder|больше или меньше|at least|at most|no more than|no less than|no longer)\b"
)


def direction_words(sentence: str, names: Collection[str] = ()) -> list[str]:
    """Return the words of a sentence that say which way an effect lies, each once; words of `names` are none.

    Examples
    --------
    >>> direction_words("Does the robot earn more in CL than in FC?"), direction_words("Verdient der Roboter mehr?")
    (['more'], ['mehr'])
    >>> direction_words("Are people more or less satisfied?"), direction_words("Does the mayor agree?")
    ([], [])
    """
    text = unicodedata.normalize("NFC", sentence).casefold()
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", " ", text)
    words = re.findall(r"\w+", _OPPOSITES.sub(" ", text))
    directional = [
        word
        for at, word in enumerate(words)
        if any(
            word in lexicon and (not language or language & {*words[:at], *words[at + 1 :]})
            for language, lexicon in _LEXICONS
        )
    ]
    return list(dict.fromkeys(directional))
