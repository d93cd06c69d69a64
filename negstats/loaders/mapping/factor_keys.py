"""Which factors a mapping has: the conditions of the reading, and the sessions or groups whose people met."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from negstats.loaders.mapping.draft_state import DraftState
from negstats.loaders.mapping.file_parts import FilePart, source_parts
from negstats.loaders.mapping.proposal import Proposal, names_in
from negstats.loaders.mapping.words import MARK, short
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.words import KEPT, is_named, roles_of, set_name, without_round
from negstats.tables import TABLES
from negstats.toml_text import key as quoted


def set_cluster(state: DraftState) -> None:
    """Make the sessions, groups or villages whose people are not independent a factor that is a cluster."""
    row, cluster = state.reading.row, state.reading.cluster
    if cluster is None and row.kind == "repeated" and "players.participant_id" not in state.proposal.keys:
        cluster = row.person  # the rounds of one game
    if cluster is not None and cluster.parts and cluster.name not in state.columns:
        state.add_joint(cluster)
    if cluster is None or not state.is_of_game(cluster.name):
        return
    value = state.signs.get(cluster.name, {"column": cluster.name})
    source = value if isinstance(value, dict) else {"join": value} if cluster.parts else {"column": cluster.name}
    state.set(f"factors.{key_of(cluster, state.proposal)}", {**source, "role": "cluster"}, "units of one lie together")


def set_conditions(state: DraftState) -> None:
    """Make the conditions of the reading factors."""
    roles, proposal = state.reading.roles, state.proposal
    # Names of what a person has said to be set are not believed: a price is no outcome then.
    question = state.reading.answered.get("condition")
    answers = {question.options[place - 1].words for place in question.likely} if question else set[str]()
    for each in roles.conditions:
        column = _name_condition(state, each)
        key = key_of(column, proposal)
        if column.name == MARK:
            key = next(name for name in ("condition", "arm", "version") if f"factors.{name}" not in proposal.keys)
        # Which program sat where is who acted, and was set as well.
        agents = {str(value) for key, value in proposal.keys.items() if re.fullmatch(r"seats\..+\.agent", key)}
        read = {name for value in proposal.keys.values() for name in names_in(value)} - state.game_columns - agents
        is_same = column.name == each.name and not is_named(column, "condition")  # as what is read may be
        is_read = column.name in read or (is_same and not read.isdisjoint(each.aliases))
        if is_read and not column.is_source:
            continue
        if not state.is_nearly_of_game(column.name):  # people of one game differ in it
            is_of_people = state.is_one_of_each_person(column)
            if is_of_people and "players.participant_id" in proposal.keys:
                state.set(f"person.{key}", column.name)
            continue
        value = state.signs.get(column.name, column.name)
        if each.name in answers and isinstance(value, str) and value != MARK:
            value = {"column": value, "role": "condition"}
        evidence = "; ".join(roles.evidence.get(each.name, []))
        parts = [] if column.is_source or column.name == MARK else _crossed_parts(column, state)
        for part in parts:
            own_key = key_of(replace(column, name=part.name), proposal)
            own_value = (value if isinstance(value, dict) else {}) | part.source
            state.set(f"factors.{own_key}", own_value, f"{', '.join(dict.fromkeys(part.words.values()))}; {evidence}")
        if not parts:
            state.set(f"factors.{key}", value, evidence)


def _crossed_parts(column: Column, state: DraftState) -> list[FilePart]:
    """Return the parts of a condition's levels where each level of one stands with each of the others: gain_public.

    They were set each by itself, and only together they are the levels.
    """
    parts = source_parts(column.name, column.levels, state.columns)
    counts = [len({*part.words.values()}) for part in parts]
    return parts if len(parts) > 1 and math.prod(counts) == column.n_levels else []


def _name_condition(state: DraftState, condition: Column) -> Column:
    """Return the column after which a condition is called, of those that part the rows alike.

    A treatment may be given by whole sessions, or with a role: then words name it, and what is called a condition.
    """
    twins = [state.columns[name] for name in condition.aliases if state.is_free(name) and name in state.columns]
    twins = [twin for twin in twins if not twin.is_moment]
    is_free = state.is_free(condition.name)
    named = (
        twin for twin in twins if twin.name == set_name(condition) or (is_named(twin, "condition") and not is_free)
    )
    of_words = (twin for twin in twins if condition.has_numbers and not twin.has_numbers)
    return next(of_words, None) or next(named, condition)


def key_of(column: Column, proposal: Proposal) -> str:
    """Return a key for a column, which is none of the games' own columns, and no other column's."""
    whole = without_round(column.name)
    name = short(whole)
    sections = ("factors", "measures", "answers", "person")
    # pre.1 and post.1 are called so as a whole: 1 says nothing, and the second would take the place of the first.
    is_taken = any(f"{section}.{quoted(name)}" in proposal.keys for section in sections)
    # What the whole name says, and its last word does not: outcome.num.correct.ans.
    is_lost = bool((roles_of(whole) - roles_of(name)) & KEPT)
    if is_taken or is_lost or re.search(r"[^\W\d_]{2}", name) is None:
        name = whole.replace(".", "_") if "." in whole else f"{name}_2" if is_taken else name
    is_used = name in TABLES["games"].names or name == "n"  # what tables of cells call their numbers of units
    return quoted(f"{name}_in_log" if is_used else name)
