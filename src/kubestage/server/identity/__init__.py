"""Who sends a request, and what proves it: keys, tokens of service accounts, certificates.

Here is what signs and what checks signatures. The verbs of the API that grant tokens are in
`server.tokens`, those that review them in `server.reviews`.
"""
