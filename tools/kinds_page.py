"""Write `docs/kinds.md` from the kind table; a test keeps the page true.

Run ``python tools/kinds_page.py > docs/kinds.md`` after a change of the table.
"""

from __future__ import annotations

from kubestage.objects import kinds

HEAD = """# Kinds

Every kind that a stage serves, as in Kubernetes v1.36; `kubestage api-resources` prints the same. A
CustomResourceDefinition that you load adds its own row. How to add a built-in kind is
[below](#add-a-kind).

| Kind | API version | Resource | Short | Scope | Subresources |
|---|---|---|---|---|---|"""

TAIL = '''
## Add a kind

A built-in kind is one module in `src/kubestage/objects/kinds/`, named after the kind. It declares
one `KIND`: the names, and a `Behavior` with everything that the API does to its objects. Every
field of `Behavior` has a default that most kinds need, and is documented in `kinds/behavior.py`.
This is a complete kind, `widget.py`:

```python
"""What the API does to a Widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


def _default(obj: Json) -> None:
    obj["spec"].setdefault("size", 1)


def _validate(obj: Json) -> list[FieldError]:
    size = obj["spec"]["size"]
    return [] if size > 0 else [field.invalid("spec.size", size, "must be greater than 0")]


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = _validate(new)
    color = new["spec"].get("color")
    return errors + metadata.validate_immutable(color, old["spec"].get("color"), "spec.color")


def _warn(obj: Json) -> list[str]:
    return ["spec.color: no color is set"] if "color" not in obj["spec"] else []


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), cells.number(obj, "spec", "size"), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="example.com",
    version="v1",
    kind="Widget",
    plural="widgets",
    short_names=("wd",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update},
        warn=_warn,
        cells=_cells,
    ),
)
```

Then:

1. Run `python tools/kind_index.py`, which writes the names into `kinds/index.txt`, and `python
   tools/kinds_page.py > docs/kinds.md`. The module itself is loaded when an object of the kind is
   first treated.
2. Add the fields of the kind to `objects/data/types.txt` (`tools/go_types.py` reads them from
   Kubernetes) and, if it has cells, its columns to `objects/tables/columns.txt`.
3. Write `tests/objects/kinds/test_widget.py`.

Metadata is validated for every kind, before its own rules. Mechanical rules need no code: they are
markers of the fields in `objects/data/markers.txt`, and `markers.check` checks them.

```text
example/v1.WidgetSpec
 size min=1{must be greater than 0}
 color required enum=Blue,Green,Red immutable
 tags maxitems=8 unique format=is_dns1123_label
```

```text
errors = markers.check("example/v1.WidgetSpec", spec, "spec")          # all fields, in this order
errors = markers.check("example/v1.WidgetSpec", spec, "spec", "size")  # only these
errors += markers.check_update("example/v1.WidgetSpec", spec, old, "spec")  # what is immutable
```

Rules report errors in upstream's order, which clients see; where the order differs from that of
the markers, name the fields. The markers are listed in `objects/markers.py`.
'''


def page() -> str:
    """The page as Markdown."""
    rows = [
        f"| {kind.kind} | `{kind.api_version}` | `{kind.plural}` "
        f"| {', '.join(f'`{name}`' for name in kind.short_names)} "
        f"| {'namespace' if kind.namespaced else 'cluster'} "
        f"| {', '.join(sorted(kind.subresources))} |"
        for kind in sorted(kinds.BUILT_IN, key=lambda kind: (kind.group, kind.kind))
    ]
    return "\n".join([HEAD, *rows]) + "\n" + TAIL


if __name__ == "__main__":
    print(page(), end="")
