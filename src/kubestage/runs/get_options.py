"""The options of ``kubestage get``."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs.flags import Flag, Options


class GetOptions(Options, frozen=True, kw_only=True):
    """Which objects of which files are shown."""

    files: Annotated[
        tuple[str, ...],
        Flag(
            "Manifests to read: a file, a directory with all below it, or stdin. Repeatable.",
            "-f",
            "--filename",
            metavar="FILE|DIR|-",
        ),
    ] = ()
    namespace: Annotated[str, Flag("The namespace to look in.", "-n", metavar="NAME")] = "default"
    all_namespaces: Annotated[bool, Flag("Look in every namespace.", "-A")] = False
    label_selector: Annotated[
        str,
        Flag("Labels, as in app=web,tier!=db.", "-l", "--selector", metavar="SELECTOR"),
    ] = ""
    field_selector: Annotated[
        str, Flag("Fields, as in status.phase=Running.", metavar="SELECTOR")
    ] = ""
