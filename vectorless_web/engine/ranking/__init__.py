"""Which pages and nodes of a document hold the evidence a question needs.

How the constants of this room were measured, where their docstrings say "measured": on 65 questions over
49 company filings, the document given (benchmarks/README.md). With the values as they stand a gold page is among the
first 1, 3, 5 and 10 for 46, 57, 60 and 62 questions. One constant at a time was set to about half and about twice its
value. "Orders" counts the questions whose first ten pages change, hits those with a gold page among the first 1, 3, 5
or 10. One standard error at 65 questions is about 4 questions, so a change of one or two hits decides nothing.
"""
