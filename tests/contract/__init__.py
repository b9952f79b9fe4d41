"""Promises about the world outside, held against local servers that speak its protocols."""
