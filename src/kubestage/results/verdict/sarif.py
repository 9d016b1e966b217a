"""SARIF 2.1.0: findings with files and lines, as code scanning shows them."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.results.verdict.verdict import Finding, Verdict

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = ("error", "warning", "note")


def render(verdict: Verdict, version: str) -> str:
    """The whole log: one run of kubestage, a result for each finding."""
    rules = [
        {
            "id": each.name,
            "shortDescription": {"text": each.about},
            "defaultConfiguration": {"level": _level(each.findings)},
        }
        for each in verdict.rules
    ]
    number = {each.name: at for at, each in enumerate(verdict.rules)}
    results = [_result(each, number[each.rule]) for each in verdict.findings()]
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "kubestage", "version": version, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _level(findings: list[Finding]) -> str:
    levels = [_LEVELS.index(each.severity) for each in findings]
    return _LEVELS[min(levels)] if levels else "warning"


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    change = ""
    if finding.before and finding.after:
        change = f" (before: {finding.before}, now: {finding.after})"
    identity = f"{finding.rule}\n{finding.subject}"
    found: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": f"{finding.subject}: {finding.text}{change}"},
        "baselineState": "new" if finding.is_new else "unchanged",
        "partialFingerprints": {
            "kubestage/v1": hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]
        },
    }
    logical = {"fullyQualifiedName": finding.subject, "kind": "resource"}
    location: dict[str, Any] = {"logicalLocations": [logical]}
    if finding.file is not None:
        uri = urllib.parse.quote(finding.file.replace("\\", "/").removeprefix("./"))
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
        if finding.line is not None:
            physical["region"] = {"startLine": finding.line}
        location["physicalLocation"] = physical
    found["locations"] = [location]
    return found
