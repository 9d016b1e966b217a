"""Which cluster, and who is asking: kubeconfig files, or the pod that we run in.

Files are found, merged and read as kubectl does it: of several files the first that states
something has its way, and a relative path is relative to the file that it is written in.
"""

from __future__ import annotations

import os
import pathlib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import yaml_documents
from kubestage.remote.access import Access, Origin
from kubestage.remote.kubeconfig_schema import (
    ClusterEntry,
    ContextEntry,
    ExecEntry,
    KubeconfigFile,
    UserEntry,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT: Final = "~/.kube/config"
_ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_CLUSTER_FILES: Final = ("certificate_authority",)
_USER_FILES: Final = ("client_certificate", "client_key", "token_file")

_QUOTED: Final = re.compile(r"`[^`]*`")
_Entry = ClusterEntry | UserEntry | ContextEntry


def load(
    path: str | None = None, context: str = "", environment: Mapping[str, str] = os.environ
) -> Access:
    """The cluster of a context: of a file that is named, of KUBECONFIG, or of ``~/.kube/config``.

    Without a name the current context is taken.
    """
    merged = _Merged()
    for file in _files(path, environment):
        merged.add(file)
    if not merged.files:
        raise InputError(
            "no kubeconfig was found",
            file=path or environment.get("KUBECONFIG") or _DEFAULT,
            fix="name one with --kubeconfig, or set KUBECONFIG",
        )
    return merged.select(context)


def in_cluster(
    environment: Mapping[str, str] = os.environ, account: str | pathlib.Path = _ACCOUNT
) -> Access:
    """The cluster whose pod we run in, as its service account."""
    host, port = (environment.get(f"KUBERNETES_SERVICE_{each}", "") for each in ("HOST", "PORT"))
    folder = pathlib.Path(account)
    if not host or not port:
        raise InputError(
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
            fix="this is for programs in a pod; elsewhere name a kubeconfig",
        )
    token, authority = folder / "token", folder / "ca.crt"
    if not token.is_file():
        raise InputError(
            "there is no such file", file=str(token), fix="mount a service account token"
        )
    address = f"[{host}]" if ":" in host else host
    return Access(
        server=f"https://{address}:{port}",
        cluster=ClusterEntry(certificate_authority=str(authority) if authority.is_file() else ""),
        user=UserEntry(token_file=str(token)),
        origin=Origin(str(folder), "", ""),
    )


def _files(path: str | None, environment: Mapping[str, str]) -> list[pathlib.Path]:
    """The files to read; one that is named has to be there."""
    if path is not None:
        named = pathlib.Path(path).expanduser()
        if named.is_dir():
            raise InputError("is a folder", file=path, fix="name a kubeconfig in it")
        if not named.exists():
            raise InputError("there is no such file", file=path, fix="name a kubeconfig")
        return [named]
    listed = environment.get("KUBECONFIG", "")
    names = [name for name in listed.split(os.pathsep) if name] or [_DEFAULT]
    found = (pathlib.Path(name).expanduser() for name in dict.fromkeys(names))
    return [each for each in found if each.is_file()]


class _Merged:
    """Several files as one: what an earlier one states about a name holds."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._current = ""
        self._current_file = ""
        self._clusters: dict[str, tuple[ClusterEntry, str, str]] = {}
        self._users: dict[str, tuple[UserEntry, str, str]] = {}
        self._contexts: dict[str, tuple[ContextEntry, str, str]] = {}

    def add(self, path: pathlib.Path) -> None:
        file, folder = str(path), path.absolute().parent
        read = _read(path)
        self.files.append(file)
        if read.current_context and not self._current:
            self._current, self._current_file = read.current_context, file
        for at, cluster in enumerate(read.clusters or ()):
            entry = _absolute(cluster.cluster, _CLUSTER_FILES, folder)
            self._clusters.setdefault(cluster.name, (entry, file, f"clusters[{at}].cluster"))
        for at, user in enumerate(read.users or ()):
            who = _absolute(user.user, _USER_FILES, folder)
            who = msgspec.structs.replace(who, exec=_absolute_command(who.exec, folder))
            self._users.setdefault(user.name, (who, file, f"users[{at}].user"))
        for at, context in enumerate(read.contexts or ()):
            self._contexts.setdefault(
                context.name, (context.context, file, f"contexts[{at}].context")
            )

    def select(self, name: str) -> Access:
        """What a context means."""
        chosen = name or self._current
        if not chosen:
            raise InputError(
                "no context is chosen",
                file=self.files[0],
                path="current-context",
                fix=_choice(self._contexts),
            )
        if chosen not in self._contexts:
            raise InputError(
                f"there is no context {chosen!r}",
                file=self.files[0] if name else self._current_file,
                path="contexts" if name else "current-context",
                fix=_choice(self._contexts),
            )
        context, file, path = self._contexts[chosen]
        for kind, reference, known in (
            ("cluster", context.cluster, self._clusters),
            ("user", context.user, self._users),
        ):
            if reference not in known and (reference or kind == "cluster"):
                raise InputError(
                    f"there is no {kind} {reference!r}",
                    file=file,
                    path=f"{path}.{kind}",
                    fix=_choice(known),
                )
        cluster, cluster_file, cluster_path = self._clusters[context.cluster]
        user, user_file, user_path = self._users.get(context.user, (UserEntry(), file, path))
        if not cluster.server:
            raise InputError(
                "the server is missing",
                file=cluster_file,
                path=f"{cluster_path}.server",
                fix="write its address, as in https://10.0.0.1:6443",
            )
        return Access(
            server=_address(cluster, user),
            cluster=cluster,
            user=user,
            namespace=context.namespace or "default",
            origin=Origin(cluster_file, cluster_path, user_path, user_file),
        )


def _read(path: pathlib.Path) -> KubeconfigFile:
    try:
        text = reading.read(path, may_stream=True)
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", file=str(path)) from problem
    try:
        documents = [value for value, _, _ in yaml_documents.Reader(text).documents()]
    except InputError as problem:
        # Without its cause and without quotes: the text may hold a secret.
        raise InputError(
            _QUOTED.sub("a value", problem.problem),
            file=str(path),
            line=problem.line,
            fix=problem.fix,
        ) from None
    if len(documents) > 1:
        raise InputError(
            "expected a single document", file=str(path), fix="see kubectl config view"
        )
    try:
        value = documents[0] if documents else {}
        return msgspec.convert(_without_nulls(value), KubeconfigFile)
    except msgspec.ValidationError as problem:
        message, _, where = str(problem).partition(" - at `$")
        raise InputError(
            message, file=str(path), path=where.strip("`.") or None, fix="see kubectl config view"
        ) from None


def _without_nulls(value: Any) -> Any:
    """A value without what is null in it: to Kubernetes that is as good as absent."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value


def _absolute(entry: Any, fields: tuple[str, ...], folder: pathlib.Path) -> Any:
    named = {field: getattr(entry, field) for field in fields}
    return msgspec.structs.replace(
        entry, **{field: str(folder / name) for field, name in named.items() if name}
    )


def _absolute_command(entry: ExecEntry | None, folder: pathlib.Path) -> ExecEntry | None:
    """A command with a slash in it is beside the file; one without is on the PATH."""
    if entry is None or os.sep not in entry.command:
        return entry
    return msgspec.structs.replace(entry, command=str(folder / entry.command))


def _address(cluster: ClusterEntry, user: UserEntry) -> str:
    server = cluster.server.rstrip("/")
    if "://" in server:
        return server
    certified = (
        cluster.certificate_authority,
        cluster.certificate_authority_data,
        cluster.insecure_skip_tls_verify,
        user.client_certificate,
        user.client_certificate_data,
    )
    return f"https://{server}" if any(certified) else f"http://{server}"


def _choice(names: Mapping[str, object]) -> str:
    """What to do about a name that is not among those there are."""
    known = ", ".join(sorted(names))
    return f"name one of {known}" if known else "there is none: is this a kubeconfig?"
