"""Which of oTree's exports a file is, known by the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["wide", "app", "chat", "pages", "none"]

CODE, SESSION = "participant.code", "session.code"
SEAT = "player.id_in_group"
CHAT = ("session_code", "id_in_session", "participant_code", "channel", "nickname", "body", "timestamp")
PAGES = (
    *("session_code", "participant_id_in_session", "participant_code", "page_index", "app_name", "page_name"),
    *("epoch_time_completed", "round_number", "timeout_happened", "is_wait_page"),
)
WIDE = re.compile(r"(?P<app>.+)\.(?P<round>[1-9][0-9]{0,5})\.(?P<level>player|group|subsession)\.(?P<field>.+)")


def kind_of(names: Sequence[str]) -> Kind:
    """Return which of oTree's exports has these columns."""
    known_names = set(names)
    if {CODE, SESSION} <= known_names:
        if any((wide_match := WIDE.fullmatch(name)) and wide_match["field"] == "id_in_group" for name in names):
            return "wide"
        return "app" if SEAT in known_names else "none"
    if known_names >= set(CHAT):
        return "chat"
    return "pages" if known_names >= set(PAGES) else "none"
