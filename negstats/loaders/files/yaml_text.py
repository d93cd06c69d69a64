"""YAML of programs that log in it: texts, numbers, lists and mappings; what would make a Python object is missing.

A node under a tag of Python's (``!!python/...``), a binary one (a pickle) or one of a tag that is not known is not
opened: it becomes a missing value and is counted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from negstats.errors import LogError, shown
from negstats.loaders.files.delimited import utf8
from negstats.loaders.files.intake import Intake

LARGEST = 2**22  # bytes; the settings and results of a session take a few thousand
MOST_VALUES = 200_000
DEEPEST = 32
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")  # no octal 010, no 1:30 in sixties, no 1_000
_PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with fewer tags: nothing but plain values, and no key twice."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.missing = 0

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level >= DEEPEST:  # each bracket may begin a key, for which all behind it is looked through
            raise RecursionError
        super().fetch_flow_collection_start(token)

    def construct_unknown(self, node: yaml.Node) -> None:
        del node
        self.missing += 1

    def construct_whole(self, node: yaml.ScalarNode) -> int:
        if not _DECIMAL.fullmatch(node.value):
            reason = f"{shown(node.value)} is one number in YAML 1.1 and another, or a text, in YAML 1.2"
            raise yaml.constructor.ConstructorError(None, None, reason, node.start_mark)
        return self.construct_yaml_int(node)

    def construct_pairs_once(self, node: yaml.MappingNode) -> Any:
        mapping: dict[str, Any] = {}
        yield mapping
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name is None or name in mapping:
                what = "a key that is not a word" if name is None else f"the key {shown(name)} twice"
                raise yaml.constructor.ConstructorError(None, None, f"has {what}", key.start_mark)
            mapping[name] = self.construct_object(value, deep=True)


_Loader.yaml_constructors = {
    tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag and tag.rsplit(":", 1)[-1] in _PLAIN
}
_Loader.yaml_multi_constructors = {}
_Loader.add_constructor(None, _Loader.construct_unknown)
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_whole)
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.construct_pairs_once)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag.rsplit(":", 1)[-1] in _PLAIN]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def yaml_in(file: Path, intake: Intake) -> tuple[Any, int]:
    """Read a YAML file through an intake; see `read_yaml`."""
    data = intake.read(file)
    content, missing = read_yaml(data, file)
    intake.add(file, data, 1)
    return content, missing


def read_yaml(data: bytes, file: Path) -> tuple[Any, int]:
    """Read a YAML document. Keys are text as they are written.

    Returns
    -------
    tuple
        Its content, and how many nodes were left missing because they would have made an object.

    Raises
    ------
    LogError
        If it is not YAML, has a key twice in one mapping or a whole number that versions of YAML read differently, or
        is larger or nested more deeply than a log's settings.

    Examples
    --------
    >>> read_yaml(b"a: [1, .inf, !!python/object:os.system {}]", Path("config.yaml"))
    ({'a': [1, inf, None]}, 1)
    """
    if len(data) > LARGEST:
        raise LogError(f"has {len(data):,} bytes; the limit for YAML is {LARGEST:,}", file=file)
    text = utf8(data, file, "utf-8").decode()
    try:
        loader = _Loader(text)
        content = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = f"is not YAML: {error.problem or error.context}; is the file cut?"
        raise LogError(reason, file=file, row=None if mark is None else mark.line + 1) from None
    except yaml.YAMLError as error:
        raise LogError(f"is not YAML: {' '.join(str(error).split())}", file=file) from None
    except RecursionError:
        raise LogError("is nested too deeply to be a log", file=file) from None
    except (ValueError, OverflowError):  # a whole number of thousands of digits
        raise LogError("holds a number that is too long", file=file) from None
    _check_size(content, file)
    return content, loader.missing


def _check_size(content: Any, file: Path) -> None:
    """Refuse what references inside it blow up, or make endless."""
    waiting, n_values = [(content, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        n_values += 1
        if n_values > MOST_VALUES or depth > DEEPEST:
            raise LogError("holds more values, or more levels, than the settings of a log can have", file=file)
        if isinstance(value, dict):
            waiting += [(part, depth + 1) for part in value.values()]
        elif isinstance(value, list):
            waiting += [(part, depth + 1) for part in value]
