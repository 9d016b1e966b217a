"""Write `docs/settings.md` from the settings of a stage; a test keeps the page true.

Run ``python tools/settings_page.py > docs/settings.md`` after a change of a setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.settings import Settings
from kubestage.runs import setting_list

if TYPE_CHECKING:
    import msgspec

HEAD = """# Settings

`kubestage run --for` and `kubestage backtest` take the flags of controllers and autoscalers as
`--setting NAME=VALUE`. The option can be repeated:

```console
$ kubestage run shop/ --for 1h --setting hpa.sync-period=30s --setting hpa.tolerance=0.05
```

Names are those of the flags, so that the flags' documentation applies; defaults are those of
Kubernetes v1.36, VPA 1.8, cluster-autoscaler 1.36 and Karpenter 1.14. A duration is written as in
`30s` or `1h30m`, a list with commas. For an unknown name the error suggests the most similar one;
`kubestage settings WORD` lists those that have a word in their name or meaning.

In Python each table is a struct, and durations end in `_ns`:
`stage.add_controllers(Settings(hpa=HpaSettings(tolerance=0.05)))`.
"""
METRICS = """How often usage is measured, how long until it is served, and how long a container must
have run to be measured: [Traffic](traffic.md)."""
SECTIONS = {
    "hpa": ("The HPA", "Explained in [The HPA](hpa.md)."),
    "vpa": ("The VPA", "Recommender and updater: [The VPA](vpa.md)."),
    "node_autoscaler": (
        "The node autoscaler",
        "Explained in [Node autoscaler](node-autoscaler.md).",
    ),
    "karpenter": ("Karpenter", "Explained in [Karpenter](karpenter.md)."),
    "metrics": ("Metrics", METRICS),
    "kubelet": (
        "Kubelets",
        "Delays may be distributions, as in `normal(5s,1s)`: [The kubelet](kubelet.md).",
    ),
}
CONTROLLERS = ("Controllers", "Of kube-controller-manager: [Controllers](controllers.md).")


def page() -> str:
    """The page as Markdown."""
    settings = Settings()
    parts = [HEAD]
    for field, title in SECTIONS.items():
        prefix = f"{field.replace('_', '-')}."
        parts.append(_section(title, getattr(settings, field), prefix))
    parts.append(_section(CONTROLLERS, settings, ""))
    return "\n".join(parts)


def _section(title: tuple[str, str], settings: msgspec.Struct, prefix: str) -> str:
    heading, text = title
    found = setting_list.of_struct(settings, prefix)
    has_meanings = any(each.meaning for each in found)
    columns = ["Setting", "Default", "Meaning"] if has_meanings else ["Setting", "Default"]
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    rows = [f"## {heading}", "", text, "", *head]
    for each in found:
        default = f"`{each.default}`" if each.default else "none"
        cells = [f"`{each.name}`", default, each.meaning]
        rows.append(f"| {' | '.join(cells[: len(columns)])} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(page(), end="")
