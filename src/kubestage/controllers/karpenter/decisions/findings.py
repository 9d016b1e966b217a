"""What rounds of disruption find out about each node, put together to one verdict a node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers import node_decisions
from kubestage.controllers.karpenter.decisions.purchases import BY
from kubestage.controllers.node_decisions import COMMANDS, Finding, Verdict, Worth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.state.state_node import StateNode

EMPTY: Final = "empty"
DRIFT: Final = "drift"
MULTI: Final = "multi"
SINGLE: Final = "single"
BLOCKED: Final = "blocked"
_METHODS: Final = (EMPTY, MULTI, SINGLE, DRIFT, BLOCKED)
"""The later a method is here, the more its finding says about why a node stays."""

NOTHING: Final = ""
"""The method has nothing to do with a node, as it is now."""
KEPT: Final = "kept"
BUDGET: Final = "budget"
NOT_EMPTY: Final = "not empty"
NOT_YET: Final = "too early"
SCORE: Final = "score"
OVERTAKEN: Final = "not this one"
TIMEOUT: Final = "time is up"
REJECTED: Final = "rejected"

NO_NODE: Final = "Nodeclaim does not have an associated node"
NOT_INITIALIZED: Final = "Node isn't initialized"
GOING: Final = "Node is deleting or marked for deletion"
UNDER_WAY: Final = "Node is being disrupted by a command that is under way"
_PASSING: Final = frozenset({NO_NODE, NOT_INITIALIZED, GOING, UNDER_WAY})
"""What every node goes through when it comes and when it goes."""

_VARIABLE: Final = re.compile(r" \(|, |: |\d+")


class _Known:
    """What is known of one node; a finding of a method holds until the method has another."""

    def __init__(self) -> None:
        self.candidate = False
        self.worth: Worth | None = None
        self.findings: dict[str, Finding] = {}

    @property
    def is_passing(self) -> bool:
        """Whether nothing was decided: the node is not complete yet, or no longer."""
        found = self.findings.get(BLOCKED)
        return not self.findings or (found is not None and found.text in _PASSING)

    @property
    def in_order(self) -> tuple[Finding, ...]:
        """The findings, those that say most last."""
        return tuple(self.findings[each] for each in _METHODS if each in self.findings)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes a verdict another one: the kind of its reason, without names and numbers."""
        deciding = node_decisions.deciding(self.in_order)
        if deciding is None:
            return (self.candidate,)
        return (self.candidate, deciding.outcome, _VARIABLE.split(deciding.text, maxsplit=1)[0])


class Findings:
    """Collects findings, and has a verdict for a node whenever they are of another kind."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._nodes: dict[str, StateNode] = {}
        self._reported: dict[str, tuple[object, ...]] = {}

    def blocked(self, node: StateNode, at_ns: int, problem: str) -> None:
        """A node is no candidate; what methods found about it earlier does not matter now."""
        known = self._of(node)
        known.candidate, known.worth = False, None
        known.findings = {BLOCKED: Finding(at_ns, BLOCKED, BLOCKED, problem)}

    def candidate(self, candidate: Candidate) -> None:
        """A node is a candidate, and worth this much."""
        known = self._of(candidate.node)
        known.candidate = True
        known.findings.pop(BLOCKED, None)
        known.worth = Worth(
            candidate.price, candidate.reschedule_disruption_cost, candidate.savings_ratio
        )

    def note(
        self, candidates: Iterable[Candidate], at_ns: int, method: str, outcome: str, text: str
    ) -> None:
        """A method came to something about nodes."""
        for each in candidates:
            finding = Finding(at_ns, method, outcome, text)
            known = self._of(each.node)
            if outcome in COMMANDS:
                # What other methods had found is out of date.
                known.findings.clear()
            if outcome:
                known.findings[method] = finding
            else:
                known.findings.pop(method, None)

    def keep(self, names: Iterable[str]) -> None:
        """Forget the nodes that are not among these."""
        listed = set(names)
        for name in [each for each in self._known if each not in listed]:
            self._known.pop(name)
            self._nodes.pop(name)
            self._reported.pop(name, None)

    def changed(self, at_ns: int) -> Iterator[Verdict]:
        """The verdicts that are of another kind than they were when this was called last."""
        for name, known in self._known.items():
            key = known.key
            if self._reported.get(name) != key and not known.is_passing:
                self._reported[name] = key
                yield self._verdict(name, known, at_ns)

    def all(self, at_ns: int) -> Iterator[Verdict]:
        """What holds of every node at present."""
        for name, known in self._known.items():
            yield self._verdict(name, known, at_ns)

    def _verdict(self, name: str, known: _Known, at_ns: int) -> Verdict:
        node = self._nodes[name]
        claim = node.node_claim
        return Verdict(
            at_ns=at_ns,
            by=BY,
            node=name,
            name="" if claim is None else claim["metadata"]["name"],
            pool=node.node_pool,
            candidate=known.candidate,
            findings=known.in_order,
            worth=known.worth,
        )

    def _of(self, node: StateNode) -> _Known:
        self._nodes[node.name] = node
        known = self._known.get(node.name)
        if known is None:
            known = self._known[node.name] = _Known()
        return known
