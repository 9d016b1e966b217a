"""The Pod Security Standards: what a pod may ask of its host at each level and version.

Pure rules, one function a check, under upstream's names. Which namespace asks for which level, and
what is refused, warned of or only counted, is for admission to decide.
"""
