"""A verdict on a change: rules, findings, figures of both sides, and its documents.

Belongs here: the value, and how it is written as Markdown, JUnit, SARIF and annotations of GitHub.
Not here: how a finding is made (`runs.check`), and what a terminal shows (`cli`).
"""
