"""Live figures: their arithmetic against attn_helpers, their draws, and how a reader uses them."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from built_site import FRONT, PAGES, SITE, count_of, soup
from live_page import FIGURES, IDS, all_started, import_all, made, open_live, page_figures
from visiting import SETTLED
from waiting import wait_until

import attn_helpers as ah
from attn_helpers.extremes import needle_weight
from attn_helpers.laws import (
    Aligned,
    Correlated,
    Gaussian,
    Rademacher,
    SharedMagnitude,
    SharedSign,
)
from attn_helpers.sampling import gaussian_score_pdf
from why_sqrt_d.ch4.live import largest_entries
from why_sqrt_d.ch5 import lengths
from why_sqrt_d.ch5.live.crowds import crowd_lifts
from why_sqrt_d.ch6.live import RATES
from why_sqrt_d.ch6.table import table_rows
from why_sqrt_d.experiments.store import select, stored
from why_sqrt_d.live import FOR_SITE, ROOM

EXACT = 1e-12
COUNT = 20_000


@pytest.fixture(scope="module")
def live(browser):
    """One page for everything that leaves it as it was."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    opened = open_live(context)
    all_started(opened.page)
    import_all(opened.page)
    yield opened
    assert opened.troubles == []
    context.close()


@pytest.fixture(scope="module")
def run(live):
    """Evaluate a function of the modules: `run("({softmax}, x) => …", x)`."""

    def evaluated(function, argument=None):
        return live.page.evaluate(f"given => ({function})(window.modules, given)", argument)

    return evaluated


# ------------------------------------------------------------------ what is exact

RNG = np.random.default_rng(3)
SAME = []  # JavaScript's function, Python's, and what both are given


def same(script, *given):
    """Register a function whose numbers those of a JavaScript function have to be, in order."""

    def registered(function):
        SAME.extend(
            pytest.param(script, function, one, id=f"{function.__name__}-{i}")
            for i, one in enumerate(given)
        )
        return function

    return registered


def flat(numbers):
    """Return nested lists and arrays as one array."""
    if isinstance(numbers, list | tuple):
        return np.concatenate([flat(part) for part in numbers])
    return np.ravel(np.asarray(numbers, float))


@same(
    "({softmax: s}, z) => { const w = s.softmax(z);"
    " return [w, s.entropy(w), s.effectiveKeys(w)]; }",
    *(RNG.normal(0, scale, n).tolist() for scale, n in ((1, 2), (30, 10), (3000, 40), (0, 7))),
)
def weights(z):
    w = ah.softmax(np.array(z))
    return w, ah.entropy(w), 1 / np.sum(w**2)


@same(
    "({softmax: s}, x) => { const m = s.moments(x);"
    " return [m.mean, m.variance, m.kurtosis, s.median(x)]; }",
    (RNG.exponential(size=501) - 3).tolist(),
)
def statistics(x):
    found = ah.score_statistics(np.array(x))
    return found.mean, found.variance, found.kurtosis, np.median(x)


@same(
    "({density}, [d, x]) => x.map(x => density.scoreDensity(x, d))",
    *(
        (d, [*[0.0] * (d > 1), 1e-8, 1e-3, *(np.linspace(0.01, 6, 30) * np.sqrt(d))])
        for d in (1, 2, 3, 4, 7, 40, 41, 64, 255, 1000, 1024)
    ),
)
def density(given):
    return gaussian_score_pdf(np.array(given[1]), given[0])


# How a strength becomes a law of the package, where the package has that law.
LAWS = {
    "none": lambda s: Gaussian(),
    "means": Gaussian,
    "inside": lambda s: Correlated(s, 0.0),
    "both": Correlated,
    "aligned": Aligned,
    "magnitude": lambda s: SharedMagnitude(p=1 / (1 + 7 * s)),
    "sign": lambda s: SharedSign() if s == 1 else Rademacher(),
}
BROKEN = [(name, s, d) for name in LAWS for s in (0, 0.3, 1) for d in (2, 3, 64, 1024)]


