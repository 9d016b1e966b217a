"""What a cluster costs, and how well its pods are packed, at one moment.

Belongs here: the numbers (`measures`), the costs by pool, namespace and workload (`costs`), their
texts and tables, all from nodes and pods as they are. Not here: prices (`objects.prices`), totals
over time (`results.life`), and what needs a scheduler (`runs.cost`). docs/cost.md defines each
number.
"""
