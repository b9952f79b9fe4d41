"""Periods that a question speaks of ("last week", 昨天, "vor drei Tagen").

| module | content |
|---|---|
| `reading` | a question -> its period, and the question without the words for it |
| `grammar` | the words of a language -> patterns, each with what it reads |
| `calendar` | moments and lengths -> stretches of time |
| `words` | what the words of each language are |
"""
