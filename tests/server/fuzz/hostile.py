"""Requests that somebody made up to do harm, each by its name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.server.fuzz.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

HEADERS = ((b"accept", b"application/json"), (b"host", b"localhost"), (b"user-agent", b"fuzz/1.0"))
NAMESPACE = "/api/v1/namespaces/hostile"
PODS = f"{NAMESPACE}/pods"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DELETION = "controller.kubernetes.io/pod-deletion"
PATTERNS = ("(a+)+$", "^(a|aa)+$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?=a)", "\\1",
    "a{99999}",
            "((((((((((a{99}){99}){99}", "[[:alpha:]]", "(?P<n>a)", "\\pL", "(",
            "[z-a]")  # fmt: skip
RULES = (
    "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d != 'x'))))",
    "self.map(a, self.map(b, self.map(c, a + b + c))).size() > 0",
    "self.exists(x, x.matches('(a+)+$'))",
    "oldSelf == self", "self[", "1/0 == 1", "self.size() > 99999999999999999999999", "x", "",
    "'a'.matches('(')", "self == " + "(" * 300 + "1" + ")" * 300, "a" * 20_000,
    "!" * 3000 + "true", "duration(self[0]) > duration('99999999999h')", "has(self.a.b)",
    " + ".join(["self[0]"] * 2000) + " == ''", "[self, self].map(x, [x, x]).size() == 2",
)  # fmt: skip
QUANTITIES = (
    "1e99999999", "1e999999999999999999", "9" * 4000, "0." + "0" * 4000 + "1", "-1e-99999999", "1E",
    "1Ei1", "123456789012345678901234567890Ei", "1e", "0x1", "１", "1e+-1", "+.",
    "1" + "0" * 30 + "n",
)  # fmt: skip
PATHS = (".." * 200, ".a" * 500, ".spec" + "[0]" * 500, ".a[?(@.b=='c')]", "{..}", ".*", "..",
    "[", ".a[1:2:3]",
         ".spec.a[-1]", "$.a", ".metadata['name']", ".spec..name" * 20)  # fmt: skip
SELECTORS = ("a in (" + "b," * 5000 + "c)", "a=b," * 3000 + "c", "!" * 3000, "(" * 3000,
    "a" * 9000 + "=b",
             "a=b,\x00", "metadata.name=" + "\\" * 3001, "x in (,,,)", "a notin",
             "é=é")  # fmt: skip


def post(path: str, body: Any) -> Wire:
    """A new object."""
    return write("POST", path, body, "application/json")


def write(method: str, path: str, body: Any, form: str, query: bytes = b"fieldManager=m") -> Wire:
    """A request with a body."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Wire(method, path, query, (*HEADERS, (b"content-type", form.encode())), data)


def definition(name: str, schema: Any, **version: Any) -> Json:
    """A custom resource whose objects have a field `spec` of that schema."""
    shape = {"type": "object", "properties": {"spec": schema}}
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": shape}}
    names = {"plural": f"{name}s", "kind": name.capitalize(), "singular": name}
    spec = {"group": "fuzz.io", "scope": "Namespaced", "names": names}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}s.fuzz.io"},
        "spec": {**spec, "versions": [{**served, **version}]},
    }


def instance(name: str, spec: Any) -> Wire:
    """An object of such a kind."""
    obj = {"apiVersion": "fuzz.io/v1", "kind": name.capitalize(), "metadata": {"name": "a"}}
    path = f"/apis/fuzz.io/v1/namespaces/hostile/{name}s"
    return post(path, {**obj, "spec": spec})


def pod(name: str = "a", metadata: Json | None = None, **spec: Any) -> Json:
    """A pod with something odd."""
    containers = [{"name": "c", "image": "x"}]
    named = {"name": name, **(metadata or {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": named,
        "spec": {"containers": containers, **spec},
    }


def first() -> Wire:
    """The namespace in which all of this happens."""
    return post(
        "/api/v1/namespaces",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "hostile"}},
    )


