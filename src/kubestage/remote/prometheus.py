"""A Prometheus that answers queries: at an address of its own, or behind the API server."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubestage.errors import ApiError, InputError
from kubestage.measure.facilities import QueryAnswer, Sample
from kubestage.remote.access import Access
from kubestage.remote.connection import Connection
from kubestage.remote.kubeconfig_schema import UserEntry
from kubestage.remote.refusals import Unreachable
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.remote.cluster import RemoteCluster

_FORM = "application/x-www-form-urlencoded"


class _Reply(msgspec.Struct, rename="camel"):
    status: str = ""
    data: dict[str, Any] = {}
    error_type: str = ""
    error: str = ""


class RangeSeries(NamedTuple):
    """One series over a range of time: its labels, and values with their Unix times."""

    labels: dict[str, str]
    points: list[tuple[int, float]]


class PrometheusQueries:
    """The queries of a run, by a Prometheus.

    `url` is its address, or a path of the cluster's API server that leads to it, such as
    ``/api/v1/namespaces/monitoring/services/http:prometheus-k8s:9090/proxy``.
    """

    def __init__(self, cluster: RemoteCluster, url: str, token: str = "") -> None:
        self._loop = cluster.loop
        self._moments = cluster.moments
        self._url = url
        self._prefix = ""
        if url.startswith("/"):
            self._prefix = url.rstrip("/")
            self._connection = cluster.connection
            return
        try:
            access = Access(server=url.rstrip("/"), user=UserEntry(token=token))
        except InputError as problem:
            raise InputError(
                "this is no address of a Prometheus",
                path=url,
                fix="write http://host:9090, or a path of the API server that begins with /",
            ) from problem
        self._connection = Connection(access, timeout_s=60.0)
        self._loop.complete(self._connection.open())
        cluster.closing.append(self._connection)

    def check(self) -> None:
        """Send a query, before a run; InputError says why there is no answer."""
        answered: QueryAnswer = self._loop.complete(self._answer("vector(1)", self._moments.now_ns))
        if answered.error:
            raise InputError(
                f"the Prometheus does not answer: {answered.error}",
                path=self._url,
                fix="is this its address, and may we query it?",
            )

    def query(self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]) -> None:
        """Evaluate at a moment of the run."""
        self._loop.spawn(self._query(expression, at_ns, done))

    async def _query(
        self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]
    ) -> None:
        self._loop.call_soon(done, await self._answer(expression, at_ns))

    async def _answer(self, expression: str, at_ns: int) -> QueryAnswer:
        at_s = self._moments.unix_at(at_ns) / SECOND_NS
        form = urllib.parse.urlencode({"query": expression, "time": f"{at_s:.3f}"})
        try:
            reply = await self._connection.send(
                "POST", f"{self._prefix}/api/v1/query", form.encode(), content=_FORM
            )
        except ApiError as problem:
            return QueryAnswer(error=problem.message)
        return _read(reply.code, reply.body)

    async def ranges(
        self, expression: str, begin_ns: int, end_ns: int, step_ns: int
    ) -> list[RangeSeries]:
        """The series of an expression between two moments of the calendar; ApiError if there is
        no answer.
        """
        form = urllib.parse.urlencode({
            "query": expression,
            "start": f"{begin_ns / SECOND_NS:.3f}",
            "end": f"{end_ns / SECOND_NS:.3f}",
            "step": f"{step_ns / SECOND_NS:.3f}",
        })  # fmt: skip
        reply = await self._connection.send(
            "POST", f"{self._prefix}/api/v1/query_range", form.encode(), content=_FORM
        )
        try:
            found = msgspec.json.decode(reply.body, type=_Reply)
            if found.status != "success":
                raise Unreachable(f"Prometheus answered {reply.code}: {found.error}")
            return [
                RangeSeries(row["metric"], [(round(float(at) * SECOND_NS), float(value))
                                            for at, value in row["values"]])
                for row in found.data["result"]
            ]  # fmt: skip
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as problem:
            text = " ".join(reply.body[:300].decode(errors="replace").split())
            raise Unreachable(
                f"Prometheus answered {reply.code} with no range: {text}"
            ) from problem


def _read(code: int, body: bytes) -> QueryAnswer:
    try:
        reply = msgspec.json.decode(body, type=_Reply)
        if reply.status != "success":
            text = reply.error or body[:300].decode(errors="replace")
            return QueryAnswer(error=f"Prometheus answered {code}: {text}")
        return QueryAnswer(samples=_samples(reply.data))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        text = " ".join(body[:300].decode(errors="replace").split())
        return QueryAnswer(error=f"Prometheus answered {code} with what is no result: {text}")


def _samples(data: dict[str, Any]) -> tuple[Sample, ...]:
    kind, result = data["resultType"], data["result"]
    if kind == "scalar":
        return (Sample({}, float(result[1])),)
    if kind != "vector":
        raise ValueError(kind)
    return tuple(Sample(row["metric"], float(row["value"][1])) for row in result)
