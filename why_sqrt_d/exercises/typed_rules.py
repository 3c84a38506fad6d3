"""How a number may be written that is typed on a page; its JavaScript applies these rules.

Each is a pattern and what stands in its place, in JavaScript's syntax.
"""

_UNITS = (
    "keys?|tokens?|quer(?:y|ies)|rows?|steps?|strings?|trainings?|runs?|heads?|epochs?|layers?|"
    "dimensions?|dims?|components?|nats?|bits?|times|percent|of|the|them|per|a|each|all|in|as|"
    "much|many|large|larger|long|more|about|approximately|exactly|total|weights?|logits?|scores?|"
    "standard|deviations?|sd"
)
_LABELS = (
    "lines?|min|max|minimum|maximum|smallest|largest|lowest|highest|least|most|mean|variance|var|"
    "std|sd|total|within|between|first|second"
)
_PARTS = ("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNTS = "zero . two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_COUNTS += " fifteen sixteen seventeen eighteen nineteen twenty"
_WORDS = {word: n for n, word in enumerate(_COUNTS.split()) if word != "."}
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_WORDS |= {word: 10 * n for n, word in enumerate(_TENS.split(), 3)}
_BEGIN = "(^|[,;=≈(] *)"  # where a number stands alone, so that what follows is all its own
Rules = list[tuple[str, str]]
RULES: dict[str, Rules] = {
    # Signs as on a keyboard: 2², 2½; a narrow blank only ever stands between groups of digits.
    "before": [
        ("(?<![.,0-9])([0-9]{1,3})[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))", "$1"),
        ("([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", "^($1)"),
        ("([0-9]*)([¼-¾⅐-⅞])", "($1+$2)"),
    ],
    # Then in normal form: −3, √2, 5 × 10, numbers as Python prints them, and words that compute.
    "after": [
        *(("[\\t\\r\\f]", " "), ("[−–—]", "-"), ("[×·⋅∙∗•]", "*"), ("[÷⁄∕]", "/")),
        *(("π", " pi "), ("√", " sqrt "), ("∞", " inf ")),
        *((f"\\b{word}\\b", str(n)) for word, n in _WORDS.items()),
        *((f"\\bone(?= {part}|$)", "1") for part in _PARTS),
        *(
            (f"(^|[,;=≈(] *|\\band )(?:{article}){part}(?= *(?:$|[,;)]))", f"$1(1/{n})")
            for n, part, article in (
                (2, "half", "an? |1 |"),
                (3, "third", "a "),
                (4, "quarter", "a "),
            )
        ),
        ("(?:np|numpy)[.](?:float|int)[0-9]+(?=[(])", ""),
        (" *per ?cent(?![a-z])", "%"),
        ("(?:the )?(?:square )?\\broot(?: of)? *(?=[0-9(])", " sqrt "),
        ("([0-9])[.]{3}(?![0-9.])", "$1"),
        (_BEGIN + "([0-9]+(?:[.][0-9]+)?) +squared\\b", "$1$2^2"),
        (_BEGIN + "([0-9]+(?:[.][0-9]+)?) +cubed\\b", "$1$2^3"),
        *((f"{_BEGIN}([0-9]+) +{x}s?\\b", f"$1$2/{n}") for n, x in enumerate(_PARTS, 2)),
        (_BEGIN + "([0-9]+) +halves\\b", "$1$2/2"),
        ("([0-9)]) over (?=[0-9(]|sqrt|ln|pi)", "$1/"),
        ("([0-9)]) times (?=[0-9(]|sqrt|root|ln|pi)", "$1*"),
        *(("\\bdivided by\\b", "/"), ("\\bmultiplied by\\b", "*")),
        *(("\\bminus\\b", "-"), ("\\bplus\\b", "+")),
    ],
    # Of one number that is the whole answer: what may stand before it, and its unit.
    "number": [
        ("^(?:by +)?([0-9.]+ *%) *(?:more|larger|longer|higher)$", "+$1"),
        ("^ *(?:[=≈~] *|(?:about|around|roughly|ca[.]?|by|times|it|is|an?|the|factor|of) +)+", ""),
        (f"^(.*[0-9.)%]) *(?:{_UNITS})(?: (?:{_UNITS}))*$", "$1"),
        *(("^[*x] *(?=[0-9.])", ""), ("([0-9.)])(?: *x|[*]|-fold)$", "$1")),
        ("([.][0-9]+)[.]$", "$1"),
    ],
    # Of several numbers: what may stand beside or between them.
    "list": [
        ("(^|[ ,;\n])[A-Za-zΑ-Ωα-ω][A-Za-z0-9_]*(?:\\^[(][0-9][)])?'? *[=≈] *", "$1"),
        (" +%", "%"),
        ("([0-9])(?:st|nd|rd|th)\\b(?: line)?", "$1"),
        (f"[(](?:{_LABELS})[)]", ""),
        (f"(^|[ ,;\n([])(?:{_LABELS})(?: is)? *[:=≈]? *(?=[-+0-9.(√s])", "$1"),
        *(("([0-9]) *: *", "$1, "), (" (?:and|to) ", " , ")),
    ],
}
#: What can be read in two ways, and the key of the sentence that says so.
TWO_WAYS: Rules = [("(?:\\^|[*]{2}) *1 *[/]", "root"), ("^[+] *[0-9.,]+ *%$", "rise")]
GROUPS = "^[+-]? ?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?$"  # of three digits, with blanks
