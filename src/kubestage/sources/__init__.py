"""Clusters from elsewhere: dumps, bundles, audit logs, traces and recordings of other programs.

Belongs here: opening archives (`tree`), recognising and reading formats (`formats`), which kinds an
import has (`canonical_kinds`), what is removed from objects (`cleaning`, `anonymising`), which
owners are rebuilt (`owners`), and the folder that an import writes (`folder`). Not here: talking to
a live cluster (`remote`), running what was imported (`runs`).
"""
