"""Every page at a desktop's width, light and dark: requests, console, fonts, width, accessibility.

The two widths are two files, so that two workers share them.
"""

import pytest
from built_site import PAGES
from page_checks import all_troubles

WIDTH = 1280


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wrong_with_the_page(visit, name, theme):
    troubles = all_troubles(visit(name, width=WIDTH, theme=theme), theme)
    assert not troubles, f"{name} at {WIDTH} px, {theme}:\n" + "\n".join(troubles)
