"""The port: what a load may ask of a cluster, be it a stage or a real one.

Nothing here waits. Whoever asks leaves word whom to tell, and is told when the time has come:
on a stage in virtual time, on a real cluster when the answer is there. One implementation of a
load, its tuning sets and its measurements therefore serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.errors import ApiError


class Timer(Protocol):
    """Something that is going to happen."""

    def cancel(self) -> None:
        """Have it not happen; without effect if it has."""


class Moments(Protocol):
    """The time, and who is to be called when."""

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the beginning; never goes back."""

    @property
    def unix_ns(self) -> int:
        """Now as nanoseconds since 1970-01-01T00:00:00Z."""

    def at(self, at_ns: int, callback: Callable[[], None]) -> Timer:
        """Call somebody at a time, or right after what is under way if that has passed.

        Callbacks of one time are called in the order in which they were asked for, and never
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
        """The kind that an object says it is of."""
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
    """What became of a call: the object or list, or why not.

    `sent_ns` is when the limits of the client let it go, `ended_ns` when the answer was there.
    """

    object: dict[str, Any] | None
    error: ApiError | None
    sent_ns: int
    ended_ns: int


class Page(msgspec.Struct, frozen=True):
    """What a raw path of the cluster answered."""

    code: int
    text: str


class Selection(msgspec.Struct, frozen=True):
    """Which objects to watch; an empty part selects all."""

    resource: Resource
    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""


class Seen(msgspec.Struct, frozen=True):
    """What a watcher is told: ADDED, MODIFIED or DELETED, the object, and when it heard of it.

    Objects are shared with others who watch: nobody changes them.
    """

    type: str
    object: dict[str, Any]
    at_ns: int


class Subscription(Protocol):
    """A watch that is under way."""

    @property
    def is_synced(self) -> bool:
        """Whether all that was there at the beginning has been told."""

    def stop(self) -> None:
        """Be told no more."""


class Cluster(Protocol):
    """A stage or a real cluster."""

    @property
    def moments(self) -> Moments:
        """Its time."""

    @property
    def is_stage(self) -> bool:
        """Whether it is a stage, on which more can be done than on a real cluster."""

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Make a call; `done` is told the answer, later and exactly once.

        An answer never comes from within this method. What the network loses is an ApiError too.
        """

    def watch(self, selection: Selection, seen: Callable[[Seen], None]) -> Subscription:
        """Be told of what is there (as ADDED) and of every change from then on, in order.

        Lost connections are taken up again without a word, except that what vanished in between
        is told as DELETED.
        """

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a path outside of the resources: ``/metrics``, ``/readyz``, a node's proxy."""
