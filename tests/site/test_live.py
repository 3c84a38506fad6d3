"""Live figures: their arithmetic against attn_helpers, their draws, and how a reader uses them."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from built_site import PAGES, count_of, soup
from live_page import FIGURES, IDS, all_started, import_all, made, open_live, page_figures
from visiting import PATIENCE, SETTLED
from waiting import wait_until

import attn_helpers as ah
from attn_helpers.laws import (
    Aligned,
    Correlated,
    Gaussian,
)
from attn_helpers.needle import needle_weight
from attn_helpers.sampling import gaussian_score_pdf
from research.ch6.crowds import crowd_lifts
from why_sqrt_d.ch4.live import largest_entries
from why_sqrt_d.ch7.live import RATES
from why_sqrt_d.ch7.table import table_rows
from why_sqrt_d.live import FOR_SITE, ROOM
from why_sqrt_d.rows import select, stored

EXACT = 1e-12
COUNT = 20_000


@pytest.fixture(scope="module")
def live(browser):
    """One page for everything that leaves it as it was."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    opened = open_live(context)
    all_started(opened.page)
    import_all(opened.page)
    yield opened
    assert opened.troubles == []
    context.close()


# Playwright takes seconds for many numbers that are no text.
AS_TEXT = """given => (found =>
  JSON.stringify(found, (_, x) => ArrayBuffer.isView(x) ? [...x] : x))"""


@pytest.fixture(scope="module")
def run(live):
    """Evaluate a function of the modules: `run("({softmax}, x) => …", x)`."""

    def evaluated(function, argument=None):
        return json.loads(live.page.evaluate(f"{AS_TEXT}(({function})(modules, given))", argument))

    return evaluated


# ------------------------------------------------------------------ what is exact

RNG = np.random.default_rng(3)
ROW = RNG.standard_normal(3000)


def flat(numbers):
    """Return nested lists and arrays as one array."""
    if isinstance(numbers, list | tuple):
        return np.concatenate([flat(part) for part in numbers])
    return np.ravel(np.asarray(numbers, float))


def statistics(*x):
    found = ah.score_statistics(np.array(x))
    return found.mean, found.variance, found.kurtosis


def in_a_crowd(logits, crowd, common):
    every = np.array([*logits, *[common] * crowd])
    w = ah.softmax(every)
    return w[:5], w[5:].sum(), w.max(), np.diff(np.sort(every))[-1]


def nested(row, spread, sizes):
    weights = [ah.softmax(spread * np.array(row[:n])) for n in sizes]
    top = np.sort(weights[2])[::-1]
    return [ah.effective_keys(w) for w in weights], top[:20], top[20:].sum()


def beside_a_needle(others, height, beta):
    w = ah.softmax(beta * np.array([*others, height]))
    return w[-1], w[:8], w[:-1].sum()


def slopes(scores, beta):
    w = ah.softmax(beta * np.array(scores))
    return w, beta * ah.softmax_jacobian(w), largest_entries(np.array(scores), np.array([beta]))


