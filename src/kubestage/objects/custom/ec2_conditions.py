"""What the rules of EC2NodeClasses say, each as a function of a value and the old one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom.rule_tree import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

    Condition = Callable[[Any, Any], bool]

_FAMILIES: Final = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}
_WINDOWS: Final = frozenset({"windows2019", "windows2022", "windows2025"})


def _any(obj: Json, *names: str) -> bool:
    return any(name in obj for name in names)


def _each_has(*names: str) -> Condition:
    return lambda value, _: all(_any(each, *names) for each in value)


def _not_all_combine(name: str, *others: str) -> Condition:
    """Not every term has both: upstream's rule, which a single proper term satisfies."""
    return lambda value, _: not all(name in each and _any(each, *others) for each in value)


def _none_combines(name: str, *others: str) -> Condition:
    return lambda value, _: not any(name in each and _any(each, *others) for each in value)


def _alias_is_alone(value: Any, _: Any) -> bool:
    return not any("alias" in each for each in value) or len(value) == 1


def _windows_is_latest(value: Any, _: Any) -> bool:
    family, at, rest = value.partition("@")
    if family not in _WINDOWS:
        return True
    if not at:
        raise RuleError("index out of bounds: 1")
    return bool(rest.partition("@")[0] == "latest")


def _family_suits(alias: str, family: str) -> Condition:
    def holds(value: Any, _: Any) -> bool:
        if "amiFamily" not in value:
            return True
        aliases = [each["alias"] for each in value["amiSelectorTerms"] if "alias" in each]
        if alias not in {each.partition("@")[0] for each in aliases}:
            return True
        return value["amiFamily"] in ("Custom", family)

    return holds


def _states_family(value: Any, _: Any) -> bool:
    return "amiFamily" in value or any("alias" in each for each in value["amiSelectorTerms"])


def _primary(each: Json) -> bool:
    at_first_place = each["deviceIndex"] == 0 and each["networkCardIndex"] == 0
    return bool(at_first_place and each["interfaceType"] == "interface")


def _has_primary_interface(value: Any, _: Any) -> bool:
    return not value or any(map(_primary, value))


def _interfaces_differ(value: Any, _: Any) -> bool:
    places = [(each["networkCardIndex"], each["deviceIndex"]) for each in value]
    efa = [each["networkCardIndex"] for each in value if each["interfaceType"] == "efa-only"]
    return len(set(places)) == len(places) and len(set(efa)) == len(efa)


_IN_PLACES: Final = (
    "self.all(x, self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == "
    "y.deviceIndex).size() == 1 && (x.interfaceType != 'efa-only' || self.filter(y, "
    "x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1))"
)
_WITH_PRIMARY: Final = (
    "self.size() == 0 || self.exists(x, x.deviceIndex == 0 && x.networkCardIndex == 0 && "
    "x.interfaceType == 'interface')"
)
_RATED: Final = (
    "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')"
)
_ONE_IDENTITY: Final = (
    "(has(self.role) && !has(self.instanceProfile)) || "
    "(!has(self.role) && has(self.instanceProfile))"
)
_SELECTS_IMAGES: Final = (
    "self.all(x, has(x.tags) || has(x.id) || has(x.name) || has(x.alias) || has(x.ssmParameter))"
)
_KNOWN_FAMILY: Final = (
    "self.split('@')[0] in "
    "['al2','al2023','bottlerocket','windows2019','windows2022','windows2025']"
)
_LATEST: Final = (
    "self.split('@')[0] in ['windows2019','windows2022','windows2025'] ? "
    "self.split('@')[1] == 'latest' : true"
)
_SUITABLE: Final = {
    f"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x, has(x.alias) && "
    f"x.alias.find('^[^@]+') == '{alias}') ? (self.amiFamily == 'Custom' || self.amiFamily == "
    f"'{family}') : true)": _family_suits(alias, family)
    for alias, family in _FAMILIES.items()
}

CONDITIONS: Final[dict[str, Condition]] = {
    _ONE_IDENTITY: lambda value, _: ("role" in value) != ("instanceProfile" in value),
    **_SUITABLE,
    "self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)": _states_family,
    _SELECTS_IMAGES: _each_has("tags", "id", "name", "alias", "ssmParameter"),
    "!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))": (
        _none_combines("id", "alias", "tags", "name", "owner")
    ),
    "!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))": (
        _none_combines("alias", "id", "tags", "name", "owner")
    ),
    "!(self.exists(x, has(x.alias)) && self.size() != 1)": _alias_is_alone,
    "self.matches('^[a-zA-Z0-9]+@.+$')": (
        lambda value, _: re.search(r"\A[a-zA-Z0-9]+@.+\Z", value) is not None
    ),
    _KNOWN_FAMILY: lambda value, _: value.partition("@")[0] in _FAMILIES,
    _LATEST: _windows_is_latest,
    "self.all(k, k != '' && self[k] != '')": lambda value, _: "" not in {*value, *value.values()},
    "self.filter(x, has(x.rootVolume)?x.rootVolume==true:false).size() <= 1": (
        lambda value, _: sum(each.get("rootVolume") is True for each in value) <= 1
    ),
    "has(self.snapshotID) || has(self.volumeSize)": (
        lambda value, _: _any(value, "snapshotID", "volumeSize")
    ),
    _RATED: (
        lambda value, _: "volumeInitializationRate" not in value or bool(value.get("snapshotID"))
    ),
    "self.all(x, has(x.tags) || has(x.id) || has(x.instanceMatchCriteria))": (
        _each_has("tags", "id", "instanceMatchCriteria")
    ),
    "!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))": (
        _not_all_combine("id", "tags", "ownerID", "instanceMatchCriteria")
    ),
    "has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)": (
        lambda value, _: _any(value, "tcpEstablishedTimeout", "udpStreamTimeout", "udpTimeout")
    ),
    _WITH_PRIMARY: _has_primary_interface,
    _IN_PLACES: _interfaces_differ,
    "has(self.name) || has(self.id)": lambda value, _: _any(value, "name", "id"),
    "!(has(self.name) && has(self.id))": lambda value, _: not ("name" in value and "id" in value),
    "self.size() != 0": lambda value, _: len(value) != 0,
    "self.all(x, has(x.tags) || has(x.id) || has(x.name))": _each_has("tags", "id", "name"),
    "!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))": (
        _not_all_combine("id", "tags", "name")
    ),
    "!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))": (
        _not_all_combine("name", "tags", "id")
    ),
    "self.all(x, has(x.tags) || has(x.id))": _each_has("tags", "id"),
    "!self.all(x, has(x.id) && has(x.tags))": _not_all_combine("id", "tags"),
    "self.all(k, !k.startsWith('kubernetes.io/cluster') )": (
        lambda value, _: not any(key.startswith("kubernetes.io/cluster") for key in value)
    ),
}
"""The functions, by the text of the rule."""
