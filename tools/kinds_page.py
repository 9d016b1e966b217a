"""Write `docs/kinds.md` from the kind table; a test keeps the page true.

Run ``python tools/kinds_page.py > docs/kinds.md`` after a change of the table.
"""

from __future__ import annotations

from kubestage.objects import kinds

HEAD = """# Kinds

Every kind a stage serves, exact to Kubernetes v1.36; `kubestage api-resources` prints the same. A
CustomResourceDefinition that you load adds its own row.

| Kind | API version | Resource | Short | Scope | Subresources |
|---|---|---|---|---|---|"""


def page() -> str:
    """The page as Markdown."""
    rows = [
        f"| {kind.kind} | `{kind.api_version}` | `{kind.plural}` "
        f"| {', '.join(f'`{name}`' for name in kind.short_names)} "
        f"| {'namespace' if kind.namespaced else 'cluster'} "
        f"| {', '.join(sorted(kind.subresources))} |"
        for kind in sorted(kinds.BUILT_IN, key=lambda kind: (kind.group, kind.kind))
    ]
    return "\n".join([HEAD, *rows]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
