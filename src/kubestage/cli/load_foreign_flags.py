"""Flags of ClusterLoader2 that have no meaning for ``kubestage load``: each with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAVE_OUT: Final = "leave it out"
_PROMETHEUS: Final = (
    "no Prometheus is installed: a stage answers PromQL itself",
    "leave it out; on a real cluster name its Prometheus with --prometheus-url",
)
_ETCD: Final = ("etcd is not reached by its own port or over SSH", _LEAVE_OUT)
_MASTER: Final = (
    "the control plane is found by its nodes, and reached through the API server",
    "leave it out; SchedulingMetrics has the parameter masterName",
)
_LOG: Final = ("there is no log: progress and warnings are printed", _LEAVE_OUT)
_IMAGES: Final = ("images are not loaded on nodes beforehand", _LEAVE_OUT)
_EXEC_SERVICE: Final = ("there is no exec service: what needs it is skipped", _LEAVE_OUT)
_NAMESPACES: Final = "--overwrite-test-config Namespace."
_FLAGS: Final[dict[str, tuple[str, str]]] = {
    "--enable-prometheus-server": _PROMETHEUS,
    "--tear-down-prometheus-server": _PROMETHEUS,
    "--enable-pushgateway": _PROMETHEUS,
    "--enable-exec-service": _EXEC_SERVICE,
    "--masterip": _MASTER,
    "--mastername": _MASTER,
    "--master-internal-ip": _MASTER,
    "--master-endpoint": _MASTER,
    "--apiserver-pprof-by-client-enabled": ("profiles are requested if they answer", _LEAVE_OUT),
    "--kubelet-port": ("kubelets are reached through the API server", _LEAVE_OUT),
    "--kubemark-root-kubeconfig": ("a cluster has one kubeconfig", _LEAVE_OUT),
    "--provider-configs": ("a provider has no configuration", _LEAVE_OUT),
    "--skip-cluster-verification": (
        "the number of nodes is needed",
        "leave it out, and name the number with --nodes",
    ),
    "--heap-profile-interval": ("this program has no heap profiles", _LEAVE_OUT),
    "--port": ("this program serves no profiles", _LEAVE_OUT),
    "--v": _LOG,
    "--vmodule": _LOG,
    "--alsologtostderr": _LOG,
    "--logtostderr": _LOG,
    "--stderrthreshold": _LOG,
    "--delete-stale-namespaces": (
        "the configuration decides",
        f"write {_NAMESPACES}DeleteStaleNamespaces=true",
    ),
    "--delete-automanaged-namespaces": (
        "the configuration decides",
        f"write {_NAMESPACES}DeleteAutomanagedNamespaces=false to keep them",
    ),
}
_PREFIXES: Final[dict[str, tuple[str, str]]] = {
    "--prometheus-": _PROMETHEUS,
    "--experimental-": _PROMETHEUS,
    "--etcd-": _ETCD,
    "--node-preload-": _IMAGES,
    "--exec-": _EXEC_SERVICE,
    "--log-": _LOG,
    "--log_": _LOG,
}
_OWN: Final = frozenset(("--prometheus-url",))


def refuse(arguments: Sequence[str]) -> None:
    """Refuse the first such flag, with the reason and the fix."""
    for argument in arguments:
        if argument == "--":
            return
        flag = argument.partition("=")[0]
        found = None if flag in _OWN else _FLAGS.get(flag) or _by_prefix(flag)
        if found is not None:
            reason, fix = found
            raise InputError(f"has no meaning here: {reason}", path=flag, fix=fix)


def _by_prefix(flag: str) -> tuple[str, str] | None:
    return next((each for prefix, each in _PREFIXES.items() if flag.startswith(prefix)), None)
