"""Label selectors and node affinity over all nodes at once.

A requirement is tried on each value that its label takes somewhere, and the answers are gathered
by the nodes' codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.objects import label_requirement, labels, node_selector

if TYPE_CHECKING:
    from kubestage.objects.label_requirement import Requirement
    from kubestage.objects.node_selector import PreferredTerms, RequiredNodeAffinity, Term
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns

_ONE_OF: Final = (label_requirement.IN, label_requirement.EQUALS, label_requirement.DOUBLE_EQUALS)


def matches_labels(columns: Columns, selector: labels.Selector) -> Mask:
    """The nodes whose labels fulfil a selector."""
    if not selector.selectable:
        return np.zeros(len(columns), np.bool_)
    mask: Mask = np.ones(len(columns), np.bool_)
    for requirement in selector.requirements:
        mask &= _fulfils(columns, requirement)
    return mask


def matches_required(columns: Columns, required: RequiredNodeAffinity) -> Mask:
    """The nodes a pod may run on; those that only malformed terms speak of are not among them."""
    mask: Mask = np.ones(len(columns), np.bool_)
    if required.label_selector is not None:
        mask &= matches_labels(columns, required.label_selector)
    if required.terms is not None:
        mask &= matches_any(columns, required.terms)
    return mask


def matches_any(columns: Columns, selector: node_selector.NodeSelector) -> Mask:
    """The nodes that match one of a selector's terms."""
    mask: Mask = np.zeros(len(columns), np.bool_)
    for term in selector.terms:
        mask |= matches_term(columns, term)
    return mask


def matches_term(columns: Columns, term: Term) -> Mask:
    """The nodes that match a term in labels and fields; a malformed term matches none."""
    if term.problems:
        return np.zeros(len(columns), np.bool_)
    mask = matches_labels(columns, term.label_selector)
    for key, expected, value in term.fields:
        equal: Mask = np.full(len(columns), key != node_selector.NAME_FIELD and value == "")
        row = columns.row_of.get(value) if key == node_selector.NAME_FIELD else None
        if row is not None:
            equal[row] = True
        mask &= equal == expected
    return mask


def preference(columns: Columns, preferred: PreferredTerms) -> Ints:
    """The summed weights of the preferred terms that each node matches."""
    sums: Ints = np.zeros(len(columns), np.int64)
    for weight, term in preferred.terms:
        sums += weight * matches_term(columns, term)
    return sums


def _fulfils(columns: Columns, requirement: Requirement) -> Mask:
    column = columns.label(requirement.key)
    # The code of a missing label is -1, so the answer for it goes last.
    answers: Mask = np.zeros(len(column.values) + 1, np.bool_)
    if requirement.operator in _ONE_OF:
        codes = [column.code_of[value] for value in requirement.values if value in column.code_of]
        answers[codes] = True
    else:
        selector = labels.Selector((requirement,))
        for code, value in enumerate(column.values):
            answers[code] = selector.matches({requirement.key: value})
        answers[-1] = selector.matches({})
    return answers[column.codes]
