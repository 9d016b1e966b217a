"""When requests come: rates over time, and arrivals made of them.

Belongs here: a pattern's formula (`rates`), where in a second its requests fall (`arrivals`), and
the reading of a pattern as it is written (`reading`). Not here: what a request costs, and what
becomes of it.
"""