@same(
    "({assumptions}, [b, s, d]) => { const m = assumptions.BROKEN[b].at(s).exact(d);"
    " return [m.mean, m.variance, m.kurtosis]; }",
    *(case for case in BROKEN if case[0] != "sign" or case[1] != 0.3),
)
def broken_moments(given):
    name, strength, d = given
    return tuple(LAWS[name](float(strength)).moments(d))


@same(
    "({growth}, mean) => { const m = growth.exact(256, mean); return [m.mean, m.variance]; }",
    *(-2.0, -0.3, 0.0, 1.0),
)
def growing_moments(mean):
    return tuple(Gaussian(mean).moments(256))[:2]


@same(
    "({margin}, [z, n, c]) => { const w = margin.weigh(z, n, c);"
    " return [w.weights, w.share, w.effective, w.entropy, w.top, w.margin]; }",
    *((RNG.normal(0, 8, 5).tolist(), n, c) for n in (0, 1, 500, 16_000) for c in (0.0, -3.5, 12)),
)
def weights_in_a_crowd(given):
    logits, crowd, common = given
    every = np.concatenate([logits, np.full(crowd, float(common))])
    w = ah.softmax(every)
    margin = np.diff(np.sort(every))[-1]
    return w[:5], w[5:].sum(), 1 / np.sum(w**2), ah.entropy(w), w.max(), margin


ROW = RNG.standard_normal(3000)


@same(
    "({keys}, [row, s, sizes]) => { const top = keys.ranked(Float64Array.from(row), s, 100);"
    " return [keys.effectiveAlong(row, s, sizes), top.weights, top.rest]; }",
    *((ROW.tolist(), spread, [2, 3, 100, 2999]) for spread in (1.0, 8.0)),
)
def nested_rows(given):
    row, spread, sizes = given
    nested = [ah.softmax(spread * np.array(row[:n])) for n in sizes]
    top = np.sort(nested[2])[::-1]
    return [1 / np.sum(w**2) for w in nested], top[:20], top[20:].sum()


@same(
    "({needle}, [z, D, b]) => { const w = needle.weigh(Float64Array.from(z), D, b);"
    " return [w.needle, w.strongest, w.others]; }",
    *((np.sort(ROW)[::-1].tolist(), D, b) for D in (0.0, 3.3) for b in (0.1, 1.0, 3.0, 100.0)),
)
def needle_among_others(given):
    others, height, beta = given
    w = ah.softmax(beta * np.array([*others, height]))
    return w[-1], w[:8], w[:-1].sum()


@same(
    "({jacobian: j}, [z, b]) => { const found = j.jacobianOf(z, b);"
    " return [found.weights, found.matrix, found.top]; }",
    *((RNG.normal(0, 8, 4).tolist(), beta) for beta in (1 / 64, 1 / 8, 1.0, 8.0)),
)
def jacobian(given):
    scores, beta = np.array(given[0]), given[1]
    w = ah.softmax(beta * scores)
    return w, beta * ah.softmax_jacobian(w), largest_entries(scores, np.array([beta]))


@same(
    "({lengths: m}, z) => { const gaps = m.gapsOf(z), half = m.halfScale(gaps); return"
    " [half, 1 / (1 + m.worth(gaps, half / 3)), [0.1, 1, 3].map(r => m.within(gaps, r))]; }",
    *(RNG.standard_normal(n).tolist() for n in (3, 50, 4096)),
    *(lengths.spherical_rows(n, 1, 3, RNG)[0].tolist() for n in (3, 50, 4096)),
)
def gaps_and_half_scale(z):
    scores = np.array(z)
    half = float(lengths.half_scale(scores))
    close = lengths.competitors(scores[None], [0.1, 1, 3])
    return half, ah.softmax(half / 3 * scores).max(), close


@pytest.mark.parametrize(("script", "function", "given"), SAME)
def test_the_numbers_are_those_of_the_package(run, script, function, given):
    wanted, found = flat(function(given)), flat(run(script, given))
    np.testing.assert_allclose(found, wanted, rtol=EXACT, atol=1e-15)


