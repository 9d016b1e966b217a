"""``kubestage get``: what manifests hold, in kubectl's words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import completion, get_format
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.cli.get_format import Format
    from kubestage.objects import kinds

    Found = list[tuple[kinds.Kind, list[dict[str, Any]]]]

EPILOG: Final = """
[bold]Examples[/bold]

kubestage get pods -f cluster/              [dim]# in namespace default[/dim]

kubestage get all -A -f cluster/ -o wide    [dim]# all that runs, everywhere[/dim]

kubestage get deploy,svc -n shop -f cluster/ -l app=web

kubestage get node/worker-1 -f nodes.yaml -o yaml

kubestage get nodes -f nodes.yaml -L topology.kubernetes.io/zone

kubestage get pods -A -f cluster/ --sort-by .spec.nodeName

kubestage get pods -f cluster/ -o jsonpath='{.items[*].metadata.name}'

kubestage get pods -f cluster/ -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName

kubectl get pods -A -o json | kubestage get pods -A -f -

Ages are counted from the newest time in the files, so that output never changes by itself.

Objects are shown with the defaults that the API fills in.
"""


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
_Output = Annotated[
    str,
    typer.Option(
        "-o",
        "--output",
        metavar="FORMAT",
        help="table, wide, yaml, json or name; jsonpath=TEMPLATE, custom-columns=HEADING:PATH,... "
        "or go-template=TEMPLATE; jsonpath-file=, custom-columns-file= or go-template-file= for "
        "one in a file; jsonpath-as-json=.",
        autocompletion=completion.one_of(
            *get_format.PLAIN, *(f"{each}=" for each in get_format.TEMPLATED)
        ),
    ),
]
_Template = Annotated[
    str,
    typer.Option(
        "--template", metavar="TEXT", help="The template of -o; without -o, a Go template."
    ),
]
_SortBy = Annotated[
    str,
    typer.Option(
        "--sort-by",
        metavar="PATH",
        help="Order by a field, as in .status.startTime; numbers and quantities by size.",
    ),
]
_LabelColumns = Annotated[
    list[str] | None,
    typer.Option(
        "-L",
        "--label-columns",
        metavar="KEY,...",
        help="Add a column for the value of a label. Repeatable.",
    ),
]
_ShowKind = Annotated[
    bool, typer.Option("--show-kind", help="Write the kind before each name, as in pod/web-1.")
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
    template: _Template = "",
    sort_by: _SortBy = "",
    label_columns: _LabelColumns = None,
    show_labels: _ShowLabels = False,
    show_kind: _ShowKind = False,
    no_headers: _NoHeaders = False,
    now: _Now = "",
) -> None:
    """Print objects from manifests as kubectl prints those of a cluster."""
    from kubestage.cli import contents, ordering, selection, table

    wanted = get_format.parse(output, template)
    is_table = wanted.name in get_format.TABLES
    if show_labels and not is_table:
        problem = f"--show-labels option cannot be used with {output} printer"
        raise InputError(problem, fix="leave it out, or write -o wide")
    names, more_files = selection.files_among(words)
    cluster = contents.load([*(files or ()), *more_files])
    requests = selection.requests(names, cluster.table)
    filters = selection.Filters(
        None if all_namespaces else namespace, label_selector, field_selector
    )
    found = [(each.kind, cluster.select(each, filters)) for each in requests]
    if not is_table:
        is_single = len(requests) == 1 and len(requests[0].names) == 1
        sys.stdout.write(_machine_readable(wanted, found, is_single, sort_by, no_headers))
        return
    options = table.Options(
        wide=wanted.name == "wide",
        with_namespace=all_namespaces,
        with_kind=show_kind or len({request.kind for request in requests}) > 1,
        show_labels=show_labels,
        no_headers=no_headers,
        label_columns=tuple(key for each in label_columns or () for key in each.split(",")),
    )
    ordered = [(kind, ordering.by_field(objects, sort_by)) for kind, objects in found]
    sys.stdout.write(table.render(ordered, options, cluster.now_ns(now)))
    if not any(objects for _, objects in found):
        sys.stdout.flush()
        typer.echo(cluster.nothing_found(requests, filters), err=True)


def _machine_readable(
    wanted: Format, found: Found, is_single: bool, sort_by: str, no_headers: bool
) -> str:
    """All objects in one list, or the one that was named."""
    from kubestage.cli import custom_columns, ordering, printing

    objects = [obj for _, each in found for obj in each]
    if not is_single:
        objects = ordering.by_field(objects, sort_by)
    if wanted.name == "name":
        return "".join(f"{printing.qualified_name(obj)}\n" for obj in objects)
    if wanted.name == "custom-columns":
        return custom_columns.render(wanted.columns(), objects, no_headers=no_headers)
    whole = printing.as_one(objects, is_single)
    if wanted.name == "json":
        return printing.as_json(whole)
    if wanted.name == "yaml":
        return printing.as_yaml(whole)
    if wanted.name == "go-template":
        return get_format.by_go_template(wanted, whole)
    return get_format.by_jsonpath(wanted, whole)
