from __future__ import annotations

from typing import Any

from tests.store.samples import make_store

GROUP = "networking.k8s.io/v1"


def ingress_class(name: str, *, default: str = "true") -> dict[str, Any]:
    marked = {"ingressclass.kubernetes.io/is-default-class": default}
    return {
        "apiVersion": GROUP,
        "kind": "IngressClass",
        "metadata": {"name": name, "annotations": marked},
        "spec": {"controller": "example.com/ingress"},
    }


def ingress(name: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    metadata = {"name": name, "annotations": annotations or {}}
    spec = {"defaultBackend": backend, **spec}
    return {"apiVersion": GROUP, "kind": "Ingress", "metadata": metadata, "spec": spec}


def test_an_ingress_without_a_class_gets_the_default_one() -> None:
    store = make_store()
    assert "ingressClassName" not in store.create(ingress("a"))["spec"]
    store.create(ingress_class("off", default="false"))
    store.create(ingress_class("b"))
    store.create(ingress_class("a"))
    assert store.create(ingress("b"))["spec"]["ingressClassName"] == "a"


def test_whoever_names_a_class_in_either_way_gets_no_other() -> None:
    store = make_store()
    store.create(ingress_class("a"))
    assert store.create(ingress("a", ingressClassName="b"))["spec"]["ingressClassName"] == "b"
    old = ingress("b", {"kubernetes.io/ingress.class": "c"})
    assert "ingressClassName" not in store.create(old)["spec"]