def test_a_sign_that_some_products_share_has_the_moments_that_counting_gives(run):
    signs = 2.0 * ((np.arange(2**3)[:, None] >> np.arange(3)) & 1) - 1
    scores = 4 * signs[:, 0] + signs[:, 1:].sum(axis=1)  # four of six products share their sign
    found = run("({assumptions}) => assumptions.BROKEN.sign.at(0.6667).exact(6)")
    kurtosis = np.mean(scores**4) / np.mean(scores**2) ** 2
    assert found["variance"] == np.mean(scores**2)
    assert found["kurtosis"] == pytest.approx(kurtosis, rel=EXACT)


def test_the_lifts_in_the_module_are_those_of_many_rows(run):
    sizes, scales = (10, 16, 100, 1024), (0.1, 0.5, 1.0, 3.0, 7.0, 50.0, 100.0)
    found = run(
        "({needle}, [sizes, scales]) => [0, 1, 2].map(share => sizes.map(n => scales.map(b =>"
        " needle.liftOf(share, n, b))))",
        [sizes, scales],
    )
    np.testing.assert_allclose(found, crowd_lifts(1500, sizes, scales, seed=9), atol=0.06)
    # Scales so small that a mean row is a typical one: the closed form of the package.
    weight = run("({needle: m}) => m.weightAt(16384, 1, 8, m.liftOf(1, 16384, 1))")
    assert weight == pytest.approx(needle_weight(16384, 8.0, 1.0), abs=0.003)


def test_the_runs_that_a_page_carries_are_the_stored_ones(run):
    rows, data = stored("table1") + stored("table1_rates"), made("ch6/training").data
    found = run(
        "({training: t}, data) => data.sizes.map(s => { const spec = t.specOf(data);"
        " return data.rates.map(rate => { const v = spec.compute({ rate, size: s.key, seed: 7 });"
        " return [v.runs, v.medians]; }); })",
        data,
    )
    sizes = [row for row in table_rows() if row["scale"] is not None]
    for size, at_rates in zip(sizes, found, strict=True):
        for rate, (runs, medians) in zip(RATES, at_rates, strict=True):
            for scale, drawn, middle in zip((None, size["scale"]), runs, medians, strict=True):
                wanted = select(rows, **{**size, "scale": scale}, learning_rate=rate)
                tests = [row["test_accuracy"] for row in wanted]
                training = flat([row["train_accuracy"] for row in wanted])
                assert [one["test"] for one in drawn] == pytest.approx(tests, abs=5.1e-5)
                np.testing.assert_allclose(
                    flat([one["training"] for one in drawn]), training, atol=5.1e-4
                )
                assert middle == pytest.approx(np.median(tests), abs=5.1e-5)


# ------------------------------------------------------------------- what is drawn


def assert_moments(sample, mean, variance, kurtosis=None):
    """Compare with the truth, within five standard errors."""
    sample = np.array(sample)
    found = ah.score_statistics(sample)
    assert abs(found.mean - mean) <= 5 * np.sqrt(variance / sample.size)
    assert abs(found.variance - variance) <= 5 * found.variance_se + 1e-12
    if kurtosis is not None:
        parts = [ah.score_statistics(part).kurtosis for part in np.split(sample, 20)]
        assert abs(np.mean(parts) - kurtosis) <= 5 * np.std(parts) / np.sqrt(20) + 0.01 * kurtosis


@pytest.mark.parametrize(
    ("call", "mean", "variance", "kurtosis"),
    [
        ("r.uniform()", 0.5, 1 / 12, 1.8),
        ("r.normal()", 0, 1, 3),
        ("r.sign()", 0, 1, 1),
        ("r.signs(70)", 0, 70, 3 - 2 / 70),
        ("r.chiSquared(1)", 1, 2, 15),
        ("r.chiSquared(513)", 513, 1026, 3 + 12 / 513),
        ("r.uniformProducts(1)", 0, 1 / 9, 1.8**2),
    ],
)
def test_the_generator_draws_what_it_says(run, call, mean, variance, kurtosis):
    sample = run(
        f"({{random}}, n) => {{ const r = new random.Random('test', 1);"
        f" return Array.from({{ length: n }}, () => {call}); }}",
        COUNT,
    )
    assert_moments(sample, mean, variance, kurtosis)


