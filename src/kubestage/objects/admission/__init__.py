"""Admission policies and webhooks as values: their expressions, and what is sent to a webhook.

Which requests they are for, and what becomes of those, is the store's.
"""
