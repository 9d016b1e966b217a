"""Templates for tests: files in memory, and chance that always draws nothing."""

from __future__ import annotations

import random
from typing import Any

from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.templating.templates import Templates


class Zeros(random.Random):
    """Every draw is 0, as in the recordings."""

    def random(self) -> float:
        """The lowest number there is."""
        return 0.0

    def getrandbits(self, _bits: int, /) -> int:
        """No bit is set."""
        return 0


def rendered(text: str, chance: random.Random | None = None, **variables: Any) -> str:
    """What a template makes of variables."""
    return templates({"main": text}, chance).text("main", variables)


def objects(text: str, **variables: Any) -> list[dict[str, Any]]:
    """The objects that a template makes of variables."""
    return templates({"main": text}).objects("main", variables)


def templates(files: dict[str, str], chance: random.Random | None = None) -> Templates:
    """Templates of these files."""
    return Templates(Texts(files), chance or random.Random(1))
