"""Rules of the pod itself that may go or become preferences: where it runs, and beside whom."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import labels as selectors
from kubestage.runs.fit import candidate, edit
from kubestage.runs.fit.candidate import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

DROP: Final = "drop-term"
SOFTEN: Final = "soften-term"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT: Final = 100
_NAMES: Final = {"podAffinity": "pod affinity", "podAntiAffinity": "pod anti-affinity"}
_MOST: Final = 12


def candidates(pod: Json) -> Iterator[Candidate]:
    """Every rule by itself, and all node rules together."""
    spec = pod["spec"]
    yield from _node_selector(spec.get("nodeSelector") or {})
    affinity = spec.get("affinity") or {}
    yield from _node_affinity((affinity.get("nodeAffinity") or {}).get(_REQUIRED))
    for field, name in _NAMES.items():
        terms = (affinity.get(field) or {}).get(_REQUIRED) or ()
        for index, term in enumerate(terms[:_MOST]):
            text = f"make its {name} {_term_text(term)} a preference"
            change = functools.partial(_softened_term, field=field, index=index)
            yield _own(SOFTEN, text, change)
    for index, constraint in enumerate((spec.get("topologySpreadConstraints") or ())[:_MOST]):
        if constraint.get("whenUnsatisfiable") == "DoNotSchedule":
            key = constraint.get("topologyKey")
            text = (
                f"let its spread over {key} (maxSkew {constraint.get('maxSkew')}) be ScheduleAnyway"
            )
            yield _own(SOFTEN, text, functools.partial(_softened_spread, index=index))
    yield from _host_ports(spec)


def _own(kind: str, text: str, change: Any, weight: float = 0.0, less: Any = None) -> Candidate:
    return Candidate(kind, text, edit.of_pod(change), (candidate.OWN_RULE + weight,), less)


def _node_selector(selector: Json) -> Iterator[Candidate]:
    for key in list(selector)[:_MOST]:
        yield _without_labels(selector, (key,))
    if len(selector) > 1:
        yield _without_labels(selector, tuple(selector))


def _without_labels(selector: Json, keys: tuple[str, ...]) -> Candidate:
    """Labels of the nodeSelector dropped; some of them may be enough."""
    shown = " and ".join(f"{key}={selector[key]}" for key in keys)
    is_all = 1 < len(keys) == len(selector)
    text = "drop its whole nodeSelector" if is_all else f"drop {shown} from its nodeSelector"

    def less() -> Iterator[Candidate]:
        if len(keys) > 1:
            for fewer in itertools.combinations(keys, len(keys) - 1):
                yield _without_labels(selector, fewer)

    change = functools.partial(_without_selector, keys=keys)
    return _own(DROP, text, change, float(len(keys) - 1), less)


def _node_affinity(required: Json | None) -> Iterator[Candidate]:
    terms = (required or {}).get("nodeSelectorTerms") or ()
    for index, term in enumerate(terms[:_MOST]):
        for field in ("matchExpressions", "matchFields"):
            rules = term.get(field) or ()
            if sum(len(term.get(each) or ()) for each in ("matchExpressions", "matchFields")) < 2:
                # The whole term is that rule.
                continue
            for place, rule in enumerate(rules[:_MOST]):
                text = f"drop {_rule_text(rule)} from its node affinity"
                change = functools.partial(_without_rule, index=index, field=field, place=place)
                yield _own(DROP, text, change)
    if terms:
        shown = " or ".join(_node_term_text(term) for term in terms[:2])
        text = f"make its node affinity ({shown}) a preference"
        yield _own(SOFTEN, text, _softened_node_affinity, 1.0)


def _host_ports(spec: Json) -> Iterator[Candidate]:
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field) or ()):
            for place, port in enumerate(container.get("ports") or ()):
                if port.get("hostPort"):
                    text = f"drop its host port {port['hostPort']}/{port.get('protocol', 'TCP')}"
                    text += " and its host network" if spec.get("hostNetwork") else ""
                    change = functools.partial(_without_port, field=field, index=index, place=place)
                    yield _own("drop-host-port", text, change)


def _without_selector(pod: Json, keys: tuple[str, ...]) -> Json:
    left = {key: each for key, each in pod["spec"]["nodeSelector"].items() if key not in keys}
    return edit.with_spec(pod, nodeSelector=left or None)


def _softened_node_affinity(pod: Json) -> Json:
    affinity = pod["spec"]["affinity"]
    mine = dict(affinity["nodeAffinity"])
    terms = mine.pop(_REQUIRED)["nodeSelectorTerms"]
    preferred = [{"weight": _WEIGHT, "preference": term} for term in terms]
    mine[_PREFERRED] = [*(mine.get(_PREFERRED) or ()), *preferred]
    return edit.with_spec(pod, affinity={**affinity, "nodeAffinity": mine})


def _without_rule(pod: Json, index: int, field: str, place: int) -> Json:
    affinity = pod["spec"]["affinity"]
    mine = affinity["nodeAffinity"]
    terms = list(mine[_REQUIRED]["nodeSelectorTerms"])
    rules = [rule for at, rule in enumerate(terms[index][field]) if at != place]
    term = {name: each for name, each in terms[index].items() if name != field}
    terms[index] = {**term, **({field: rules} if rules else {})}
    required = {**mine[_REQUIRED], "nodeSelectorTerms": terms}
    return edit.with_spec(pod, affinity={**affinity, "nodeAffinity": {**mine, _REQUIRED: required}})


def _softened_term(pod: Json, field: str, index: int) -> Json:
    affinity = pod["spec"]["affinity"]
    mine = dict(affinity[field])
    terms = list(mine[_REQUIRED])
    term = terms.pop(index)
    mine[_REQUIRED] = terms
    if not terms:
        del mine[_REQUIRED]
    preferred = {"weight": _WEIGHT, "podAffinityTerm": term}
    mine[_PREFERRED] = [*(mine.get(_PREFERRED) or ()), preferred]
    return edit.with_spec(pod, affinity={**affinity, field: mine})


def _softened_spread(pod: Json, index: int) -> Json:
    constraints = list(pod["spec"]["topologySpreadConstraints"])
    softened = {**constraints[index], "whenUnsatisfiable": "ScheduleAnyway"}
    # It has a meaning only where a rule must hold.
    softened.pop("minDomains", None)
    constraints[index] = softened
    return edit.with_spec(pod, topologySpreadConstraints=constraints)


def _without_port(pod: Json, field: str, index: int, place: int) -> Json:
    containers = list(pod["spec"][field])
    ports = list(containers[index]["ports"])
    ports[place] = {name: each for name, each in ports[place].items() if name != "hostPort"}
    containers[index] = {**containers[index], "ports": ports}
    host_network = {"hostNetwork": None} if pod["spec"].get("hostNetwork") else {}
    return edit.with_spec(pod, **{field: containers}, **host_network)


def _term_text(term: Json) -> str:
    selector = selectors.from_label_selector(term.get("labelSelector"))
    return f"({selector} by {term.get('topologyKey')})"


def _node_term_text(term: Json) -> str:
    rules = [*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())]
    return " and ".join(map(_rule_text, rules))


def _rule_text(rule: Json) -> str:
    values = ",".join(rule.get("values") or ())
    operator = rule.get("operator", "")
    return f"{rule.get('key')} {operator}{f' ({values})' if values else ''}"
