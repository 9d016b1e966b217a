"""``request-benchmark http`` and ``patch``: requests in a loop, and patches at a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call
from kubestage.cluster.load_programs import uris
from kubestage.cluster.load_programs.flags import Flags
from kubestage.cluster.load_programs.program import Program
from kubestage.errors import Unmodelled
from kubestage.golang.rate import Limiter
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.cluster.access import Answer, Page
    from kubestage.cluster.load_programs.client import ProgramClient
    from kubestage.cluster.load_programs.program import ProgramContainer

_BURST: Final = 10
_ATTEMPTS: Final = 10
_NO_LIMIT: Final = -1.0
_NAMESPACE: Final = "%namespace%"
_CONTENT_TYPES: Final = frozenset({"json", "proto", "cbor", "yaml", "table", "json-pretty"})
# A worker starts no more than a thousand requests a second, also where answers take no time, and
# all of one program no more than ten thousand.
_SHORTEST_NS: Final = MILLISECOND_NS
_SHORTEST_OF_ALL_NS: Final = MILLISECOND_NS // 10
_STRATEGIC: Final = "application/strategic-merge-patch+json"


class Requests(Program):
    """Some workers, each of which sends its next request when it has the answer to the last.

    All share one limit, if there is one. One request has to succeed before they start.
    """

    def __init__(
        self, container: ProgramContainer, client: ProgramClient, words: Sequence[str]
    ) -> None:
        super().__init__(container, client)
        names = ("inflight", "namespace", "uri", "verb", "qps", "content-type")
        flags = Flags(words, names)
        content_type = flags.text("content-type", "json")
        if content_type not in _CONTENT_TYPES:
            raise Unmodelled(f'--content-type: "{content_type}" is not known')
        self._workers = flags.whole("inflight", 1)
        self._shortest_ns = max(_SHORTEST_NS, self._workers * _SHORTEST_OF_ALL_NS)
        is_limited = flags.number("qps", _NO_LIMIT) != _NO_LIMIT
        self._limiter = Limiter(flags.rate("qps", 1), _BURST) if is_limited else None
        self._uri = flags.text("uri").replace(_NAMESPACE, flags.text("namespace")) or "/"
        self._call = uris.call_of(client, flags.text("verb", "GET"), self._uri)
        self._attempts = 0

    def start(self) -> None:
        """Send a first request, alone."""
        self._send(self._tried)

    def _tried(self, is_successful: bool) -> None:
        self._attempts += 1
        if is_successful:
            for _ in range(self._workers):
                self._send(self._again)
        elif self._attempts < _ATTEMPTS:
            self._send(self._tried)
        else:
            self.client.fail(f"no request to {self._uri} was successful")

    def _again(self, is_successful: bool) -> None:
        del is_successful
        self._send(self._again)

    def _send(self, done: Callable[[bool], None]) -> None:
        """Send one request as soon as the limit allows it."""
        now_ns = self.client.now_ns
        at_ns = now_ns if self._limiter is None else self._limiter.reserve(now_ns)

        def send() -> None:
            soonest_ns = self.client.now_ns + self._shortest_ns

            def finish(is_successful: bool) -> None:
                if self.client.now_ns >= soonest_ns:
                    done(is_successful)
                else:
                    self.client.at(soonest_ns, lambda: done(is_successful))

            def answered(answer: Answer) -> None:
                finish(answer.error is None)

            def read(page: Page) -> None:
                finish(200 <= page.code <= 206)

            if self._call is None:
                self.client.raw(self._uri, read)
            else:
                self.client.call(self._call, answered)

        self.client.at(at_ns, send)


class Patches(Program):
    """Patches a label of random pods at a rate, whether earlier patches are answered or not."""

    def __init__(
        self, container: ProgramContainer, client: ProgramClient, words: Sequence[str]
    ) -> None:
        super().__init__(container, client)
        names = ("kubeconfig", "namespace", "pod-count", "pod-name-prefix", "qps")
        flags = Flags(words, names)
        self._namespace = flags.required("namespace")
        self._prefix = flags.required("pod-name-prefix")
        self._pods = flags.whole("pod-count", 0)
        if not self._pods:
            raise Unmodelled("--pod-count is above 0, not 0")
        self._limiter = Limiter(flags.rate("qps", 0), _BURST)
        self._pod = client.resource("v1", "pods")

    def start(self) -> None:
        """Schedule the next patch."""
        self.client.at(self._limiter.reserve(self.client.now_ns), self._patch)

    def _patch(self) -> None:
        labels = {"bench-updated": str(self.client.unix_ns)}
        call = Call(
            verb="patch",
            resource=self._pod,
            namespace=self._namespace,
            name=f"{self._prefix}{self.client.rng.randrange(self._pods)}",
            body={"metadata": {"labels": labels}},
            patch_type=_STRATEGIC,
        )
        self.client.repeat(call)
        self.start()
