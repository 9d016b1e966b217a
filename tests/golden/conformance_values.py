"""Values that a server makes up, and the placeholders that stand for them in a recording."""

from __future__ import annotations

import re
from typing import Any

NUMBERED = "uid|ip|port|gen|rv|lrv|continue"
FREE = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "microtime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z",
    "age": r"\S+",
    "n": r"\d+",
    "gen": r"[a-z0-9]{5}",
    "object": r"(?s:.*)",
}
SHAPES = {
    "uid": r"[0-9a-f-]{36}",
    "ip": r"[0-9a-f.:]+",
    "port": r"\d+",
    "gen": r"[a-z0-9]{5}",
    "rv": r"\d+",
    "lrv": r"\d+",
    "continue": r"\S+",
}
TOKEN = re.compile(rf"<(?:({NUMBERED}):(\d+)|({'|'.join(FREE)}))>")


class Bindings:
    """What each numbered placeholder of one sequence stands for."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, int], str] = {}

    def substitute(self, value: Any) -> Any:
        """A recorded request with the values that we made up."""
        if isinstance(value, dict):
            return {self.substitute(key): self.substitute(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.substitute(item) for item in value]
        if not isinstance(value, str) or "<" not in value:
            return value
        whole = TOKEN.fullmatch(value)
        if whole and whole[1] == "port":
            bound = self.values.get(("port", int(whole[2])))
            return int(bound) if bound else value
        return TOKEN.sub(self._bound, value)

    def _bound(self, match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return self.values.get((match[1], int(match[2])), match[0])

    def differences(self, expected: Any, actual: Any) -> list[str]:
        """Where an answer differs from the recorded one."""
        found: list[str] = []
        self._walk(expected, _in_order(actual), "", found)
        return found

    def _walk(self, expected: Any, actual: Any, path: str, found: list[str]) -> None:
        if isinstance(expected, dict) and isinstance(actual, dict):
            for key in expected:
                actual_key = key if key in actual else self._bound_key(key, actual)
                if actual_key is None:
                    found.append(f"{path}.{key}: missing, recorded {expected[key]!r}")
                else:
                    self._walk(expected[key], actual[actual_key], f"{path}.{key}", found)
            known = {self.substitute(key) for key in expected}
            found += [
                f"{path}.{key}: {actual[key]!r}, not recorded" for key in actual.keys() - known
            ]
        elif isinstance(expected, list) and isinstance(actual, list):
            if len(expected) != len(actual):
                found.append(f"{path}: {len(actual)} items, recorded {len(expected)}: {actual!r}")
            for index, (item, other) in enumerate(zip(expected, actual, strict=False)):
                self._walk(item, other, f"{path}[{index}]", found)
        elif isinstance(expected, str) and "<" in expected and TOKEN.search(expected):
            if not self._matches(expected, actual):
                found.append(f"{path}: {actual!r}, recorded {expected!r}")
        elif type(expected) is not type(actual) or expected != actual:
            found.append(f"{path}: {actual!r}, recorded {expected!r}")

    def _bound_key(self, key: str, actual: dict[str, Any]) -> str | None:
        if not TOKEN.search(key):
            return None
        return next((each for each in actual if self._matches(key, each)), None)

    def _matches(self, expected: str, actual: Any) -> bool:
        if isinstance(actual, int) and not isinstance(actual, bool):
            actual = str(actual)
        if not isinstance(actual, str):
            return False
        pattern, names, at = "", [], 0
        for match in TOKEN.finditer(expected):
            pattern += re.escape(expected[at : match.start()])
            at = match.end()
            if match[1] is None:
                pattern += FREE[match[3]]
                continue
            names.append((match[1], int(match[2])))
            bound = self.values.get(names[-1])
            known = bound is not None and match[1] != "lrv"
            pattern += f"({re.escape(bound or '') if known else SHAPES[match[1]]})"
        found = re.fullmatch(pattern + re.escape(expected[at:]), actual)
        if found is None:
            return False
        for name, value in zip(names, found.groups(), strict=True):
            if (
                name not in self.values
                and name[0] == "rv"
                and not self._is_in_order(name[1], value)
            ):
                return False
            self.values[name] = value
        return True

    def _is_in_order(self, number: int, value: str) -> bool:
        """Whether a new version fits between those that were recorded around it."""
        known = [(n, int(v)) for (kind, n), v in self.values.items() if kind == "rv"]
        return all((n < number) == (v < int(value)) for n, v in known)


def _in_order(value: Any) -> Any:
    """An answer with its managedFields in the recording's order."""
    if isinstance(value, dict):
        ordered = {key: _in_order(item) for key, item in value.items()}
        if isinstance(ordered.get("managedFields"), list):
            ordered["managedFields"] = sorted(ordered["managedFields"], key=_manager)
        return ordered
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    return value


def _manager(entry: Any) -> tuple[str, str, str]:
    return entry.get("operation", ""), entry.get("manager", ""), entry.get("subresource", "")
