"""Files as a safe program treats them: what it reads is bounded, what it writes is whole.

Belongs here: opening an input (`reading`), writing an output (`writing`), keeping others out of a
directory while it is written (`claiming`). Not here: what is in a file.
"""
