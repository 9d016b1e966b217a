"""The context of an autoscaler on the stage: the store, and the metrics board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubestage.controllers import pods as pod_questions
from kubestage.controllers.hpa import go_numbers
from kubestage.controllers.hpa.context import NoSuchKind, Refused, Scale
from kubestage.controllers.hpa.metrics_client import BoardClient
from kubestage.errors import ApiError
from kubestage.objects import own_definitions
from kubestage.store import refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import HpaStatus
    from kubestage.controllers.hpa.selecting import PodSelectors
    from kubestage.controllers.lister import Lister
    from kubestage.metrics.board import Board
    from kubestage.objects.kinds import Kind
    from kubestage.objects.labels import Selector
    from kubestage.store.store import Store


AUTOSCALER: Final = ("autoscaling/v2", "HorizontalPodAutoscaler")
_GO_TYPES: Final = {
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool",
    list: "[]interface {}",
}
_T = TypeVar("_T")


class SharedContext:
    """What all autoscalers of a stage share."""

    def __init__(self, store: Store, lister: Lister, board: Board, selectors: PodSelectors) -> None:
        self.store = store
        self.lister = lister
        self.board = board
        self.selectors = selectors

    def context(self, key: str, hpa: Json) -> LiveContext:
        """The context of one autoscaler now."""
        return LiveContext(self, key, hpa)

    def kind(self, api_version: str, name: str) -> Kind | None:
        """The kind of a target: the version counts only if it is served."""
        found = self.store.kinds.get(api_version, name)
        if found is not None:
            return found
        group = _group(api_version)
        rows = (row for row in self.store.kinds if (row.group, row.kind) == (group, name))
        return next(rows, None)


class LiveContext:
    """The context of one autoscaler at one moment."""

    def __init__(self, shared: SharedContext, key: str, hpa: Json) -> None:
        self._shared = shared
        self._key = key
        self._namespace: str = hpa["metadata"]["namespace"]
        self._target: Json = hpa["spec"]["scaleTargetRef"]
        self._kind: Kind | None = None
        self._scale: Json = {}

    def scale(self) -> Scale:
        """Read the scale subresource of the target."""
        api_version, kind = self._target.get("apiVersion", ""), self._target["kind"]
        row = self._kind = self._shared.kind(api_version, kind)
        if row is None:
            raise NoSuchKind(f'no matches for kind "{kind}" in group "{_group(api_version)}"')
        try:
            if not row.namespaced:
                raise refusals.no_such_resource()
            name = self._target["name"]
            scale = self._shared.store.get(row, name, self._namespace, subresource="scale")
        except ApiError as error:
            raise Refused(str(error)) from error
        self._scale = scale
        status = scale["status"]
        version = own_definitions.version(row) or {}
        paths: Json = (version.get("subresources") or {}).get("scale") or {}
        return Scale(
            _count(scale["spec"].get("replicas", 0), paths.get("specReplicasPath")),
            _count(status["replicas"], paths.get("statusReplicasPath")),
            _of_type(status.get("selector", ""), str, paths.get("labelSelectorPath"), "string"),
        )

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods by key."""
        return self._shared.lister.selected(pod_questions.POD, self._namespace, selector)

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """Store the selector, and find the other autoscalers that select these pods."""
        return self._shared.selectors.sharers(self._namespace, self._key, selector, pods)

    def metrics(self, pods: Sequence[Json]) -> BoardClient:
        """The board, for these pods."""
        return BoardClient(self._shared.board, self._shared.store.kinds, self._namespace, pods)

    def rescale(self, replicas: int) -> None:
        """Write the scale subresource."""
        assert self._kind is not None
        expected = {**self._scale, "spec": {"replicas": replicas}}
        try:
            self._shared.store.update(
                expected,
                kind=self._kind,
                name=self._target["name"],
                namespace=self._namespace,
                subresource="scale",
            )
        except ApiError as error:
            raise Refused(str(error)) from error

    def write_status(self, status: HpaStatus) -> None:
        """Store the status."""
        self._shared.store.record_status(AUTOSCALER, self._key, status.as_json())


def _count(value: Any, path: str | None) -> int:
    """Replicas, of which a custom resource may have more than fit into a Scale."""
    return go_numbers.int32(_of_type(value, int, path, "int64"))


def _of_type(value: Any, expected: type[_T], path: str | None, name: str) -> _T:
    """What a custom resource holds, which may be anything."""
    if not isinstance(value, expected) or isinstance(value, bool):
        found = _GO_TYPES.get(type(value), "map[string]interface {}")
        raise Refused(f"{path} accessor error: {value} is of the type {found}, expected {name}")
    return value


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
