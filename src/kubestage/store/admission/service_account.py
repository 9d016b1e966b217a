"""ServiceAccount: every pod runs as an account, and where there is an API server, can call it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import names
from kubestage.store.admission import account_secrets, admission_request
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_ACCOUNT: Final = ("v1", "ServiceAccount")
_DEFAULT: Final = "default"
_MIRROR: Final = "kubernetes.io/config.mirror"
_VOLUME: Final = "kube-api-access-"
_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
# Long enough that clients which never read it again are warned before they are refused.
_EXPIRES_S: Final = 3607
_SOURCES: Final = (
    {"serviceAccountToken": {"expirationSeconds": _EXPIRES_S, "path": "token"}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    {
        "downwardAPI": {
            "items": [
                {
                    "path": "namespace",
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                }
            ]
        }
    },
)
_DEFAULT_MODE: Final = 0o644
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Pods that name no account run as ``default``; without an API server, that is all."""
    if not admission_request.is_pod(kind) or old is not None:
        return obj
    if _MIRROR in (obj["metadata"].get("annotations") or ()):
        if core.bootstrap is not None:
            _check_mirror(kind, obj)
        return obj
    name = obj["spec"].get("serviceAccountName")
    if not name:
        name = _DEFAULT
        obj = admission_request.with_spec(obj, serviceAccountName=name, serviceAccount=name)
    if core.bootstrap is None:
        return obj
    account = _account(core, kind, obj, name)
    if _mounts_token(account, obj["spec"]):
        obj = admission_request.with_spec(obj, **_with_token(obj["spec"]))
    secrets = account.get("imagePullSecrets")
    if secrets and not obj["spec"].get("imagePullSecrets"):
        copied = [{"name": each.get("name") or ""} for each in secrets]
        obj = admission_request.with_spec(obj, imagePullSecrets=copied)
    if account_secrets.are_enforced(account):
        problem = account_secrets.problem(account, obj["spec"])
        if problem:
            raise admission_request.refuse(kind, obj, problem)
    return obj


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse ephemeral containers with secrets that the account of their pod does not list."""
    is_added = request.subresource == "ephemeralcontainers" and request.old is not None
    if core.bootstrap is None or not is_added or not admission_request.is_pod(request.kind):
        return
    spec = request.obj["spec"]
    account = _account(core, request.kind, request.obj, spec.get("serviceAccountName") or "")
    if account_secrets.are_enforced(account):
        problem = account_secrets.ephemeral_problem(account, spec)
        if problem:
            raise admission_request.refuse(request.kind, request.obj, problem)


def mark(core: Core, obj: Json, namespace: str | None) -> bytes:
    """What pods of one template get from their account, besides the template itself."""
    if core.bootstrap is None or namespace is None:
        return b""
    spec = obj.get("spec")
    name = (spec.get("serviceAccountName") if type(spec) is dict else None) or _DEFAULT
    account = core.read(_ACCOUNT).get(key_of(namespace, str(name)))
    version = "" if account is None else account["metadata"]["resourceVersion"]
    return f"{namespace}/{version}".encode()


def _account(core: Core, kind: Kind, pod: Json, name: str) -> Json:
    """The account of a pod. The default one is there as soon as its controller has worked."""
    namespace = pod["metadata"]["namespace"]
    found = core.read(_ACCOUNT).get(key_of(namespace, name))
    if found is not None:
        return found
    if name == _DEFAULT:
        return {"metadata": {"name": name}}
    why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
    raise admission_request.refuse(kind, pod, why)


def _check_mirror(kind: Kind, pod: Json) -> None:
    """A pod that a kubelet mirrors has nothing to do with the accounts of the API."""
    spec = pod["spec"]
    if spec.get("serviceAccountName"):
        raise admission_request.refuse(kind, pod, "a mirror pod may not reference service accounts")
    if account_secrets.references_any(spec):
        raise admission_request.refuse(kind, pod, "a mirror pod may not reference secrets")
    for volume in spec.get("volumes") or ():
        sources = (volume.get("projected") or {}).get("sources") or ()
        if any(each.get("serviceAccountToken") for each in sources):
            why = "a mirror pod may not use ServiceAccountToken volume projections"
            raise admission_request.refuse(kind, pod, why)


def _mounts_token(account: Json, spec: Json) -> bool:
    """Whether the token is mounted: the pod decides, then the account."""
    for holder in (spec, account):
        decision: bool | None = holder.get("automountServiceAccountToken")
        if decision is not None:
            return decision
    return True


def _with_token(spec: Json) -> Json:
    """The parts of a spec in which containers mount the token; those that have it stay."""
    volumes = spec.get("volumes") or []
    present = next((each["name"] for each in volumes if _is_token_volume(each)), None)
    name = present or _VOLUME + _suffix(spec)
    mount = {"name": name, "readOnly": True, "mountPath": _PATH}
    changed: Json = {}
    for part in ("initContainers", "containers"):
        containers = spec.get(part) or []
        mounted = [_mounted(each, mount) for each in containers]
        if any(new is not old for new, old in zip(mounted, containers, strict=True)):
            changed[part] = mounted
    if changed and present is None:
        source = {"sources": list(_SOURCES), "defaultMode": _DEFAULT_MODE}
        changed["volumes"] = [*volumes, {"name": name, "projected": source}]
    return changed


def _is_token_volume(volume: Json) -> bool:
    return str(volume.get("name") or "").startswith(_VOLUME)


def _mounted(container: Json, mount: Json) -> Json:
    mounts = container.get("volumeMounts") or []
    if any(each.get("mountPath") == _PATH for each in mounts):
        return container
    return {**container, "volumeMounts": [*mounts, mount]}


def _suffix(spec: Json) -> str:
    """Five characters, as in a generated name. Pods of one template share them, and their spec."""
    digest = hashlib.blake2b(_encode(spec), digest_size=5).digest()
    return "".join(names.ALPHABET[byte % len(names.ALPHABET)] for byte in digest)
