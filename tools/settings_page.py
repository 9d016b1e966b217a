"""Write `docs/settings.md` from the settings of a stage; a test keeps the page true.

Run ``python tools/settings_page.py > docs/settings.md`` after a change of a setting.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.controllers.settings import Settings
from kubestage.objects import durations

HEAD = """# Settings

What operators set with flags of controllers and autoscalers, `kubestage run --for` and
`kubestage backtest` take as `--setting NAME=VALUE`, as often as needed:

```console
$ kubestage run shop/ --for 1h --setting hpa.sync-period=30s --setting hpa.tolerance=0.05
```

Names are those of the flags, so that their own documentation holds; defaults are those of
Kubernetes v1.36, VPA 1.8 and cluster-autoscaler 1.36. A duration is written as in `30s` or `1h30m`,
a list with commas. A name that there is not is an error that tells the likely one.

In Python each table is a struct, and durations end in `_ns`:
`stage.add_controllers(Settings(hpa=HpaSettings(tolerance=0.05)))`.
"""
METRICS = """How often usage is looked at, how long that takes to be known, and how long a container
must have run to be told of: [Traffic](traffic.md)."""
SECTIONS = {
    "hpa": ("The HPA", "What they do: [The HPA](hpa.md). The last three are feature gates."),
    "vpa": ("The VPA", "Recommender and updater: [The VPA](vpa.md)."),
    "node_autoscaler": (
        "The node autoscaler",
        "[Its page](node-autoscaler.md) tells what they do.",
    ),
    "metrics": ("Metrics", METRICS),
    "kubelet": (
        "Kubelets",
        "Delays may be laws, as in `normal(5s,1s)`: [The kubelet](kubelet.md).",
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
    rows = [f"## {heading}", "", text, "", "| Setting | Default |", "|---|---|"]
    for field in settings.__struct_fields__:
        value = getattr(settings, field)
        if not isinstance(value, (msgspec.Struct, dict)):
            name = field.removesuffix("_ns").replace("_", "-")
            rows.append(f"| `{prefix}{name}` | {_written(field, value)} |")
    return "\n".join(rows) + "\n"


def _written(field: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if field.endswith("_ns"):
        return f"`{durations.go_string(value)}`"
    if isinstance(value, (tuple, frozenset)):
        value = ",".join(sorted(value))
    return f"`{value}`" if value != "" else "none"


if __name__ == "__main__":
    print(page(), end="")
