"""What the sentences of a test can say: each fact is a slot or a condition of ``words.toml``."""

from __future__ import annotations

from negstats.report.sentences.mean_facts import MeanFacts
from negstats.report.sentences.relation_facts import RelationFacts
from negstats.report.sentences.share_facts import ShareFacts
from negstats.report.sentences.time_facts import TimeFacts, VerdictFacts


class Facts(MeanFacts, ShareFacts, RelationFacts, TimeFacts, VerdictFacts):
    """All facts of one test of a question."""
