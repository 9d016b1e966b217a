"""Loads for tests: templates held in memory, a stage in virtual time, and a run of one on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.clusterloader import config
from kubestage.clusterloader.run import LoadRun, Work
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.measure.measurement import Measurement


class Templates:
    """Objects made by functions of what would fill a template."""

    def __init__(self, **made: Callable[[Mapping[str, Any]], list[Json]]) -> None:
        self.made = made

    def objects(self, path: str, mapping: Mapping[str, Any]) -> list[Json]:
        """What the function of this name makes."""
        return self.made[path](mapping)

    def raw_objects(self, path: str) -> list[Json]:
        """The same, of nothing in particular."""
        return self.made[path]({"Name": "raw", "Index": 0, "Namespace": "raw"})


def config_map(filled: Mapping[str, Any]) -> list[Json]:
    """A ConfigMap that knows what it was filled with."""
    data = {"index": str(filled["Index"]), "of": str(filled.get("Word", ""))}
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data}]


def secret(filled: Mapping[str, Any]) -> list[Json]:
    """A Secret."""
    del filled
    return [{"apiVersion": "v1", "kind": "Secret", "metadata": {"generateName": "y"}}]


def namespace(filled: Mapping[str, Any]) -> list[Json]:
    """A Namespace of one's own."""
    del filled
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {}}]


def bad(filled: Mapping[str, Any]) -> list[Json]:
    """A ConfigMap that no cluster takes."""
    found = config_map(filled)
    return [{**each, "data": {"no such/key": "x"}} for each in found]


TEMPLATES = Templates(config_map=config_map, secret=secret, namespace=namespace, bad=bad)
FAST = config.TuningSet("fast", config.QpsLoad(10))


def spec(path: str = "config_map", basename: str = "", **more: Any) -> config.ObjectSpec:
    """An object of a bundle."""
    return config.ObjectSpec(basename or path.replace("_", "-"), path, **more)


def phase(replicas: int, *objects: config.ObjectSpec, **more: Any) -> config.Phase:
    """A phase in the first namespace, unless told otherwise."""
    where = more or {"namespace_range": config.NamespaceRange(1, 1)}
    return config.Phase(objects or (spec(),), replicas, "fast", **where)


def load(*steps: config.Step, **more: Any) -> config.Config:
    """A load with a tuning set of ten a second."""
    return config.Config(steps=steps, name="small", tuning_sets=(FAST,), **more)


class Rehearsal:
    """A load on an empty stage."""

    def __init__(
        self,
        loaded: config.Config,
        stage: Stage | None = None,
        *,
        templates: Templates = TEMPLATES,
        own: dict[str, type[Measurement[Any]]] | None = None,
        is_strict: bool = False,
    ) -> None:
        self.stage = stage or with_controllers()
        self.cluster = self.stage.cluster()
        streams = self.stage.streams
        measurements = Measurements(Registry(own), self.cluster, streams, Facilities())
        work = Work(loaded, templates, {"Word": "mapped"})
        self.run = LoadRun(work, self.cluster, measurements, streams, is_strict=is_strict)

    def finish(self) -> LoadRun:
        """Run it to its end."""
        self.run.start()
        self.stage.run_until(self.is_over)
        return self.run

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.run.is_over

    def names(self, kind: str, where: str | None = None) -> list[str]:
        """What there is of a kind, in order of creation."""
        found = self.stage.store.list(("v1", kind), namespace=where).items
        return [each["metadata"]["name"] for each in found]


def with_controllers() -> Stage:
    """A stage on which namespaces go when they are deleted."""
    stage = Stage(seed=1, implicit_namespaces=False)
    stage.add_controllers()
    return stage