def test_seeds_give_the_same_draws_and_others_give_others(run):
    one, again, other = run(
        "({random}) => [['a', 1], ['a', 1], ['a', 2]].map(s => { const r ="
        " new random.Random(...s); return Array.from({ length: 2000 }, () => r.normal()); })"
    )
    assert one == again
    assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(2000)


@pytest.mark.parametrize("law", ["normal", "uniform", "signs", "outliers"])
def test_each_law_has_unit_variance_and_its_sums_grow_with_d(run, law):
    drawn, kurtosis, *sums = run(
        "({random, laws}, [law, n]) => { const r = new random.Random(law), l = laws.LAWS[law];"
        " const many = draw => Array.from({ length: n }, draw);"
        " return [many(() => l.draw(r)), l.kurtosis,"
        " ...[1, 5, 96].map(d => many(() => l.products(r, d)))]; }",
        [law, COUNT],
    )
    assert_moments(drawn, 0, 1, kurtosis)
    for d, sample in zip((1, 5, 96), sums, strict=True):
        exact = None if law == "outliers" and d < 96 else 3 + (kurtosis**2 - 3) / d
        assert_moments(sample, 0, d, exact)
    low, high = (
        np.array(run("({sampler}, [l, d]) => [...sampler.scoresAt(l, 5, d)]", [law, d]))
        for d in (64, 256)
    )
    assert_moments(high, 0, 256)
    assert np.corrcoef(low, high)[0, 1] == pytest.approx(0.5, abs=0.1)  # what is added is new


@pytest.mark.parametrize("broken", LAWS)
@pytest.mark.parametrize("strength", [0.35, 1])
def test_draws_of_broken_laws_have_the_exact_moments(run, broken, strength):
    exact, sample = run(
        "({assumptions: a}, [b, s, d, n]) => [a.BROKEN[b].at(s).exact(d),"
        " [...a.draws(b, s, d, 1, n)]]",
        [broken, strength, 64, COUNT],
    )
    assert_moments(sample, exact["mean"], exact["variance"], exact["kurtosis"])


def test_a_row_has_one_query_and_the_bet_is_settled_by_many(run):
    rows = np.array(
        run("({sampler: s}) => Array.from({ length: 300 }, (_, i) => s.rowAt('normal', 1, i, 16))")
    )
    assert_moments(rows.ravel(), 0, 16)
    # Var over rows of the mean square: 16² (2/10 + 12/16·…) is far from that of ten free scores.
    assert np.mean(rows**2, axis=1).std() > 1.2 * 16 * np.sqrt(2 / 10)
    rng = np.random.default_rng(4)
    for d, scale in ((4, 1.0), (64, 1.0), (64, 0.125)):
        norms = np.sqrt(rng.chisquare(d, (4000, 1)))
        tops = ah.softmax(scale * norms * rng.standard_normal((4000, 10))).max(axis=1)
        typical = run("({sampler}, [d, s]) => sampler.typicalTop(d, s)", [d, scale])
        first = run("({sampler}, d) => sampler.rowAt('normal', 603, 2000, d)", d)
        assert typical == pytest.approx(np.median(tops), abs=0.03)
        assert ah.softmax(scale * np.array(first)).max() == pytest.approx(typical, abs=0.06)


def test_rows_before_their_gap_is_set_are_normal_with_the_spread_of_d(run):
    rows = run("({jacobian}) => Array.from({ length: 5000 }, (_, i) => jacobian.rowOf(i, 0))")
    lower = np.sort(rows)[:, :3]  # the gap moves the best alone
    normal = np.sort(8 * np.random.default_rng(1).standard_normal((40_000, 4)))[:, :3]
    np.testing.assert_allclose(lower.mean(axis=0), normal.mean(axis=0), atol=0.4)
    np.testing.assert_allclose(lower.std(axis=0), normal.std(axis=0), rtol=0.05)
    assert np.diff(np.sort(run("({jacobian}) => jacobian.rowOf(4, 2.5)")))[-1] == pytest.approx(
        2.5
    )


