"""``plan.lock``: a plan's meaning as it was registered, and what has become of it since."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from negstats.analysis.plan.canonical import Change, canonical, changes, json_text, sha256
from negstats.analysis.plan.faults import Fault
from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import plan_of, read, text_of
from negstats.errors import PlanError, UsageError
from negstats.files import written_whole
from negstats.sanitize import json_text as safe

if TYPE_CHECKING:
    from negstats.studies.study import Study

SCHEMA = "negstats.lock/1"
State: TypeAlias = Literal["as registered", "changed since", "not registered", "registered after the data were there"]
MOST_BYTES = 100_000_000  # a plan has at most 1 MB, and a lock keeps its history
_NEEDS = {"schema": str, "sha256": str, "plan": dict, "text_sha256": str, "registered": str, "negstats": str}


@dataclass(frozen=True, slots=True)
class Lock:
    """A plan as it was registered.

    Attributes
    ----------
    sha256 : str
        Of the plan's meaning.
    plan : Mapping
        The canonical object itself.
    text_sha256 : str
        Of the file's bytes.
    registered : str
        When, in UTC to the second, by this computer's clock.
    negstats : str
        The version that registered it.
    resolved : Mapping of str to str
        The test that each question got, if a study was at hand.
    data : Mapping or None
        Games, people and sources of that study; None if none was at hand.
    history : tuple of Mapping
        Earlier entries, oldest first.
    """

    sha256: str
    plan: Mapping[str, Any]
    text_sha256: str
    registered: str
    negstats: str
    resolved: Mapping[str, str]
    data: Mapping[str, Any] | None = None
    history: tuple[Mapping[str, Any], ...] = ()

    def entry(self) -> dict[str, Any]:
        """Return it as it stands in the file, without its history."""
        return {
            "schema": SCHEMA,
            "sha256": self.sha256,
            "plan": self.plan,
            "text_sha256": self.text_sha256,
            "registered": self.registered,
            "negstats": self.negstats,
            "resolved": dict(self.resolved),
            "data": self.data,
        }

    def text(self) -> str:
        """Return the file's text."""
        whole = {**self.entry(), "history": list(self.history)}
        return safe(json.dumps(whole, ensure_ascii=False, indent=1)) + "\n"


@dataclass(frozen=True, slots=True)
class Status:
    """Whether a plan is as it was registered, what was changed, and the lock."""

    state: State
    changes: tuple[Change, ...] = ()
    lock: Lock | None = None

    def lines(self) -> list[str]:
        """Return what is printed: the state, and one line a change."""
        when = "" if self.lock is None else f", on {self.lock.registered}"
        return [f"Plan: {self.state}{when}", *(f"  {change}" for change in self.changes)]


def lock_of(plan: str | Path) -> Path:
    """Return where the lock of a plan's file stands: beside it, ``plan.lock`` for ``plan.toml``.

    Examples
    --------
    >>> lock_of("studies/plan.toml").as_posix()
    'studies/plan.lock'
    """
    return Path(plan).with_suffix(".lock")


def open_lock(path: str | Path) -> Lock | None:
    """Open a lock; None if there is none.

    Raises
    ------
    PlanError
        If it is not a lock of negstats, or was changed after registering: its plan gives another hash than it says.
    """
    file = Path(path)
    if not file.exists():
        return None
    content = _json(file)
    schema = content.get("schema")
    if schema != SCHEMA:
        is_lock = isinstance(schema, str) and schema.startswith("negstats.lock/")
        raise _wrong(
            path, f"schema is {schema}; this negstats reads {SCHEMA}" if is_lock else "is not a lock of negstats"
        )
    entries = [content, *content.get("history", ())] if isinstance(content.get("history", []), list) else [{}]
    for entry in entries:
        _check(path, entry)
    fields = {name: content[name] for name in ("sha256", "plan", "text_sha256", "registered", "negstats")}
    return Lock(**fields, resolved=content.get("resolved") or {}, data=content.get("data"),
                history=tuple(content.get("history", ())))  # fmt: skip


