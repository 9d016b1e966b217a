"""Write the table of Kubernetes API types that kubestage ships.

Reads the Go declarations of a Kubernetes source tree and keeps only their facts: the type
names, the fields in order with Go and JSON names, their types, and the markers that steer
patches. The result is `src/kubestage/objects/data/types.txt`; run this once per Kubernetes
version::

    python tools/go_types.py KUBERNETES_SOURCE [PACKAGE=FOLDER...] > .../objects/data/types.txt

A further package is read from its own folder: the VerticalPodAutoscaler's `vpa/v1=FOLDER`, the
aggregator's `apiregistration/v1=FOLDER`.

One line a type, its fields indented below it::

    core/v1.PodSpec struct
     Volumes volumes []core/v1.Volume omitempty patch=merge,retainKeys key=name list=map keys=name
"""

from __future__ import annotations

import pathlib
import re
import sys

API = "staging/src/k8s.io/api"
MACHINERY = "staging/src/k8s.io/apimachinery/pkg"

PACKAGES = {
    **{
        name: f"{API}/{name}"
        for name in (
            "admissionregistration/v1", "apps/v1", "authentication/v1", "authorization/v1",
            "autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates/v1", "coordination/v1",
            "core/v1", "discovery/v1", "events/v1", "flowcontrol/v1", "networking/v1", "node/v1",
            "policy/v1", "rbac/v1", "resource/v1", "scheduling/v1", "storage/v1",
            "scheduling/v1alpha2",
        )
    },
    "meta/v1": f"{MACHINERY}/apis/meta/v1",
    "apiextensions/v1": "staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
    "runtime": f"{MACHINERY}/runtime",
    "types": f"{MACHINERY}/types",
}  # fmt: skip

# Types whose JSON form is not that of their struct.
OPAQUE = {
    "intstr.IntOrString", "resource.Quantity", "meta/v1.Time", "meta/v1.MicroTime",
    "meta/v1.Duration", "meta/v1.FieldsV1", "runtime.RawExtension", "runtime.Object",
    "apiextensions/v1.JSON", "apiextensions/v1.JSONSchemaPropsOrArray",
    "apiextensions/v1.JSONSchemaPropsOrBool", "apiextensions/v1.JSONSchemaPropsOrStringArray",
}  # fmt: skip

BUILTIN = {"string", "bool", "int", "int32", "int64", "float64", "byte", "uint32"}

# Requests and answers of the API machinery; nobody stores one.
NOT_STORED = {"meta/v1.Table", "meta/v1.InternalEvent"}

STRUCT = re.compile(r"^type (\w+) struct ?\{(\}?)$")
NAMED = re.compile(r"^(?:type )?\s*(\w+) =?\s*((?:\[\]|map\[[\w.]+\]|\*)*[\w.]+)(?:\s*//.*)?$")
FIELD = re.compile(r"^\t(\w+)\s+([^`\s]+)\s+`([^`]*)`")
EMBEDDED = re.compile(r"^\t(\*?[\w.]+)\s+`([^`]*)`")
TAG = re.compile(r'(\w+):"([^"]*)"')
IMPORT = re.compile(
    r'^(?:\t|import )(?:(\w+) )?"k8s\.io/(?:api|apimachinery/pkg(?:/apis|/util|/api)?)/([\w./]+)"'
)


class Package:
    """The type declarations of one Go package, as facts."""

    def __init__(self, name: str, folder: pathlib.Path) -> None:
        self.name = name
        self.types: dict[str, list[str]] = {}
        for path in sorted(folder.glob("*.go")):
            if path.name.endswith("_test.go") or path.name.startswith(("zz_", "generated")):
                continue
            self._read(path.read_text().splitlines())

    def _read(self, lines: list[str]) -> None:
        imports: dict[str, str] = {}
        name = ""
        markers: dict[str, list[str]] = {}
        for line in lines:
            if match := IMPORT.match(line):
                target = match.group(2)
                imports[match.group(1) or target.rsplit("/", 1)[-1]] = target
            elif match := STRUCT.match(line):
                self.types[f"{self.name}.{match.group(1)}"] = ["struct"]
                name = "" if match.group(2) else f"{self.name}.{match.group(1)}"
            elif line == "}":
                name, markers = "", {}
            elif name and line.startswith("\t// +"):
                key, _, value = line[5:].partition("=")
                markers.setdefault(key, []).append(value)
            elif name and not line.startswith("\t//") and line.strip():
                if field := self._field(line, imports, markers):
                    self.types[name].append(field)
                markers = {}
            elif line.startswith("type ") and (match := NAMED.match(line)):
                self.types[f"{self.name}.{match.group(1)}"] = [self._type(match.group(2), imports)]

    def _field(
        self, line: str, imports: dict[str, str], markers: dict[str, list[str]]
    ) -> str | None:
        if match := FIELD.match(line):
            name, type_text, tags = match.groups()
            if "json:" not in tags:
                return None
        elif match := EMBEDDED.match(line):
            type_text, tags = match.groups()
            name = type_text.lstrip("*").rsplit(".", 1)[-1]
        else:
            return None
        tag = dict(TAG.findall(tags))
        json_name, *options = tag.get("json", "").split(",")
        if json_name == "-":
            return None
        words = [name, json_name or "-", self._type(type_text, imports), *(o for o in options if o)]
        if not json_name and "inline" not in options:
            words.append("inline")
        if "patchStrategy" in tag:
            words.append(f"patch={tag['patchStrategy']}")
        if "patchMergeKey" in tag:
            words.append(f"key={tag['patchMergeKey']}")
        if "listType" in markers:
            words.append(f"list={markers['listType'][0]}")
        if "listMapKey" in markers:
            words.append(f"keys={','.join(markers['listMapKey'])}")
        if "mapType" in markers:
            words.append(f"map={markers['mapType'][0]}")
        if "structType" in markers:
            words.append(f"map={markers['structType'][0]}")
        return " ".join(words)

    def _type(self, text: str, imports: dict[str, str]) -> str:
        def qualify(match: re.Match[str]) -> str:
            name = match.group(0)
            if name in BUILTIN or name == "map":
                return name
            if "." in name:
                package, _, bare = name.partition(".")
                return f"{imports.get(package, package)}.{bare}"
            return f"{self.name}.{name}"

        return re.sub(r"[A-Za-z_][\w.]*", qualify, text)


def reachable(types: dict[str, list[str]], roots: list[str]) -> set[str]:
    """Names of all types that the roots are made of."""
    seen: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in seen or name not in types:
            continue
        seen.add(name)
        if name in OPAQUE:
            continue
        head, *fields = types[name]
        texts = [head] if head != "struct" else [field.split(" ")[2] for field in fields]
        for text in texts:
            todo.extend(re.findall(r"[a-z][\w/]*\.\w+", text))
    return seen


def main() -> None:
    """Print the table for the Kubernetes source tree named on the command line."""
    source = pathlib.Path(sys.argv[1])
    types: dict[str, list[str]] = {}
    for name, folder in PACKAGES.items():
        types.update(Package(name, source / folder).types)
    for argument in sys.argv[2:]:
        name, _, folder = argument.partition("=")
        types.update(Package(name, pathlib.Path(folder)).types)
    roots = [
        name
        for name, (_, *fields) in types.items()
        if any(field.startswith("TypeMeta ") for field in fields)
        and not name.endswith("List")
        and name not in NOT_STORED
    ]
    for name in sorted(reachable(types, roots) | OPAQUE):
        head, *fields = ["opaque"] if name in OPAQUE else types[name]
        print(name, head)
        for field in fields:
            print("", field)


if __name__ == "__main__":
    main()
