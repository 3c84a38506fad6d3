"""Write code with an element only where a word has a colour of its own.

A page shows up to 5 000 words of code, and two in five have the colour of plain text. The browser
need not lay out what is far from the view either, since a block says how many lines and columns
it has.
"""

from collections.abc import Iterable
from typing import Any, TextIO

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Token, Whitespace, _TokenType
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

# The two styles of `_config.yml` give these the colour of plain text.
PLAIN = {Name, Name.Namespace, Name.Other, Punctuation, Whitespace}


class PlainFormatter(HtmlFormatter):
    """Pygments' formatter, which leaves plain words alone and says how large the block is."""

    def __init__(self, **options: Any) -> None:
        """Wrap the code in an element of its own, so that `pre` can scroll around it."""
        super().__init__(**options, wrapcode=True)

    def format(self, tokensource: Iterable[tuple[_TokenType, str]], outfile: TextIO) -> Any:
        """Write the tokens."""
        tokens = [(Token.Text if kind in PLAIN else kind, text) for kind, text in tokensource]
        lines = "".join(text for _, text in tokens).splitlines()
        self.cssstyles = f"--lines: {len(lines)}; --columns: {max(map(len, lines), default=0)}"
        return super().format(tokens, outfile)


def setup(app: Sphinx) -> None:
    """Use it for every block of code."""
    PygmentsBridge.html_formatter = PlainFormatter