def patterns() -> Iterator[Wire]:
    """Regular expressions that take for ever where they are tried one way after the other."""
    text = "a" * 5000 + "!"
    for number, pattern in enumerate(PATTERNS):
        name = f"pattern{number}"
        schema = {"type": "array", "items": {"type": "string", "pattern": pattern}}
        yield post(DEFINITIONS, definition(name, schema))
        yield instance(name, [text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a" * 40])


def rules() -> Iterator[Wire]:
    """Rules that cost much, or mean nothing."""
    items = {"type": "array", "items": {"type": "string"}}
    for number, rule in enumerate(RULES):
        for bound in ({}, {"maxItems": 300}):
            name = f"rule{number}{'b' if bound else 'a'}"
            validations = [{"rule": rule, "message": "no"}]
            schema = {**items, **bound, "x-kubernetes-validations": validations}
            yield post(DEFINITIONS, definition(name, schema))
            yield instance(name, ["a" * 30 + "!"] * 300)
            yield instance(name, [])


def schemas() -> Iterator[Wire]:
    """Schemas that are large, deep, or refer to themselves."""
    deep: Any = {"type": "string"}
    for _ in range(80):
        deep = {"type": "object", "properties": {"a": deep}}
    value: Any = "x"
    for _ in range(80):
        value = {"a": value}
    wide = {"type": "object", "properties": {f"p{n}": {"type": "integer"} for n in range(5000)}}
    choices = [{"required": [f"a{n}"]} for n in range(300)]
    odd: tuple[Any, ...] = (
        deep, wide, {"$ref": "#"}, {"type": "string", "enum": list(map(str, range(20_000)))},
        {"type": "object", "oneOf": choices}, {"type": "object", "not": {"not": {"not": {}}}},
        {"type": "object", "additionalProperties": {"type": "object",
        "additionalProperties": True}},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"type": "integer",
        "maximum": 1e308},
        {"type": "string", "default": {"a": 1}}, {"type": "array", "default": [1],
        "items": {"type": "string"}},
        {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["x"]},
        {"type": "string", "format": "date-time"}, {"type": "string", "format": "nope",
        "maxLength": -1},
        {"x-kubernetes-int-or-string": True, "multipleOf": 0}, {"type": "number",
        "multipleOf": 1e-300},
        {"type": "array", "uniqueItems": True}, {"x-kubernetes-embedded-resource": True,
        "type": "object"},
        [], None, True, 1, {"type": ["a", "b"]}, {"type": None}, {"properties": []},
        {"items": [{}]},
    )  # fmt: skip
    values: tuple[Any, ...] = (
        value,
        "x",
        1e308,
        -0.0,
        [1] * 2000,
        {"a": {"b": []}},
        None,
        True,
        {"kind": 1},
        "2026",
    )
    for number, schema in enumerate(odd):
        yield post(DEFINITIONS, definition(f"schema{number}", schema))
        for each in values:
            yield instance(f"schema{number}", each)


def columns() -> Iterator[Wire]:
    """Paths into objects that lead anywhere."""
    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    deep: Any = {"name": "x"}
    for _ in range(60):
        deep = {"name": [deep, deep] if len(json.dumps(deep)) < 20_000 else deep}
    for number, path in enumerate(PATHS):
        name = f"column{number}"
        shown = [
            {"name": "x", "type": "string", "jsonPath": path},
            {"name": "y", "type": "date", "jsonPath": path},
        ]
        more: Json = {"additionalPrinterColumns": shown}
        if number % 2:
            scale = {
                "specReplicasPath": path,
                "statusReplicasPath": path,
                "labelSelectorPath": path,
            }
            more |= {
                "subresources": {"scale": scale, "status": {}},
                "selectableFields": [{"jsonPath": path}],
            }
        yield post(DEFINITIONS, definition(name, loose, **more))
        yield instance(name, deep)
        yield Wire("GET", f"/apis/fuzz.io/v1/namespaces/hostile/{name}s/a/scale", b"", HEADERS)


def numbers() -> Iterator[Wire]:
    """Numbers, times and schedules beyond all measure."""
    for number, text in enumerate(QUANTITIES):
        resources = {"limits": {"cpu": text, "memory": text}, "requests": {"example.com/x": text}}
        containers = [{"name": "c", "image": "x", "resources": resources}]
        yield post(PODS, pod(f"q{number}", containers=containers))
    schedules = ("0 0 31 2 *", "*/0 * * * *", "0-59/1 0-23/1 * * *", "99999999999 * * * *",
    "* * * * * * *",
                 "@every 0s", "@every 1ns", "TZ=../../etc/passwd * * * * *",
                 "CRON_TZ=Mars/X 1 1 1 1 1")  # fmt: skip
    for number, schedule in enumerate(schedules):
        job = {
            "spec": {
                "template": {
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}
                }
            }
        }
        spec = {"schedule": schedule, "jobTemplate": job, "timeZone": "../../../etc/passwd"}
        for each in (spec, {key: spec[key] for key in ("schedule", "jobTemplate")}):
            meta = {"generateName": f"c{number}-"}
            cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": each}
            yield post("/apis/batch/v1/namespaces/hostile/cronjobs", cron)
    for value in (2**63 - 1, 2**62, 10**18):
        limits: Json = {"activeDeadlineSeconds": value, "terminationGracePeriodSeconds": value}
        yield post(PODS, pod(f"n{value}", **limits))
        yield write("DELETE", f"{PODS}/n{value}", {"gracePeriodSeconds": value}, "application/json")


