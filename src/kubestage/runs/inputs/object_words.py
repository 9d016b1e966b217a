"""One object among those that were read, in words: ``deployment/web`` or ``hpa/shop/web``."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.runs.inputs import manifests
from kubestage.wording import few

if TYPE_CHECKING:
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests


def find(loaded: LoadedManifests, word: str, path: str) -> Document:
    """The document of an object; InputError with `path` if there is none, or more than one."""
    parts = word.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        fix = "write KIND/NAME, or KIND/NAMESPACE/NAME, as in deployment/web"
        raise InputError(f'"{word}" is no object', path=path, fix=fix)
    try:
        kind = loaded.table.find(parts[0])[0].kind
    except InputError as error:
        raise InputError(error.problem, path=path, fix=error.fix) from None
    of_kind = [each for each in loaded.documents if each.object.get("kind") == kind]
    found = [each for each in of_kind if _matches(each, parts[1:])]
    if len(found) == 1:
        return found[0]
    names = sorted("/".join(filter(None, manifests.named(each.object))) for each in of_kind)
    if found:
        places = ", ".join(sorted(manifests.named(each.object)[0] for each in found))
        fix = f"write {parts[0]}/NAMESPACE/{parts[-1]}; it is in {places}"
        raise InputError(f'"{word}" is there {len(found)} times', path=path, fix=fix)
    short = {name.rpartition("/")[2]: name for name in names}
    near = difflib.get_close_matches(parts[-1], short, 1)
    fix = f"there are {few(names)}" if names else f"the files have no {kind}"
    if near:
        fix = f"did you mean {parts[0]}/{near[0]}?"
    raise InputError(f'there is no {kind} "{"/".join(parts[1:])}"', path=path, fix=fix)


def _matches(document: Document, name: list[str]) -> bool:
    namespace, own = manifests.named(document.object)
    return [own] == name or [namespace or "default", own] == name
