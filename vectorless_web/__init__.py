"""Vectorless Web: ask long documents a question and check every sentence of the answer."""
