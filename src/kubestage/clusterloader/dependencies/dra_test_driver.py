"""DRATestDriver: a driver with eight devices on every node, for loads of ResourceClaims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.dependencies import dra_objects
from kubestage.clusterloader.dependencies.dependency import Dependency
from kubestage.clusterloader.dependencies.dra_driver import SLICE, Driver
from kubestage.clusterloader.dependencies.dra_params import DraParams
from kubestage.clusterloader.dependencies.dra_readiness import Readiness
from kubestage.clusterloader.removal import Deletions
from kubestage.errors import AlreadyExists, InputError
from kubestage.golang import durations
from kubestage.measure import params as parameters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.clusterloader.dependencies.dependency import Done
    from kubestage.clusterloader.removal import Place
    from kubestage.clusterloader.requests import Requests


_REMOVED_WITHIN_NS: Final = 10 * durations.MINUTE
_NOT_INSTALLED: Final = (
    "DRATestDriver is a program that a run does not install on a real cluster; install "
    "dra-example-driver beforehand (its ResourceSlices are waited for)"
)


class DRATestDriver(Dependency):
    """Installs the driver on a stage; waits for its pods and for the devices of their nodes."""

    def __init__(self, params: dict[str, Any], requests: Requests) -> None:
        super().__init__(params, requests)
        self._driver: Driver | None = None
        self._readiness: Readiness | None = None
        self._left: list[Json] = []
        self._made: list[Place] = []
        self._done: Done | None = None
        self._is_abandoned = False
        self._is_making = False
        self._removed_by: Requests | None = None

    def set_up(self, done: Done) -> None:
        """Install the driver, and wait until it is ready."""
        self._done = done
        try:
            params, warnings = parameters.typed(DraParams, self.params)
        except InputError as error:
            done(f"{error.path}: {error.problem}")
            return
        self.warnings.extend(warnings)
        cluster = self.requests.cluster
        self._readiness = Readiness(cluster, params, done)
        if not cluster.is_stage:
            self.warnings.append(_NOT_INSTALLED)
            self._readiness.wait_for_slices()
        elif params.manifests != dra_objects.MANIFESTS:
            known = f"known: {dra_objects.MANIFESTS}"
            done(f"params.Manifests: there are none of the name {params.manifests!r} ({known})")
        else:
            self._driver = Driver(cluster, params.namespace, dra_objects.DAEMON_SET)
            self._driver.start()
            self._left = dra_objects.installed(
                params.namespace, params.worker_node_count, params.extended_resource_name
            )
            self._make_next()

    def abandon(self) -> None:
        """Create and poll no more."""
        self._is_abandoned = True
        if self._readiness is not None:
            self._readiness.abandon()

    def take_down(self, requests: Requests, done: Done) -> None:
        """Take away the devices, their class, and the namespace with all that is in it."""
        self._done = done
        if self._is_making:
            self._removed_by = requests
        else:
            self._remove(requests)

    def _remove(self, requests: Requests) -> None:
        slices = [] if self._driver is None else self._driver.stop()
        places: list[Place] = [(SLICE, "", name) for name in slices]
        # What is in the namespace goes with it.
        places += [place for place in self._made if not place[1]]
        Deletions(requests, _REMOVED_WITHIN_NS, self._removed).start(places)

    def _removed(self, problems: list[str]) -> None:
        self._end("; ".join(problems))

    def _end(self, problem: str) -> None:
        assert self._done is not None, "set_up was called"
        self._done(problem)

    def _make_next(self) -> None:
        if self._is_abandoned:
            return
        if not self._left:
            assert self._readiness is not None, "set_up made it"
            self._readiness.wait_for_pods()
            return
        body = self._left[0]
        metadata = body["metadata"]
        call = Call(
            verb="create",
            resource=Resource.of(body),
            namespace=metadata.get("namespace", ""),
            name=metadata["name"],
            body=body,
        )
        self._is_making = True
        self.requests.make(call, self._created, allowed=(AlreadyExists,))

    def _created(self, answer: Answer) -> None:
        self._is_making = False
        body = self._left.pop(0)
        metadata = body["metadata"]
        if answer.object is not None:
            place = Resource.of(body), metadata.get("namespace", ""), metadata["name"]
            self._made.append(place)
        if self._removed_by is not None:
            self._remove(self._removed_by)
        elif answer.error is None:
            self._make_next()
        elif not self._is_abandoned:
            what = f"{body['kind']} {metadata['name']}"
            self._end(f"applying DRA manifests error: {what}: {answer.error.message}")
