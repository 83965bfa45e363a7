"""What names, addresses and notes may have (D-60)."""

from unicodedata import category, combining, name

NON_JOINER, JOINER, VOWEL_SEPARATOR, KEYCAP, BLANK_BRAILLE = "\u200c", "\u200d", "\u180e", "\u20e3", "\u2800"

# Property Prepended_Concatenation_Mark: format characters that are visible.
VISIBLE_FORMAT = {*"\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd", *map(chr, range(0x600, 0x606))}

# Property Other_Default_Ignorable_Code_Point; the tags and what follows them are added below.
IGNORABLE = {*"\u034f\u115f\u1160\u17b4\u17b5\u2065\u3164\uffa0", *map(chr, range(0xFFF0, 0xFFF9))}

# Scripts with joiners. The name of a letter begins with its script.
JOINING = (
    "ADLAM ARABIC BALINESE BENGALI CHAKMA DEVANAGARI GRANTHA GUJARATI GURMUKHI HANIFI JAVANESE KANNADA KHMER MALAYALAM "
    "MANDAIC MEETEI MODI MONGOLIAN MYANMAR NEWA NKO ORIYA PHAGS-PA SHARADA SINHALA SUNDANESE SYRIAC TAMIL TELUGU TIBETAN TIRHUTA"
).split() + ["TAI THAM"]
# Scripts with variants of letters.
VARIED = ("CJK ", "IDEOGRAPHIC ", "MYANMAR ", "PHAGS-PA ")


def wrong(text, kind):
    """Yields what is wrong with a text, once."""
    for i, c in enumerate(text):
        reason = _wrong_at(text, i, c, kind)
        if reason:
            yield reason
            return
    if text and not any(_is_visible(c) for c in text):
        yield "must have a visible character"


def _wrong_at(text, i, c, kind):
    before, after = text[i - 1 : i], text[i + 1 : i + 2]
    if category(c) == "Cc":
        return None if kind == "prose" and c in "\t\r\n" else "must not contain control characters"
    if c in "\u2028\u2029":
        return "must not contain separators of lines"
    if category(c) == "Co" or ord(c) & 0xFFFE == 0xFFFE or "\ufdd0" <= c <= "\ufdef":
        return "must not contain characters without a meaning"
    if c in (NON_JOINER, JOINER, VOWEL_SEPARATOR):
        return None if _joins(text, i, c, before, after) else "must not contain joiners that join nothing"
    if _is_selector(c):
        return None if _varies(before, c, after) else "must not contain selectors of no variant"
    if c in VISIBLE_FORMAT:
        return None
    if category(c) == "Cf" or c in IGNORABLE or 0xE0000 <= ord(c) < 0xE1000:
        return "must not contain invisible characters"
    return None


def _is_visible(c):
    return c != BLANK_BRAILLE and category(c)[0] not in "MZ" and category(c) not in ("Cc", "Cf")


def _is_selector(c):
    return c in "\u180b\u180c\u180d\u180f" or "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"


def _script(c):
    return next((script for script in JOINING if name(c, "").startswith(script + " ")), None) if c else None


def _is_letter(c):
    return bool(c) and category(c)[0] == "L"


def _joins(text, i, c, before, after):
    base = text[:i]
    while base and category(base[-1])[0] == "M":  # selectors too
        base = base[:-1]
    base = base[-1:]
    if c == VOWEL_SEPARATOR:
        return _is_letter(base) and _is_letter(after) and _script(base) == _script(after) == "MONGOLIAN"
    if before and combining(before) == 9:
        return True
    if base and category(base)[0] == "S":
        return c == JOINER and bool(after) and category(after) == "So"
    return _is_letter(base) and _script(base) is not None and _script(base) == _script(after)


def _varies(before, c, after):
    if c < "\ufe00":
        return _is_letter(before) and _script(before) == "MONGOLIAN"
    if after == KEYCAP:
        return True
    return bool(before) and (category(before)[0] == "S" or _is_letter(before) and name(before, "").startswith(VARIED))
