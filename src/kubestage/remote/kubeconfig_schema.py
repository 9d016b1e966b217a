"""The types of a kubeconfig. Keys that are not read here are ignored."""

from __future__ import annotations

import msgspec


class ClusterEntry(msgspec.Struct, frozen=True, rename="kebab"):
    """Where a cluster is, and how to know that it is the one."""

    server: str = ""
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""


class Variable(msgspec.Struct, frozen=True):
    """An environment variable of an exec plugin."""

    name: str
    value: str = ""


class ExecEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A program that provides credentials."""

    command: str
    api_version: str = ""
    args: list[str] | None = None
    env: list[Variable] | None = None
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class UserEntry(msgspec.Struct, frozen=True, rename="kebab"):
    """A user. Never shown: a trace or a log must not contain secrets."""

    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    username: str = ""
    password: str = ""
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    impersonate: str = msgspec.field(default="", name="as")
    impersonate_uid: str = msgspec.field(default="", name="as-uid")
    impersonate_groups: list[str] | None = msgspec.field(default=None, name="as-groups")
    impersonate_extra: dict[str, list[str]] | None = msgspec.field(
        default=None, name="as-user-extra"
    )
    exec: ExecEntry | None = None
    auth_provider: dict[str, object] | None = None

    def __repr__(self) -> str:
        return "UserEntry(...)"


class ContextEntry(msgspec.Struct, frozen=True):
    """Which user connects to which cluster."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class NamedCluster(msgspec.Struct, frozen=True):
    """A cluster with its name."""

    name: str
    cluster: ClusterEntry


class NamedUser(msgspec.Struct, frozen=True):
    """A user with its name."""

    name: str
    user: UserEntry


class NamedContext(msgspec.Struct, frozen=True):
    """A context with its name."""

    name: str
    context: ContextEntry


class KubeconfigFile(msgspec.Struct, frozen=True, rename="kebab"):
    """One file."""

    current_context: str = ""
    clusters: list[NamedCluster] | None = None
    users: list[NamedUser] | None = None
    contexts: list[NamedContext] | None = None
