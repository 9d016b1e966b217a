"""The port: what a load can do with a cluster, a stage or a real one.

Nothing here waits. The caller passes a callback, which is called when the answer is there:
on a stage in virtual time, on a real cluster in real time. One implementation of a
load, its tuning sets and its measurements therefore serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.errors import ApiError


class Timer(Protocol):
    """A callback that is scheduled."""

    def cancel(self) -> None:
        """Cancel the callback; without effect if it was called."""


class Moments(Protocol):
    """The time, and callbacks at times."""

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the start; never decreases."""

    @property
    def unix_ns(self) -> int:
        """Now as nanoseconds since 1970-01-01T00:00:00Z."""

    def at(self, at_ns: int, callback: Callable[[], None]) -> Timer:
        """Schedule a callback at a time, or right after the current one if that has passed.

        Callbacks of one time are called in the order in which they were scheduled, and never
        from within this method.
        """


class Resource(msgspec.Struct, frozen=True):
    """A kind of objects: ``apps/v1``, ``Deployment``."""

    api_version: str
    kind: str

    @property
    def group(self) -> str:
        """The API group, empty for the core."""
        group, slash, _ = self.api_version.partition("/")
        return group if slash else ""

    @classmethod
    def of(cls, obj: dict[str, Any]) -> Resource:
        """The kind of an object."""
        return cls(str(obj.get("apiVersion", "")), str(obj.get("kind", "")))


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request of the Kubernetes API.

    `verb` is create, get, list, update, patch, delete or deletecollection. `namespace` is empty
    for what is cluster-scoped and for lists over all namespaces. `patch_type` is the media type of
    a patch, `propagation` the policy of a deletion.
    """

    verb: str
    resource: Resource
    namespace: str = ""
    name: str = ""
    body: Any = None
    patch_type: str = "application/merge-patch+json"
    label_selector: str = ""
    field_selector: str = ""
    propagation: str = ""


class Answer(msgspec.Struct, frozen=True):
    """The answer to a call: the object or list, or an error.

    `sent_ns` is when the client's limit let it go, `ended_ns` when the answer was there.
    """

    object: dict[str, Any] | None
    error: ApiError | None
    sent_ns: int
    ended_ns: int


class Page(msgspec.Struct, frozen=True):
    """The answer of a raw path of the cluster."""

    code: int
    text: str


class Selection(msgspec.Struct, frozen=True):
    """Which objects to watch; an empty part selects all."""

    resource: Resource
    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""


class WatchEvent(msgspec.Struct, frozen=True):
    """What a watcher receives: ADDED, MODIFIED or DELETED, the object, and when it received it.

    Objects are shared between watchers and must not be changed.
    """

    type: str
    object: dict[str, Any]
    at_ns: int


class Subscription(Protocol):
    """A watch that is open."""

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the start have been delivered."""

    def stop(self) -> None:
        """Stop the watch."""


class Cluster(Protocol):
    """A stage or a real cluster."""

    @property
    def moments(self) -> Moments:
        """The time of the cluster."""

    @property
    def is_stage(self) -> bool:
        """Whether it is a stage, which allows more than a real cluster."""

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Make a call; `done` receives the answer, later and exactly once.

        An answer never comes from within this method. A network failure is an ApiError too.
        """

    def watch(self, selection: Selection, on_event: Callable[[WatchEvent], None]) -> Subscription:
        """Receive what exists (as ADDED) and every change from then on, in order.

        Lost connections are resumed silently, except that objects that vanished in between are
        delivered as DELETED.
        """

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a path that is not a resource: ``/metrics``, ``/readyz``, a node's proxy."""
