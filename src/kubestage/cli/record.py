"""``kubestage record``: a live cluster and every change of it, as a folder that grows."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage import lazy
from kubestage.cli import option_objects, screen
from kubestage.errors import InputError
from kubestage.runs.flags import Flag
from kubestage.runs.record_options import RecordOptions

with lazy.imports():
    from kubestage.cli import import_report, record_view
    from kubestage.runs import recording

EPILOG: Final = """
[bold]Examples[/bold]

kubestage record --kubeconfig ~/.kube/config --out rec --for 24h

kubestage record --context prod --out rec            [dim]# until Ctrl-C; again: it continues[/dim]

kubestage record --out rec --prometheus http://prometheus:9090

kubestage record --out rec --anonymise --key k.txt   [dim]# names are replaced at once[/dim]

kubestage record --print-rbac | kubectl apply -f -   [dim]# a role that may list and watch[/dim]

Then: kubestage replay rec, and run, compare, serve, rehearse and import as with an import.

It lists each kind once and watches since: connections that break are resumed, also when this
command was killed and is started again with the same folder. Only when the cluster has forgotten
what happened in between is a kind listed again, and a note says so.

The folder is readable while it grows. The data of Secrets and ConfigMaps, managedFields and tokens
are not kept.

Exit code: 0, also after Ctrl-C; 2 if the cluster or the folder cannot be used.
"""

_Out = Annotated[
    str | None,
    Flag("The folder to write: new, empty, or with a recording to continue.", "-o", "--out",
         metavar="DIR"),
]  # fmt: skip
_PrintRbac = Annotated[
    bool,
    Flag("Print a read-only ClusterRole that suffices, and nothing else.", "--print-rbac",
         show_default=False),
]  # fmt: skip


@option_objects.command
def record(options: RecordOptions, out: _Out = None, print_rbac: _PrintRbac = False) -> int:
    """Record a live cluster: its state, every change, and what its pods use."""
    if print_rbac:
        screen.write(import_report.record_rbac(options))
        return 0
    if out is None:
        raise InputError("no folder is named", path="--out", fix="add --out rec")
    with record_view.RecordObserver() as observer:
        result = recording.record(out, options, observer=observer)
    lines = [
        f"{result.out}: {result.headline()}",
        *import_report.rest(result.spec),
        f"next: kubestage replay {result.out}",
        "",
    ]
    screen.write("\n".join(lines))
    return 0
