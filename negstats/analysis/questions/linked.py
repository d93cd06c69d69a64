"""Which games are linked through people, found by the engine: a union–find over columns.

Each person's label is the least id that is known to be linked to theirs. In a round, each label moves to the least one
among the person's games (and takes the person that it names along), and then to the label of the person that it names,
until none moves: the hooking and shortcutting of Shiloach and Vishkin (1982), Journal of Algorithms 3, 57-67, in the
form of Zhang, Azad and Hu (2020), FastSV, SIAM Conference on Parallel Processing, 46-57. Rounds grow with the logarithm
of the people, and each is a few joins and group-bys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw

from negstats.analysis.questions.frames import Lazy, count, distinct, home
from negstats.errors import DesignError, argument, shown
from negstats.studies import Study


@dataclass(frozen=True, slots=True)
class Note:
    """What has to be known of the rows or units of a question.

    Attributes
    ----------
    text : str
    part : str
        The part of ``results.json`` that holds the same fact, from which a report says it: "study", "flow", "rows",
        "quality", "design" or "omitted"; "plan" of what whoever writes the plan decides, so that its check says it and
        no manuscript; empty where the note alone has it.
    """

    text: str
    part: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class LinkedGames:
    """The unit of each game (``game_id``, ``unit``), what a unit is called, and what must be said.

    `unsure` lists units (``unit``) that may be linked through a person who is not known; None where there is no doubt.
    With `by_id` each game is a unit that is called as it is.
    """

    games: Lazy
    what: str
    notes: tuple[Note, ...]
    unsure: Lazy | None = None
    doubt: str = ""
    by_id: bool = False


def link_games(study: Study, unit: str) -> LinkedGames:
    """Return the unit of each game: all people who are linked through games (`negstats.analysis.questions.units`)."""
    games = study.frame("games").select("game_id")
    single_games = games.with_columns(nw.col("game_id").alias("unit"))
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    known_seats = people.filter(~nw.col("participant_id").is_null()).select("game_id", person="participant_id")
    unknown = people.filter(nw.col("participant_id").is_null())
    seats, all_seats = count(known_seats), count(people)
    clusters = [name for name, role in study.provenance.roles if role == "cluster"]
    if clusters and unit != "game":
        return _link_clusters(study, clusters, [known_seats] if seats else [])
    if not seats:
        note = Note("people's ids are not known; games are taken to be independent of each other", "study")
        return LinkedGames(single_games, "game", (note,), by_id=True)
    n_repeating = 0 if is_key(study, known_seats, "person") else _count_repeating(known_seats)
    doubt = _unknown(unknown, all_seats - seats, all_seats)
    notes = [Note(f"{doubt}; each is counted as a different person", "quality")] if doubt else []
    if unit == "game":
        if n_repeating:
            text = f"{n_repeating} people play in several games; these are taken to be independent of each other"
            notes.append(Note(text))
        return LinkedGames(single_games, "game", tuple(notes), by_id=True)
    if not n_repeating and _meet_in_each_game(study, people, seats):
        return LinkedGames(single_games, "game", tuple(notes), by_id=True)
    people_of_games = _people_of_games(study, known_seats)
    several = nw.when(nw.col("first") != nw.col("last")).then(1).otherwise(0).sum().alias("several")
    totals = people_of_games.select(nw.len().alias("games"), several).collect("pyarrow")
    are_meeting = int(totals["several"][0] or 0) > 0
    in_each_game = int(totals["games"][0]) == study.rows("games")  # somebody is known
    if are_meeting and not n_repeating and in_each_game:
        return LinkedGames(single_games, "game", tuple(notes), by_id=True)
    if not are_meeting:
        label, what = people_of_games.select("game_id", unit="first"), "participant"
    elif not n_repeating:
        label, what = people_of_games.select("game_id", unit="game_id"), "game"
    else:
        label, what, unit_notes = _link_repeating(study, known_seats, people_of_games)
        notes += unit_notes
    of_game = label if in_each_game else study.keep(_name_lone_games(games.join(label, on="game_id", how="left")))
    unsure = distinct(of_game.join(distinct(unknown, "game_id"), on="game_id"), "unit")
    may_be_linked = n_repeating and doubt and not _is_one_sided(people)
    return LinkedGames(of_game, what, tuple(notes), unsure if may_be_linked else None, doubt)


def _people_of_games(study: Study, known_seats: Lazy) -> Lazy:
    """Return the first and the last known person of each game, by their ids; one person may have two seats."""
    person = nw.col("person")
    if is_key(study, known_seats, "game_id"):
        return known_seats.select("game_id", person.alias("first"), person.alias("last"))
    ends = (person.min().alias("first"), person.max().alias("last"))
    return study.keep(known_seats.group_by("game_id").agg(*ends))


def _link_repeating(study: Study, known_seats: Lazy, people_of_games: Lazy) -> tuple[Lazy, str, list[Note]]:
    """Return the unit of each game, what it is called and what must be said, where people meet others again."""
    labels = _components(study, known_seats)
    label = study.keep(distinct(known_seats.join(labels, on="person").rename({"label": "unit"}), "game_id", "unit"))
    what, notes = _describe_units(study, labels, label)
    return (people_of_games.select("game_id", unit="game_id") if what == "game" else label), what, notes


def _link_clusters(study: Study, clusters: Sequence[str], people: Sequence[Lazy]) -> LinkedGames:
    """Return as units what lies in one cluster, or is linked through people: a cluster is a member of its games."""
    games = study.frame("games")
    parts = [*people]
    for name in clusters:
        of_cluster = games.filter(~nw.col(name).is_null())
        level = nw.concat_str(nw.lit(f"{name} "), nw.col(name).cast(nw.String))
        parts.append(of_cluster.select("game_id", level.alias("person")))
    members = nw.concat(parts)
    labels = _components(study, members)
    label = distinct(members.join(labels, on="person").rename({"label": "unit"}), "game_id", "unit")
    of_game = study.keep(_name_lone_games(games.select("game_id").join(label, on="game_id", how="left")))
    units = count(distinct(of_game, "unit"))
    n_people = sum(count(distinct(each, "person")) for each in people)
    if units == 1 and n_people > 1 and study.rows("games") > 1:
        raise DesignError(all_linked(n_people))
    names = " and ".join(clusters)
    note = Note(f"games of one level of {names} are one unit, for people met only within it: {units} units", "study")
    return LinkedGames(of_game, "group", (note,))


def _name_lone_games(games: Lazy) -> Lazy:
    """Return the games with a unit of their own for those in which nobody is known."""
    is_lone = nw.col("unit").is_null()
    name = nw.concat_str(nw.lit("game "), nw.col("game_id"))
    return games.with_columns(nw.when(is_lone).then(name).otherwise(nw.col("unit")).alias("unit"))


def is_key(study: Study, rows: Lazy, column: str) -> bool:
    """Whether no two of the rows share a value of a column, where the engine knows that sooner than it groups rows."""
    return study.engine.is_key(rows.to_native(), [column])


def _count_repeating(known_seats: Lazy) -> int:
    seat_counts = known_seats.group_by("person").agg(nw.len().alias("seats"))
    return count(seat_counts.filter(nw.col("seats") > 1))


def _meet_in_each_game(study: Study, people: Lazy, seats: int) -> bool:
    """Whether one seat's person is known in each game, and more people than there are games; False if that is not so.

    Where nobody plays twice, some then meet another, and somebody is known in each game: seats are counted, not games.
    """
    games = study.rows("games")
    if seats <= games:
        return False
    known_games = people.group_by("player").agg(nw.col("participant_id").count().alias("games"))
    return int(known_games.select(nw.col("games").max()).collect("pyarrow")["games"][0] or 0) == games


def _is_one_sided(people: Lazy) -> bool:
    """Whether one side alone is on record: nobody is known in the seats in which somebody is not, in any game."""
    seats = people.select("player", is_unknown=nw.col("participant_id").is_null()).unique()
    seats_of_player = seats.group_by("player").agg(nw.len().alias("n"), nw.col("is_unknown").all().alias("never"))
    frame = home(seats_of_player)
    return bool((frame["n"] == 1).all()) and bool(frame["never"].any())


def _components(study: Study, known_seats: Lazy) -> Lazy:
    """Return the label of each person: the least id among those that are linked to them."""
    edges = study.keep(distinct(known_seats, "game_id", "person"))
    labels = edges.group_by("person").agg(nw.col("person").min().alias("label"))
    labels = study.keep(labels)
    while True:
        reach = edges.join(labels, on="person")
        least = reach.group_by("game_id").agg(nw.col("label").min().alias("low"))
        reach_labels = reach.join(least, on="game_id")
        # A person, and the person that their label names, learn of the least label in the game.
        moves = nw.concat(
            [
                reach_labels.select("person", nw.col("low").alias("label")),
                reach_labels.select(nw.col("label").alias("person"), nw.col("low").alias("label")),
            ]
        )
        new_labels = moves.group_by("person").agg(nw.col("label").min())
        step = study.keep(new_labels)
        names = step.select(nw.col("person").alias("label"), nw.col("label").alias("next"))
        next_labels = study.keep(step.join(names, on="label").select("person", nw.col("next").alias("label")))
        changed = next_labels.join(labels.rename({"label": "before"}), on="person").filter(
            nw.col("label") != nw.col("before")
        )
        labels = next_labels
        if not count(changed.head(1)):
            return labels


def _describe_units(study: Study, labels: Lazy, label: Lazy) -> tuple[str, list[Note]]:
    """Return what a unit is, and say how many people are linked."""
    sizes = labels.group_by("label").agg(nw.len().alias("people"))
    games = label.group_by("unit").agg(nw.len().alias("games"))
    rows = sizes.join(games, left_on="label", right_on="unit")
    totals = rows.select(
        nw.len().alias("groups"),
        nw.col("people").sum().alias("people"),
        nw.col("people").max().alias("largest"),
        nw.col("games").sum().alias("games"),
    ).collect("pyarrow")
    groups, people, largest, n_games = (int(totals[name][0]) for name in ("groups", "people", "largest", "games"))
    lone = study.rows("games") - n_games  # games in which nobody is known
    if groups + lone == 1 and n_games > 1 and people > 1:
        raise DesignError(all_linked(people))
    if groups == people:
        return "participant", []
    if groups == n_games:
        return "game", []
    text = f"{people} people form {groups} groups that are linked through games"
    if largest > 2:
        most = rows.filter(nw.col("people") == largest).select(nw.col("games").max()).collect("pyarrow")
        text += partners_change(largest, int(most["games"][0]))
    return "group", [Note(text, "study")]


def all_linked(people: int) -> str:
    """Say that no two units are independent of each other."""
    return (
        f"all {people} people are linked through games, so no two units are independent of each other (strangers are "
        "matched anew from game to game). Such a design needs several sessions of people who meet among themselves, "
        "each of which is one unit then; "
        f"{argument('unit', 'game')} takes games for independent, and says so"
    )


def partners_change(people: int, games: int) -> str:
    """Say why few units are left where partners change."""
    return (
        f": partners change, so that all who ever met, directly or through others (the largest group: {people} "
        f"people in {games} games), are one unit, such as a session of strangers matched anew each round"
    )


def _unknown(unknown: Lazy, seats: int, people: int) -> str:
    if not seats:
        return ""
    role = nw.when(nw.col("role").is_null()).then(nw.col("player")).otherwise(nw.col("role"))
    names = unknown.select(role.alias("name")).unique().sort("name").head(5).collect("pyarrow")["name"].to_list()
    seat_names = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    of_games = distinct(unknown, "game_id")
    games, first = count(of_games), shown(home(of_games.sort("game_id").head(1))["game_id"].iloc[0])
    where = first if games == 1 else f"{games} games, {first} first"
    return f"the person is not known in {seats} of {people} seats of people ({seat_names}; {where})"
