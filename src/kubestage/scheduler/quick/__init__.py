"""The fast lane: pods are placed ahead of their turns, many by one call of compiled code.

Here belong what is known of templates (`known`, `learning`), how it is laid out for compiled code
(`layout`, `plan_table`, `kind_table`, `items`), the kernels (`compiled`, with a plain twin each),
and how forecasts are made, carried out or withdrawn (`forecaster`, `forecast`, `lane`). Answers of
plugins come from the plugins; what is not known to be safe is tried in the ordinary way.
"""
