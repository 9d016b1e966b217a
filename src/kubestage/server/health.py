"""``/healthz``, ``/livez`` and ``/readyz``, in the words of the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server import routing
from kubestage.server.response import TEXT, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.live import Live
    from kubestage.server.request import Request

    HealthCheck = Callable[[Live], str]

_NO_SNIFFING: Final = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-cache")]


def _is_there(_live: Live) -> str:
    """A server that answers is there."""
    return ""


def storage_problem(live: Live) -> str:
    """Whether what is written can be kept."""
    failure = getattr(live.durability, "failure", None)
    return str(failure) if failure else ""


def _has_clock(live: Live) -> str:
    """Whether time passes, if it is to: a plugin may have broken the stage."""
    return str(getattr(live.pace, "failure", ""))


_HOOKS: Final = (
    "start-apiserver-admission-initializer", "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer", "priority-and-fairness-filter",
    "storage-object-count-tracker-hook", "storage-readiness", "start-apiextensions-informers",
    "start-apiextensions-controllers", "crd-informer-synced", "start-system-namespaces-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "start-legacy-token-tracking-controller", "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles", "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer", "bootstrap-controller",
    "start-kubernetes-service-cidr-controller", "aggregator-reload-proxy-client-cert",
    "start-kube-aggregator-informers", "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller", "apiservice-registration-controller",
    "apiservice-discovery-controller", "kube-apiserver-autoregistration",
)  # fmt: skip
_LAST_HOOKS: Final = ("apiservice-openapi-controller", "apiservice-openapiv3-controller")


def _hooks(names: tuple[str, ...]) -> dict[str, HealthCheck]:
    """What an API server does when it starts; this one begins to answer when all is done."""
    return {f"poststarthook/{name}": _is_there for name in names}


_CHECKS: Final[dict[str, HealthCheck]] = {
    "ping": _is_there,
    "log": _is_there,
    "etcd": storage_problem,
    **_hooks(_HOOKS),
    "autoregister-completion": _is_there,
    **_hooks(_LAST_HOOKS),
    "clock": _has_clock,
}
# What can be wrong, by the name of the check; each returns the problem, or nothing.
_OF_ROOT: Final[dict[str, dict[str, HealthCheck]]] = {
    "healthz": _CHECKS,
    "livez": _CHECKS,
    "readyz": {
        "ping": _is_there,
        "log": _is_there,
        "etcd": storage_problem,
        "etcd-readiness": storage_problem,
        "informer-sync": _is_there,
        **_CHECKS,
        "shutdown": _is_there,
    },
}


def outcomes(live: Live) -> dict[tuple[str, str], bool]:
    """Whether all is well, by the name of each check and the path that it belongs to."""
    return {
        (name, root): not check(live)
        for root, checks in _OF_ROOT.items()
        for name, check in checks.items()
    }


async def handle(live: Live, request: Request) -> Response:
    """All checks, or the one that the path names."""
    root, _, check_name = request.path[1:].rstrip("/").partition("/")
    checks = _OF_ROOT[root]
    if not check_name:
        return _all(live, request, root, checks)
    check = checks.get(check_name)
    if check is None:
        raise routing.no_such_page()
    problem = check(live)
    if problem:
        return _text(f"internal server error: {problem}\n", 500)
    return _text("ok")


def _all(live: Live, request: Request, root: str, checks: dict[str, HealthCheck]) -> Response:
    excluded = request.query.get("exclude") or []
    unknown = sorted(set(excluded) - set(checks))
    lines = []
    failed = False
    for name, check in checks.items():
        if name in excluded:
            lines.append(f"[+]{name} excluded: ok\n")
        elif check(live):
            failed = True
            lines.append(f"[-]{name} failed: reason withheld\n")
        else:
            lines.append(f"[+]{name} ok\n")
    if unknown:
        shown = ",".join(f'"{name}"' for name in unknown)
        problem = "some health checks cannot be excluded: no matches for"
        lines.append(f"warn: {problem} {shown}\n")
    if failed:
        return _text(f"{''.join(lines)}{root} check failed\n", 500)
    if "verbose" not in request.query:
        return _text("ok")
    return _text(f"{''.join(lines)}{root} check passed\n")


def _text(text: str, status: int = 200) -> Response:
    return Response(status, text.encode(), TEXT, _NO_SNIFFING)
