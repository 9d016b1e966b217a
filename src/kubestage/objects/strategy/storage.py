"""How volumes and claims are prepared."""

from __future__ import annotations

from typing import Any

from kubestage.objects.strategy import status
from kubestage.objects.validation import claims


def create_volume(volume: dict[str, Any], now: str | None) -> None:
    """A new volume is pending from now on."""
    volume["status"] = {"phase": "Pending", "lastPhaseTransitionTime": now}


def update_volume_status(new: dict[str, Any], old: dict[str, Any], now: str | None) -> None:
    """A change of phase is dated, unless the reporter dates it."""
    report, before = dict(new.get("status") or {}), old.get("status") or {}
    stamp, old_stamp = report.get("lastPhaseTransitionTime"), before.get("lastPhaseTransitionTime")
    if (report.get("phase") or "") == (before.get("phase") or ""):
        if stamp is None and old_stamp is not None:
            report["lastPhaseTransitionTime"] = old_stamp
    elif stamp is None or stamp == old_stamp:
        report["lastPhaseTransitionTime"] = now
    new["status"] = report


def create_claim(claim: dict[str, Any], _: str | None) -> None:
    """A claim names its source in both ways."""
    claim["spec"] = with_data_sources(claim.get("spec") or {}, None)


def read_back_claim(claim: dict[str, Any]) -> dict[str, Any]:
    """A claim of which nobody has said anything yet is pending."""
    report = claim.get("status") or {}
    return claim if report.get("phase") else {**claim, "status": {**report, "phase": "Pending"}}


def update_claim(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation; a source that was there is kept even if it could not be given today."""
    new["spec"] = with_data_sources(new.get("spec") or {}, old.get("spec") or {})


def with_data_sources(spec: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """The spec with ``dataSource`` and ``dataSourceRef`` in agreement."""
    old = old or {}
    out = dict(spec)
    was_used = old.get("dataSource") is not None or old.get("dataSourceRef") is not None
    reference = out.get("dataSourceRef")
    if (reference or {}).get("namespace") and old.get("dataSourceRef") is None:
        out.pop("dataSourceRef")
        reference = None
    source = out.get("dataSource")
    if not was_used and reference is None and not _is_claim_or_snapshot(source):
        out.pop("dataSource", None)
    return claims.with_both_sources(out)


def create_driver(driver: dict[str, Any], _: str | None) -> None:
    """A new driver cannot keep pods from nodes without it: that feature is off."""
    spec = driver.get("spec") or {}
    if "preventPodSchedulingIfMissing" in spec:
        driver["spec"] = {k: v for k, v in spec.items() if k != "preventPodSchedulingIfMissing"}


def update_driver(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation, unless it could before."""
    if (old.get("spec") or {}).get("preventPodSchedulingIfMissing") is None:
        create_driver(new, None)


def update_attachment_status(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Who reports leaves metadata alone."""
    status.reset_metadata(new, old)


def _is_claim_or_snapshot(source: dict[str, Any] | None) -> bool:
    if source is None:
        return False
    kind, group = source.get("kind"), source.get("apiGroup") or ""
    return (kind, group) in (
        ("PersistentVolumeClaim", ""),
        ("VolumeSnapshot", "snapshot.storage.k8s.io"),
    )
