"""Admission webhooks: programs that decide whether a request is allowed, and may change it.

The store decides which to call, with what, and what becomes of the answer. It has no connections:
answers come from the writer (`caller.WebhookCalls`). A writer that can call none calls none.
"""