def register(
    path: str | Path,
    study: Study | None = None,
    *,
    resolved: Mapping[str, str] | None = None,
    again: bool = False,
    now: dt.datetime | None = None,
) -> tuple[Lock, bool]:
    """Register a plan: write its meaning, its hash and the time into the lock beside it.

    Parameters
    ----------
    path
        The plan's file.
    study
        The data, if they are there already; the lock says so.
    resolved
        The test that each question gets with these data.
    again
        Whether another meaning takes the place of one that is registered; the earlier one is kept in the history.
    now
        The time; by default this computer's.

    Returns
    -------
    Lock, bool
        The lock, and whether it was written: the same meaning is not registered twice.

    Raises
    ------
    PlanError
        If the plan is wrong, or the lock was changed by hand or is none.
    UsageError
        If another meaning is registered and not `again`; the message says what differs.
    """
    import negstats

    plan, target = read(path), lock_of(path)
    if target == Path(path):
        raise UsageError(
            f"{path}: this name is reserved for the lock of a plan; give the plan another name, such as plan.toml"
        )
    old_lock = open_lock(target)
    content, digest = canonical(plan), sha256(plan)
    if old_lock is not None and old_lock.sha256 == digest:
        return old_lock, False
    if old_lock is not None and not again:
        differs = "\n".join(map(str, changes(old_lock.plan, content)))
        raise UsageError(
            f"{target}: a different plan was registered on {old_lock.registered}; --again registers this one too, and "
            "keeps what was registered before",
            differs,
        )
    lock = Lock(
        sha256=digest,
        plan=content,
        text_sha256=hashlib.sha256(Path(path).read_bytes()).hexdigest(),
        registered=(now or dt.datetime.now(dt.UTC)).astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        negstats=negstats.__version__,
        resolved=dict(resolved or {}),
        data=None if study is None else _data(study),
        history=() if old_lock is None else (*old_lock.history, old_lock.entry()),
    )
    with written_whole(target) as new_file:
        new_file.write_text(lock.text(), encoding="utf-8")
    return lock, True


def status(plan: Plan, lock: Lock | None, *, resolved: Mapping[str, str] | None = None) -> Status:
    r"""Return whether a plan is as registered, with what was changed since, field by field.

    Parameters
    ----------
    plan
        The plan as it is now.
    lock
        The lock that stands beside it, if any.
    resolved
        The test that each question gets now; one that is not that of the lock is listed too.

    Examples
    --------
    >>> from negstats.analysis.plan import parse
    >>> status(parse('[questions.H1]\nasks = "Do people agree?"\nmeasure = "agreed"'), None).state
    'not registered'
    """
    if lock is None:
        return Status("not registered")
    differences = [*changes(lock.plan, canonical(plan))]
    for name, test in (resolved or {}).items():
        registered_test = lock.resolved.get(name)
        if registered_test is not None and registered_test != test and name in plan.questions:
            registered, answered = json_text(registered_test), json_text(test)
            differences.append(Change(f"resolved.{name}", registered, answered, "changes a number"))
    if differences:
        return Status("changed since", tuple(differences), lock)
    return Status("as registered" if lock.data is None else "registered after the data were there", (), lock)


def _data(study: Study) -> dict[str, Any]:
    from negstats.analysis.preregistration.study_view import StudyView

    view = StudyView(study)
    return {
        "games": view.games,
        "people": view.people,
        "sources": [{"name": source.path, "sha256": source.sha256} for source in study.provenance.sources],
    }


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(text_of(file, MOST_BYTES))
    except PlanError:
        raise
    except (ValueError, RecursionError):
        raise _wrong(file, "is not a lock of negstats") from None
    if not isinstance(content, dict):
        raise _wrong(file, "is not a lock of negstats")
    return content


def _check(path: str | Path, entry: Any) -> None:
    """Refuse an entry that is none, or whose plan does not give the hash that it says."""
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name), kind) for name, kind in _NEEDS.items()):
        raise _wrong(path, "is not a complete lock of negstats; register the plan again into a new one")
    try:
        digest = hashlib.sha256(json_text(entry["plan"]).encode()).hexdigest()
    except (ValueError, AttributeError, RecursionError):
        digest = "none"
    if digest != entry["sha256"]:
        stated_digest = str(entry["sha256"])[:4]
        raise _wrong(
            path, f"its plan gives {digest[:4]}…, it says {stated_digest}…; the lock was changed after registering"
        )
    plan_of(entry["plan"], str(path))


def _wrong(path: str | Path, reason: str) -> PlanError:
    return PlanError([str(Fault(str(path), None, "", reason))])
