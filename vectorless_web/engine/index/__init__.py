"""Lexical index: immutable segments of postings with exact BM25F."""
