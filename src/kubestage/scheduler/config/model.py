"""The configuration, defaulted and typed: what the rest of the scheduler reads.

Field for field the ``v1`` API; `to_dict` gives it back. Durations stay in Go's notation, with a
property in nanoseconds beside those that the scheduler uses. Nothing here is ever changed in
place: `replace` makes a new value.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.golang import durations

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"
KIND: Final = "KubeSchedulerConfiguration"
DEFAULT_SCHEDULER: Final = "default-scheduler"

replace = msgspec.structs.replace


class _Struct(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True,
    forbid_unknown_fields=True,
):  # fmt: skip
    """Camel-cased in JSON; what has a default is left out where it holds that default."""


class Plugin(_Struct, frozen=True, kw_only=True):
    """A plugin named at an extension point; 0 stands for no weight given."""

    name: str
    weight: int


class PluginSet(_Struct, frozen=True, kw_only=True):
    """What an extension point enables, in order, and which defaults it must not have."""

    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()


class PluginConfig(_Struct, frozen=True, kw_only=True):
    """Arguments of one plugin: defaulted ``v1`` JSON for kubestage's own, as given for others."""

    name: str
    args: Any


class SchedulerProfile(_Struct, frozen=True, kw_only=True):
    """What pods get that name this profile in ``spec.schedulerName``."""

    scheduler_name: str
    percentage_of_nodes_to_score: int | None = None
    plugins: dict[str, PluginSet]
    plugin_config: tuple[PluginConfig, ...] = ()


class LeaderElection(_Struct, frozen=True, kw_only=True):
    """Accepted and validated; a simulated scheduler has no rival."""

    leader_elect: bool
    lease_duration: str
    renew_deadline: str
    retry_period: str
    resource_lock: str
    resource_name: str
    resource_namespace: str


class ClientConnection(_Struct, frozen=True, kw_only=True):
    """Accepted and validated; a simulated scheduler needs no connection."""

    kubeconfig: str
    accept_content_types: str
    content_type: str
    qps: int | float
    burst: int


class ExtenderManagedResource(_Struct, frozen=True, kw_only=True):
    """A resource that an extender looks after."""

    name: str
    ignored_by_scheduler: bool = False


class ExtenderTLSConfig(_Struct, frozen=True, kw_only=True):
    """How an extender's certificate is checked and which one is shown to it (data in base64)."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: str = ""
    key_data: str = ""
    ca_data: str = ""


class Extender(_Struct, frozen=True, kw_only=True):
    """An HTTP service that takes part in scheduling."""

    url_prefix: str
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: int = 0
    bind_verb: str = ""
    enable_https: bool = msgspec.field(default=False, name="enableHTTPS")
    tls_config: ExtenderTLSConfig | None = None
    http_timeout: str
    node_cache_capable: bool = False
    managed_resources: tuple[ExtenderManagedResource, ...] = ()
    ignorable: bool = False

    @property
    def http_timeout_ns(self) -> int:
        """How long an answer may take."""
        return durations.parse_duration(self.http_timeout)


class SchedulerConfiguration(_Struct, frozen=True, kw_only=True):
    """A KubeSchedulerConfiguration with every default filled in."""

    parallelism: int
    leader_election: LeaderElection
    client_connection: ClientConnection
    enable_profiling: bool
    enable_contention_profiling: bool
    percentage_of_nodes_to_score: int
    pod_initial_backoff_seconds: int
    pod_max_backoff_seconds: int
    profiles: tuple[SchedulerProfile, ...]
    extenders: tuple[Extender, ...] = ()
    delay_cache_until_active: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The ``v1`` object, sharing nothing with this value."""
        fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {"apiVersion": API_VERSION, "kind": KIND, **fields}

    def profile(self, scheduler_name: str) -> SchedulerProfile | None:
        """The profile of that name."""
        for profile in self.profiles:
            if profile.scheduler_name == scheduler_name:
                return profile
        return None
