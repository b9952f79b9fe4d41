"""The local page: what agents did and remember, and the index, in a browser on this machine.

Invariants: every request passes `guard`. A page contains no private record, and no text of a repository as HTML. Every change is
an operation that the command line has, too.
"""
