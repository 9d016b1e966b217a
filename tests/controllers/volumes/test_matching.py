from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import given

from kubestage.controllers.volumes import matching
from kubestage.objects.views import storage

if TYPE_CHECKING:
    from kubestage.aliases import Json

NAMES = st.sampled_from(["data", "other"])
REFERENCES = st.none() | st.fixed_dictionaries(
    {"name": NAMES}, optional={"namespace": NAMES, "uid": st.sampled_from(["u1", "u2"])}
)


@st.composite
def volumes(draw: st.DrawFn) -> list[Json]:
    """Volumes, some of them spoken for."""
    found = []
    for number, reference in enumerate(draw(st.lists(REFERENCES, max_size=6))):
        spec: dict[str, Any] = {
            "capacity": {"storage": f"{draw(st.integers(1, 4))}Gi"},
            "accessModes": draw(st.sampled_from([["ReadWriteOnce"], ["ReadWriteOnce", "RWX"]])),
        }
        if reference is not None:
            spec["claimRef"] = reference
        metadata = {"name": f"pv-{number}"}
        found.append({"metadata": metadata, "spec": spec, "status": {"phase": "Available"}})
    return found


@given(volumes(), st.booleans())
def test_volumes_of_other_claims_need_not_be_looked_at(
    there: list[Json], delays_binding: bool
) -> None:
    claim = storage.claim_of(
        {
            "metadata": {"name": "data", "namespace": "data", "uid": "u1"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}},
            },
        }
    )  # fmt: skip
    some = [each for each in there if matching.may_be_had(each, claim)]
    best_of_some, best_of_all = (
        matching.best(claim, map(storage.volume_of, each), delays_binding=delays_binding)
        for each in (some, there)
    )
    names = [None if each is None else each.name for each in (best_of_some, best_of_all)]
    assert names[0] == names[1]
