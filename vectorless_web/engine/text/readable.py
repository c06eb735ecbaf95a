"""Brings titles in capitals to title case, for display only; quotes keep their letters.

Capitals hide which words are names and which are initials. So a short word keeps its
capitals unless it is a common one, as does whatever holds a digit, an ampersand or no
vowel; of the rest the first letter stays large, but for the small words of titles.
"""

import re

LETTERS_LEAST = 5
"""Letters below which capitals are left: "IBM" is no shouted title."""
CAPITALS = 0.9
"""Share of its letters in capitals from which a title counts as in capitals alone."""
SHORT = 4
"""Letters up to which a word that is not common keeps its capitals, as initials do."""
WORD = re.compile(r"[^\W_]+(?:[&'’.\-][^\W_]+)*", re.UNICODE)
VOWEL = re.compile(r"[AEIOUYÄÖÜÅØÆÉÈÊÁÀÓÍÚ]")
ROMAN = re.compile(r"X{0,3}(IX|IV|V?I{0,3})")
SMALL = frozenset(
    re.findall(r"\w+", "a an and as at but by de for from in into nor of on or per the to und upon via vs with")
)
COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        ACT AGE ALL ANY ARE AREA ASIA BANK BASE BEST BODY BOOK CALL CARE CASE CASH CITY CLUB COAL CODE COLD CORE CORP
        COST DAY DATA DATE DEBT DUTY EACH EAST END FACT FEE FEES FILE FILM FIRM FISH FIVE FLOW FOOD FORM FOUR FREE
        FUEL FULL FUND GAIN GAS GOAL GOLD GOOD HALF HEAD HEAT HELD HELP HIGH HOME HOW INC ITEM ITS JOB JOBS JULY JUNE
        KEY LAND LAW LAWS LEAD LIFE LIKE LINE LIST LOAN LONG LOSS LTD MAIN MAP MARK MAY MEMO MINE MORE NAME NET NEW
        NEWS NON NOT NOTE OIL OLD ONE OPEN OUR OUT OVER OWN PAID PART PAST PAY PLAN POST RATE REAL RENT REST RISK ROAD
        ROLE ROOM RULE SALE SAFE SEE SET SHIP SITE SIX SOIL STEP SUCH SUM SURE TAX TEAM TERM TEST TEXT THAN THAT THIS
        TIME TOP TRUE TWO TYPE UNIT USE USED USES WAGE WAY WEEK WELL WEST WHAT WHEN WHO WIND WORK YEAR YOUR ZERO ZONE
        """,
    )
)


def lower_capitals(title: str) -> str:
    """The title in title case if it is all in capitals ("PART II. LAND" gives "Part II. Land"), else unchanged."""
    letters = [character for character in title if character.isupper() or character.islower()]
    if len(letters) < LETTERS_LEAST or sum(map(str.isupper, letters)) < CAPITALS * len(letters):
        return title
    return WORD.sub(lambda match: _lower_word(match.group(), first=not title[: match.start()].strip()), title)


def _lower_word(word: str, *, first: bool) -> str:
    if not word.isupper() or any(character.isdigit() or character == "&" for character in word):
        return word
    if word.lower() in SMALL and not first:
        return word.lower()
    if "-" in word:
        return "-".join(_lower_word(part, first=first) for part in word.split("-"))
    lower = word[1:].lower()
    return word if _is_initials(word) or lower.upper() != word[1:] else word[0] + lower


def _is_initials(word: str) -> bool:
    if word in COMMON or word.lower() in SMALL:
        return False
    if ROMAN.fullmatch(word) or "." in word:
        return True
    return len(word) <= SHORT or not VOWEL.search(word)
