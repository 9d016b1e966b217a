"""The fast lane: pods are placed ahead of their turns, many by one call of compiled code.

Here belong what is known of templates (`known`, `learning`), how it is laid out for compiled code
(`layout`, `plan_table`, `kind_table`, `items`), the kernels (`compiled`, with a plain twin each),
and how what they foretell comes true, or is withdrawn (`look_ahead`, `forecast`, `lane`). What a
plugin says is asked of the plugin; what is not known to be safe is tried in the ordinary way.
"""
