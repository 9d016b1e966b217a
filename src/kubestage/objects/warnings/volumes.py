"""Advice about volumes: plugins that are gone, files that overwrite one another."""

from __future__ import annotations

from typing import Final

from kubestage.aliases import Json
from kubestage.objects.validation import field
from kubestage.objects.warnings import cluster, file_overlaps
from kubestage.objects.warnings.file_overlaps import File

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
                for overlap in file_overlaps.collisions(_files(source["items"], ""))
            ]
    files: list[File] = []
    for source in (volume.get("projected") or {}).get("sources") or ():
        if not source:
            found.append(f"{shown} (Projected) has no sources provided")
        files += _projected(source)
    found += [
        f"{shown} (Projected): overlapping paths: {overlap}"
        for overlap in file_overlaps.collisions(files)
    ]
    return found


def _files(items: list[Json], source: str) -> list[File]:
    return [File(item.get("path") or "", source) for item in items]


def _projected(source: Json) -> list[File]:
    for kind, text in (("configMap", "ConfigMap {}"), ("secret", "Secret {}")):
        held = source.get(kind)
        if held and held.get("items"):
            return _files(held["items"], text.format(field.quote(held.get("name") or "")))
    held = source.get("downwardAPI")
    if held and held.get("items"):
        return _files(held["items"], "DownwardAPI")
    held = source.get("serviceAccountToken")
    if held is not None:
        return [File(held.get("path") or "", "ServiceAccountToken")]
    return []
