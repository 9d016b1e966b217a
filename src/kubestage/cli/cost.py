"""``kubestage cost``: what a cluster costs, and how well its pods are packed."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage import lazy
from kubestage.cli import interruption, option_objects, printing, progress, screen
from kubestage.cli.rehearse import Cluster
from kubestage.objects.tables import text
from kubestage.runs.cost.options import CostOptions

with lazy.imports():
    from kubestage.runs import cost as costs
    from kubestage.runs.cost import saving

FORMATS: Final = ("table", "wide", "markdown", "json", "yaml")
_ROWS: Final = 20
EPILOG: Final = """
[bold]Examples[/bold]

kubestage cost -f cluster.yaml --prices aws-us-east-1

kubestage cost -f cluster/ --prices prices.csv -o markdown

kubestage cost --server http://127.0.0.1:18080 --out reports/cost

The cluster is that of -f: manifests, what `kubectl get -o yaml` wrote, or the directory of a run;
or that of --server. Prices are those of NodeGroups, of PriceCatalogs, and of --prices: a CSV with
the columns instance_type,price and, as needed, zone, capacity_type, currency, cpu, memory.
docs/cost.md defines every number.

Exit code: 0; 2 if something is wrong with the input.
"""


@option_objects.command
def cost(
    options: CostOptions,
    filename: Cluster = (),
    output: Annotated[str, option_objects.output_flag(*FORMATS)] = "table",
) -> int:
    """Show what a cluster costs: by pool, namespace and workload, what is idle, what could go."""
    saving.claim(options.out)
    left = "nothing was kept" if options.out is None else f"not written: {options.out}"
    with interruption.reporting(lambda: left):
        result = costs.cost(filename or None, options, observer=progress.OBSERVER)
    if options.out is not None:
        with interruption.deferred():
            saving.save(result, options.out)
    screen.write(_formatted(result, output))
    for note in result.notes:
        screen.note(f"Note: {note}")
    if options.out is not None:
        screen.note(f"Kept in {options.out}: open {options.out}/report.html")
    return 0


def _formatted(result: costs.CostResult, output: str) -> str:
    if output == "json":
        return printing.as_json(result.to_dict())
    if output == "yaml":
        return printing.as_yaml(result.to_dict())
    if output == "markdown":
        return saving.markdown(result)
    parts = [f"{result.answer}\n"]
    for each in result.tables():
        shown = each.rows if output == "wide" else each.rows[:_ROWS]
        lines = [line.rstrip() for line in text.align([each.head, *shown])]
        if len(shown) < len(each.rows):
            lines.append(f"and {len(each.rows) - len(shown):,} more: -o wide shows all")
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)
