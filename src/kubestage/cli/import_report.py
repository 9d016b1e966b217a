"""What ``kubestage import`` prints: kinds, a role, and what was written."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.objects import yaml_text
from kubestage.objects.tables import text
from kubestage.sources import canonical_kinds, intake
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.import_options import ImportOptions
    from kubestage.runs.importing import ImportResult
    from kubestage.runs.record_options import RecordOptions
    from kubestage.sources.cluster_file import Spec

_ROLE: Final = "kubestage-import"
_RECORD_ROLE: Final = "kubestage-record"
_HEADING: Final = ("NAME", "APIVERSION", "PURPOSE", "LIVE")
_NEEDS: Final = {"": "", "secrets": "with --with-secrets", "config": "with --with-config-data"}


def kinds() -> str:
    """The kinds of an import, one a line."""
    rows = [
        (each.plural, each.api_version, each.purpose, _NEEDS[each.need])
        for each in canonical_kinds.KINDS
    ]
    return "".join(f"{line.rstrip()}\n" for line in text.align([_HEADING, *rows]))


def rbac(options: ImportOptions) -> str:
    """A ClusterRole that may list the kinds, and how to bind it."""
    rules = _rules(options.with_secrets, options.with_config_data, ["list"])
    return _role(_ROLE, rules)


def record_rbac(options: RecordOptions) -> str:
    """A ClusterRole that may list and watch the kinds, and read usage."""
    rules = _rules(options.with_secrets, options.with_config_data, ["list", "watch"])
    if options.usage and options.prometheus is None:
        usage: Json = {"apiGroups": ["metrics.k8s.io"], "resources": ["nodes", "pods"]}
        rules.append({**usage, "verbs": ["list"]})
    return _role(_RECORD_ROLE, rules)


def _rules(secrets: bool, config: bool, verbs: list[str]) -> list[Json]:
    by_group: dict[str, list[str]] = collections.defaultdict(list)
    for each in canonical_kinds.listed(secrets=secrets, config=config):
        by_group[each.group].append(each.plural)
    return [
        {"apiGroups": [group], "resources": sorted(plurals), "verbs": verbs}
        for group, plurals in sorted(by_group.items())
    ]


def _role(name: str, rules: list[Json]) -> str:
    role: Json = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    }
    hint = (
        "# Read only. Bind it to the user of your kubeconfig:\n"
        f"#   kubectl create clusterrolebinding {name} --clusterrole={name} --user=NAME\n"
    )
    return f"{hint}{yaml_text.dump(role)}"


def result(found: ImportResult) -> str:
    """What was written, and what was not."""
    spec = found.spec
    lines = [f"{found.out}: {found.headline()}"]
    lines += [f"  {count:>7,}  {kind}" for kind, count in spec.objects.items()]
    lines += rest(spec)
    return "\n".join([*lines, f"next: kubestage run {found.out} --for 10m", ""])


def rest(spec: Spec) -> list[str]:
    """Lines about the recording, about what was left out, and notes."""
    lines = []
    if spec.recording is not None:
        recorded = spec.recording
        lines.append(f"recorded from {recorded.begin} to {recorded.end}")
    reasons: collections.Counter[str] = collections.Counter()
    for each in spec.left_out:
        reasons[each.reason] += each.count
    for reason, count in reasons.most_common():
        named = ", ".join(sorted({each.kind for each in spec.left_out if each.reason == reason}))
        what = f"{plural(count, 'object')} of {named}" if count else named
        is_kept = reason == intake.DATA
        lines.append(f"without data: {what}" if is_kept else f"left out: {what}: {reason}")
    return [*lines, *(f"note: {note}" for note in spec.notes)]
