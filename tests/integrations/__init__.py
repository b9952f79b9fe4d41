"""Tests of `codecairn.integrations`, with the real packages where they are there."""
