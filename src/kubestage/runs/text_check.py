"""Every problem of a text of manifests, as a cluster that runs would find it, each at its line.

Objects are read as `kubestage validate` reads them. One without a problem is then created, applied
or replaced in the cluster's store as a dry run: names that are taken, quotas, admission and
versions count as well.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from kubestage.errors import ApiError, Conflict, InputError, NotFound
from kubestage.objects import field_check, gvk, locator, manifest, object_check
from kubestage.objects.custom import decoding
from kubestage.runs.inputs import annotation_check
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.manifest import Document
    from kubestage.store.store import Store

Verb = Literal["create", "apply", "replace"]
MANAGER: Final = "kubestage-check"
_UNKNOWN: Final = re.compile(r'(?:unknown|duplicate) field "([^"]+)"')


class TextProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, or only odd, in one place; `object` counts the objects of the text from 0."""

    level: Literal["error", "warning"]
    line: int
    path: str
    message: str
    fix: str = ""
    object: int | None = None
    reason: str = ""


class TextObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the text: where it stands, and how it would be sent to the Kubernetes API.

    `path` is that of the collection for `verb` create, and that of the object for the others.
    """

    line: int
    kind: str
    namespace: str
    name: str
    verb: Verb
    path: str
    object: dict[str, Any]


@dataclasses.dataclass(slots=True)
class TextCheck:
    """All objects of a text that can be read, and all problems, by line."""

    objects: list[TextObject] = dataclasses.field(default_factory=list)
    problems: list[TextProblem] = dataclasses.field(default_factory=list)


class ReadText(NamedTuple):
    """A text that has been read, which needs no cluster."""

    reading: manifest.Reading
    lines: locator.Locator


def read(text: bytes) -> ReadText:
    """Read a text, and find the lines of its fields."""
    lines = locator.Locator(text)
    lines.line_at(0, "")
    return ReadText(manifest.read_text(text, ""), lines)


def pieces(text: ReadText, store: Store, existing: Verb) -> Generator[None, None, TextCheck]:
    """Check a text, one object at a time; what is there already is applied, or replaced."""
    checker = _Checker(store, text.lines, existing)
    for problem in text.reading.problems:
        checker.report(problem.line or 1, problem)
    for name, line in text.lines.duplicate_keys():
        checker.report(line, InputError(f'key "{name}" is set twice', fix="keep one of them"))
    for document in text.reading.documents:
        checker.check(document)
        yield
    checker.found.problems.sort(key=lambda problem: problem.line)
    return checker.found


class _Checker:
    """Checks one document after the other; later ones may need what earlier ones create."""

    def __init__(self, store: Store, lines: locator.Locator, existing: Verb) -> None:
        self.found = TextCheck()
        self._store = store
        self._lines = lines
        self._existing = existing
        self._namespaces: set[str] = set()
        self._defined: set[str] = set()

    def report(self, line: int, problem: InputError, number: int | None = None) -> None:
        """Add a problem that is not of the cluster."""
        self._add("error", line, problem, number)

    def check(self, document: Document) -> None:
        """Add an object, and all that is wrong with it."""
        obj = document.object
        if obj.get("kind") in self._defined:
            # Its definition is in the same text: it can be checked once that is there.
            return
        try:
            kind = self._store.kinds.of(obj)
        except InputError as error:
            self._place(document, error)
            return
        number = len(self.found.objects)
        found = [*self._own_problems(obj, kind), *annotation_check.misfits(obj)]
        for problem in found:
            self._place(document, problem, number)
        if resource.is_scenario(obj):
            for problem in resource.probable_mistakes(obj):
                self._place(document, problem, number, level="warning")
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict):
            return
        self._note_new(obj)
        listed = self._listed(document, kind, metadata)
        self.found.objects.append(listed)
        if not found:
            self._rehearse(document, kind, listed, number)

    def _own_problems(self, obj: Json, kind: Kind) -> list[InputError]:
        if resource.is_scenario(obj):
            return resource.problems(obj, self._store.kinds)
        if self._is_new(obj, kind):
            return object_check.problems(obj, kind)
        misfits = field_check.misfits(obj)
        return [InputError(each.problem, path=each.path, fix=each.fix) for each in misfits]

    def _is_new(self, obj: Json, kind: Kind) -> bool:
        """Whether an object is not there yet; the rules for creating it say more than the API."""
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict):
            return True
        name, namespace = metadata.get("name"), metadata.get("namespace") or "default"
        return (f"{namespace}/{name}" if kind.namespaced else name) not in self._store.read(kind)

    def _note_new(self, obj: Json) -> None:
        """Remember what an object brings about that later ones may need."""
        if (obj.get("apiVersion"), obj.get("kind")) == gvk.CUSTOM_RESOURCE_DEFINITION:
            names = (obj.get("spec") or {}).get("names") or {}
            self._defined.add(str(names.get("kind")))
        elif obj.get("kind") == "Namespace":
            self._namespaces.add(str(obj["metadata"].get("name")))

    def _listed(self, document: Document, kind: Kind, metadata: Json) -> TextObject:
        namespace = str(metadata.get("namespace") or "default") if kind.namespaced else ""
        name = str(metadata.get("name") or "")
        key = f"{namespace}/{name}" if namespace else name
        is_there = bool(name) and key in self._store.read(kind)
        start = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
        path = f"{start}/namespaces/{namespace}" if namespace else start
        path = f"{path}/{kind.plural}"
        return TextObject(
            line=self._lines.line(document),
            kind=kind.kind,
            namespace=namespace,
            name=name,
            verb=self._existing if is_there else "create",
            path=f"{path}/{name}" if is_there else path,
            object=document.object,
        )

    def _rehearse(self, document: Document, kind: Kind, listed: TextObject, number: int) -> None:
        """Have the store create or change an object without keeping it."""
        warned: list[str] = []
        try:
            self._dry_run(kind, listed, warned)
        except NotFound as error:
            if listed.namespace not in self._namespaces:
                self._refused(document, error, number)
        except ApiError as error:
            self._refused(document, error, number)
        except InputError as error:
            self._place(document, error, number)
        for text in warned:
            path = text.partition(":")[0]
            problem = InputError(text, path=path if " " not in path else None)
            self._place(document, problem, number, level="warning")

    def _dry_run(self, kind: Kind, listed: TextObject, warned: list[str]) -> None:
        namespace = listed.namespace or None
        if listed.verb == "apply":
            self._store.apply(
                kind, listed.name, listed.object, namespace, manager=MANAGER, force=True,
                dry_run=True, field_validation="Strict", warnings=warned,
            )  # fmt: skip
            return
        body = msgspec.json.encode(listed.object)
        obj = decoding.decode(body, kind, "Strict").object
        if listed.verb == "create":
            self._store.create(obj, kind=kind, namespace=namespace, dry_run=True, warnings=warned)
        else:
            self._store.update(
                obj, kind=kind, name=listed.name, namespace=namespace, dry_run=True, warnings=warned
            )

    def _refused(self, document: Document, error: ApiError, number: int) -> None:
        """Add what the API says, at the fields that it names."""
        for path, message in causes(error):
            self._place(document, InputError(message, path=path), number, reason=error.reason)

    def _place(
        self,
        document: Document,
        problem: InputError,
        number: int | None = None,
        *,
        level: Literal["error", "warning"] = "error",
        reason: str = "",
    ) -> None:
        line = self._lines.line(document, problem.path)
        if document.path:
            problem.path = ".".join(part for part in (document.path, problem.path) if part)
        self._add(level, line, problem, number, reason)

    def _add(
        self,
        level: Literal["error", "warning"],
        line: int,
        problem: InputError,
        number: int | None = None,
        reason: str = "",
    ) -> None:
        added = TextProblem(
            level=level,
            line=line,
            path=problem.path or "",
            message=problem.problem,
            fix=problem.fix or "",
            object=number,
            reason=reason,
        )
        # The API repeats itself where several of its rules find the same.
        if added not in self.found.problems:
            self.found.problems.append(added)


def causes(error: ApiError) -> Iterator[tuple[str | None, str]]:
    """The fields that a refusal names, each with what is wrong there; None for no field."""
    listed = error.details.get("causes") or ()
    for cause in listed:
        yield cause.get("field") or None, str(cause.get("message") or error.message)
    if listed:
        return
    unknown = _UNKNOWN.findall(error.message)
    for path in unknown:
        yield path, error.message
    if not unknown:
        path = "metadata.resourceVersion" if isinstance(error, Conflict) else None
        yield path, error.message
