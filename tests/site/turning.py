"""The figures that move, as the tests find and turn them."""

import json

from built_site import CHAPTERS, count_of, soup

MOVING = [
    (name, place) for name in CHAPTERS for place in range(1, count_of(name, "<moving-figure") + 1)
]
STATE = """e => {
  const image = e.querySelector("img");
  return { src: image.getAttribute("src"), alt: image.alt };
}"""


def figure_of(page, place):
    return page.locator(f"#moving-{place}")


def spec_of(name, place):
    """Return the frames of a figure as the page has them."""
    return json.loads(soup(name).select_one(f"#moving-{place} script").string)


def state_of(figure):
    return figure.evaluate(STATE)


def frame_at(spec, places):
    """Return the address and the text that belong to the controls' places."""
    index = 0
    for control, place in zip(spec["controls"], places, strict=True):
        index = index * len(control["texts"]) + place
    return spec["frames"][index], spec["texts"][index]


def places_of(figure):
    return figure.locator("input, select").evaluate_all(
        "a => a.map(i => i.type === 'checkbox' ? Number(i.checked) : Number(i.value))"
    )


def settled(page, figure, spec):
    """Wait until the figure shows what its controls say, and return the places."""
    places = places_of(figure)
    page.wait_for_function(
        "([id, src]) => document.querySelector(`#${id} img`).getAttribute('src') === src",
        arg=[figure.get_attribute("id"), frame_at(spec, places)[0]],
    )
    shown = state_of(figure)
    assert (shown["src"], shown["alt"]) == frame_at(spec, places)
    return places
