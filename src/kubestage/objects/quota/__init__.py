"""How namespaces are charged: what an object uses, which quotas it counts for, and sums.

Pure rules, for admission (which charges a quota before an object is stored) and for the
controller that counts again. Which objects there are, and what a quota's status says, is for the
caller to know.
"""
