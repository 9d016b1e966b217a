"""How commands begin that cannot be carried out in full."""

from __future__ import annotations

import types
from typing import Any

from kubestage.aliases import Json
from kubestage.controllers.karpenter.lifecycle.orchestration import Orchestration


class _Maker:
    """Makes the first of the NodeClaims it is asked for; the limit is exceeded then."""

    def make(self, claims: list[Json], **how: Any) -> list[str]:
        del claims, how
        return ["made"]


def test_what_was_made_stays_though_other_replacements_could_not_be() -> None:
    given_up: list[Json] = []
    at_work: Any = types.SimpleNamespace(
        claim=lambda name: {"metadata": {"name": name}},
        give_up=lambda claim, *why: given_up.append(claim),
    )
    maker: Any = _Maker()
    command: Any = types.SimpleNamespace(candidates=[], replacements=[{}, {}], reason="Drifted")
    context: Any = None
    Orchestration(at_work, context, maker).start(command)
    assert given_up == []
