"""For people on call: take the nodes of a zone out of use, and say which pods are there."""

from __future__ import annotations

import argparse
import asyncio
import sys

import kr8s
from kr8s.asyncio.objects import Node, Pod

ZONE = "topology.kubernetes.io/zone"


async def cordon(zone: str, kubeconfig: str | None = None) -> list[str]:
    """Cordon all nodes of a zone; the names of the pods that run there."""
    api = await kr8s.asyncio.api(kubeconfig=kubeconfig)
    names: list[str] = []
    async for node in Node.list(label_selector={ZONE: zone}, api=api):
        await node.cordon()
        on_it = {"spec.nodeName": node.name}
        pods = Pod.list(namespace=kr8s.ALL, field_selector=on_it, api=api)
        names += [pod.name async for pod in pods]
    if not names:
        raise LookupError(f"no pods in zone {zone}")
    return sorted(names)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("zone")
    print(*asyncio.run(cordon(parser.parse_args(words).zone)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
