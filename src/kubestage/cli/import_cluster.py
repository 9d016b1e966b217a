"""``kubestage import``: a cluster from elsewhere, as a folder that all commands take."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import interruption, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs.flags import Flag
from kubestage.runs.import_options import ImportOptions

with lazy.imports():
    from kubestage.cli import import_report
    from kubestage.runs import importing

EPILOG: Final = """
[bold]Examples[/bold]

kubestage import --kubeconfig ~/.kube/config --out cluster   [dim]# a live cluster, list only[/dim]

kubestage import dump.yaml --out cluster                     [dim]# kubectl get ... -A -o yaml[/dim]

kubestage import bundle.tar.gz audit.log --out cluster       [dim]# several sources at once[/dim]

kubestage import dump.yaml --anonymise --out shared          [dim]# to pass on[/dim]

kubestage import --print-rbac | kubectl apply -f -           [dim]# a role that may list[/dim]

Then: kubestage run cluster --for 10m, and the same for compare, serve, rehearse, cost and load.

Sources are recognised by their content, in archives and folders too: kubectl dumps, cluster-info
dumps, support bundles of troubleshoot.sh, OpenShift must-gather, audit logs, kubereplay logs,
SimKube traces, KWOK snapshots and recordings, k8shark captures, exports and recordings of
kube-scheduler-simulator, and folders that this command wrote.

The data of Secrets and ConfigMaps, managedFields and tokens are not kept. The same source gives
the same bytes.

Exit code: 0; 2 if a source cannot be read, or the folder is not empty.
"""

_Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE]...",
        help="Files, archives or folders; - for the standard input.",
        show_default=False,
    ),
]
_Out = Annotated[
    str | None,
    Flag("The folder to write; new or empty.", "-o", "--out", metavar="DIR"),
]
_PrintKinds = Annotated[
    bool,
    Flag(
        "Print the kinds that an import has, and nothing else.", "--print-kinds",
        panel="A live cluster", show_default=False,
    ),
]  # fmt: skip
_PrintRbac = Annotated[
    bool,
    Flag(
        "Print a read-only ClusterRole for a live import.", "--print-rbac",
        panel="A live cluster", show_default=False,
    ),
]  # fmt: skip


@option_objects.command
def import_cluster(
    options: ImportOptions,
    sources: _Sources = None,
    out: _Out = None,
    print_kinds: _PrintKinds = False,
    print_rbac: _PrintRbac = False,
) -> int:
    """Import a cluster: live, or from dumps, bundles, logs and traces."""
    if print_kinds or print_rbac:
        screen.write(import_report.kinds() if print_kinds else import_report.rbac(options))
        return 0
    if out is None:
        raise InputError("no folder is named", path="--out", fix="add --out cluster")
    with interruption.reporting(lambda: "nothing was written"):
        result = importing.import_cluster(sources or [], out, options, observer=progress.OBSERVER)
    screen.write(import_report.result(result))
    return 0
