"""``request-benchmark watch`` and ``informer``, and ``watch-list``: watches and informers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Selection
from kubestage.cluster.load_programs.flags import Flags
from kubestage.cluster.load_programs.program import Program
from kubestage.errors import Unmodelled
from kubestage.golang.rate import Limiter
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.cluster.load_programs.client import ProgramClient
    from kubestage.cluster.load_programs.program import ProgramContainer
    from kubestage.cluster.subscription import StageSubscription

# The limit of a client of Kubernetes' library by default; watches are not limited.
_QPS: Final = 5.0
_BURST: Final = 10
_ROUND_NS: Final = 5 * SECOND_NS
_LOOK_NS: Final = 100 * MILLISECOND_NS


class Watch(Program):
    """One watch of pods, as long as the container runs."""

    def __init__(
        self, container: ProgramContainer, client: ProgramClient, words: Sequence[str]
    ) -> None:
        super().__init__(container, client)
        names = (
            "kubeconfig", "namespace", "field-selector", "label-selector", "api-version",
            "resource", "content-type",
        )  # fmt: skip
        flags = Flags(words, names)
        named = (flags.required("api-version"), flags.required("resource"))
        if named != ("v1", "pods"):
            raise Unmodelled(f"it watches pods of v1 only, not {named[1]} of {named[0]}")
        if flags.text("content-type") not in ("json", "proto"):
            raise Unmodelled("--content-type is json or proto")
        self._selection = Selection(
            client.resource(*named),
            flags.required("namespace"),
            flags.text("label-selector"),
            flags.text("field-selector"),
        )

    def start(self) -> None:
        """Begin to watch."""
        self.client.watch(self._selection, is_streamed=True)


class Informers(Program):
    """Some informers that are started together, and again every five seconds, until a timeout.

    A round ends when all have what exists; then their watches end. With `enableWatchListFeature`
    they get it by one WATCH, and otherwise by a LIST that a WATCH follows.
    """

    def __init__(
        self,
        container: ProgramContainer,
        client: ProgramClient,
        words: Sequence[str] | None = None,
    ) -> None:
        super().__init__(container, client)
        names = ("kubeconfig", "namespace", "count", "timeout", "api-version", "resource")
        switches = ("enableWatchListFeature", "disableCompression")
        flags = Flags(container.arguments if words is None else words, names, switches)
        self._count = flags.whole("count", 4)
        self._timeout_ns = flags.duration_ns("timeout", "1m")
        self._is_streamed = flags.is_on("enableWatchListFeature")
        flags.is_on("disableCompression")
        resource = client.resource(
            flags.text("api-version", "v1"), flags.text("resource", "secrets")
        )
        self._selection = Selection(resource, flags.text("namespace"))
        self._limiter = Limiter(_QPS, _BURST)
        self._began_ns = self._round_ns = 0
        self._open: list[StageSubscription] = []

    def start(self) -> None:
        """Begin the first round."""
        self._began_ns = self.client.now_ns
        self.client.after(self._timeout_ns, self.client.stop)
        self._start_round()

    def _start_round(self) -> None:
        self._round_ns = self.client.now_ns - self._began_ns
        for _ in range(self._count):
            now_ns = self.client.now_ns
            at_ns = now_ns if self._is_streamed else self._limiter.reserve(now_ns)
            self.client.at(at_ns, self._start_one)
        self.client.after(_LOOK_NS, self._look)

    def _start_one(self) -> None:
        self._open.append(self.client.watch(self._selection, is_streamed=self._is_streamed))

    def _look(self) -> None:
        """End the round if all informers are synced; the next begins with the clock's next tick."""
        if len(self._open) < self._count or not all(each.is_synced for each in self._open):
            self.client.after(_LOOK_NS, self._look)
            return
        for each in self._open:
            each.stop()
        self._open.clear()
        since_ns = self.client.now_ns - self._began_ns
        tick = since_ns // _ROUND_NS
        # A tick that came during the round is waiting.
        due_ns = since_ns if tick > self._round_ns // _ROUND_NS else (tick + 1) * _ROUND_NS
        self.client.at(self._began_ns + due_ns, self._start_round)
