"""API aggregation: other API servers, behind Services, that serve a group and version of their own.

An APIService with `spec.service` names one. The aggregator checks in real time whether it answers,
and what it serves; requests below its paths are passed on, and discovery has its resources. APIs of
the server itself and of definitions have an APIService, too, without a Service.

What does not belong here: the objects and their rules, which are in `objects`, and what is made
when a server starts, which is in `bootstrap`.
"""