# How a strength becomes a law of the package, where the package has that law.
LAWS = {
    "none": lambda s: Gaussian(),
    "means": Gaussian,
    "inside": lambda s: Correlated(s, 0.0),
    "both": Correlated,
    "aligned": Aligned,
}
BROKEN = [(name, s, d) for name in LAWS for s in (0.0, 0.3, 1.0) for d in (2, 3, 64, 1024)]
# What a module computes, what the package says, and what both are given.
SAME = {
    "softmax": (
        "({softmax: s}, z) => s.softmax(z)",
        lambda *z: ah.softmax(np.array(z)),
        [RNG.normal(0, scale, n) for scale, n in ((1, 2), (30, 10), (3000, 40), (0, 7))],
    ),
    "moments": (
        "({softmax}, x) => Object.values(softmax.moments(x))",
        statistics,
        [RNG.exponential(size=501) - 3],
    ),
    "density": (
        "({density}, [d, ...x]) => x.map(x => density.scoreDensity(x, d))",
        lambda d, *x: gaussian_score_pdf(np.array(x), d),
        [
            (d, 0.0, 1e-8, 1e-3, *(np.linspace(0.01, 6, 30) * np.sqrt(d)))
            for d in (2, 3, 4, 7, 40, 41, 64, 255, 1000, 1024)
        ],
    ),
    "assumptions": (
        "({assumptions}, [b, s, d]) => { const m = assumptions.BROKEN[b].at(s).exact(d);"
        " return [m.mean, m.variance, m.kurtosis]; }",
        lambda name, strength, d: LAWS[name](strength).moments(d),
        BROKEN,
    ),
    "margin": (
        "({margin}, [z, n, c]) => { const w = margin.weigh(z, n, c);"
        " return [w.weights, w.share, w.top, w.margin]; }",
        in_a_crowd,
        [(RNG.normal(0, 8, 5), n, c) for n in (0, 1, 500, 16_000) for c in (0.0, -3.5, 12.0)],
    ),
    "keys": (
        "({keys}, [row, s, sizes]) => { const all = sizes.map(n =>"
        " keys.ranked(Float64Array.from(row), s, n));"
        " return [all.map(one => one.effective), all[2].weights, all[2].rest]; }",
        nested,
        [(ROW, spread, [2, 3, 100, 2999]) for spread in (1.0, 8.0)],
    ),
    "needle": (
        "({needle}, [z, D, b]) => { const w = needle.weigh(Float64Array.from(z), D, b);"
        " return [w.needle, w.strongest, w.others]; }",
        beside_a_needle,
        [(np.sort(ROW)[::-1], D, b) for D in (0.0, 3.3) for b in (0.1, 1.0, 3.0, 100.0)],
    ),
    "jacobian": (
        "({jacobian: j}, [z, b]) => { const found = j.jacobianOf(z, b);"
        " return [found.weights, found.matrix, found.top]; }",
        slopes,
        [(RNG.normal(0, 8, 4), beta) for beta in (1 / 64, 1 / 8, 1.0, 8.0)],
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_numbers_are_those_of_the_package(run, name):
    script, wanted, cases = SAME[name]
    for case in cases:
        given = [np.asarray(part).tolist() for part in case]
        np.testing.assert_allclose(flat(run(script, given)), flat(wanted(*given)), EXACT, 1e-15)


def test_the_stored_lifts_are_those_of_many_rows(run):
    lifts = made("ch6/needle").data
    sizes, scales = (10, 16, 100, 1024), (0.1, 0.5, 1.0, 3.0, 7.0, 50.0, 100.0)
    found = run(
        "({needle}, [lifts, sizes, scales]) => lifts.map((_, share) => sizes.map(n =>"
        " scales.map(b => needle.liftOf(lifts, share, n, b))))",
        [lifts, sizes, scales],
    )
    np.testing.assert_allclose(found, crowd_lifts(1500, sizes, scales, seed=9), atol=0.06)
    # Scales so small that a mean row is a typical one: the closed form of the package.
    weight = run("({needle: m}, l) => m.weightAt(16384, 1, 8, m.liftOf(l, 1, 16384, 1))", lifts)
    assert weight == pytest.approx(needle_weight(16384, 8.0, 1.0), abs=0.003)


def test_the_runs_that_a_page_carries_are_the_stored_ones(run):
    rows, data = stored("table1") + stored("table1_rates"), made("ch7/training").data
    found = run(
        "({training: t}, data) => data.sizes.map(s => data.rates.map(rate =>"
        " t.specOf(data).compute({ rate, size: s.key, seed: 7 })))",
        data,
    )
    sizes = [row for row in table_rows() if row["scale"] is not None]
    for size, at_rates in zip(sizes, found, strict=True):
        for rate, view in zip(RATES, at_rates, strict=True):
            scales = (None, size["scale"])
            for scale, runs, middle in zip(scales, view["runs"], view["medians"], strict=True):
                wanted = select(rows, **{**size, "scale": scale}, learning_rate=rate)
                tests = [row["test_accuracy"] for row in wanted]
                training = flat([row["train_accuracy"] for row in wanted])
                drawn = flat([one["training"] for one in runs])
                np.testing.assert_allclose(drawn, training, atol=5.1e-4)
                assert [one["test"] for one in runs] == pytest.approx(tests, abs=5.1e-5)
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


# The wider one in twenty: E x⁴ of a mixture of two normal laws, over the square of E x².
OUTLIERS = 3 * (0.95 + 0.05 * 4**4) / (0.95 + 0.05 * 4**2) ** 2


@pytest.mark.parametrize(
    ("law", "kurtosis"), [("normal", 3), ("uniform", 1.8), ("signs", 1), ("outliers", OUTLIERS)]
)
def test_each_law_has_unit_variance_and_its_sums_grow_with_d(run, law, kurtosis):
    drawn, *sums = run(
        "({random, laws}, [law, n]) => { const r = new random.Random(law), l = laws.LAWS[law];"
        " const many = draw => Array.from({ length: n }, draw);"
        " return [many(() => l.draw(r)), ...[1, 5, 96].map(d => many(() => l.products(r, d)))]; }",
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
    assert np.diff(np.sort(run("({jacobian}) => jacobian.rowOf(4, 2.5)")))[-1] == pytest.approx(
        2.5
    )


STATE = {"d": 100, "mean": 0, "law": "uniform", "scaled": False, "seed": 2}


@pytest.mark.parametrize("scaled", [False, True])
def test_paths_with_a_mean_are_sums_of_shifted_products_in_their_exact_band(run, scaled):
    states = [STATE | {"mean": mean, "scaled": scaled} for mean in (0, 1, -1, -2)]
    views = run("({growth}, states) => states.map(growth.compute)", states)
    at = np.array(views[0]["band"])[:, 0]
    by = np.sqrt(at) if scaled else np.ones_like(at)
    none, up, down, far = (by * np.array(view["paths"])[..., 1] for view in views)
    sums = (up - down) / 2  # of q + k: Σ (q + μ)(k + μ) = Σ qk + μ Σ (q + k) + dμ²
    np.testing.assert_allclose(up, none + sums + at, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(far, none - 2 * sums + 4 * at, rtol=1e-4, atol=1e-3)
    assert_moments(sums[:, -1], 0, 2 * at[-1])
    assert_moments(none[:, -1], 0, at[-1])
    assert abs(np.corrcoef(none[:, -1], sums[:, -1])[0, 1]) < 5 / np.sqrt(len(sums))
    for view in views:
        exact = np.array([Gaussian(view["mu"]).moments(int(d))[:2] for d in at]).T
        band = exact[0] / by, np.sqrt(exact[1]) / by
        np.testing.assert_allclose(np.array(view["band"]).T[1:], band, EXACT, 1e-15)
        scores, d = np.array(view["scores"]), STATE["d"]
        assert [view["mean"], view["spread"]] == pytest.approx([scores.mean(), scores.std()], 0.01)
        of = 1 / d if scaled else 1
        assert_moments(scores, of**0.5 * exact_of(view)[0], of * exact_of(view)[1])


def exact_of(view):
    return Gaussian(view["mu"]).moments(STATE["d"])


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
  const some = many => many.filter((_, i) => i % Math.ceil(many.length / 6) === 0);
  const all = kind => [...e.querySelectorAll(`.live > .live-controls ${kind}`)];
  for (const select of all("select").length ? all("select") : [null])
    for (const option of select ? some([...select.options]).map(o => o.value) : [""]) {
      if (select) await turn(select, option);
      for (const range of all("input[type=range]"))
        for (const to of [range.min, range.max]) await turn(range, to);
      for (const box of all("input[type=checkbox]"))
        for (const to of [true, false]) await turn(box, to);
    }
  return bad;
}"""


RESET = """document.querySelectorAll("live-figure").forEach(e => {
  e.model.set("state", {});
  e.keep();
})"""


@pytest.fixture
def page(live):
    """The shared page, every figure at its start."""
    live.page.evaluate(RESET)
    return live.page


@pytest.fixture(scope="module")
def fresh(browser):
    """Open the page anew, where figures may move: `fresh("#fig-keys?n=64")`."""
    contexts = []

    def opened(hash="", missing=""):
        context = browser.new_context(viewport={"width": 900, "height": 900})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        made = open_live(context, hash, missing)
        if not missing:
            all_started(made.page)
        return made

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def other(fresh):
    """A second page, opened at an address that names a state."""
    return fresh(ADDRESS).page


def sentence(page, name):
    return page.locator(f"#fig-{name} .live-say").inner_text()


def hash_is(page, wanted):
    wait_until(page, "h => location.hash === h", arg=wanted)


ADDRESS = "#fig-growth?d=100&law=uniform&scaled=1&seed=2"
LISTEN = """() => {
  window.said = [];
  const status = document.querySelector("#fig-growth [role=status].live-status");
  new MutationObserver(() => said.push(status.textContent))
    .observe(status, { childList: true, characterData: true, subtree: true });
}"""


def test_each_kind_of_control_follows_the_keyboard_and_the_address_keeps_it(page, other):
    page.evaluate(LISTEN)
    figure, press = page.locator("#fig-growth"), page.keyboard.press
    figure.get_by_role("slider", name="terms d").focus()
    press("End")
    wait_until(page, "document.querySelector('#fig-growth .live-say').innerText.includes('1024')")
    field = figure.get_by_role("spinbutton", name="terms d, typed")
    for typed, taken in (("1025", False), ("64.5", False), ("100", True)):
        field.fill(typed)
        press("Enter")
        assert field.evaluate("e => e.validity.valid") == taken
        said = f"At d = {typed if taken else 1024} "
        wait_until(
            page, f"document.querySelector('#fig-growth .live-say').innerText.includes('{said}')"
        )
    figure.get_by_role("combobox", name="components").focus()
    page.keyboard.type("uni")
    figure.get_by_role("checkbox", name="divide by √d").focus()
    press("Space")
    figure.get_by_role("button", name="Redraw").focus()
    press("Enter")
    hash_is(page, ADDRESS)
    said = sentence(page, "growth")
    assert said.startswith("At d = 100 the 400 scores spread by ")
    assert page.evaluate("said").count(said) == 1  # once, after the last of many changes
    assert sentence(other, "growth") == said
    seen = "e => Math.abs(e.getBoundingClientRect().top) < innerHeight"
    assert other.locator("#fig-growth").evaluate(seen)
    figure.get_by_role("button", name="Reset").click()
    hash_is(page, "#fig-growth")


def told(page, name, state):
    """Return the numbers of a figure's sentence and of its table's rows at a state."""
    page.evaluate("hash => { location.hash = hash; }", f"fig-{name}?{state}")
    key, _, value = state.partition("&")[0].partition("=")
    wait_until(
        page,
        "([id, key, value]) => document.querySelector(id).model.get('state')[key] == value",
        arg=[f"#fig-{name}", key, value],
    )
    figure = page.locator(f"#fig-{name}")
    figure.locator("summary").click()
    figure.locator("tbody tr").nth(2).wait_for()
    rows = figure.locator("tbody tr").all_inner_texts()
    figure.locator("summary").click()

    def numbers(text):
        text = re.sub(r"(?<=\d)[\u202f\u2009\xa0 ](?=\d{3}\b)", "", text).replace("−", "-")
        found = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?:/\d+)?", text)
        return [eval(x) for x in found]

    return numbers(sentence(page, name)), [numbers(row) for row in rows]


def test_sentences_and_tables_tell_what_is_computed(page, run):
    state = STATE | {"mean": -1.5, "scaled": True}
    said, rows = told(page, "growth", "mean=-1.5&d=100&law=uniform&scaled=1&seed=2")
    for d, got in [(100, said), *((int(row[0]), None) for row in rows)]:
        view = run("({growth}, s) => growth.compute(s)", state | {"d": d})
        wanted = [view[name] for name in ("spread", "exactSpread", "mean", "exactMean")]
        if got is None:
            (got,) = (row[1:] for row in rows if row[0] == d)
            wanted = [wanted[i] for i in (2, 3, 0, 1)]
        else:
            assert got[:2] == [d, 400]
            got = got[2:]
        assert got == pytest.approx(wanted, abs=0.0051)

    said, rows = told(page, "margin", "best=2.5&crowd=40&shift=-10&beta=0.5")
    logits, common = 0.5 * (np.array([2.5, 3, 1]) - 10), -5.0
    every = ah.softmax(np.array([*logits, *[common] * 40]))
    assert said == pytest.approx([0.25, 100 * every.max(), 40, 100 * every[3:].sum()], abs=0.51)
    wanted = np.transpose([(1, 2, 3), (2.5, 3, 1), logits, every[:3]])
    np.testing.assert_allclose(rows[:3], wanted, atol=5.1e-5)
    assert rows[3] == pytest.approx([40, 0, common, every[-1]], rel=0.005)

    said, rows = told(page, "jacobian", "beta=0.25&gap=2.5&seed=4&shown=8")
    scores = np.array(run("({jacobian}) => jacobian.rowOf(4, 2.5)"))
    scales = np.geomspace(1 / 64, 8, 73)
    entries = largest_entries(scores, scales)
    best = ah.softmax(scores / 4).max()
    assert said[0] == 0.25
    assert said[1] == pytest.approx(100 * best, abs=0.51)
    here, peak = largest_entries(scores, np.array([0.25]))[0], entries.argmax()
    assert said[2:] == pytest.approx([1, here, entries[peak], scales[peak]], rel=0.01)
    octaves = np.array([row[0] for row in rows])
    tops = [ah.softmax(beta * scores).max() for beta in octaves]
    np.testing.assert_allclose(octaves, 2.0 ** np.arange(-6, 4))
    np.testing.assert_allclose([row[1] for row in rows], tops, atol=5.1e-5)
    np.testing.assert_allclose(
        [row[2] for row in rows], largest_entries(scores, octaves), rtol=0.006
    )


def test_what_an_address_says_wrongly_is_left_out(page):
    page.evaluate("location.hash = '#fig-sampler?d=2000&law=cauchy&drawn=x&scaled=1'")
    wait_until(page, "document.querySelector('#fig-sampler [type=checkbox]').checked")
    assert "The 2000 scores" in sentence(page, "sampler")
    assert "At d = 64 " in sentence(page, "sampler")


REPLIES = """() => {
  window.replies = [];
  const reply = document.querySelector("#fig-keys .live-reply");
  new MutationObserver(() => replies.push(reply.textContent)).observe(reply, { childList: true });
}"""


def test_a_bet_is_answered_step_by_step_and_not_before(other):
    page = other
    page.evaluate(REPLIES)
    figure = page.locator("#fig-keys")
    assert figure.locator(".live-reply").inner_text() == ""
    figure.get_by_role("spinbutton", name="your bet, %, typed").fill("40")
    figure.get_by_role("button", name="Show me").click()
    hash_is(page, "#fig-keys?n=16384")
    got = re.search(r"top key takes ([\d.]+)\u202f%", sentence(page, "keys"))[1]
    waited, answered = page.evaluate("replies")
    assert waited == "You bet 40\u202f%. More keys come …"
    top = f"Undivided, the top key of this row has {got}\u202f%"
    assert answered.startswith(f"You bet 40\u202f%. {top}")
    figure.get_by_role("button", name="Reset").click()
    figure.get_by_role("button", name="Show me").click()
    figure.get_by_role("slider", name="keys n").press("Home")  # who takes over, stops it
    hash_is(page, "#fig-keys?n=2")
    assert page.evaluate("replies.at(-1)").startswith("You bet 50\u202f%. Undivided")
    figure = page.locator("#fig-jacobian")  # whose curve is then shown to its end
    figure.get_by_role("button", name="Show me").click()
    figure.get_by_role("slider", name="gap at the top").press("ArrowRight")
    hash_is(page, "#fig-jacobian?beta=8&gap=4.5&shown=8")
    assert "Its peak is" in sentence(page, "jacobian")


@pytest.mark.parametrize("id", IDS)
def test_every_figure_answers_to_every_control_and_has_its_table(page, id):
    figure = page.locator(f"#{id}")
    if figure.locator(".live-bet").count():
        if id in ("fig-needle", "fig-jacobian"):  # whose bet is on the curve
            assert figure.locator(".live-curve").count() == 0
        figure.get_by_role("button", name="Show me").click()
        figure.locator(".live-reply").filter(has_text="You bet").wait_for()
    figure.locator("summary").click()
    figure.locator("tbody tr").nth(2).wait_for()
    assert figure.evaluate(EVERYWHERE) == []
    figure.locator("summary").click()


def test_text_is_large_enough_and_nothing_moves_or_is_wider_than_the_page(other):
    page = other
    for width, least in ((1280, 36), (360, 44)):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        sizes = page.locator(".live text").evaluate_all(
            "a => a.map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
        )
        assert min(sizes) >= 11.5
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        controls = page.locator(".live :is(button, select, input[type=range]):visible")
        heights = controls.evaluate_all("a => a.map(e => e.getBoundingClientRect().height)")
        assert min(heights) >= least
    moving = page.locator(".live *").evaluate_all(
        "a => a.map(x => getComputedStyle(x)).map(s => s.transitionDuration + s.animationName)"
    )
    assert set(moving) == {"0snone"}


def test_a_figure_whose_script_cannot_come_shows_its_still(fresh):
    page = fresh(missing="sampler.js").page
    page.evaluate("document.querySelector('#fig-sampler').start().catch(() => null)")
    page.wait_for_selector("#fig-sampler .live-still p")
    assert page.locator("#fig-sampler .live-still").inner_text() == "A still picture."


# --------------------------------------------------------------------- on the built site


def test_without_npm_a_page_imports_the_modules(tmp_path, monkeypatch):
    monkeypatch.setenv(FOR_SITE, "1")
    app = SimpleNamespace(srcdir=tmp_path, outdir=tmp_path, builder=SimpleNamespace(format="html"))
    page_figures.bring_scripts(app)
    folder = tmp_path / "_static" / "live"
    brought = re.findall(r'"\./([^"]+)"', (folder / "ch3.js").read_text("utf-8"))
    assert brought == ["live/host.js", "ch3/live/keys.js", "ch3/live/margin.js"]
    assert all(
        (folder / path).read_bytes() == (ROOM.parent / path).read_bytes() for path in brought
    )


LIVE_PAGES = [name for name in PAGES if count_of(name, "<live-figure")]


def test_every_figure_stands_on_a_page_with_its_still():
    found = [figure for name in LIVE_PAGES for figure in soup(name).select("live-figure")]
    assert {figure["data-module"] for figure in found} == set(FIGURES)
    assert all(figure.select("noscript img") for figure in found)
