"""Pairs of statements that contradict each other, or only look as if they did."""
