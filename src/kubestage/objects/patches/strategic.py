"""Strategic merge patch: merge patch that knows which lists merge, and by which key.

The rules are upstream's, quirks included (an appended list element keeps the nulls that the patch
gave it, for example). Nothing that comes in is changed; what a patch leaves alone is shared.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.golang import formatting
from kubestage.objects.patches import cleaning, failure, meta, ordering
from kubestage.objects.patches.failure import PatchError
from kubestage.objects.schema import Struct, Type, type_of

DIRECTIVE: Final = ordering.DIRECTIVE
RETAIN_KEYS: Final = "$retainKeys"
DELETE_FROM_PRIMITIVES: Final = "$deleteFromPrimitiveList"
SET_ELEMENT_ORDER: Final = ordering.SET_ELEMENT_ORDER

Object = dict[str, Any]


class MergeOptions(msgspec.Struct, frozen=True):
    """Whether directives are obeyed, or kept because two patches are merged into one."""

    obey_directives: bool
    drop_nulls: bool


APPLY: Final = MergeOptions(obey_directives=True, drop_nulls=True)
COMBINE: Final = MergeOptions(obey_directives=False, drop_nulls=False)


def apply(original: Any, patch: Any, struct: Struct | None) -> Object:
    """The original with a strategic merge patch applied to it."""
    if struct is None:
        raise PatchError(failure.UNSUPPORTED_STRATEGIC)
    for document in (original, patch):
        if document is not None and not isinstance(document, dict):
            raise PatchError(failure.BAD_DOCUMENT)
    return merge_objects(original or {}, patch or {}, type_of(struct.name), APPLY)


def merge_objects(original: Object, patch: Object, of: Type, options: MergeOptions) -> Object:
    """Fields of a patch merged into an object."""
    if DIRECTIVE in patch:
        return _whole_object(patch)
    merged = dict(original)
    rest = dict(patch)
    _retain_keys(merged, rest, options)
    for key in [key for key in rest if key.startswith(SET_ELEMENT_ORDER)]:
        _merge_ordered_list(merged, rest, key, of, options)
    for key, value in rest.items():
        _merge_field(merged, key, value, of, options)
    return merged


def _whole_object(patch: Object) -> Object:
    directive = patch[DIRECTIVE]
    if directive == meta.REPLACE:
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    if directive == ordering.DELETE:
        return {}
    raise _unknown_directive(directive, patch)


def _unknown_directive(directive: Any, patch: Object) -> PatchError:
    shown = formatting.show_string(directive)
    return PatchError(f"unknown patch type: {shown} in map: {formatting.show(patch)}")


def _retain_keys(merged: Object, rest: Object, options: MergeOptions) -> None:
    if RETAIN_KEYS not in rest:
        return
    ordered = rest.pop(RETAIN_KEYS)
    if not options.obey_directives:
        present = merged.setdefault(RETAIN_KEYS, ordered)
        if not ordering.same(present, ordered):
            raise PatchError(
                f"{formatting.show(present)} and {formatting.show(ordered)} are not deep equal: "
                "this may happen when calculating the 3-way diff patch"
            )
        return
    if not isinstance(ordered, list):
        raise PatchError(failure.BAD_RETAIN_KEYS)
    retained = {ordering.identity(key) for key in ordered}
    for key, value in rest.items():
        if value is None or key.startswith((DELETE_FROM_PRIMITIVES, SET_ELEMENT_ORDER)):
            continue
        if (str, key) not in retained:
            raise PatchError(failure.BAD_RETAIN_KEYS)
    for key in [key for key in merged if (str, key) not in retained]:
        del merged[key]


def _bare_key(key: str, prefix: str, problem: str) -> str:
    directive, slash, bare = key.partition("/")
    if not slash or directive != prefix:
        raise PatchError(problem)
    return bare


def _merge_field(merged: Object, key: str, value: Any, of: Type, options: MergeOptions) -> None:
    deletes = key.startswith(DELETE_FROM_PRIMITIVES)
    if deletes:
        if not options.obey_directives:
            merged[key] = value
            return
        key = _bare_key(key, DELETE_FROM_PRIMITIVES, failure.BAD_PRIMITIVE_LIST) or key
    if value is None:
        merged.pop(key, None)
        if options.drop_nulls:
            return
    if key not in merged or type(merged[key]) is not type(value):
        if not deletes:
            _take(merged, key, cleaning.without_nulls(value) if options.drop_nulls else value)
        return
    if isinstance(value, dict):
        known = meta.for_struct(of, key)
        if known.strategy == meta.REPLACE:
            merged[key] = value
        else:
            merged[key] = merge_objects(merged[key], value, known.type, options)
    elif isinstance(value, list):
        known = meta.for_list(of, key)
        merged[key] = _merge_lists(merged[key], value, known, options, deletes)
    else:
        merged[key] = value


def _take(merged: Object, key: str, value: Any) -> None:
    taken = cleaning.without_directives(value)
    if taken is cleaning.DROP:
        merged.pop(key, None)
    else:
        merged[key] = taken


def _merge_lists(
    original: list[Any],
    patch: list[Any],
    known: meta.PatchMeta,
    options: MergeOptions,
    deletes: bool,
) -> list[Any]:
    if known.strategy != meta.MERGE and not deletes:
        return patch
    if not original and not patch:
        return original
    of_objects = ordering.element_type(original, patch) is dict
    if of_objects:
        if not known.merge_key:
            kind = meta.kind_name(known.type)
            raise PatchError(f"cannot merge lists without merge key for {kind}")
        original, patch = _obey_elements(original, patch, known.merge_key)
        merged = _merge_elements(original, patch, known, options)
    elif options.obey_directives and deletes:
        unwanted = {ordering.identity(value) for value in patch}
        return [value for value in original if ordering.identity(value) not in unwanted]
    else:
        merged = ordering.without_duplicates(original + patch)
    return _reorder(merged, patch, original, known.merge_key, of_objects)


def _obey_elements(
    original: list[Any], patch: list[Any], merge_key: str
) -> tuple[list[Any], list[Any]]:
    """Both lists after the elements of the patch that are directives have done their work."""
    plain: list[Any] = []
    unwanted: list[Any] = []
    replaces = False
    for element in patch:
        if DIRECTIVE not in element:
            plain.append(element)
            continue
        directive = element[DIRECTIVE]
        if directive == ordering.DELETE:
            ordering.key_of(element, merge_key)
            unwanted.append(element)
        elif directive == meta.REPLACE:
            replaces = True
        elif directive == meta.MERGE:
            raise PatchError("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(directive, element)
    return (plain, []) if replaces else (_without(original, merge_key, unwanted), plain)


def _without(original: list[Any], merge_key: str, unwanted: list[Any]) -> list[Any]:
    places = ordering.Places(unwanted, merge_key)
    return [each for each in original if merge_key not in each or places.find(each[merge_key]) < 0]


def _merge_elements(
    original: list[Any], patch: list[Any], known: meta.PatchMeta, options: MergeOptions
) -> list[Any]:
    merged, merge_key = list(original), known.merge_key
    places = ordering.Places(merged, merge_key)
    for element in patch:
        at = places.find(ordering.key_of(element, merge_key))
        if at < 0:
            merged.append(element)
            places.add(element)
            continue
        merged[at] = merge_objects(merged[at], element, known.type, options)
        if element[merge_key] is None:
            # A null takes the key away, and with it the element's place.
            places = ordering.Places(merged, merge_key)
    return merged


def _reorder(
    merged: list[Any], ordered: list[Any], live: list[Any], merge_key: str, of_objects: bool
) -> list[Any]:
    """`merged` with the elements that `ordered` names in its order, the others as in `live`."""
    named, others = ordering.partition(merged, ordered, merge_key)
    named = ordering.arrange(named, ordered, merge_key, of_objects)
    others = ordering.arrange(others, live, merge_key, of_objects)
    return ordering.interleave(others, named, live, merge_key, of_objects)


def _merge_ordered_list(
    merged: Object, rest: Object, key: str, of: Type, options: MergeOptions
) -> None:
    """Obeys one $setElementOrder directive together with the list that it orders."""
    order = rest.pop(key)
    if not options.obey_directives and not ordering.same(merged.setdefault(key, order), order):
        raise PatchError(failure.BAD_ELEMENT_ORDER)
    if not isinstance(order, list):
        raise failure.bad_type(list, order)
    field = _bare_key(key, SET_ELEMENT_ORDER, failure.BAD_ELEMENT_ORDER)
    original, patch = merged.get(field, cleaning.DROP), rest.get(field, cleaning.DROP)
    for held in (original, patch):
        if held is not cleaning.DROP and not isinstance(held, list):
            raise failure.bad_type(list, held)
    known = meta.for_list(of, field)
    ordering.check([] if patch is cleaning.DROP else patch, order, known.merge_key)
    if original is cleaning.DROP and patch is cleaning.DROP:
        return
    live: list[Any] = [] if original is cleaning.DROP else original
    if patch is cleaning.DROP:
        combined = live
    elif original is cleaning.DROP:
        combined = cleaning.without_directives(patch)
    else:
        combined = _merge_lists(original, patch, known, options, deletes=False)
    of_objects = ordering.element_type(live, [] if patch is cleaning.DROP else patch) is dict
    if (
        original is not cleaning.DROP
        and patch is not cleaning.DROP
        and known.strategy == meta.MERGE
    ):
        live = _live_order(live, patch, known.merge_key) if of_objects else live
    merged[field] = _reorder(combined, order, live, known.merge_key, of_objects)
    rest.pop(field, None)


def _live_order(original: list[Any], patch: list[Any], merge_key: str) -> list[Any]:
    """The live list as the order of server-only elements sees it after the merge.

    Upstream deletes in place, so that elements which the patch adds slip into the freed places of
    the live list and count as if they had always stood there.
    """
    unwanted = [element for element in patch if element.get(DIRECTIVE) == ordering.DELETE]
    remaining = _without(original, merge_key, unwanted)
    places = ordering.Places(remaining, merge_key)
    added = [
        element
        for element in patch
        if DIRECTIVE not in element and places.find(element[merge_key]) < 0
    ]
    return (remaining + added)[: len(original)]
