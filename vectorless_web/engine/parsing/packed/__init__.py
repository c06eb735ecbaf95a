"""Readers of files packed into one: archives and attachments, books, slides."""
