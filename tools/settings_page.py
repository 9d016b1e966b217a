"""Write `docs/settings.md` from the settings of a stage; a test keeps the page true.

Run ``python tools/settings_page.py > docs/settings.md`` after a change of a setting.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from typing import Any

import msgspec

from kubestage.controllers.settings import Settings
from kubestage.golang import durations

HEAD = """# Settings

`kubestage run --for` and `kubestage backtest` take the flags of controllers and autoscalers as
`--setting NAME=VALUE`. The option can be repeated:

```console
$ kubestage run shop/ --for 1h --setting hpa.sync-period=30s --setting hpa.tolerance=0.05
```

Names are those of the flags, so that the flags' documentation applies; defaults are those of
Kubernetes v1.36, VPA 1.8 and cluster-autoscaler 1.36. A duration is written as in `30s` or `1h30m`,
a list with commas. For an unknown name the error suggests the most similar one.

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
    meanings = _meanings(type(settings))
    columns = ["Setting", "Default", "Meaning"] if meanings else ["Setting", "Default"]
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    rows = [f"## {heading}", "", text, "", *head]
    for field in settings.__struct_fields__:
        value = getattr(settings, field)
        if not isinstance(value, (msgspec.Struct, dict)):
            name = field.removesuffix("_ns").replace("_", "-")
            cells = [f"`{prefix}{name}`", _written(field, value), meanings.get(field, "")]
            rows.append(f"| {' | '.join(cells[: len(columns)])} |")
    return "\n".join(rows) + "\n"


def _meanings(kind: type) -> dict[str, str]:
    """What stands under each field of a class."""
    (found,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    meanings = {}
    for statement, after in itertools.pairwise(found.body):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                meanings[name] = " ".join(text.split()).replace("``", "`")
    return meanings


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
