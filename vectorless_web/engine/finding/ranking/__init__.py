"""Ranks pages, nodes and sentences by how likely they hold what a question asks for: one set of signals and weights."""
