"""How long and how large what people type may be: each limit stated once, for models, forms, services and pages.

What holds for a question stands in `engine/questions/limits.py`, what an operator may set in `settings.py`.
"""

TITLE_MAX = 300
"""Characters of a document's or a thread's title; a longer name of a file is cut."""
NAME_MAX = 120
"""Characters of the name of a workspace or a folder."""
TAG_MAX = 60
"""Characters of a tag."""
PHRASE_MAX = 120
"""Characters of one wording of a lexicon entry."""
SEARCH_MAX = 200
"""Characters of a search in a list, an outline or a page."""
STEPS_MIN, STEPS_MAX = 1, 30
"""Steps of one walk that may be asked for; the walk ends earlier when nothing new is found."""
RUN_USD_MAX = 10_000.0
"""The most US dollars that anybody may let one run spend."""
