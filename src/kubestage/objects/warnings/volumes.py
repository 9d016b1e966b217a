"""Advice about volumes: plugins that are gone, files that overwrite one another."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubestage.aliases import Json
from kubestage.objects.validation import field
from kubestage.objects.warnings import cluster

_GONE: Final = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SHOWN: Final = {"storageos": "storageOS"}


class _File(NamedTuple):
    """A path inside a volume, and what puts a file there."""

    path: str
    source: str

    def __str__(self) -> str:
        shown = field.quote(self.path)
        return f"{shown} ({self.source})" if self.source else shown


def volumes(held: list[Json], path: str) -> list[str]:
    """All volumes of a pod."""
    found: list[str] = []
    for index, volume in enumerate(held):
        at = f"{path}[{index}]"
        found += [
            f"{at}.{_SHOWN.get(kind, kind)}: {advice}"
            for kind, advice in _GONE.items()
            if volume.get(kind) is not None
        ]
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template is not None:
            claim = f"{at}.ephemeral.volumeClaimTemplate.spec"
            found += cluster.claim_spec(template.get("spec") or {}, claim)
    for volume in held:
        found += _overlaps(volume)
    return found


def _overlaps(volume: Json) -> list[str]:
    shown = f"volume {field.quote(volume.get('name') or '')}"
    found: list[str] = []
    described = (
        ("configMap", "ConfigMap {}", "name"),
        ("secret", "Secret {}", "secretName"),
        ("downwardAPI", "DownwardAPI", ""),
    )
    for kind, text, key in described:
        source = volume.get(kind)
        if source and source.get("items"):
            name = text.format(field.quote(source.get(key) or ""))
            found += [
                f"{shown} ({name}): overlapping paths: {overlap}"
                for overlap in _collisions(_files(source["items"], ""))
            ]
    files: list[_File] = []
    for source in (volume.get("projected") or {}).get("sources") or ():
        if not source:
            found.append(f"{shown} (Projected) has no sources provided")
        files += _projected(source)
    found += [
        f"{shown} (Projected): overlapping paths: {overlap}" for overlap in _collisions(files)
    ]
    return found


def _files(items: list[Json], source: str) -> list[_File]:
    return [_File(item.get("path") or "", source) for item in items]


def _projected(source: Json) -> list[_File]:
    for kind, text in (("configMap", "ConfigMap {}"), ("secret", "Secret {}")):
        held = source.get(kind)
        if held and held.get("items"):
            return _files(held["items"], text.format(field.quote(held.get("name") or "")))
    held = source.get("downwardAPI")
    if held and held.get("items"):
        return _files(held["items"], "DownwardAPI")
    held = source.get("serviceAccountToken")
    if held is not None:
        return [_File(held.get("path") or "", "ServiceAccountToken")]
    return []


def _collisions(files: list[_File]) -> list[str]:
    """Pairs of files of which one hides the other, or needs a directory where the other is."""
    found: list[str] = []
    seen: list[_File] = []
    for each in files:
        file = _File(each.path.rstrip("/"), each.source)
        for other in seen:
            inside = f"{file.path}/".startswith(f"{other.path}/")
            around = f"{other.path}/".startswith(f"{file.path}/")
            if file.path and other.path and (inside or around):
                found.append(f"{file} with {other}")
        seen.append(file)
    return found
