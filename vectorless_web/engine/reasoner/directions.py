"""Words that say which way a figure went."""

import re

UP = re.compile(
    r"\b(?:improv\w*|increas\w*|grow\w*|grew|ris(?:e|en|es|ing)|rose|higher|expand\w*|accelerat\w*|better|up)\b", re.I
)
DOWN = re.compile(
    r"\b(?:declin\w*|decreas\w*|drop\w*|fall\w*|fell|lower|deteriorat\w*|worse\w*|decelerat\w*|contract(?:ed|ing|ion)|reduc\w*"
    r"|shr(?:ink|ank|unk)\w*|down)\b",
    re.I,
)
