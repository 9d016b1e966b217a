"""What is Go's and not Kubernetes': the parts of Go's library whose results users can see.

Here belongs a function that gives what Go's standard library (or ``golang.org/x``) gives: quoting,
numbers as text, times, regular expressions, rate limiters, templates. What is Kubernetes' own
belongs to ``objects``.
"""
