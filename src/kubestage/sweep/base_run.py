"""What one run of a sweep is computed from: a command, and the content of all its inputs.

A `Base` is read once, by the driver. It pickles, with the contents of files and what was parsed of
them, and is then called with tasks: on this machine or on another one.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

import kubestage
from kubestage.errors import InputError, KubestageError
from kubestage.files.pinned import PinnedFiles
from kubestage.runs.inputs import edits
from kubestage.runs.inputs.manifests import LoadedManifests
from kubestage.sweep import changes
from kubestage.sweep.changes import Changed
from kubestage.sweep.commands import command as commands
from kubestage.sweep.commands.command import Draft
from kubestage.sweep.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.sweep.changes import Change
    from kubestage.sweep.commands.command import Command
    from kubestage.sweep.rows import Scalar, Task


class InputObject(NamedTuple):
    """An object of the inputs, and the name of its file."""

    obj: Json
    source: str


class Base:
    """A command whose inputs were read and checked; called with a task, it runs it."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.files = PinnedFiles()
        self._changes: dict[str, Change] = {}
        self._file_digests: dict[tuple[str, str], str] = {}
        with self.files.recording() as read:
            # A parameter may be what is missing: then axes check it, together with the others.
            self._problem = _problem_of(command)
        self._digest = _hash(
            kubestage.__version__,
            command.NAME,
            type(command).__name__,
            _plain_words(command),
            self.files.digest(read),
        )

    @classmethod
    def read(cls, words: Sequence[str]) -> Base:
        """The base that the words of a command name: ``["run", "cluster/", "--for", "30m"]``."""
        return cls(commands.read(words))

    @property
    def seed(self) -> int:
        """The seed of the command itself."""
        seed: int = getattr(self.command.options, "seed", 0)
        return seed

    def change(self, path: str) -> Change:
        """What a parameter changes."""
        if path not in self._changes:
            tables = [each.table for each in self._loaded()]
            self._changes[path] = changes.find(path, self.command, tables)
        return self._changes[path]

    def objects(self) -> Iterator[InputObject]:
        """All objects of the inputs, those that Scenarios create included."""
        for loaded in self._loaded():
            for document in loaded.documents:
                for _, obj in edits.objects_in(document.object):
                    yield InputObject(obj, document.source)
            for imported in loaded.imported:
                for _, obj in edits.objects_in(imported.scenario):
                    yield InputObject(obj, "an import")

    def check(self, parameters: Mapping[str, Scalar]) -> None:
        """Read and check the inputs of a run with these parameters; nothing is run.

        Files that are read only now become part of the inputs.
        """
        draft, edited = self._draft(parameters, self.seed)
        with self.files.recording() as read, edits.applied(edited):
            self.command.check(draft)
        for path, value in parameters.items():
            if isinstance(value, str) and read:
                self._file_digests.setdefault((path, value), self.files.digest(read))

    @property
    def is_runnable(self) -> bool:
        """Whether the inputs can be run without any parameter."""
        return self._problem is None

    def raise_problem(self) -> None:
        """Refuse inputs that are bad whatever the parameters are."""
        if self._problem is not None:
            raise self._problem

    def key(self, task: Task) -> str:
        """A hash of everything that the result depends on."""
        digests = {
            path: self._file_digests.get((path, value), "")
            for path, value in task.parameters.items()
            if isinstance(value, str)
        }
        parameters = sorted(task.parameters.items())
        return _hash(self._digest, parameters, sorted(digests.items()), task.seed, task.payload)

    def __call__(self, task: Task) -> Row:
        """Run a task; what fails is a row with its error."""
        key = self.key(task)
        try:
            draft, edited = self._draft(task.parameters, task.seed)
            with self.files.pinned(), edits.applied(edited):
                found = self.command.measure(draft)
        except KubestageError as error:
            return Row(task.index, key, task.parameters, task.seed, {}, str(error))
        except (OSError, MemoryError) as error:
            problem = f"{type(error).__name__}: {error}"
            return Row(task.index, key, task.parameters, task.seed, {}, problem)
        except Exception as error:  # noqa: BLE001 - the other runs go on
            problem = f"unexpected error: {type(error).__name__}: {error}"
            return Row(task.index, key, task.parameters, task.seed, {}, problem)
        return Row(
            task.index, key, task.parameters, task.seed, found.values, found.error, found.infos
        )

    def _draft(self, parameters: Mapping[str, Scalar], seed: int) -> tuple[Draft, edits.Edits]:
        options: Any = self.command.options
        if hasattr(options, "seed"):
            options = msgspec.structs.replace(options, seed=seed)
        run = Changed(options)
        for path, value in parameters.items():
            self.change(path).apply(run, value)
        draft = Draft(run.options, tuple(run.numbers))
        return draft, edits.Edits(tuple(run.objects), tuple(run.config))

    def _loaded(self) -> list[LoadedManifests]:
        found = []
        for each in self.files.results().values():
            loaded = getattr(each, "loaded", each)
            if isinstance(loaded, LoadedManifests):
                found.append(loaded)
        return found


def _problem_of(command: Command) -> InputError | None:
    try:
        command.check(Draft(command.options))
    except InputError as error:
        return error
    return None


def _plain_words(command: Command) -> list[str]:
    """The words of a command with the seed left out: each task has one of its own."""
    options: Any = command.options
    if hasattr(options, "seed"):
        options = msgspec.structs.replace(options, seed=0)
        command = msgspec.structs.replace(command, options=options)  # type: ignore[type-var]
    environment = sorted(getattr(options, "environment", {}).items())
    return [*command.words(), *(f"{name}={value}" for name, value in environment)]


def _hash(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
