"""Requests that are nearly those of real clients."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from tests.server.fuzz import bodies, values

if TYPE_CHECKING:
    import random

    from tests.server.fuzz.bodies import Pool
    from tests.server.fuzz.wire import Wire

METHODS = (
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get",
    "FOO", "",
)  # fmt: skip
SEGMENTS = (
    "", ".", "..", "*", " ", "\x00", "\n", "é", "日本", "\U0001f600", "�", "%2e", "a" * 300,
    "a" * 9000,
    "status", "scale", "log", "binding", "eviction", "token", "finalize", "exec", "proxy", "resize",
    "ephemeralcontainers", "approval", "watch", "namespaces", "pods", "deployments", "events",
    "default", "v1", "v2", "apis", "api", "apps", "autoscaling", "a:b", "a;b", "0", "-1", "null",
)  # fmt: skip
ROOTS = (
    "", "/", "//", "/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version",
    "/metrics",
    "/healthz/ping", "/livez", "/readyz/x", "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1",
    "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/x/v1", "/api/v1/componentstatuses/x",
    "/apis/metrics.k8s.io/v1beta1/nodes", "/apis/metrics.k8s.io/v1beta1/pods/x", "*", "a",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/kubestage/v1",
    "/kubestage/v1/clock",
    "/kubestage/v1/openapi", "/kubestage/v1/export", "/kubestage/v1/runs/a/tables/b",
    "/kubestage/v1/explanations/default/a", "/kubestage/v2", "/favicon.ico", "/etc/passwd",
    "/api/v1/watch/pods", "/api/v1/namespaces/default/pods/a/log", "/ui/../../etc/passwd",
    "/kubestage/v1/scheduler/configuration", "/kubestage/v1/runs", "/logs", "/apis/apps/v1/watch",
)  # fmt: skip
PARAMETERS = (
    "watch", "limit", "continue", "resourceVersion", "resourceVersionMatch", "labelSelector",
    "fieldSelector", "timeoutSeconds", "allowWatchBookmarks", "sendInitialEvents", "dryRun",
    "fieldManager", "fieldValidation", "force", "gracePeriodSeconds", "propagationPolicy",
    "orphanDependents", "pretty", "includeObject", "follow", "tailLines", "sinceSeconds",
    "sinceTime", "container", "previous", "limitBytes", "timestamps", "stream", "hash", "timeout",
    "ignoreStoreReadErrorWithClusterBreakingPotential", "", "x", "format", "mode", "wait",
)  # fmt: skip
QUERY_VALUES = (
    "1", "0", "true", "false", "TRUE", "t", "x", "-1", "2", "500", "9999999999999999999999", "1.5",
    "All", "None", "Orphan", "Background", "Foreground", "Exact", "NotOlderThan", "Strict", "Warn",
    "Ignore", "Table", "Metadata", "a=b", "a!=b", "a in (b,c)", "a notin ()", "!a", "a,,b", "a>1",
    "metadata.name=a", "metadata.namespace!=x", "spec.nodeName=", "status.phase=Running", "nope=1",
    "metadata.name=a,metadata.name=b", "a=b=c", "\\,=\\", "a==b", "a in", "(((", "a=" + "b" * 5000,
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
    "e30", "bnVsbA", "W10", "MQ==", "!!!", "\u00e9", "YWJj", "٣", "1_000", " 1", "1\n", "+1",
    "1e3",
)  # fmt: skip
ACCEPTS = (
    "", "*/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "text/html", "application/*",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Pod;v=v1",
    "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io", ";", ",", "a/b;q=x",
    "application/json;q=NaN", "application/json;q=inf,*/*;q=-1",
    "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    "application/json;stream=watch", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
    "application/json;as=Table", "a" * 5000, "\xff\xfe", "application/json;as=Table;as=Pod;v=;g=",
)  # fmt: skip


def mutated(wire: Wire, rng: random.Random, pool: Pool) -> Wire:
    """A request in which something, or a few things, are not as they were."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        wire = _once(wire, rng, pool)
    return wire


def _once(wire: Wire, rng: random.Random, pool: Pool) -> Wire:
    chance = rng.random()
    if wire.body and chance < 0.65:
        body, form = bodies.mutated(wire.body, rng, pool)
        made = wire._replace(body=body)
        if form in bodies.PATCHES and rng.random() < 0.9:
            made = made._replace(method="PATCH")
        return made.with_header(b"content-type", form.encode()) if form else made
    if chance < 0.75:
        return wire._replace(query=query(wire.query, rng))
    if chance < 0.85:
        return wire._replace(path=path(wire.path, rng))
    if chance < 0.92:
        return _headers(wire, rng)
    if chance < 0.97:
        return wire._replace(method=rng.choice(METHODS))
    return wire._replace(body=values.written(values.any_value(rng), rng))


def path(text: str, rng: random.Random) -> str:
    """Another path."""
    if rng.random() < 0.15:
        return rng.choice(ROOTS)
    parts = text.split("/")
    at = rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            del parts[at]
        case 1:
            parts.insert(at, rng.choice(SEGMENTS))
        case 2:
            parts[at] = rng.choice(SEGMENTS)
        case 3:
            parts.append(rng.choice(SEGMENTS))
        case 4:
            parts[at] += rng.choice(SEGMENTS)
        case _:
            parts = parts[: at + 1]
    return "/".join(parts)


def query(text: bytes, rng: random.Random) -> bytes:
    """Another query."""
    if rng.random() < 0.1:
        return values.altered_bytes(text, rng)
    pairs = parse_qsl(text.decode("latin-1"), keep_blank_values=True)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if pairs and rng.random() < 0.4:
            at = rng.randrange(len(pairs))
            pairs[at] = (pairs[at][0], rng.choice((*QUERY_VALUES, *values.STRINGS)))
        else:
            pairs.append((rng.choice(PARAMETERS), rng.choice(QUERY_VALUES)))
    encoded = urlencode(pairs, errors="surrogatepass", quote_via=quote)
    return encoded.encode()


def _headers(wire: Wire, rng: random.Random) -> Wire:
    if rng.random() < 0.5:
        return wire.with_header(b"accept", rng.choice(ACCEPTS).encode("latin-1"))
    forms = (*bodies.FORMS, "", "text/plain", "a/b; charset=utf-8", "application/json;x", "\xff")
    return wire.with_header(b"content-type", rng.choice(forms).encode("latin-1"))