@pytest.mark.parametrize("index", range(7))
def test_rows_of_each_geometry_have_its_moments_and_half_scale(run, index):
    data = made("ch5/lengths").data
    geometry = data["geometries"][index]
    d, overlap = geometry["d"], geometry["overlap"]
    rows = np.array(
        run(
            "({lengths: m}, g) => Array.from({ length: 200 },"
            " (_, i) => [...m.drawRow(i, g, 256)])",
            geometry,
        )
    )
    if geometry["kind"] == "cluster":
        assert np.allclose(rows[:, 0], np.sqrt(d), rtol=EXACT)
        others = rows[:, 1:]
        wanted = lengths.clustered_rows(256, 4000, d, overlap, np.random.default_rng(1))[:, 1:]
        spread = wanted.mean(axis=1).std()
        assert abs(others.mean() - wanted.mean()) < 5 * spread / np.sqrt(200)
        assert others.mean(axis=1).std() == pytest.approx(spread, rel=0.25)
        assert others.var(axis=1).mean() == pytest.approx(1 - overlap, rel=0.02)
    else:
        assert_moments(rows.ravel(), 0, 1, 3 * d / (d + 2) if d else 3)
    assert data["sizes"][2] == 256
    assert np.median(lengths.half_scale(rows)) == pytest.approx(geometry["half"][2], rel=0.2)


def test_a_larger_crowd_has_the_smaller_one_in_it(run):
    small, large = run("({needle}) => [64, 16384].map(n => [...needle.crowdOf(3, n)])")
    assert set(small) < set(large)
    assert large == sorted(large, reverse=True)
    assert_moments(large, 0, 1)


# ------------------------------------------------------------------- how it is used

# Go to every end of every control, each under every choice, and look for what is no number.
EVERYWHERE = """async e => {
  const bad = [], frame = () => new Promise(done => requestAnimationFrame(done));
  const turn = async (input, to) => {
    if (input.type === "checkbox") input.checked = to; else input.value = to;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    if (/NaN|Infinity|undefined/.test(e.querySelector(".live").innerHTML))
      bad.push(`${input.id} at ${to}`);
  };
  const all = kind => [...e.querySelectorAll(`.live > .live-controls ${kind}`)];
  for (const select of all("select").length ? all("select") : [null])
    for (const option of select ? [...select.options].map(o => o.value) : [""]) {
      if (select) await turn(select, option);
      for (const range of all("input[type=range]"))
        for (const to of [range.min, range.max]) await turn(range, to);
      for (const box of all("input[type=checkbox]"))
        for (const to of [true, false]) await turn(box, to);
    }
  return bad;
}"""


@pytest.fixture
def page(live):
    """The shared page, every figure at its start."""
    live.page.evaluate("document.querySelectorAll('live-figure').forEach(e => e.reset())")
    return live.page


@pytest.fixture
def fresh(browser):
    """Open the page anew: `fresh("#fig-keys?n=64", width=360)`."""
    contexts = []

    def opened(hash="", width=900, missing=""):
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.set_default_timeout(10_000)
        made = open_live(context, hash, missing)
        if not missing:
            all_started(made.page)
        return made

    yield opened
    for context in contexts:
        context.close()


def sentence(page, name):
    return page.locator(f"#fig-{name} .live-say").inner_text()


def said_includes(page, name, text):
    wait_until(
        page,
        "([name, text]) => document.querySelector(`#fig-${name} .live-say`).textContent"
        ".includes(text)",
        arg=[name, text],
    )


def hash_is(page, wanted):
    wait_until(page, "h => location.hash === h", arg=wanted)


