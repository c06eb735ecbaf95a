"""Finding the documents, the sections and the passages that a question needs."""
