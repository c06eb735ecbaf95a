"""The reasoning engine: pure Python, no framework, no network."""

VERSION = "1"
"""Engine version: part of every artefact's name, raised when compiled output changes."""
