"""Whatever is done to pods and nodes, the kubelet's books agree with the store, and it rests."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.controllers.kubelet import progress
from kubestage.objects.views import pod as views
from tests.controllers.kubelet.clusters import NODE, POD, Cluster

CAPACITY = {"cpu": "2", "memory": "4Gi", "pods": "6"}
NAMES = [f"p{number}" for number in range(6)]
NODES = ["n1", "n2"]
PROBES = ["startup", "liveness", "readiness"]

seconds = st.integers(0, 90).map(lambda number: f"{number}s")
notes = st.fixed_dictionaries(
    {},
    optional={
        "launch-delay": seconds,
        "run-duration": st.one_of(seconds, st.just("exp(20s)")),
        "terminate-delay": st.one_of(seconds, st.just("uniform(1s,40s)")),
        "exit-code": st.sampled_from(["0", "1", "x"]),
        "image-size": st.sampled_from(["10Mi", "900Mi"]),
        "image-error": st.sampled_from(["", "not found"]),
        "failing-probes": st.sampled_from(["readiness", "liveness", "startup"]),
        "memory-usage": st.sampled_from(["10Mi", "10Mi+1Mi/s"]),
    },
)


@dataclasses.dataclass(frozen=True)
class Create:
    name: str
    node: str
    notes: dict[str, str]
    policy: str
    inits: int
    cpu: str


@dataclasses.dataclass(frozen=True)
class Delete:
    name: str
    grace: int | None


@dataclasses.dataclass(frozen=True)
class Annotate:
    name: str
    notes: dict[str, str]


@dataclasses.dataclass(frozen=True)
class Beat:
    node: str
    stopped: bool


@dataclasses.dataclass(frozen=True)
class Replace:
    node: str


@dataclasses.dataclass(frozen=True)
class Wait:
    duration: str


operations = st.one_of(
    st.builds(
        Create,
        st.sampled_from(NAMES),
        st.sampled_from([*NODES, "later", ""]),
        notes,
        st.sampled_from(["Always", "OnFailure", "Never"]),
        st.integers(0, 2),
        st.sampled_from(["100m", "1", "3"]),
    ),
    st.builds(Delete, st.sampled_from(NAMES), st.sampled_from([None, 0, 5])),
    st.builds(Annotate, st.sampled_from(NAMES), notes),
    st.builds(Beat, st.sampled_from(NODES), st.booleans()),
    st.builds(Replace, st.sampled_from([*NODES, "later"])),
    st.builds(Wait, seconds),
)


def carry_out(cluster: Cluster, operation: object) -> None:
    store = cluster.store
    if isinstance(operation, Wait):
        cluster.run(operation.duration)
    elif isinstance(operation, Create) and cluster.get(operation.name) is None:
        resources = {"requests": {"cpu": operation.cpu}, "limits": {"memory": "64Mi"}}
        probes = {f"{name}Probe": {"tcpSocket": {"port": 80}} for name in PROBES}
        box = {"name": "c", "image": "app:1", "resources": resources, **probes}
        inits = [{"name": f"i{n}", "image": "app:1"} for n in range(operation.inits)]
        if len(inits) > 1:
            inits[0]["restartPolicy"] = "Always"
        cluster.pod(
            operation.name,
            on=operation.node,
            annotations=operation.notes,
            containers=[box],
            initContainers=inits,
            restartPolicy=operation.policy,
        )
    elif isinstance(operation, Delete) and cluster.get(operation.name) is not None:
        cluster.delete(operation.name, operation.grace)
    elif isinstance(operation, Annotate) and cluster.get(operation.name) is not None:
        named = {f"kubestage.dev/{key}": text for key, text in operation.notes.items()}
        store.patch(POD, operation.name, {"metadata": {"annotations": named or None}})
    elif isinstance(operation, Beat) and operation.node in store.read(NODE):
        text = "stopped" if operation.stopped else None
        patch = {"metadata": {"annotations": {"kubestage.dev/heartbeat": text}}}
        store.patch(NODE, operation.node, patch)
    elif isinstance(operation, Replace):
        if operation.node in store.read(NODE):
            store.delete(NODE, operation.node)
        else:
            cluster.node(operation.node, status={"capacity": CAPACITY})


def check_books(cluster: Cluster) -> None:
    """Counts by node are those of the pods in the store that were taken and are not over."""
    for name, obj in cluster.store.read(NODE).items():
        node = cluster.kubelet.nodes.get(name)
        assert node is not None
        assert node.object is obj
        taken = [pod for pod in node.pods.values() if pod.node is node and not pod.is_over]
        requests = [views.of(cluster.store.read(POD)[pod.name]).requests for pod in taken]
        assert node.count == len(taken)
        assert node.milli_cpu == sum(each.milli_cpu for each in requests)
        addresses = [pod.ip for pod in taken if pod.ip]
        assert len(set(addresses)) == len(addresses)
    stored = {obj["metadata"]["uid"] for obj in cluster.store.read(POD).values()}
    assert set(cluster.kubelet.pods) <= stored
    for pod in cluster.kubelet.pods.values():
        assert pod.stock is not None
        assert pod in pod.stock.entities_in_stock()
        assert sum(1 for _ in filter(None, [pod.movement])) <= 1
    assert sum(progress.current_progress(cluster.kubelet)[:5]) == len(cluster.kubelet.pods)


@settings(max_examples=150, deadline=None)
@given(st.lists(operations, max_size=25))
def test_the_books_are_right_and_everything_comes_to_rest(done: list[object]) -> None:
    cluster = Cluster()
    for name in NODES:
        cluster.node(name, status={"capacity": CAPACITY})
    cluster.run("1s")
    for operation in done:
        carry_out(cluster, operation)
        cluster.run("1ms")
        check_books(cluster)
    for name in NODES:
        carry_out(cluster, Beat(name, stopped=False))
    cluster.run("1h")
    check_books(cluster)
    for pod in list(cluster.store.read(POD).values()):
        deletable = pod["spec"].get("nodeName", "") in cluster.store.read(NODE)
        cluster.delete(pod["metadata"]["name"], None if deletable else 0)
    cluster.run("10m")
    assert cluster.store.read(POD) == {}
    assert cluster.kubelet.pods == {}
    assert cluster.stage.environment.pending_count == 0
    for name in cluster.store.read(NODE):
        node = cluster.kubelet.nodes.get(name)
        assert node is not None
        assert (node.count, node.milli_cpu, node.memory, node.ports) == (0, 0, 0, {})


@settings(max_examples=25, deadline=None)
@given(st.lists(operations, max_size=15), st.integers(0, 3))
def test_the_same_seed_gives_the_same_history(done: list[object], seed: int) -> None:
    histories = []
    for _ in range(2):
        cluster = Cluster(seed=seed)
        for name in NODES:
            cluster.node(name, status={"capacity": CAPACITY})
        for operation in done:
            carry_out(cluster, operation)
        cluster.run("5m")
        events = cluster.store.list(("v1", "Event")).items
        histories.append((cluster.store.list(POD).items, events, cluster.movements()))
    assert histories[0] == histories[1]
