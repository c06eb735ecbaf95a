"""From the bytes of a file to a compiled document that loses nothing.

The constants of layout in this room were chosen by looking at printed pages, first of all of company filings. Each says
its unit: points (1/72 inch), ems (the type size of the line), heights of a line, or the usual distance of lines of that
size. They were measured together, not one by one: with these values 98.5 % of bookmarks whose title is on its page
are found (benchmarks/README.md, "The compiler"). Another value changes the compiled bytes; `make fingerprint` shows it.
"""
