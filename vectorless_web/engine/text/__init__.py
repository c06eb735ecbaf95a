"""Text: analysis, token estimates, normalisation and fuzzy comparison."""
