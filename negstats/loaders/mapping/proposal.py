"""What a mapping would hold: keys with their evidence, before it is text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Proposal:
    """What a mapping would hold.

    Attributes
    ----------
    row : str
        What one row is.
    keys : dict of str to object
        For each key of the mapping, as ``offers.round``, what would stand behind it.
    levels : dict
        For each levelled key the spellings of each level.
    where : dict of str to object
        For a column which of its cells rows that count have, as a mapping says it.
    missing : dict of str to list of str
        For a column the words and codes in it that mean missing.
    clean : dict of str to str
        For columns of numbers with percent signs or a currency what is taken out of their cells.
    evidence : dict of str to str
        For a key why it holds that.
    pie : int or None
        The least plausible amount that is divided, where no column says how much it is.
    """

    row: str = "offer"
    keys: dict[str, object] = field(default_factory=dict)
    levels: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    where: dict[str, object] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)
    clean: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    pie: int | None = None

    def without(self, key: str) -> Proposal:
        """Return the proposal without a key, or without all keys of a section."""
        gone = [other for other in self.keys if other == key or other.startswith(f"{key}.")]
        names = {other.rpartition(".")[2] for other in gone}
        keys = {other: value for other, value in self.keys.items() if other not in gone}
        levels = {level: spelled for level, spelled in self.levels.items() if level not in names}
        return replace(self, keys=keys, levels=levels)

    def starts_with(self, *starts: str) -> bool:
        """Whether a key begins in one of some ways."""
        return any(key.startswith(starts) for key in self.keys)

    @property
    def columns(self) -> set[str]:
        """The columns that are read; one that says which rows count may be read as well, as a condition."""
        return {name for value in self.keys.values() for name in names_in(value)}


def names_in(value: object) -> list[str]:
    """Return the columns in a value of a key."""
    match value:
        case str():
            return [value]
        case list():
            return [name for each in value for name in names_in(each)]
        case {"column": str(name)} | {"begins": str(name)}:
            return [name]
        case {"mean": list(names)} | {"join": list(names)} | {"pair": list(names)}:
            return [name for name in names if isinstance(name, str)]
    return []
