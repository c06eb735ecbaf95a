"""Finding: routing to documents, walking their trees, retrieving and ranking what they hold."""
