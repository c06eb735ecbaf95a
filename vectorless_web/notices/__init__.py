"""Notices: what people are told of while they look elsewhere, in the bell of every page and by mail."""