def test_a_state_goes_through_the_address_and_back(page, fresh):
    figure = page.locator("#fig-growth")
    figure.get_by_role("textbox", name="terms d, typed").fill("100")
    page.keyboard.press("Enter")
    figure.get_by_label("divide by √d").check()
    figure.get_by_label("components").select_option("uniform ±√3")
    figure.get_by_role("button", name="Redraw").click()
    hash_is(page, "#fig-growth?d=100&law=uniform&scaled=1&seed=2")
    said = sentence(page, "growth")
    assert said.startswith("At d = 100 the 400 scores spread by ")
    other = fresh("#fig-growth?d=100&law=uniform&scaled=1&seed=2").page
    assert sentence(other, "growth") == said
    seen = "e => Math.abs(e.getBoundingClientRect().top) < innerHeight"
    assert other.locator("#fig-growth").evaluate(seen)
    other.evaluate("location.hash = '#fig-margin?scores=14,10'")
    said_includes(other, "margin", "98\u202f%")
    figure.get_by_role("button", name="Reset").click()
    hash_is(page, "#fig-growth")


@pytest.mark.parametrize(
    ("hash", "quoted"),
    [
        ("#fig-sampler?d=abc", "“abc” is not a whole number from 4 to 1024"),
        ("#fig-sampler?d=2000&law=cauchy", "“cauchy” is none of normal, uniform, signs, outliers"),
        ("#fig-growth?scaled=yes", "“yes” is neither 1 (on) nor 0 (off)"),
        ("#fig-margin?scores=1", "“1” are not 2 to 8 numbers with commas"),
    ],
)
def test_a_bad_address_is_quoted_and_the_start_is_shown(fresh, hash, quoted):
    opened = fresh(hash)
    name = re.match(r"#fig-(\w+)", hash)[1]
    assert quoted in opened.page.locator(f"#fig-{name} [role=alert]").inner_text()
    assert sentence(opened.page, name)
    assert opened.troubles == []


def test_a_bad_value_is_quoted_and_a_good_one_mends_it(page):
    field = page.locator("#fig-sampler").get_by_role("textbox", name="dimension d, typed")
    alert, before = page.locator("#fig-sampler [role=alert]"), sentence(page, "sampler")
    for bad in ("twelve", "1025", "64.5", ""):
        field.fill(bad)
        page.keyboard.press("Enter")
        assert alert.inner_text() == f"dimension d: “{bad}” is not a whole number from 4 to 1024."
        assert field.get_attribute("aria-invalid") == "true"
        assert sentence(page, "sampler") == before
    field.fill("1 024")
    page.keyboard.press("Enter")
    said_includes(page, "sampler", "√1024")
    assert not alert.is_visible()


def test_sliders_are_turned_by_keyboard_and_the_sentence_is_spoken_once(page):
    page.evaluate(
        """() => {
          window.heard = 0; window.said = [];
          document.addEventListener("keydown", () => { heard += 1; });
          const status = document.querySelector("#fig-sampler [role=status].live-status");
          new MutationObserver(() => said.push(status.textContent))
            .observe(status, { childList: true });
        }"""
    )
    slider = page.locator("#fig-sampler").get_by_role("slider", name="dimension d")
    slider.focus()
    for key, d in (("ArrowRight", 8), ("Home", 4), ("End", 1024), ("ArrowLeft", 512)):
        page.keyboard.press(key)
        said_includes(page, "sampler", f"√{d} ")
        assert slider.get_attribute("aria-valuetext") == str(d)
    wait_until(page, "said.at(-1)?.includes('√512 ')")
    assert page.evaluate("said").count(sentence(page, "sampler")) == 1
    assert page.evaluate("heard") == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") in ("INPUT", "SELECT")


DIMENSIONS_SEEN = """() => { window.seen = [];
  const said = document.querySelector('#fig-sampler .live-say');
  new MutationObserver(() => seen.push(Number(said.textContent.match(/√(\\d+)/)[1])))
    .observe(said, { childList: true, characterData: true, subtree: true }); }"""


