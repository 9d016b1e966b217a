"""Charts of a sweep: one Altair definition a chart, in the style of all others.

The extra ``charts`` brings the libraries that draw. They are loaded with the first chart.
"""
