"""Request bodies in protobuf, read into the same JSON objects that other clients send.

kubectl's typed commands and the real kube-scheduler send nothing else. Only reading is here: every
client takes JSON answers. Which number is which field is a table (`data/protobuf.txt`); the code
knows the wire format and the few types whose JSON form is not that of their message.

What does not belong here: what an object must look like. A field too many or too few is for
`objects` to validate, as it is for JSON.
"""
