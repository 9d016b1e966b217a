"""``kubestage serve`` in a process of its own, for the clients that people have."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Self

import pytest

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = pathlib.Path(__file__).parents[2]
_COMMAND = "from kubestage.cli import main; raise SystemExit(main())"
NODE = """
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels:
    kubernetes.io/hostname: {name}
    topology.kubernetes.io/zone: {zone}
status:
  capacity: {{cpu: "8", memory: 32Gi, pods: "110"}}
---
"""


def nodes(count: int) -> str:
    """A manifest of nodes in two zones."""
    return "".join(
        NODE.format(name=f"node-{number}", zone="ab"[number % 2]) for number in range(count)
    )


def require_kubectl() -> None:
    """The real kubectl judges where there is one; ``.ci/run`` does not begin without it."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on the PATH")


class Served:
    """A server until the block ends; `objects` are on its stage from the start.

    `program` is another kubestage than the one of the tests, with `variables` of its own.
    """

    def __init__(
        self,
        *options: str,
        objects: str = "",
        program: Sequence[str] = (sys.executable, "-c", _COMMAND),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._options = options
        self._objects = objects
        self._program = program
        self._variables = variables

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._folder.name)
        self.kubeconfig = folder / "kubeconfig"
        options = list(self._options)
        if "--data-dir" not in options and "--in-memory" not in options:
            options.append("--in-memory")
        if self._objects:
            (folder / "objects.yaml").write_text(self._objects)
            options.append(str(folder / "objects.yaml"))
        command = [*self._program, "serve", "--port", "0"]
        command += ["--kubeconfig", str(self.kubeconfig), *options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=self._variables,
        )
        self.address = self._address()
        return self

    def _address(self) -> str:
        assert self.process.stdout is not None
        printed = []
        for line in self.process.stdout:
            printed.append(line)
            if "http://" in line or "https://" in line:
                return line.strip()
        raise AssertionError("the server did not start:\n" + "".join(printed))

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(HANG_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._folder.cleanup()

    @property
    def environment(self) -> dict[str, str]:
        """What a client is started with; its caches go where they are thrown away."""
        home = str(self.kubeconfig.parent)
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig), "HOME": home}
