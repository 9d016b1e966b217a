"""How namespaces are charged: what an object uses, which quotas it counts for, and sums.

Pure rules, for admission (which charges a quota before an object is stored) and for the
controller that counts again. The caller knows the objects and the
status of the quota.
"""