def test_a_bet_is_answered_step_by_step_and_not_before(fresh):
    page = fresh().page
    figure = page.locator("#fig-sampler")
    reply = figure.locator(".live-reply")
    assert "√4 = 2.0" in sentence(page, "sampler")
    assert reply.inner_text() == ""
    figure.get_by_role("textbox", name="your bet, %, typed").fill("40")
    page.evaluate(DIMENSIONS_SEEN)
    figure.get_by_role("button", name="Show me").click()
    assert reply.inner_text() == "You bet 40 %. Watch d grow to 64 …"
    hash_is(page, "#fig-sampler?d=64")
    assert page.evaluate("[...new Set(seen)]") == [8, 16, 32, 64]
    got = re.search(r"top key of this row takes ([\d.]+)\u202f%", sentence(page, "sampler"))[1]
    assert reply.inner_text().startswith(f"You bet 40 %. The top key of this row got {got}\u202f%")
    assert re.search(r"typical row it gets 9[567]\u202f%", reply.inner_text())
    figure.get_by_role("button", name="Reset").click()
    figure.get_by_role("button", name="Show me").click()
    figure.get_by_role("slider", name="dimension d").press("Home")  # who takes over stops it
    assert reply.inner_text().startswith("You bet 50 %. The top key")
    said_includes(page, "sampler", "√4 ")


@pytest.mark.parametrize("name", ["needle", "jacobian"])
def test_a_bet_on_the_scale_is_answered_and_not_before(page, name):
    figure = page.locator(f"#fig-{name}")
    assert figure.locator(".live-curve").count() == 0
    figure.get_by_role("textbox", name="your bet").fill("0.5")
    figure.get_by_role("button", name="Show me").click()
    assert "= 0.5" in figure.locator(".live-reply").inner_text()
    figure.locator(".live-curve").wait_for(state="attached")
    wait_until(page, "location.hash.includes('shown=')")
    figure.get_by_role("button", name="Reset").click()
    hash_is(page, f"#fig-{name}")
    assert figure.locator(".live-curve").count() == 0


def test_one_key_is_seen_beside_a_crowd(page):
    page.evaluate("location.hash = '#fig-keys?n=16384'")
    said_includes(page, "keys", "16\u202f384")
    strips = page.locator("#fig-keys svg").first

    def widths(look):
        rects = strips.locator(f"rect.live-{look}")
        return rects.evaluate_all("a => a.map(e => e.getBoundingClientRect().width)")

    (undivided, divided), (few, crowd) = widths("top"), widths("crowd")
    assert undivided > 20 * divided >= 40  # of 16 384 keys it has less than a pixel, and gets two
    assert crowd > 0.9 * strips.bounding_box()["width"] > few


def test_keys_are_added_and_removed(page):
    figure = page.locator("#fig-margin")
    sliders = figure.get_by_role("slider", name=re.compile("key [0-9]"))
    for count in range(5, 9):
        figure.get_by_role("button", name="Add a key").click()
        sliders.nth(count - 1).wait_for()
    assert figure.get_by_role("button", name="Add a key").get_attribute("aria-disabled") == "true"
    figure.get_by_role("button", name="Remove a key").click()
    hash_is(page, "#fig-margin?scores=8,6,3,1,0,0,0")  # drawn: it may not undo what is typed next
    figure.get_by_role("textbox", name="key 1, typed").fill("-2.5")
    page.keyboard.press("Enter")
    hash_is(page, "#fig-margin?scores=-2.5,6,3,1,0,0,0")


@pytest.mark.parametrize("id", IDS)
def test_every_figure_answers_to_every_control_and_has_its_table(page, id):
    figure = page.locator(f"#{id}")
    figure.locator("summary").click()
    figure.locator("tbody tr").nth(2).wait_for()
    assert figure.evaluate(EVERYWHERE) == []
    figure.locator("summary").click()


