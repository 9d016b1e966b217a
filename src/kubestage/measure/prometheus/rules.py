"""The recording rules that ClusterLoader2 gives its Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.promql.recording import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL: Final = "resource, subresource, verb, scope, le"
_QUANTILES: Final = (("0.99", 0.99), ("0.90", 0.9), ("0.50", 0.5))
_BY_VERSION: Final = (
    ("duration", 'major="[0-1]",minor=~"^([0-9]|1[0-9]|2[0-2])$"'),
    ("slo_duration", 'major="1",minor=~"^2[3-5]$"'),
    ("sli_duration", 'major="1",minor=~"^(2[6-9]|[3-9][0-9])$"'),
)


def _histogram(record: str, inner: str, labels: str) -> Iterator[Rule]:
    for text, q in _QUANTILES:
        yield Rule(
            record, f"histogram_quantile({q}, sum({inner}) by ({labels}))", {"quantile": text}
        )


def _rules() -> Iterator[Rule]:
    yield Rule(
        "apiserver:request_latency:rate5m",
        " or ".join(
            f"rate(apiserver_request_{metric}_seconds_bucket[5m]) "
            f"and on (job) kubernetes_build_info{{{version}}}"
            for metric, version in _BY_VERSION
        ),
    )
    yield from _histogram(
        "apiserver:apiserver_request_latency:histogram_quantile",
        "apiserver:request_latency:rate5m",
        _CALL,
    )
    for record, metric in (
        ("probes:in_cluster_network_latency", "probes_in_cluster_network_latency"),
        ("probes:dns_lookup_latency", "probes_in_cluster_dns_latency"),
    ):
        yield from _histogram(
            f"{record}:histogram_quantile", f"rate({metric}_seconds_bucket[5m])", "le"
        )
    yield Rule(
        "probes:dns_propagation_average",
        "sum(max_over_time(probes_dns_propagation_seconds[1h]))"
        "/sum(max_over_time(probes_dns_propagation_count[1h]))",
    )
    proxy = "rate(kubeproxy_network_programming_duration_seconds_bucket[5m])"
    for suffix, labels in (("", "le"), ("_by_pod", "le, pod")):
        yield from _histogram(
            f"kubeproxy:kubeproxy_network_programming_duration:histogram_quantile{suffix}",
            proxy,
            labels,
        )
    for word in ("", "slo_", "sli_"):
        yield from _histogram(
            f"apiserver:apiserver_request_{word}latency_1m:histogram_quantile",
            f"rate(apiserver_request_{word}duration_seconds_bucket[1m])",
            _CALL,
        )


RULES: Final = tuple(_rules())
INTERVAL_MS: Final = 30_000
"""How often a Prometheus evaluates them by default."""
