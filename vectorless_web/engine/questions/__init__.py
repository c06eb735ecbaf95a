"""Understanding a question: the query plan, the lexicon, periods and units."""
