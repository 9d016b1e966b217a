"""What the commands do, as functions with typed options and typed results.

Here belongs reading a person's input, running it, and what is found out about runs. A function
here prints nothing and knows no command line: a notebook, a test and ``cli`` call it alike. What
it has to say on the way goes to an `Observer`.
"""
