"""The version of this package; equal to that of the core, which a test verifies."""

VERSION = "0.1.0"