def lists() -> Iterator[Wire]:
    """Selectors and tokens that no client makes."""
    for selector in SELECTORS:
        for name in ("labelSelector", "fieldSelector"):
            query = urlencode({name: selector}).encode()
            yield Wire("GET", PODS, query, HEADERS)
            yield Wire("GET", PODS, query + b"&watch=1", HEADERS)
            yield Wire("DELETE", PODS, query, HEADERS)


def patches() -> Iterator[Wire]:
    """Patches that grow, nest or tear."""
    path = f"{NAMESPACE}/configmaps/p"
    made = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "p"},
        "data": {"a": "x" * 900},
    }
    yield post(f"{NAMESPACE}/configmaps", made)
    double = [{"op": "copy", "from": "/data", "path": f"/data/x{n}"} for n in range(60)]
    yield write("PATCH", path, double, "application/json-patch+json")
    yield write("PATCH", path, [{"op": "test", "path": ""}] * 10_001, "application/json-patch+json")
    deeper = [{"op": "add", "path": "/data" + "/a" * n, "value": {"a": {}}} for n in range(1, 400)]
    yield write("PATCH", path, deeper, "application/json-patch+json")
    yield write(
        "PATCH", path, [{"op": "add", "path": "/a" * 100_000}], "application/json-patch+json"
    )
    odd: tuple[Any, ...] = (
        {"metadata": {"managedFields": [{}]}},
        {"metadata": {"managedFields": [{"fieldsV1": {"f:": 1}}]}},
        {"metadata": {"managedFields": None}}, {"data": {"$patch": "delete"}},
        {"$patch": "replace"},
        {"metadata": {"finalizers": ["a/b"], "$deleteFromPrimitiveList/finalizers": [1]}},
        {"metadata": {"ownerReferences": [{"$patch": "delete"}]}}, {"$retainKeys": [None]},
        {"$setElementOrder/": []},
    )  # fmt: skip
    for body in odd:
        for form in ("strategic-merge-patch+json", "merge-patch+json", "apply-patch+yaml"):
            typed = {"apiVersion": "v1", "kind": "ConfigMap", **body}
            yield write("PATCH", path, typed, f"application/{form}")


def long_integers() -> Iterator[Wire]:
    """Integers of more digits than Python reads, in every place that holds one."""
    digits = "7" * 5000
    yield post(PODS, pod("l0", metadata={"annotations": {f"{DELETION}-cost": digits}}))
    yield post(PODS, pod("l1", tolerations=[{"operator": "Lt", "key": "a", "value": digits}]))
    yield post(PODS, pod("l2"))
    patch = [{"op": "add", "path": f"/spec/containers/{digits}", "value": 1}]
    yield write("PATCH", f"{PODS}/l2", patch, "application/json-patch+json")
    for body in (f'{{"metadata": {{"generation": {digits}}}}}', f'{{"spec": -{digits}}}'):
        for form in ("strategic-merge-patch+json", "merge-patch+json", "apply-patch+yaml"):
            yield write("PATCH", f"{PODS}/l2", body.encode(), f"application/{form}")
    head = '"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "l3"}, "spec": '
    for spec in (f'{{"priority": {digits}}}', f'{{"x": {digits}}}', f'{{"x": 1e{digits}}}'):
        for form in ("json", "yaml"):
            yield write("POST", PODS, f"{{{head}{spec}}}".encode(), f"application/{form}")
    yield Wire("GET", PODS, f"limit={digits}&timeoutSeconds={digits}".encode(), HEADERS, b"")
    yield Wire(
        "GET", PODS, f"labelSelector=a+in+({digits})&continue={digits}".encode(), HEADERS, b""
    )
    yield Wire("GET", PODS, f"resourceVersion={digits}".encode(), HEADERS, b"")


GROUPS = {
    each.__name__: each
    for each in (patterns, rules, schemas, columns, numbers, lists, patches, long_integers)
}
