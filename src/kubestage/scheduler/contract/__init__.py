"""What a user's plugin must be like: its class, and what its methods return.

Built-in plugins are not checked here: their tests and their types do that. A user's class is
checked when a scheduler is created with it, and what its methods return at every call.
"""