@pytest.mark.parametrize("width", [360, 1280])
def test_text_is_large_enough_and_nothing_moves_or_is_wider_than_the_page(fresh, width):
    page = fresh(width=width).page
    sizes = page.locator(".live text").evaluate_all(
        "a => a.map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    assert min(sizes) >= 11.5
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator(".live :is(button, select, input[type=range])").all():
        assert control.bounding_box()["height"] >= (44 if width == 360 else 36)
    moving = page.locator(".live *").evaluate_all(
        "a => a.map(x => getComputedStyle(x)).map(s => s.transitionDuration + s.animationName)"
    )
    assert set(moving) == {"0snone"}


def test_a_figure_whose_script_cannot_come_shows_its_still(fresh):
    page = fresh(missing="sampler.js").page
    page.evaluate("document.querySelector('#fig-sampler').start().catch(() => null)")
    page.wait_for_selector("#fig-sampler .live-still p")
    assert page.locator("#fig-sampler .live-still").inner_text() == "A still picture."


def test_a_turn_of_a_slider_makes_no_marks_and_the_sentence_gets_no_lower(page):
    said = page.locator("#fig-growth .live-say")
    longer = "e => { e.textContent += ' and on'.repeat(90); return e.offsetHeight; }"
    height = said.evaluate(longer)
    held = "h => parseFloat(document.querySelector('#fig-growth .live-say').style.minHeight) > h"
    wait_until(page, held, arg=height - 1)  # an observer sets it, a frame later
    page.evaluate(
        """() => {
          window.made = 0;
          const marks = document.querySelector("#fig-growth svg");
          new MutationObserver(list => { made += list.length; })
            .observe(marks, { childList: true, subtree: true });
        }"""
    )
    page.locator("#fig-growth").get_by_role("slider", name="terms d").press("ArrowRight")
    wait_until(page, "!document.querySelector('#fig-growth .live-say').innerText.includes(' on')")
    assert said.evaluate("e => e.offsetHeight") == height
    assert page.evaluate("made") == 0


# --------------------------------------------------------------------- on the built site


def test_without_npm_a_page_imports_the_modules(tmp_path, monkeypatch):
    monkeypatch.setenv(FOR_SITE, "1")
    app = SimpleNamespace(srcdir=tmp_path, outdir=tmp_path, builder=SimpleNamespace(format="html"))
    page_figures.bring_scripts(app)
    assert app.live_joined is False
    folder = tmp_path / "_static" / "live"
    brought = re.findall(r'"\./([^"]+)"', (folder / "ch3.js").read_text("utf-8"))
    assert brought == ["live/host.js", "ch3/live/keys.js", "ch3/live/margin.js"]
    assert all(
        (folder / path).read_bytes() == (ROOM.parent / path).read_bytes() for path in brought
    )


LIVE_PAGES = [name for name in PAGES if count_of(name, "<live-figure")]


def test_every_figure_stands_on_a_page_with_its_still():
    found = set()
    for name in LIVE_PAGES:
        for figure in soup(name).select("live-figure"):
            found.add(figure["data-module"])
            still = figure.select_one("noscript img")
            assert len(still["alt"]) >= 40
            assert ((SITE / name).parent / still["src"]).exists()
        assert len(soup(name).select("script[src*='/live/']")) == 1
    assert found == set(FIGURES)


@pytest.mark.parametrize("source", ["http", "file"])
def test_a_figure_of_the_site_answers(visit, source):
    opened = visit(FRONT, source=source)
    figure = opened.page.locator("live-figure").first
    figure.locator(".live-say").wait_for()
    before = figure.locator(".live-say").inner_text()
    figure.get_by_role("slider", name="dimension d").press("ArrowRight")
    wait_until(opened.page, "location.hash.includes('d=8')")
    assert figure.locator(".live-say").inner_text() != before
    # From a folder a browser does not load fonts ahead, and says so.
    expected = "CORS|ERR_FAILED|preload" if source == "file" else "^$"
    assert [t for t in opened.troubles if not re.search(expected, t)] == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", LIVE_PAGES)
def test_a_figure_takes_the_place_that_was_kept(visit, name, width):
    page = visit(name, width=width).page
    page.reload()  # whose fonts are there now, however busy the machine is
    all_started(page)
    for figure in page.locator("live-figure").all():
        figure.scroll_into_view_if_needed()  # a phone lays out what is near
        page.evaluate(SETTLED)
        kept, taken = figure.evaluate(
            "e => [parseFloat(getComputedStyle(e).minHeight), e.querySelector('.live')"
            ".getBoundingClientRect().height]"
        )
        assert -60 <= kept - taken <= 60, (figure.get_attribute("id"), kept, taken)
