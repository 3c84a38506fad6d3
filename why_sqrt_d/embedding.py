"""JSON that stands inside of an HTML page."""

import json
from typing import Any


def json_script(value: Any, **options: Any) -> str:
    r"""Return `value` as a script element of JSON that cannot end it early.

    >>> json_script({"a": "</script>"})
    '<script type="application/json">{"a": "\\u003c/script\\u003e"}</script>'
    """
    text = json.dumps(value, ensure_ascii=False, **options)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json">{text}</script>'
