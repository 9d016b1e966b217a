"""Import a dump as it is and anonymised, and let the same scheduler decide on both."""

from __future__ import annotations

import pathlib
import tempfile

import kubestage
from kubestage.runs import importing
from kubestage.runs.import_options import ImportOptions

DUMP = pathlib.Path(__file__).parent / "dump.yaml"
POD = ("v1", "Pod")


def placements(folder: str) -> list[tuple[str, str]]:
    """Each pod and its node, in the order of names."""
    result = kubestage.run(folder)
    pods = result.stage.store.read(POD).values()
    return sorted((pod["metadata"]["name"], pod["spec"].get("nodeName", "-")) for pod in pods)


with tempfile.TemporaryDirectory() as place:
    plain, hidden = f"{place}/plain", f"{place}/hidden"
    result = importing.import_cluster([DUMP], plain)
    print(f"imported: {result.headline()}, captured at {result.spec.captured_at}")
    for each in result.spec.left_out:
        print(f"left out: {each.kind}: {each.reason}")

    importing.import_cluster([DUMP], hidden, ImportOptions(anonymise=True, key="example"))
    print(f"\n{'POD':32}{'NODE':14}{'ANONYMISED POD':26}NODE")
    for (pod, node), (other, other_node) in zip(placements(plain), placements(hidden), strict=True):
        print(f"{pod:32}{node:14}{other:26}{other_node}")

    text = "".join(each.read_text() for each in pathlib.Path(hidden).rglob("*.yaml"))
    for word in ("acme", "hunter2", "shop", "eu-central"):
        print(f"{word!r} in the anonymised folder: {word in text}")
