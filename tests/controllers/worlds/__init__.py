"""Whole clusters for properties that no single loop can have.

`world` is a stage with everything at work on it and a watchman on its store, `manifests` what
there can be on it and `operations` what can be done to it. `invariants` hold at every change,
`recounts`, `surroundings` and `wishes` when all is quiet: they work out from specs and pods alone
what statuses have to say and what there has to be, without any code of the loops.
"""
