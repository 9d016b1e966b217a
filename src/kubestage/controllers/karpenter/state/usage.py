"""Host ports and volumes that the pods of a node use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from kubestage.objects import csi_migration, host_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.host_ports import HostPort

Volumes: TypeAlias = dict[str, frozenset[str]]
"""CSI drivers, and the claims (``namespace/name``) that are mounted through each."""


_ANY_ADDRESS_6: Final = "::"


class StorageObjects(Protocol):
    """Where claims, volumes and classes are looked up."""

    def claim(self, namespace: str, name: str) -> Json | None:
        """A PersistentVolumeClaim."""

    def volume(self, name: str) -> Json | None:
        """A PersistentVolume."""

    def storage_class(self, name: str) -> Json | None:
        """A StorageClass."""


class PortUser(NamedTuple):
    """A host port, and the pod (``namespace/name``) that has it."""

    port: HostPort
    pod: str


def host_ports_of(pod: Json) -> tuple[HostPort, ...]:
    """The ports of the containers; sidecars are not looked at, and `::` is every address too."""
    found = host_ports.of({"containers": pod["spec"].get("containers")})
    return tuple(
        port._replace(ip=host_ports.ANY_ADDRESS) if port.ip == _ANY_ADDRESS_6 else port
        for port in found
    )


def claim_name(pod: Json, volume: Json) -> str | None:
    """The claim behind a volume of a pod; None if there is none."""
    source = volume.get("persistentVolumeClaim")
    if source is not None:
        return source.get("claimName") or ""
    if volume.get("ephemeral") is not None:
        return f"{pod['metadata']['name']}-{volume['name']}"
    return None


def volumes_of(pod: Json, storage: StorageObjects) -> Volumes:
    """The claims of a pod by the driver that mounts them, as far as that is known."""
    found: dict[str, set[str]] = {}
    namespace = pod["metadata"].get("namespace") or ""
    for volume in pod["spec"].get("volumes") or ():
        name = claim_name(pod, volume)
        claim = None if name is None else storage.claim(namespace, name)
        driver = None if claim is None else driver_of(claim, storage)
        if driver:
            found.setdefault(driver, set()).add(f"{namespace}/{name}")
    return {driver: frozenset(claims) for driver, claims in found.items()}


def has_lost_volume(pod: Json, storage: StorageObjects) -> bool:
    """Whether a claim of a pod is bound to a volume that is not there: how it mounts is unknown."""
    namespace = pod["metadata"].get("namespace") or ""
    for volume in pod["spec"].get("volumes") or ():
        name = claim_name(pod, volume)
        claim = None if name is None else storage.claim(namespace, name)
        bound_to = None if claim is None else claim["spec"].get("volumeName")
        if bound_to and storage.volume(bound_to) is None:
            return True
    return False


def driver_of(claim: Json, storage: StorageObjects) -> str | None:
    """The CSI driver of a claim: that of its volume, or that which its class provisions with."""
    spec = claim["spec"]
    if spec.get("volumeName"):
        volume = storage.volume(spec["volumeName"])
        if volume is None:
            return None
        if volume["spec"].get("csi") is not None:
            driver: str = volume["spec"]["csi"]["driver"]
            return driver
        is_ebs = volume["spec"].get("awsElasticBlockStore") is not None
        return "ebs.csi.aws.com" if is_ebs else None
    storage_class = storage.storage_class(spec.get("storageClassName") or "")
    if storage_class is None:
        return None
    provisioner: str = storage_class["provisioner"]
    plugin = csi_migration.plugin_named(provisioner)
    return provisioner if plugin is None else plugin.driver


def union(first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]) -> Volumes:
    """The claims of both."""
    total = dict(first)
    for driver, claims in second.items():
        total[driver] = total.get(driver, frozenset()) | claims
    return total


def limits_of(csi_node: Json | None) -> dict[str, int]:
    """How many volumes each driver can mount on a node."""
    drivers: Iterable[Json] = ((csi_node or {}).get("spec") or {}).get("drivers") or ()
    return {
        driver["name"]: (driver["allocatable"] or {}).get("count") or 0
        for driver in drivers
        if driver.get("allocatable") is not None
    }
