"""What a team shares through PostgreSQL: who may do what, the heads of branches, garbage collection, and a memory.

Objects lie in an object store (`codecairn.objects`), sealed; the database keeps their names. Members log in with roles of their
own, and row-level security decides in the server which rows each sees. A client trusts the database with availability and with who
has which role. It does not believe it on keys: members introduce each other by signatures, manifests, pointers and facts are signed by
their authors, and keys of repositories are sealed to members who were introduced.
"""
