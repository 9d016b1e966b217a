"""Choose a compact part of the recorded vectors and scenarios for `tests/golden/`.

Every operation keeps its share: entries are taken in rounds over the groups (operation, kind,
outcome), smallest first, until a topic's budget of bytes is used. Of the controllers' scenarios
every topic keeps its share. Run it after a new recording::

    python tools/golden.py VECTORS_FOLDER tests/golden
    python tools/golden.py controllers.json.gz tests/golden
"""

from __future__ import annotations

import collections
import gzip
import json
import pathlib
import sys
from typing import Any

BUDGET_BYTES = 60_000
SCENARIOS = 52
# Of the requests to an API server: topics that are kept whole, and kinds kept of the others.
SMALL_TOPIC = 14
KINDS = frozenset(
    {"pods", "deployments", "services", "nodes", "configmaps", "events-v1", "jobs", "hpa"}
)
TOPICS = (
    "quantity", "selectors", "defaulting", "strategicmergepatch", "validation", "podresources",
    "tables", "naming", "schedulerconfig", "serversideapply",
)  # fmt: skip


def _group(entry: dict[str, Any]) -> tuple[str, str, str]:
    inputs = entry["in"] if isinstance(entry["in"], dict) else {}
    inner = inputs.get("object")
    kind = inputs.get("kind") or (inner.get("kind") if isinstance(inner, dict) else "") or ""
    return entry["op"], str(kind), entry.get("stage") or ("error" if "error" in entry else "ok")


def _encoded(entries: list[dict[str, Any]]) -> bytes:
    text = json.dumps(entries, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), 9, mtime=0)


def choose(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A part of the entries that fits the budget and leaves no group out."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for entry in entries:
        groups[_group(entry)].append(entry)
    for group in groups.values():
        group.sort(key=lambda entry: len(json.dumps(entry)))
    chosen: list[dict[str, Any]] = []
    share = 1
    while share <= max(map(len, groups.values())):
        # An even spread over the group's sizes: small cases alone would test little.
        more = [
            group[round(at * (len(group) - 1) / max(share - 1, 1))]
            for group in groups.values()
            for at in range(min(share, len(group)))
        ]
        unique = list({entry["id"]: entry for entry in more}.values())
        if len(_encoded(unique)) > BUDGET_BYTES and chosen:
            break
        chosen = unique
        share += 1 + share // 3
    return sorted(chosen, key=lambda entry: str(entry["id"]))


def choose_scenarios(scenarios: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Some of every topic, spread over their sizes."""
    topics: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for each in scenarios:
        topics[each["topic"]].append(each)
    chosen: list[dict[str, Any]] = []
    for topic in topics.values():
        topic.sort(key=lambda each: len(json.dumps(each)))
        share = max(2, round(len(topic) * SCENARIOS / len(scenarios)))
        steps = range(min(share, len(topic)))
        places = {round(at * (len(topic) - 1) / max(len(steps) - 1, 1)) for at in steps}
        chosen += [topic[place] for place in sorted(places)]
    return sorted(chosen, key=lambda each: (each["topic"], each["name"]))


def choose_sequences(sequences: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All sequences about one thing; of those that are made for every kind, some kinds'."""
    sizes = collections.Counter(each["topic"] for each in sequences)
    return [
        each
        for each in sequences
        if sizes[each["topic"]] <= SMALL_TOPIC or each["name"].rpartition("-")[0] in KINDS
    ]


def main() -> None:
    """Write one file a topic, or one for all scenarios or sequences."""
    source, target = map(pathlib.Path, sys.argv[1:3])
    if source.is_file() and source.parent.name == "conformance":
        sequences = json.loads(gzip.decompress(source.read_bytes()))
        chosen = choose_sequences(sequences)
        data = _encoded(chosen)
        (target / "conformance.json.gz").write_bytes(data)
        print(f"conformance: {len(chosen)} of {len(sequences)} sequences, {len(data)} bytes")
        return
    if source.is_file():
        scenarios = json.loads(gzip.decompress(source.read_bytes()))
        chosen = choose_scenarios(scenarios)
        data = _encoded(chosen)
        (target / "controllers.json.gz").write_bytes(data)
        print(f"controllers: {len(chosen)} of {len(scenarios)} scenarios, {len(data)} bytes")
        return
    for topic in TOPICS:
        entries = json.loads(gzip.decompress((source / topic / "public.json.gz").read_bytes()))
        chosen = choose(entries)
        data = _encoded(chosen)
        (target / f"{topic}.json.gz").write_bytes(data)
        print(f"{topic}: {len(chosen)} of {len(entries)} entries, {len(data)} bytes")


if __name__ == "__main__":
    main()
