"""A control plane as a value: how long its parts take, and how much they can do at once."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final

import msgspec

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.pacing import ControllerPacing
from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.scheduler.pacing import SchedulerPacing


def _check_law(path: str, text: str) -> None:
    try:
        distributions.parse(text)
    except InputError as error:
        raise InputError(error.problem, path=path, fix=error.fix) from error


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a profile. Texts are durations or laws of them: ``5ms``, ``lognormal(5ms,4ms)``."""

    section: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value: Any = getattr(self, name)
            texts = value if isinstance(value, dict) else {"": value}
            for key, text in texts.items():
                path = ".".join(part for part in (self.section, name, key) if part)
                if isinstance(text, str):
                    _check_law(path, text)
                elif isinstance(text, int | float) and not 0 <= text < math.inf:
                    raise InputError(f"{text} is no amount", path=path, fix="write 0 or more")


class ApiSection(Section, frozen=True):
    """The API server.

    `max_requests_inflight` and `max_mutating_requests_inflight` are its flags: together they are
    the seats on which calls are served. A call that finds all seats taken waits in line, unless
    `max_queued` wait already: then it is refused with 429; 0 is no bound.
    `cores` is how many calls it works on at once; 0 is no bound. What is drawn as the time of a
    call keeps a core busy; what the call then waits for etcd does not. The time of a list grows by
    `list_per_object` for each object in it. `resources` multiply the times for some resources.
    """

    section: ClassVar[str] = "api"
    max_requests_inflight: int = 400
    max_mutating_requests_inflight: int = 200
    max_queued: int = 0
    cores: int = 0
    get: str = "0s"
    list: str = "0s"
    list_per_object: str = "0s"
    create: str = "0s"
    update: str = "0s"
    patch: str = "0s"
    delete: str = "0s"
    resources: dict[str, float] = msgspec.field(default_factory=dict)

    @property
    def seats(self) -> int:
        """How many calls are served at once; the server has one pool for both of its limits."""
        return self.max_requests_inflight + self.max_mutating_requests_inflight


class EtcdSection(Section, frozen=True):
    """Etcd: how long it takes to commit a write, and to answer a read that no cache answers."""

    section: ClassVar[str] = "etcd"
    write: str = "0s"
    read: str = "0s"


class WatchSection(Section, frozen=True):
    """How long after a commit a watcher hears of it, the way through the network included."""

    section: ClassVar[str] = "watch"
    delay: str = "0s"


class NetworkSection(Section, frozen=True):
    """From a client to the API server and back."""

    section: ClassVar[str] = "network"
    round_trip: str = "0s"


class ClientSection(Section, frozen=True):
    """The limits of each client of the load, and of how many nodes there is one more client."""

    section: ClassVar[str] = "client"
    qps: float = 100.0
    burst: int = 200
    nodes_per_client: int = 100


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All parts of a control plane. The default takes no time at all.

    `scheduler`, `controllers` and `kubelet` are for those of the stage that the cluster is made
    of: see `staging`.
    """

    name: str = "instant"
    description: str = ""
    api: ApiSection = ApiSection()
    etcd: EtcdSection = EtcdSection()
    watch: WatchSection = WatchSection()
    network: NetworkSection = NetworkSection()
    client: ClientSection = ClientSection()
    scheduler: SchedulerPacing = SchedulerPacing()
    controllers: ControllerPacing = ControllerPacing()
    kubelet: KubeletSettings = KubeletSettings()


INSTANT: Final = Profile(description="Everything happens in the instant in which it is asked for.")
"""No call, watch or page takes any time."""
