"""Programs beside the server that it asks: webhooks of admission and conversion.

They are found by URL, or behind a Service. The store raises `OutsideCall` where it needs an answer;
the server awaits it while others are served, and the request is tried again with the answer.
"""
