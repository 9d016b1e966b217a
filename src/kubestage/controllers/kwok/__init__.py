"""KWOK's lifecycles: `Stage` resources that state how an object changes, and when.

The model, the choice of a stage, its delay and its effects are functions of the object, the time
and a random stream. Only `player` touches the store. What a kubelet does by itself is not here.
"""
