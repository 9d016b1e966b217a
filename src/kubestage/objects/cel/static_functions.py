"""What calls of Kubernetes' own functions may cost at most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.objects.cel import sizes, static_calls
from kubestage.objects.cel.sizes import ONE, UNKNOWN, Range

if TYPE_CHECKING:
    from kubestage.objects.cel.static_cost import Estimate
    from kubestage.objects.cel.syntax import Call

    Found = tuple[Range, Range | None] | None

_CHECK: Final = sizes.fixed(350_000)
"""Two questions to an authorizer are as many as an expression may ask."""
_SELECTOR: Final = sizes.fixed(10)
_REQUIREMENT: Final = 50
_ADDRESS: Final = Range(4, 16)
_LONGEST_PATTERN: Final = 128
_LONGEST_FORMAT: Final = 64
# Functions that only look at what is there.
CHEAP: Final = frozenset((
    "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed",
    "reason", "error", "errored", "masked", "prefixLength", "family", "isUnspecified",
    "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named",
    "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan",
    "compareTo", "add", "sub", "major", "minor", "patch", "getScheme", "getHostname", "getHost",
    "getPort", "getEscapedPath", "getQuery",
))  # fmt: skip
# Functions that look at each letter of a text, once; as methods, these keep its size.
_PARSING: Final = frozenset((
    "cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver",
))  # fmt: skip
_COPYING: Final = ("url", "jsonpatch.escapeKey")
_TEXT: Final = ("lowerAscii", "upperAscii", "substring", "trim")
_TRAVERSING: Final = ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")
_EQUAL_AT_ONCE: Final = frozenset((
    "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver",
    "kubernetes.authorization.Authorizer", "kubernetes.authorization.PathCheck",
    "kubernetes.authorization.GroupCheck", "kubernetes.authorization.ResourceCheck",
    "kubernetes.authorization.Decision",
))  # fmt: skip


def estimate(walk: Estimate, call: Call, overload: str) -> Found:
    """The cost of a call without its arguments, and the size of its result."""
    name, arguments = call.name, call.arguments
    if name in CHEAP or overload == "cidr_ip":
        return ONE, None
    if name == "check":
        return _CHECK, None
    if name == "_==_":
        return _equal(walk, call)
    if not arguments and call.target is None:
        return None
    if name in ("fieldSelector", "labelSelector"):
        size = walk.size(arguments[0])
        parts = size.scaled(0.5).scaled(_REQUIREMENT)
        return _SELECTOR.plus(size.traversed()).plus(parts), None
    if name in _PARSING:
        return walk.size(arguments[0]).traversed(), None
    if name in _COPYING:
        size = walk.size(arguments[0])
        return size.traversed(), size
    if name == "ip.isCanonical":
        return walk.size(arguments[0]).traversed(2), None
    if name in ("containsIP", "containsCIDR"):
        return _contained(walk, call, overload), None
    if name == "validate":
        return walk.size(arguments[0]).traversed().scaled(_LONGEST_PATTERN * 0.25), None
    return _of_target(walk, call)


def _equal(walk: Estimate, call: Call) -> Found:
    one, other = (walk.checked.type_of(each) for each in call.arguments)
    if one != other or one.kind not in ("opaque", "struct"):
        return None
    if one.name in _EQUAL_AT_ONCE:
        return ONE, None
    if one.name == "kubernetes.NamedFormat":
        return Range(1, _LONGEST_FORMAT).traversed(), None
    if one.name == "kubernetes.URL":
        size = walk.known_size(call.arguments[1])
        return Range(1, 1 if size is None else size.most).traversed(), None
    return None


def _contained(walk: Estimate, call: Call, overload: str) -> Range:
    cost = _ADDRESS.plus(_ADDRESS).traversed()
    if call.name == "containsCIDR":
        cost = cost.plus(_ADDRESS.traversed()).plus(ONE)
    if overload.endswith("_string"):
        cost = cost.plus(walk.size(call.arguments[0]).traversed())
    return cost


def _of_target(walk: Estimate, call: Call) -> Found:
    """The methods of texts and lists."""
    name, target, arguments = call.name, call.target, call.arguments
    if target is None:
        return None
    size = walk.size(target)
    if name in _TRAVERSING:
        return _traversed(walk, call, size), None
    if name in _TEXT:
        return size.traversed(), size
    if name == "replace":
        grown = _replaced(size, walk.size(arguments[0]), walk.size(arguments[1]))
        return size.traversed(2), grown
    if name == "split":
        limit = static_calls.written_number(call, 1)
        most = size.most if limit is None else limit & sizes.MOST
        return size.traversed(2), Range(0, most)
    if name == "join":
        joined = _joined(walk, call, size)
        return joined.traversed(), joined
    if name in ("find", "findAll"):
        return static_calls.matched(size, walk.size(arguments[0])), Range(0, size.most)
    return None


def _item_size(walk: Estimate, call: Call) -> tuple[str, Range] | None:
    """The kind and the size of the elements of a list; nothing if it is none."""
    assert call.target is not None
    parts = walk.checked.type_of(call.target).parts
    if not parts:
        return None
    path = walk.path(call.target)
    found = walk.size_at((*path, "@items")) if path else None
    return parts[0].kind, UNKNOWN if found is None else found


def _traversed(walk: Estimate, call: Call, size: Range) -> Range:
    item = _item_size(walk, call)
    if item is None:
        return size.traversed()
    kind, item_size = item
    cost = ONE
    if kind in ("string", "bytes"):
        cost = cost.plus(item_size.traversed())
    return size.times(cost)


def _joined(walk: Estimate, call: Call, count: Range) -> Range:
    item = _item_size(walk, call)
    total = sizes.NONE if item is None else count.times(item[1])
    if call.arguments:
        gaps = Range(max(count.least - 1, 0), max(count.most - 1, 0))
        total = total.plus(walk.size(call.arguments[0]).times(gaps))
    return total


def _replaced(text: Range, old: Range, new: Range) -> Range:
    """The size of a text in which one is replaced by another, as short and as long as may be."""
    if old.least == 0:
        # An empty text is found around every letter.
        longest = min((text.most + 1) * new.most + text.most, sizes.MOST)
    elif new.most <= old.least:
        longest = text.most
    else:
        longest = min(math.ceil(text.most / old.least) * new.most, sizes.MOST)
    if old.most == 0:
        shortest = min((text.least + 1) * new.least + text.least, sizes.MOST)
    elif old.most <= new.least:
        shortest = text.least
    else:
        shortest = min(math.ceil(text.least / old.most) * new.least, sizes.MOST)
    return Range(shortest, longest)
