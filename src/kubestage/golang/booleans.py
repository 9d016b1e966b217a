"""The words that Go's ``strconv.ParseBool`` knows."""

from __future__ import annotations

from typing import Final

TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
