"""Random operations on a store, beside a naive model of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import hypothesis.strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from kubestage.errors import AlreadyExists, Conflict, Expired, NotFound
from kubestage.store.deletion import DeleteOptions
from tests.store.naive_model import SELECTORS, Model, OpenWatch, Ref, matches
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.log import Change

NAMES = st.sampled_from(["a", "b", "c", "d"])
NAMESPACES = st.sampled_from(["default", "kube-system"])
VALUES = st.sampled_from(["1", "2"])
KINDS = st.sampled_from([CONFIG_MAP, POD])
SELECTED = st.sampled_from(SELECTORS)


class StoreMachine(RuleBasedStateMachine):
    """Drives a store and the model side by side."""

    watches = Bundle("watches")

    @initialize(history=st.sampled_from([3, 12, 1_000]))
    def begin(self, history: int) -> None:
        self.history = history
        self.store = make_store(history=history)
        self.first = int(self.store.resource_version)
        self.model = Model(CONFIG_MAP, POD)
        self.told: list[Change] = []
        self.store.subscribe(self.told.append)

    # What can happen.

    @rule(kind=KINDS, name=NAMES, namespace=NAMESPACES, x=st.none() | VALUES)
    def create(self, kind: Ref, name: str, namespace: str, x: str | None) -> None:
        make = config_map if kind == CONFIG_MAP else pod
        labels = {"labels": {"x": x}} if x else {}
        key = f"{namespace}/{name}"
        try:
            created = self.store.create(make(name, namespace, **labels))
        except AlreadyExists:
            assert key in self.model.now[kind]
        else:
            assert key not in self.model.now[kind]
            self.model.note(kind, key, created)

    @rule(kind=KINDS, name=NAMES, namespace=NAMESPACES, x=st.none() | VALUES, stale=st.booleans())
    def update(self, kind: Ref, name: str, namespace: str, x: str | None, stale: bool) -> None:
        key = f"{namespace}/{name}"
        known = self.model.now[kind].get(key)
        patch: dict[str, Any] = {"metadata": {"labels": {"x": x}}}
        if stale and known is not None:
            version = int(known["metadata"]["resourceVersion"]) - 1
            patch["metadata"]["resourceVersion"] = str(version)
        try:
            updated = self.store.patch(kind, name, patch, namespace)
        except NotFound:
            assert known is None
        except Conflict:
            assert stale
        else:
            assert known is not None
            assert not stale
            assert updated["metadata"].get("labels", {}).get("x") == x
            if known["metadata"].get("labels", {}).get("x") == x:
                assert updated is known
            else:
                self.model.note(kind, key, updated)

    @rule(name=NAMES, namespace=NAMESPACES, node=VALUES)
    def bind(self, name: str, namespace: str, node: str) -> None:
        key = f"{namespace}/{name}"
        try:
            bound = self.store.bind(name, namespace, f"n{node}")
        except NotFound:
            assert key not in self.model.now[POD]
        except Conflict:
            assert self.model.now[POD][key]["spec"]["nodeName"]
        else:
            self.model.note(POD, key, bound)

    @rule(name=NAMES, namespace=NAMESPACES)
    def delete_config_map(self, name: str, namespace: str) -> None:
        key = f"{namespace}/{name}"
        try:
            result = self.store.delete(CONFIG_MAP, name, namespace)
        except NotFound:
            assert key not in self.model.now[CONFIG_MAP]
        else:
            assert result.removed
            self.model.note_removal(CONFIG_MAP, key, int(self.store.resource_version))

    @rule(name=NAMES, namespace=NAMESPACES)
    def delete_pod(self, name: str, namespace: str) -> None:
        """Without grace a pod is marked first and removed next: two versions."""
        key = f"{namespace}/{name}"
        before = int(self.store.resource_version)
        try:
            options = DeleteOptions(grace_period_seconds=0)
            last = self.store.delete(POD, name, namespace, options).object
        except NotFound:
            assert key not in self.model.now[POD]
        else:
            metadata = {**last["metadata"], "resourceVersion": str(before + 1)}
            self.model.note(POD, key, {**last, "metadata": metadata})
            self.model.note_removal(POD, key, before + 2)

    @rule(
        target=watches,
        kind=KINDS,
        namespace=st.none() | NAMESPACES,
        selector=SELECTED,
        back=st.integers(0, 30),
    )
    def watch(
        self, kind: Ref, namespace: str | None, selector: tuple[str, str], back: int
    ) -> OpenWatch | None:
        """Begin, or resume, at any version there ever was."""
        revision = max(self.first, int(self.store.resource_version) - back)
        labels, fields = selector
        try:
            watch = self.store.watch(
                kind,
                namespace,
                label_selector=labels,
                field_selector=fields,
                resource_version=str(revision),
            )
        except Expired:
            assert self.model.changes_after(kind, revision) > self.history
            return None
        return OpenWatch(watch, kind, namespace, selector, revision)

    @rule(opened=watches)
    def poll(self, opened: OpenWatch | None) -> None:
        if opened is None:
            return
        expected = self.model.expected_events(opened)
        try:
            events = opened.watch.poll()
        except Expired:
            assert self.model.changes_after(opened.kind, opened.revision) > self.history
            return
        told = [
            (
                event.type,
                "{namespace}/{name}".format(**event.object["metadata"]),
                int(event.object["metadata"]["resourceVersion"]),
            )
            for event in events
        ]
        assert told == expected
        opened.revision = int(self.store.resource_version)

    @rule(
        kind=KINDS,
        namespace=st.none() | NAMESPACES,
        selector=SELECTED,
        limit=st.integers(0, 3),
        changes=st.lists(st.tuples(NAMES, st.booleans()), max_size=3),
    )
    def list_in_pages(
        self,
        kind: Ref,
        namespace: str | None,
        selector: tuple[str, str],
        limit: int,
        changes: list[tuple[str, bool]],
    ) -> None:
        """Pages show the moment of the first, whatever happens between them."""
        labels, fields = selector
        begun = int(self.store.resource_version)
        found, token = [], ""
        while True:
            try:
                page = self.store.list(
                    kind,
                    namespace,
                    label_selector=labels,
                    field_selector=fields,
                    limit=limit,
                    continue_token=token,
                )
            except Expired:
                assert self.history < 100
                return
            assert page.resource_version == str(begun)
            found += page.items
            token = page.continue_token
            if not token:
                break
            for name, created in changes:
                if created:
                    self.create(CONFIG_MAP, name, "default", "1")
                else:
                    self.delete_config_map(name, "default")
        then = self.model.at(kind, begun)
        assert found == [
            then[key] for key in sorted(then) if matches(then[key], namespace, selector)
        ]

    # What always holds.

    @invariant()
    def objects_are_those_of_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        for kind, objects in self.model.now.items():
            assert dict(self.store.read(kind)) == objects

    @invariant()
    def indexes_equal_a_scan(self) -> None:
        if not hasattr(self, "store"):
            return
        for kind in (CONFIG_MAP, POD):
            collection = self.store.ledger.collection(self.store.kind(kind))
            by_label: dict[tuple[str, str], set[str]] = {}
            by_node: dict[str, set[str]] = {}
            for key, obj in collection.objects.items():
                for pair in obj["metadata"].get("labels", {}).items():
                    by_label.setdefault(pair, set()).add(key)
                if kind == POD:
                    by_node.setdefault(obj["spec"].get("nodeName", ""), set()).add(key)
            assert collection.labels.as_pairs() == by_label
            assert collection.keys(None) == sorted(collection.objects)
            for field, index in collection.fields.items():
                assert field == "spec.nodeName"
                assert {value: set(keys) for value, keys in index.buckets().items()} == by_node

    @invariant()
    def subscribers_heard_everything_once(self) -> None:
        if not hasattr(self, "store"):
            return
        assert [(each.revision, each.key) for each in self.told] == [
            (each[0], each[2]) for each in self.model.changes
        ]


StoreMachine.TestCase.settings = hypothesis.settings(
    max_examples=60, stateful_step_count=40, deadline=None
)
TestStore = StoreMachine.TestCase
