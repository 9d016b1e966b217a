"""The Kubernetes API over HTTP, so that the clients people already have reach the stage.

What belongs here: HTTP, content negotiation, streaming, pacing against real time, durability, who
may come in. The server only translates; the store decides. Routes, discovery, documents and tables
derive from the kind table. What does not belong here: any rule about an object, and anything that
changes what happens rather than when.
"""
