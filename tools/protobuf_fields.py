"""Write the table of protobuf messages by which kubestage reads request bodies.

Takes a table of field numbers (JSON, gzipped: `m` message -> number -> [JSON name, type, flags],
`k` kind -> message) and the Go declarations of a Kubernetes source tree, and keeps what a stable
kind can hold. The result is `src/kubestage/server/data/protobuf.txt`; run this once per Kubernetes
version::

    python tools/protobuf_fields.py TABLE KUBERNETES_SOURCE > .../server/data/protobuf.txt

First the kinds, then one line a message, its fields indented below it::

    apps/v1 Deployment apps.v1.Deployment

    apps.v1.DeploymentSpec
     1 replicas int32 p
     3 template core.v1.PodTemplateSpec

Flags: `p` pointer, `r` repeated, `m` map from strings, `i` embedded, `z` written even if zero,
`o` left out if zero.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import re
import sys

PREFIXES = (
    "k8s.io.apimachinery.pkg.apis.",
    "k8s.io.apimachinery.pkg.api.",
    "k8s.io.apimachinery.pkg.util.",
    "k8s.io.apimachinery.pkg.",
    "k8s.io.apiextensions_apiserver.pkg.apis.",
    "k8s.io.kube_aggregator.pkg.apis.",
    "k8s.io.api.",
)
# Kinds that clients read and never send.
ANSWERS = ("List", "WatchEvent", "Status", "APIGroup", "APIVersions")
UNSTABLE = re.compile(r"alpha|beta")
STRUCT = re.compile(r"^type (\w+) struct")
TAGS = re.compile(r'json:"([^"]*)"\s+.*?protobuf:"[^"]*?,(\d+),')
TAGS_TURNED = re.compile(r'protobuf:"[^"]*?,(\d+),[^"]*".*json:"([^"]*)"')


def short(message: str) -> str:
    """``core.v1.PodSpec`` for a message's full name."""
    for prefix in PREFIXES:
        if message.startswith(prefix):
            return message[len(prefix) :]
    return message


def go_fields(source: pathlib.Path) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """JSON name and options of each field, by message and number."""
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for proto in source.glob("staging/src/k8s.io/**/generated.proto"):
        match = re.search(r"^package ([\w.]+);", proto.read_text(), re.MULTILINE)
        assert match is not None
        for path in proto.parent.glob("*.go"):
            if path.name.startswith(("zz_", "generated")) or path.name.endswith("_test.go"):
                continue
            struct = ""
            for line in path.read_text().splitlines():
                if declared := STRUCT.match(line):
                    struct = short(f"{match[1]}.{declared[1]}")
                elif tags := TAGS.search(line):
                    name, *options = tags[1].split(",")
                    found[struct, tags[2]] = name, options
                elif tags := TAGS_TURNED.search(line):
                    name, *options = tags[2].split(",")
                    found[struct, tags[1]] = name, options
    return found


def line(
    number: str, field: list[str], tags: tuple[str, list[str]] | None, messages: set[str]
) -> str:
    """One field of a message."""
    name, type_name, flags = field
    if tags is not None:
        if tags[0] and tags[0] != "-":
            name = tags[0]
        if not flags and "omitempty" not in tags[1] and type_name not in messages:
            flags = "z"
        if "omitzero" in tags[1] and "p" not in flags:
            flags += "o"
    return f" {number} {name} {short(type_name)} {flags}".rstrip()


def main(table_path: str, source: str) -> None:
    """Print the table."""
    table = json.loads(gzip.decompress(pathlib.Path(table_path).read_bytes()))
    messages: dict[str, dict[str, list[str]]] = table["m"]
    tags = go_fields(pathlib.Path(source))
    waiting: list[str] = []
    for kind, message in sorted(table["k"].items()):
        api_version, _, name = kind.rpartition("/")
        if UNSTABLE.search(api_version) or name.endswith(ANSWERS):
            continue
        waiting.append(message)
        if name != "DeleteOptions" or api_version == "v1":
            print(api_version, name, short(message))
    needed: set[str] = set()
    while waiting:
        message = waiting.pop()
        if message not in needed:
            needed.add(message)
            waiting += [each[1] for each in messages[message].values() if each[1] in messages]
    for message in sorted(needed, key=short):
        print(f"\n{short(message)}")
        for number, field in sorted(messages[message].items(), key=lambda item: int(item[0])):
            print(line(number, field, tags.get((short(message), number)), set(messages)))


if __name__ == "__main__":
    main(*sys.argv[1:])
