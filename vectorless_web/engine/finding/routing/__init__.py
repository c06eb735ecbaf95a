"""The document router: it narrows 1,000 and more documents to the few worth opening, and says why.

How the constants of this room were measured, where their docstrings say "measured": 65 questions over the cards of 49
company filings, each constant set to about half and about twice its value. As they stand the right document comes
first for 63 questions and is among the first three for all 65; 53 questions commit to one document, always rightly.
"""

# isort: skip_file

from vectorless_web.engine.finding.routing.card_keys import card_row, links_for
from vectorless_web.engine.finding.routing.result import RouteResult, ScoredCandidate
from vectorless_web.engine.finding.routing.router import DocumentRouter
from vectorless_web.engine.finding.routing.signals import RouteMode, RouterConfig
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow
