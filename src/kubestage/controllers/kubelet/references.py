"""The objects that a pod cannot do without: ConfigMaps, Secrets, claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import label_requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.store.store import Store

CONFIG_MAP: Final = "ConfigMap"
SECRET: Final = "Secret"
CLAIM: Final = "PersistentVolumeClaim"
ACCOUNT: Final = "ServiceAccount"
KINDS: Final = (CONFIG_MAP, SECRET, CLAIM, ACCOUNT)

Target = tuple[str, str]
"""The kind of an object, and its key in the store."""

_ENV_KEYS: Final = (("configMapKeyRef", CONFIG_MAP), ("secretKeyRef", SECRET))
_ENV_SOURCES: Final = (("configMapRef", CONFIG_MAP), ("secretRef", SECRET))
_VOLUME_SOURCES: Final = (("configMap", CONFIG_MAP), ("secret", SECRET))
_NO_KEY: Final = {
    CONFIG_MAP: "configmap references non-existent config key: {}",
    SECRET: "references non-existent secret key: {}",
}
_PROTECTION: Final = "kubernetes.io/pvc-protection"


class Reference(NamedTuple):
    """One object that the environment of a container takes values from; `key` is empty for all."""

    kind: str
    name: str
    key: str
    optional: bool


class Missing(NamedTuple):
    """What is missing: the objects whose change may help, and how the kubelet says so."""

    targets: tuple[Target, ...]
    message: str


def of_environment(container: Json) -> tuple[Reference, ...]:
    """What the environment of a container refers to, in the order in which it is read."""
    return (*_env_sources(container), *_env_keys(container))


def _env_sources(container: Json) -> Iterator[Reference]:
    for source in container.get("envFrom") or ():
        for part, kind in _ENV_SOURCES:
            found = source.get(part)
            if found is not None:
                yield Reference(kind, found.get("name") or "", "", bool(found.get("optional")))


def _env_keys(container: Json) -> Iterator[Reference]:
    for variable in container.get("env") or ():
        source = variable.get("valueFrom")
        if not source:
            continue
        for part, kind in _ENV_KEYS:
            found = source.get(part)
            if found is not None:
                optional = bool(found.get("optional"))
                yield Reference(kind, found.get("name") or "", found["key"], optional)


class References:
    """Looks up what pods refer to."""

    def __init__(self, store: Store) -> None:
        self._objects: dict[str, Mapping[str, Json]] = {
            kind: store.read(("v1", kind)) for kind in KINDS
        }
        self._volumes: Mapping[str, Json] = store.read(("v1", "PersistentVolume"))

    def missing_in_environment(
        self, namespace: str, references: tuple[Reference, ...]
    ) -> Missing | None:
        """The first object or key that a container's environment lacks."""
        for kind, name, key, optional in references:
            if optional:
                continue
            target = kind, f"{namespace}/{name}"
            obj = self._objects[kind].get(target[1])
            if obj is None:
                return Missing((target,), _not_found(kind, name))
            if key and key not in (obj.get("data") or ()):
                return Missing((target,), f"couldn't find key {key} in {kind} {target[1]}")
        return None

    def missing_volumes(self, pod: Json) -> Iterator[tuple[str, Missing]]:
        """Volumes that cannot be mounted and that a container needs, by name."""
        volumes = pod["spec"].get("volumes")
        if not volumes:
            return
        mounted: set[str] | None = None
        for volume in volumes:
            missing = self._missing_volume(pod, volume)
            if missing is None:
                continue
            if mounted is None:
                mounted = _mounted(pod["spec"])
            if volume["name"] in mounted:
                yield volume["name"], missing

    def _missing_volume(self, pod: Json, volume: Json) -> Missing | None:
        if "projected" in volume:
            sources = volume["projected"].get("sources") or ()
            found = [each for source in sources if (each := self._missing_source(pod, source))]
            if not found:
                return None
            targets = tuple(target for each in found for target in each.targets)
            return Missing(targets, label_requirement.aggregate([each.message for each in found]))
        return self._missing_source(pod, volume)

    def _missing_source(self, pod: Json, source: Json) -> Missing | None:
        for part, kind in _VOLUME_SOURCES:
            if part in source:
                return self._missing_keys(pod, kind, source[part])
        if "serviceAccountToken" in source:
            return self._missing_account(pod)
        if "persistentVolumeClaim" in source:
            return self._missing_claim(pod, source["persistentVolumeClaim"]["claimName"])
        if "ephemeral" in source:
            return self._missing_claim(pod, f"{pod['metadata']['name']}-{source['name']}")
        return None

    def _missing_keys(self, pod: Json, kind: str, source: Json) -> Missing | None:
        if source.get("optional"):
            return None
        # A volume of its own calls a Secret otherwise than one that is projected.
        name = source.get("name") or source.get("secretName") or ""
        target = kind, f"{pod['metadata']['namespace']}/{name}"
        obj = self._objects[kind].get(target[1])
        if obj is None:
            return Missing((target,), _not_found(kind, name))
        for item in source.get("items") or ():
            if item["key"] not in (obj.get("data") or ()) and (
                item["key"] not in (obj.get("binaryData") or ())
            ):
                return Missing((target,), _NO_KEY[kind].format(item["key"]))
        return None

    def _missing_account(self, pod: Json) -> Missing | None:
        namespace, name = pod["metadata"]["namespace"], pod["spec"].get("serviceAccountName")
        if not name or f"{namespace}/{name}" in self._objects[ACCOUNT]:
            return None
        message = f'failed to fetch token: serviceaccounts "{name}" not found'
        return Missing(((ACCOUNT, f"{namespace}/{name}"),), message)

    def _missing_claim(self, pod: Json, name: str) -> Missing | None:
        key = f"{pod['metadata']['namespace']}/{name}"
        claim = self._objects[CLAIM].get(key)
        problem = self._claim_problem(claim, name)
        if not problem:
            return None
        return Missing(((CLAIM, key),), f"error processing PVC {key}: {problem}")

    def _claim_problem(self, claim: Json | None, name: str) -> str:
        if claim is None:
            absent = f'persistentvolumeclaims "{name}" not found'
            return f"failed to fetch PVC from API server: {absent}"
        metadata = claim["metadata"]
        if "deletionTimestamp" in metadata and _PROTECTION not in metadata.get("finalizers", ()):
            return "PVC is being deleted"
        if (claim.get("status") or {}).get("phase") != "Bound":
            return "PVC is not bound"
        volume = claim["spec"].get("volumeName")
        if not volume:
            return "PVC has empty pvc.Spec.VolumeName"
        if volume not in self._volumes:
            absent = f'persistentvolumes "{volume}" not found'
            return f"failed to fetch PV {volume} from API server: {absent}"
        return ""


def _not_found(kind: str, name: str) -> str:
    return f'{kind.lower()} "{name}" not found'


def _mounted(spec: Json) -> set[str]:
    """The volumes that containers of a pod mount or have as devices."""
    listed: list[Any] = [*(spec.get("initContainers") or ()), *spec["containers"]]
    return {
        each["name"]
        for container in listed
        for part in ("volumeMounts", "volumeDevices")
        for each in container.get(part) or ()
    }
