"""Settings: one table, resolved in layers.

Built-in defaults < the user's file < the workspace's file < environment `CODECAIRN_*` < arguments. An unknown key or
a wrong type is an error that names where it was found, the key, and the nearest known key.
"""
