"""Commands that look up names: dig, nslookup, getent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.programs import hosts, records
from kubestage.programs.tree import FileError

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run
    from kubestage.programs.records import Record

_NAMES: Final = frozenset({"CNAME", "PTR", "SRV"})
_TYPES: Final = frozenset({"A", "AAAA", *_NAMES})
_DIG: Final = frozenset(
    {"+notcp", "+tcp", "+noall", "+answer", "+search", "+short", "+nosearch", "+noedns"}
)


def _found(call: Call, name: str, record_type: str) -> list[Record]:
    """The records of the first of the names that a search list makes which has any."""
    for each in records.candidates(name, hosts.resolver_of(call.context.pod)):
        found = call.context.lookup(each, record_type)
        if found:
            return found
    return []


def dig(call: Call) -> int:
    """``dig +short`` or ``dig +noall +answer``, of one name and type."""
    options = {each for each in call.arguments if each.startswith("+")}
    words = [each for each in call.arguments if not each.startswith("+")]
    name = words[0] if words else ""
    record_type = words[1].upper() if len(words) == 2 else "A"
    is_short = "+short" in options
    is_known = options <= _DIG and len(words) in (1, 2) and record_type in _TYPES
    if not is_known or not (is_short or options >= {"+noall", "+answer"}):
        raise call.unmodelled()
    if "+search" not in options and not name.endswith("."):
        name += "."
    for each in _found(call, name, record_type):
        value = f"{each.value}." if each.type in _NAMES else each.value
        line = value if is_short else f"{each.name}.\t{records.TTL_S}\tIN\t{each.type}\t{value}"
        call.out.write(f"{line}\n".encode())
    return 0


def nslookup(call: Call) -> int:
    """``nslookup NAME``: its addresses."""
    if len(call.arguments) != 1 or call.arguments[0].startswith("-"):
        raise call.unmodelled()
    [name] = call.arguments
    found = _found(call, name, "A") or _found(call, name, "AAAA")
    lines = [f"Server:\t\t{hosts.DNS}", f"Address:\t{hosts.DNS}#53", ""]
    if not found:
        lines.append(f"** server can't find {name}: NXDOMAIN")
    for each in found:
        if each.type == "CNAME":
            lines.append(f"{each.name}\tcanonical name = {each.value}.")
        else:
            lines += [f"Name:\t{each.name}", f"Address: {each.value}"]
    call.out.write("".join(f"{line}\n" for line in [*lines, ""]).encode())
    return 0 if found else 1


def getent(call: Call) -> int:
    """``getent hosts NAME``: by /etc/hosts, and then by DNS."""
    if len(call.arguments) != 2 or call.arguments[0] != "hosts":
        raise call.unmodelled()
    name = call.arguments[1]
    try:
        text = call.files.read("/etc/hosts").decode("utf-8", "replace")
    except FileError:
        text = ""
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if name in words[1:]:
            call.out.write(f"{words[0]:<15} {' '.join(words[1:])}\n".encode())
            return 0
    addresses = [each for each in _found(call, name, "A") if each.type == "A"]
    for each in addresses:
        call.out.write(f"{each.value:<15} {each.name}\n".encode())
    return 0 if addresses else 2


NAMING: Final[dict[str, Run]] = {"dig": dig, "getent": getent, "nslookup": nslookup}
