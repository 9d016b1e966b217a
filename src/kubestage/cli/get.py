"""``kubestage get``: what manifests hold, in kubectl's words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import completion

if TYPE_CHECKING:
    from kubestage.cli import selection

EPILOG: Final = """
[bold]Examples[/bold]

kubestage get pods -f cluster/              [dim]# in namespace default[/dim]

kubestage get all -A -f cluster/ -o wide    [dim]# all that runs, everywhere[/dim]

kubestage get deploy,svc -n shop -f cluster/ -l app=web

kubestage get node/worker-1 -f nodes.yaml -o yaml

kubectl get pods -A -o json | kubestage get pods -A -f -

Ages are counted from the newest time in the files, so that output never changes by itself.

Objects are shown with the defaults that the API fills in.
"""
_FORMATS: Final = ("table", "wide", "yaml", "json", "name")


_Words = Annotated[
    list[str],
    typer.Argument(
        metavar="KIND",
        help="pods | po,svc | all | pod web-1 web-2 | pod/web-1 svc/web. "
        "`kubestage api-resources` lists the kinds.",
        show_default=False,
        autocompletion=completion.kind_words,
    ),
]
_Files = Annotated[
    list[str] | None,
    typer.Option(
        "-f",
        "--filename",
        metavar="FILE|DIR|-",
        help="Manifests to read: a file, a directory with all below it, or stdin. Repeatable.",
    ),
]
_Namespace = Annotated[
    str, typer.Option("-n", "--namespace", metavar="NAME", help="The namespace to look in.")
]
_AllNamespaces = Annotated[
    bool, typer.Option("-A", "--all-namespaces", help="Look in every namespace.")
]
_LabelSelector = Annotated[
    str,
    typer.Option("-l", "--selector", metavar="SELECTOR", help="Labels, as in app=web,tier!=db."),
]
_FieldSelector = Annotated[
    str,
    typer.Option(
        "--field-selector", metavar="SELECTOR", help="Fields, as in status.phase=Running."
    ),
]
_Output = Annotated[str, completion.output_option(*_FORMATS)]
_SortBy = Annotated[
    str,
    typer.Option("--sort-by", metavar="PATH", help="Order by a field, as in .status.startTime."),
]
_ShowLabels = Annotated[bool, typer.Option("--show-labels", help="Add a column with all labels.")]
_NoHeaders = Annotated[bool, typer.Option("--no-headers", help="Leave the headings out.")]
_Now = Annotated[
    str,
    typer.Option(
        "--now", metavar="TIME", help="The moment from which ages are counted (RFC 3339)."
    ),
]


def get(
    words: _Words,
    files: _Files = None,
    namespace: _Namespace = "default",
    all_namespaces: _AllNamespaces = False,
    label_selector: _LabelSelector = "",
    field_selector: _FieldSelector = "",
    output: _Output = "table",
    sort_by: _SortBy = "",
    show_labels: _ShowLabels = False,
    no_headers: _NoHeaders = False,
    now: _Now = "",
) -> None:
    """Print objects from manifests as kubectl prints those of a cluster."""
    from kubestage.cli import contents, selection, table

    completion.check_choice(output, _FORMATS)
    names, more_files = selection.files_among(words)
    cluster = contents.load([*(files or ()), *more_files])
    requests = selection.requests(names, cluster.table)
    filters = selection.Filters(
        None if all_namespaces else namespace, label_selector, field_selector
    )
    found = [(each.kind, cluster.select(each, filters, sort_by)) for each in requests]
    if output in ("table", "wide"):
        options = table.Options(
            wide=output == "wide",
            with_namespace=all_namespaces,
            with_kind=len({request.kind for request in requests}) > 1,
            show_labels=show_labels,
            no_headers=no_headers,
        )
        text = table.render(found, options, cluster.now_ns(now))
    else:
        objects = [obj for _, each in found for obj in each]
        text = _machine_readable(output, objects, requests)
    sys.stdout.write(text)
    if not any(objects for _, objects in found):
        sys.stdout.flush()
        typer.echo(cluster.nothing_found(requests, filters), err=True)


def _machine_readable(
    output: str, objects: list[dict[str, Any]], requests: list[selection.Request]
) -> str:
    from kubestage.cli import printing

    if output == "name":
        return "".join(f"{printing.qualified_name(obj)}\n" for obj in objects)
    single = len(requests) == 1 and len(requests[0].names) == 1
    whole = printing.as_one(objects, single)
    return printing.as_json(whole) if output == "json" else printing.as_yaml(whole)
