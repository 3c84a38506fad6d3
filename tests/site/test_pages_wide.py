"""Pages at a desktop's width, light: console, fonts, width, and what axe-core objects to.

Every other page is visited here and the rest there; all have one template and one stylesheet, and
`test_delivery.py` opens each at both widths. The two widths are two files, so that two workers
share them.
"""

import pytest
from built_site import PAGES
from page_checks import all_troubles


@pytest.mark.parametrize("name", PAGES[::2])
def test_nothing_is_wrong_with_the_page(visit, name):
    troubles = all_troubles(visit(name, width=1280, theme="light"), "light")
    assert not troubles, f"{name} at 1280 px, light:\n" + "\n".join(troubles)
