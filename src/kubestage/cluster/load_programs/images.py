"""Which image has which program, and which images look as if they had one that calls the API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.cluster.load_programs.access_tokens import AccessTokens
from kubestage.cluster.load_programs.requests import Patches, Requests
from kubestage.cluster.load_programs.watches import Informers, Watch
from kubestage.errors import Unmodelled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.cluster.load_programs.client import ProgramClient
    from kubestage.cluster.load_programs.program import Program, ProgramContainer

    ProgramMaker = Callable[[ProgramContainer, ProgramClient], Program]
    """A class of programs, or a function that chooses one."""
    ModeMaker = Callable[[ProgramContainer, ProgramClient, Sequence[str]], Program]

_MODES: Final[dict[str, ModeMaker]] = {
    "http": Requests,
    "informer": Informers,
    "patch": Patches,
    "watch": Watch,
}
_FOLDER: Final = "perf-tests-util"
# Programs of perf-tests that call no API.
_SILENT: Final = frozenset({"containerd", "scratch", "sleep"})


def request_benchmark(container: ProgramContainer, client: ProgramClient) -> Program:
    """The program by its first argument; ``http`` without one."""
    _check_executable(container, "benchmark", "request-benchmark")
    words = container.arguments
    if not words or words[0] in ("-h", "--help"):
        raise Unmodelled("without arguments it only prints its help")
    if words[0].startswith("-"):
        return Requests(container, client, words)
    mode = _MODES.get(words[0])
    if mode is None:
        raise Unmodelled(f'"{words[0]}" is none of {", ".join(_MODES)}')
    return mode(container, client, words[1:])


def _watch_list(container: ProgramContainer, client: ProgramClient) -> Program:
    _check_executable(container, "watch-list")
    return Informers(container, client)


def _access_tokens(container: ProgramContainer, client: ProgramClient) -> Program:
    _check_executable(container, "access-tokens")
    return AccessTokens(container, client)


_KNOWN: Final[dict[str, ProgramMaker]] = {
    "access-tokens": _access_tokens,
    "request-benchmark": request_benchmark,
    "watch-list": _watch_list,
}
# Programs that call the API and have no model.
_UNKNOWN: Final = frozenset({
    "pod-creation-reachability-latency", "policy-creation-enforcement-latency",
})  # fmt: skip
# Words in the names of programs that are likely to call the API.
_LIKELY: Final = frozenset({
    "benchmark", "clusterloader", "clusterloader2", "informer", "informers", "lister", "loadgen",
    "watcher",
})  # fmt: skip
_LIKELY_NAMES: Final = ("kube-burner", "load-generator")


def repository(image: str) -> str:
    """The name of an image without its tag and digest."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def program_of(image: str, own: Mapping[str, ProgramMaker]) -> ProgramMaker | None:
    """The program of an image, None if it has none; Unmodelled if it should have one.

    `own` are programs of the user by image: with its registry, or any end of the name.
    """
    name = repository(image)
    parts = name.split("/")
    for start in range(len(parts)):
        found = own.get("/".join(parts[start:]))
        if found is not None:
            return found
    if parts[-1] in _KNOWN:
        return _KNOWN[parts[-1]]
    is_foldered = _FOLDER in parts[:-1] and parts[-1] not in _SILENT
    if parts[-1] in _UNKNOWN or is_foldered or _sounds_likely(parts[-1]):
        raise Unmodelled(
            "is likely to call the API, and has no model: its calls are missing; "
            f"model it with --program {parts[-1]}=module:Class"
        )
    return None


def _sounds_likely(name: str) -> bool:
    words = frozenset(re.split(r"[-_.]", name.lower()))
    return not words.isdisjoint(_LIKELY) or any(each in name.lower() for each in _LIKELY_NAMES)


def _check_executable(container: ProgramContainer, *names: str) -> None:
    if container.executable and container.executable not in names:
        raise Unmodelled(f'the command "{container.executable}" is not known')
