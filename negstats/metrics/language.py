"""How people talk, measured by ConvoKit: linguistic coordination, and strategies of politeness (extra ``convokit``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from negstats.errors import UsageError
from negstats.metrics.dialogue import SILENT_ACTS

LEAST = 3  # times that the partner must use a marker
EXTRA = "needs ConvoKit: python -m pip install 'negstats[convokit]'"


def coordination(messages: pd.DataFrame, *, least: int = LEAST) -> pd.DataFrame:
    """Return how much each seat takes up its partner's function words (Danescu-Niculescu-Mizil et al., 2012).

    For each of eight classes of function words, such as articles and conjunctions: how often the seat's replies hold
    one where the partner's utterance does, less how often its replies hold one at all. The mean over the classes that
    can be judged. An utterance replies to the last one before it by somebody else.

    Unit: difference of two shares, -1 to 1. Denominator: replies. Missing: no class that the partner used in `least`
    utterances that the seat replied to, or no partner.

    Computed by ConvoKit, whose lists of words (after LIWC, English) are its own and not part of this package.

    Parameters
    ----------
    messages
        `game_id`, `message`, `sender`, `text`, `act`.
    least
        How many of the partner's utterances must hold a word of a class.

    Returns
    -------
    pandas.DataFrame
        `game_id`, `player`, `coordination`, `classes` (how many were judged); a row for each seat that speaks.

    Raises
    ------
    UsageError
        If ConvoKit is not installed, or `least` is below 1.

    References
    ----------
    Danescu-Niculescu-Mizil, C., Lee, L., Pang, B., & Kleinberg, J. (2012). Echoes of power: Language effects and power
    differences in social interaction. Proceedings of WWW 2012.

    Examples
    --------
    >>> import negstats
    >>> from negstats.metrics.language import coordination
    >>> coordination(negstats.datasets.casino().messages).head()  # doctest: +SKIP
    """
    if least < 1:
        raise UsageError(f"least is {least}; give 1 or more")
    spoken = select_utterances(messages)
    seats = list(dict.fromkeys(zip(spoken["game_id"], spoken["sender"], strict=True)))
    scores = compute_scores(spoken, least) if seats else {}
    rows = []
    for game, seat in seats:
        own_scores = scores.get((game, seat), {})
        mean = sum(own_scores.values()) / len(own_scores) if own_scores else float("nan")
        rows.append((game, seat, mean, len(own_scores)))
    return pd.DataFrame(rows, columns=["game_id", "player", "coordination", "classes"]).astype(
        {"game_id": "str", "player": "str", "coordination": "float64", "classes": "int64"}
    )


def select_utterances(messages: pd.DataFrame) -> pd.DataFrame:
    """Return the messages with words that are no deal action, in their order."""
    spoken = messages[messages["text"].notna() & ~messages["act"].isin(SILENT_ACTS)]
    return spoken.sort_values(["game_id", "message"], kind="stable")


def compute_scores(spoken: pd.DataFrame, least: int) -> dict[tuple[str, str], dict[str, float]]:
    """Return for each seat the coordination to its partners by class of words."""
    try:
        from convokit.coordination import Coordination
        from convokit.model import Corpus, Speaker, Utterance
    except ImportError as error:
        raise UsageError(f"coordination {EXTRA} ({error})") from None
    # A speaker is a seat of a game, so that nobody is coordinated with across games.
    speakers: dict[tuple[str, str], Any] = {}
    utterances = []
    for name, game, seat, text, reply in list_replies(spoken):
        speaker = speakers.setdefault((game, seat), Speaker(id=f"{len(speakers)}"))
        utterances.append(
            Utterance(id=name, conversation_id=game, speaker=speaker, text=text, reply_to=reply, timestamp=None)
        )
    corpus = Corpus(utterances=utterances)
    measure = Coordination()
    measure.fit(corpus)
    pairs = corpus.speaking_pairs()
    scores: dict[str, dict[str, float]] = {}
    by_pair = measure.pairwise_scores(corpus, pairs, target_thresh=least) if pairs else {}
    for (speaker, _), by_class in by_pair.items():
        for word_class, score in by_class.items():
            scores.setdefault(speaker.id, {}).setdefault(word_class, float(score))
    return {seat: scores.get(speaker.id, {}) for seat, speaker in speakers.items()}


def list_replies(spoken: pd.DataFrame) -> Iterator[tuple[str, str, str, str, str | None]]:
    """Yield utterances: name, game, seat, text, and the name of the last one before it by somebody else."""
    latest: dict[str, list[tuple[str, str]]] = {}  # by game: the last utterance of each of the last two speakers
    columns = (spoken[name] for name in ("game_id", "sender", "text"))
    for number, (game, seat, text) in enumerate(zip(*columns, strict=True)):
        recent = latest.setdefault(game, [])
        reply = next((name for speaker, name in reversed(recent) if speaker != seat), None)
        name = f"u{number}"
        yield name, game, seat, text, reply
        latest[game] = [*(entry for entry in recent if entry[0] != seat), (seat, name)][-2:]


def politeness(messages: pd.DataFrame, *, nlp: Any = None) -> pd.DataFrame:
    """Return which strategies of politeness each utterance uses (Danescu-Niculescu-Mizil et al., 2013).

    Unit: 1 or 0 for each strategy, such as gratitude, apologizing or hedges. Never missing.

    Computed by ConvoKit from a parse by spaCy; the strategies are for English.

    Parameters
    ----------
    messages
        `game_id`, `message`, `sender`, `text`, `act`.
    nlp
        A pipeline of spaCy that parses; None loads ``en_core_web_sm``.

    Returns
    -------
    pandas.DataFrame
        `game_id`, `message`, `sender` and a column for each strategy, named as ConvoKit does without its decoration;
        a row for each utterance.

    Raises
    ------
    UsageError
        If ConvoKit or spaCy's model is not installed.

    References
    ----------
    Danescu-Niculescu-Mizil, C., Sudhof, M., Jurafsky, D., Leskovec, J., & Potts, C. (2013). A computational approach to
    politeness with application to social factors. Proceedings of ACL 2013.

    Examples
    --------
    >>> import negstats
    >>> from negstats.metrics.language import politeness
    >>> politeness(negstats.datasets.casino().messages).mean(numeric_only=True)  # doctest: +SKIP
    """
    try:
        import spacy
        from convokit.politenessStrategies import PolitenessStrategies
    except ImportError as error:
        raise UsageError(f"politeness {EXTRA} ({error})") from None
    if nlp is None:
        try:
            nlp = spacy.load("en_core_web_sm", disable=["ner"])  # ConvoKit parses with the same parts
        except OSError:
            model = "python -m spacy download en_core_web_sm"
            raise UsageError(f"politeness needs spaCy's English model: {model}, or give nlp") from None
    spoken = select_utterances(messages)
    measure = PolitenessStrategies()
    rows = []
    for text in spoken["text"]:
        utterance = measure.transform_utterance(text, spacy_nlp=nlp)
        uses = utterance.meta["politeness_strategies"]
        rows.append({simplify_name(name): int(number > 0) for name, number in uses.items()})
    strategies = pd.DataFrame(rows, index=spoken.index)
    return pd.concat([spoken[["game_id", "message", "sender"]], strategies], axis=1).reset_index(drop=True)


def simplify_name(name: str) -> str:
    """Return ConvoKit's name of a strategy as a column.

    Examples
    --------
    >>> simplify_name("feature_politeness_==Please_start==")
    'please_start'
    """
    return (
        name.removeprefix("feature_politeness_").strip("=").replace(".", "").replace("(", "").replace(")", "").lower()
    )
