"""Protobuf: request bodies, read into the same JSON objects that other clients send, and answers.

kubectl's typed commands and the real kube-scheduler send nothing else. Nearly every client takes
JSON answers, which are quicker; those that accept protobuf alone get it, and metadata alone is
sent in it. Which number is which
field is a table (`data/protobuf.txt`); the code knows the wire format and the few types whose JSON
form is not that of their message.

What does not belong here: what an object must look like. A field too many or too few is for
`objects` to validate, as it is for JSON.
"""
