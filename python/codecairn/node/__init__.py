"""The search node of a team: answers for commits of its repositories, with the same engine, for machines that hold no index.

All that it keeps is a cache of what git, the object store and the team's database have.
"""
