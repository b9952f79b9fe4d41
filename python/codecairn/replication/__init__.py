"""Publishing an index for others, and pulling one instead of making it.

Texts are not shared: a reader has the files, and takes what is derived from them. What it takes counts because a publisher that its
grant names has signed it, whatever store it lies in.
"""
