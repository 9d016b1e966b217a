"""Names, identities, times and addresses that no two runs share, made the same for all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORD: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_ADDRESS: Final = re.compile(r"\b10\.\d+\.\d+\.\d+\b")
_NUMBERED: Final = re.compile(r"<r\d+>")
_SUFFIX: Final = re.compile(r"(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}")
_SUFFIX_LENGTH: Final = 5

RANDOM: Final = "<r*>"


class Naming:
    """What objects are called in a recording."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._names: dict[str, str] = {}
        self._chosen: set[str] = set()
        self._uids: dict[str, str] = {}

    def learn(self, obj: Json) -> None:
        """An object has come up: its name may be random, its uid is."""
        metadata = obj["metadata"]
        name = metadata["name"]
        prefix = metadata.get("generateName")
        # A StatefulSet's pods state a prefix too, but their names are not random.
        if prefix and _SUFFIX.fullmatch(name) and len(name) == len(prefix) + _SUFFIX_LENGTH:
            stem = self._words(prefix[:-1]) if prefix.endswith("-") else prefix
            self._names[name] = f"{stem}-{RANDOM}"
        elif any(each["kind"] == "CronJob" for each in metadata.get("ownerReferences") or ()):
            self._names[name] = f"{name.rpartition('-')[0]}-{RANDOM}"
        else:
            self._chosen.add(name)
        self._uids[metadata["uid"]] = f"<uid:{obj['kind']}/{self.text(name)}>"

    def is_random(self, name: str) -> bool:
        """Whether the cluster chose an object's name."""
        return name in self._names

    def text(self, text: str) -> str:
        """A text as a recording has it."""
        text = _TIME.sub("<t>", text)
        text = _UID.sub(self._identity, text)
        text = _ADDRESS.sub("<ip>", text)
        return self._words(text)

    def value(self, value: Any) -> Any:
        """A JSON value, every text in it as a recording has it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        return value

    def _identity(self, found: re.Match[str]) -> str:
        return self._uids.get(found.group(), "<uid>")

    def _words(self, text: str) -> str:
        return _WORD.sub(self._word, text)

    def _word(self, found: re.Match[str]) -> str:
        word = found.group()
        if word == self._namespace:
            return "$NS"
        known = self._names.get(word)
        if known is not None:
            return known
        # The name of an object that was refused appears in texts only.
        suffixed = _SUFFIX.fullmatch(word)
        if suffixed and word not in self._chosen:
            stem = suffixed.group(1)
            if stem in self._chosen or stem in self._names:
                return f"{self._names.get(stem, stem)}-{RANDOM}"
        return word


def unnumbered(value: Any) -> Any:
    """A recorded value with all random names alike: their numbers are no identity."""
    if isinstance(value, str):
        return _NUMBERED.sub(RANDOM, value)
    if isinstance(value, dict):
        return {unnumbered(key): unnumbered(each) for key, each in value.items()}
    if isinstance(value, list):
        return [unnumbered(each) for each in value]
    return value
