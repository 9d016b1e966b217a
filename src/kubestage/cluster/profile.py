"""A control plane as a value: how long its parts take, and how much they can do at once."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final

import msgspec

from kubestage.cluster.priority_levels import EXEMPT, LEVELS
from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.pacing import ControllerPacing
from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.scheduler.pacing import SchedulerPacing


def _check_distribution(path: str, text: str) -> None:
    try:
        distributions.parse(text)
    except InputError as error:
        raise InputError(error.problem, path=path, fix=error.fix) from error


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a profile. Texts are distributions: ``5ms``, ``lognormal(5ms,4ms)``."""

    section: ClassVar[str] = ""
    names: ClassVar[frozenset[str]] = frozenset()
    """The keys whose values are names, not distributions."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if name in self.names:
                continue
            value: Any = getattr(self, name)
            texts = value if isinstance(value, dict) else {"": value}
            for key, text in texts.items():
                path = ".".join(part for part in (self.section, name, key) if part)
                if isinstance(text, str):
                    _check_distribution(path, text)
                elif isinstance(text, int | float) and not 0 <= text < math.inf:
                    raise InputError(
                        f"{text} is not a valid amount", path=path, fix="write 0 or more"
                    )


class ApiSection(Section, frozen=True):
    """The API server.

    The time of a verb is how long a call occupies a core; what the call then waits for etcd is
    added.
    """

    section: ClassVar[str] = "api"
    max_requests_inflight: int = 400
    """Its flag; with the other one it makes up the seats on which calls are served."""
    max_mutating_requests_inflight: int = 200
    """Its flag; see `max_requests_inflight`."""
    priority_levels: bool = False
    """Whether the seats are divided among the priority levels of API Priority and Fairness."""
    max_queued: int = 0
    """How many calls may wait for a seat (of their priority level) before others are refused with
    429; 0 is no limit. A priority level has its own limits, too."""
    cores: int = 0
    """How many calls it works on at once; 0 is no limit."""
    get: str = "0s"
    list: str = "0s"
    list_per_object: str = "0s"
    """What each object of a list adds to its time."""
    list_per_megabyte: str = "0s"
    """What a megabyte of a list takes at least."""
    create: str = "0s"
    update: str = "0s"
    patch: str = "0s"
    delete: str = "0s"
    resources: dict[str, float] = msgspec.field(default_factory=dict)
    """Factors of the times for some resources."""

    @property
    def seats(self) -> int:
        """How many calls are served at once; the server has one pool for both of its limits."""
        return self.max_requests_inflight + self.max_mutating_requests_inflight


class EtcdSection(Section, frozen=True):
    """The database of the API server."""

    section: ClassVar[str] = "etcd"
    write: str = "0s"
    """How long it takes to commit a write."""
    read: str = "0s"
    """How long it takes to answer a read that no cache answers."""


class WatchSection(Section, frozen=True):
    """How long after a commit a watcher receives it, network included."""

    section: ClassVar[str] = "watch"
    delay: str = "0s"


class NetworkSection(Section, frozen=True):
    """From a client to the API server and back."""

    section: ClassVar[str] = "network"
    round_trip: str = "0s"


class ClientSection(Section, frozen=True):
    """The limits of each client of the load, and its priority level."""

    section: ClassVar[str] = "client"
    names: ClassVar[frozenset[str]] = frozenset(("priority_level",))
    qps: float = 100.0
    """Calls per second."""
    burst: int = 200
    """Calls that may be sent at once."""
    nodes_per_client: int = 100
    """For how many nodes there is one more client."""
    priority_level: str = EXEMPT
    """That of its calls: ``exempt`` for ``system:masters``, ``global-default`` for other users."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.priority_level not in LEVELS:
            raise InputError(
                f"there is no priority level {self.priority_level!r}",
                path="client.priority_level",
                fix=f"write one of {', '.join(LEVELS)}",
            )


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All parts of a control plane. The default takes no time at all."""

    name: str = "instant"
    description: str = ""
    api: ApiSection = ApiSection()
    etcd: EtcdSection = EtcdSection()
    watch: WatchSection = WatchSection()
    network: NetworkSection = NetworkSection()
    client: ClientSection = ClientSection()
    scheduler: SchedulerPacing = SchedulerPacing()
    """For the scheduler of the stage, as are the next two for its parts: see `staging`."""
    controllers: ControllerPacing = ControllerPacing()
    kubelet: KubeletSettings = KubeletSettings()


INSTANT: Final = Profile(description="Everything happens at once: no call takes any time.")
"""No call, watch or page takes any time."""
