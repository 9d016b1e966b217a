"""``access-tokens``: one worker for each token, which reads a ServiceAccount at a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import Call
from kubestage.cluster.load_programs.flags import Flags
from kubestage.cluster.load_programs.program import Program
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.load_programs.client import ProgramClient
    from kubestage.cluster.load_programs.program import ProgramContainer


class AccessTokens(Program):
    """All workers read the ``default`` ServiceAccount, at once and then with every tick."""

    def __init__(self, container: ProgramContainer, client: ProgramClient) -> None:
        super().__init__(container, client)
        flags = Flags(container.arguments, ("namespace", "access-token-dirs", "qps-per-worker"))
        self._workers = len(flags.texts("access-token-dirs"))
        self._every_ns = int(SECOND_NS / flags.rate("qps-per-worker", 0.5))
        self._call = Call(
            verb="get",
            resource=client.resource("v1", "serviceaccounts"),
            namespace=flags.required("namespace"),
            name="default",
        )

    def start(self) -> None:
        """Read once for each token, and again with the next tick."""
        for _ in range(self._workers):
            self.client.repeat(self._call)
        if self._workers:
            self.client.after(self._every_ns, self.start)
