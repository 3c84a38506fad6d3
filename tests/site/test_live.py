"""Live figures: their arithmetic against attn_helpers, their draws, and how a reader uses them."""

import json
import re

import numpy as np
import pytest
from built_site import FRONT, PAGES, SITE, count_of, soup
from live_page import FIGURES, IDS, all_started, made, open_live
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
from why_sqrt_d.live import ROOM
from why_sqrt_d.live.joining import engine_text

EXACT = 1e-12
COUNT = 20_000


@pytest.fixture(scope="module")
def live(browser):
    """One page for everything that leaves it as it was."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    opened = open_live(context)
    all_started(opened.page)
    yield opened
    assert opened.troubles == []
    context.close()


@pytest.fixture(scope="module")
def run(live):
    """Evaluate a function of the modules: `run("({softmax}, x) => …", x)`."""

    def evaluated(function, argument=None):
        return live.page.evaluate(f"given => ({function})(window.liveModules, given)", argument)

    return evaluated


# ------------------------------------------------------------------ what is exact


def random_logits(number=40):
    rng = np.random.default_rng(3)
    return [rng.normal(0, (1, 30, 3000)[i % 3], 2 + i).tolist() for i in range(number)]


def test_softmax_entropy_and_effective_keys_are_those_of_the_package(run):
    rows = random_logits()
    found = run(
        "({softmax: s}, rows) => rows.map(z => { const w = s.softmax(z);"
        " return [w, s.entropy(w), s.effectiveKeys(w)]; })",
        rows,
    )
    for logits, (weights, entropy, effective) in zip(rows, found, strict=True):
        expected = ah.softmax(np.array(logits))
        np.testing.assert_allclose(weights, expected, rtol=EXACT, atol=1e-300)
        assert entropy == pytest.approx(ah.entropy(expected), rel=EXACT, abs=1e-15)
        assert effective == pytest.approx(1 / np.sum(expected**2), rel=EXACT)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 40, 41, 64, 255, 1000, 1024])
def test_the_density_of_a_score_is_that_of_the_package(run, d):
    x = np.concatenate([[1e-8, 1e-3], np.linspace(0.01, 6, 30) * np.sqrt(d)])
    if d > 1:
        x = np.append(x, 0.0)
    found = run("({density}, [x, d]) => x.map(x => density.scoreDensity(x, d))", [x.tolist(), d])
    np.testing.assert_allclose(found, gaussian_score_pdf(x, d), rtol=EXACT)
    assert run("({density}) => density.scoreDensity(Infinity, 8)") == 0


# How strength becomes a law of the package, where the package has that law.
LAWS = {
    "none": lambda s: Gaussian(),
    "means": Gaussian,
    "inside": lambda s: Correlated(s, 0.0),
    "both": Correlated,
    "aligned": Aligned,
    "magnitude": lambda s: SharedMagnitude(p=1 / (1 + 7 * s)),
    "sign": lambda s: SharedSign() if s == 1 else Rademacher(),
}


@pytest.mark.parametrize("broken", LAWS)
def test_exact_moments_are_those_of_the_package(run, broken):
    for d in (2, 3, 64, 1024):
        for strength in (0, 1) if broken == "sign" else (0, 0.05, 0.3, 0.5, 1):
            found = run(
                "({assumptions}, [b, s, d]) => assumptions.BROKEN[b].at(s).exact(d)",
                [broken, strength, d],
            )
            wanted = LAWS[broken](float(strength)).moments(d)
            got = (found["mean"], found["variance"], found["kurtosis"])
            np.testing.assert_allclose(got, wanted, rtol=EXACT)
            if "trace" in found:
                assert found["trace"] + found["means"] == found["variance"]


def test_a_sign_that_some_products_share_has_the_moments_that_counting_gives(run):
    d, shared = 6, 4
    signs = 2.0 * ((np.arange(2**3)[:, None] >> np.arange(3)) & 1) - 1
    scores = shared * signs[:, 0] + signs[:, 1:].sum(axis=1)
    found = run("({assumptions}) => assumptions.BROKEN.sign.at(0.6667).exact(6)")
    assert d - shared == 2
    assert found["variance"] == np.mean(scores**2)
    assert found["kurtosis"] == pytest.approx(
        np.mean(scores**4) / np.mean(scores**2) ** 2, rel=EXACT
    )


def test_growth_knows_the_exact_mean_and_variance(run):
    for mean in (-2.0, -0.3, 0.0, 1.0):
        found = run("({growth}, mean) => growth.exact(256, mean)", mean)
        wanted = Gaussian(mean).moments(256)
        np.testing.assert_allclose(
            [found["mean"], found["variance"]], [wanted.mean, wanted.variance], rtol=EXACT
        )


@pytest.mark.parametrize("crowd", [0, 1, 2, 500, 16_000])
def test_a_crowd_is_weighed_as_if_it_were_written_out(run, crowd):
    rng = np.random.default_rng(crowd)
    for common in (0.0, -3.5, 12.0):
        logits = rng.normal(0, 8, 5)
        found = run(
            "({margin}, [z, n, c]) => margin.weigh(z, n, c)", [logits.tolist(), crowd, common]
        )
        every = np.concatenate([logits, np.full(crowd, common)])
        weights = ah.softmax(every)
        np.testing.assert_allclose(found["weights"], weights[:5], rtol=EXACT)
        assert found["share"] == pytest.approx(weights[5:].sum(), rel=EXACT)
        assert found["effective"] == pytest.approx(1 / np.sum(weights**2), rel=EXACT)
        assert found["entropy"] == pytest.approx(ah.entropy(weights), rel=EXACT)
        assert found["top"] == pytest.approx(weights.max(), rel=EXACT)
        assert found["margin"] == pytest.approx(np.diff(np.sort(every))[-1], rel=EXACT, abs=0)


@pytest.mark.parametrize("spread", [1.0, 8.0, 32.0])
def test_effective_keys_of_nested_rows_and_ranked_weights(run, spread):
    row = np.random.default_rng(7).standard_normal(3000)
    sizes = [2, 3, 100, 2999, 3000]
    along, ranked = run(
        "({keys}, [row, s, sizes]) => [keys.effectiveAlong(row, s, sizes),"
        " keys.ranked(Float64Array.from(row), s, 100)]",
        [row.tolist(), spread, sizes],
    )
    weights = [ah.softmax(spread * row[:n]) for n in sizes]
    np.testing.assert_allclose(along, [1 / np.sum(w**2) for w in weights], rtol=EXACT)
    top = np.sort(weights[2])[::-1]
    np.testing.assert_allclose(ranked["weights"], top[:20], rtol=EXACT)
    assert ranked["rest"] == pytest.approx(top[20:].sum(), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("beta", [0.1, 1.0, 3.0, 20.0, 100.0])
def test_a_needle_is_weighed_as_softmax_does(run, beta):
    others = np.sort(np.random.default_rng(11).standard_normal(3000))[::-1]
    for height in (0.0, 3.3, 6.0):
        found = run(
            "({needle}, [z, D, b]) => needle.weigh(Float64Array.from(z), D, b)",
            [others.tolist(), height, beta],
        )
        weights = ah.softmax(beta * np.append(others, height))
        assert found["needle"] == pytest.approx(weights[-1], rel=EXACT)
        np.testing.assert_allclose(found["strongest"], weights[:8], rtol=EXACT)
        assert found["others"] == pytest.approx(weights[:-1].sum(), rel=EXACT)
        assert found["rest"] == pytest.approx(weights[8:-1].sum(), rel=1e-9, abs=1e-12)


def test_the_lifts_in_the_module_are_those_of_many_rows(run):
    sizes, scales = (10, 16, 100, 1024), (0.1, 0.5, 1.0, 3.0, 7.0, 50.0, 100.0)
    wanted = crowd_lifts(1500, sizes, scales, seed=9)
    found = run(
        "({needle}, [sizes, scales]) => [0, 1, 2].map(share => sizes.map(n => scales.map(b =>"
        " needle.liftOf(share, n, b))))",
        [sizes, scales],
    )
    np.testing.assert_allclose(found, wanted, atol=0.06)
    # Scales so small that a mean row is a typical one: the closed form of the package.
    weight = run("({needle: m}) => m.weightAt(16384, 1, 8, m.liftOf(1, 16384, 1))")
    assert weight == pytest.approx(needle_weight(16384, 8.0, 1.0), abs=0.003)


def test_the_runs_that_a_page_carries_are_the_stored_ones(run):
    rows, data = stored("table1") + stored("table1_rates"), made("ch6/training").data
    assert len(json.dumps(data, separators=(",", ":"))) < 40_000
    found = run(
        "({training: t}, data) => data.sizes.map(s => { const spec = t.specOf(data);"
        " return data.rates.map(rate => { const v = spec.compute({ rate, size: s.key, seed: 7 });"
        " return [v.runs, v.medians, v.length]; }); })",
        data,
    )
    sizes = [row for row in table_rows() if row["scale"] is not None]
    for size, at_rates in zip(sizes, found, strict=True):
        for rate, (runs, medians, length) in zip(RATES, at_rates, strict=True):
            assert length == size["length"]
            for scale, drawn, middle in zip((None, size["scale"]), runs, medians, strict=True):
                wanted = select(rows, **{**size, "scale": scale}, learning_rate=rate)
                tests = [row["test_accuracy"] for row in wanted]
                assert [one["test"] for one in drawn] == pytest.approx(tests, abs=5.1e-5)
                training = [row["train_accuracy"] for row in wanted]
                np.testing.assert_allclose(
                    [one["training"] for one in drawn], training, atol=5.1e-4
                )
                assert middle == pytest.approx(np.median(tests), abs=5.1e-5)


@pytest.mark.parametrize("beta", [1 / 64, 1 / 8, 1.0, 8.0])
def test_the_jacobian_is_that_of_the_package(run, beta):
    for gap in (0.0, 2.5, 20.0):
        found = run(
            "({jacobian: j}, [g, b]) => { const scores = j.rowOf(4, g);"
            " return { scores, ...j.jacobianOf(scores, b) }; }",
            [gap, beta],
        )
        scores = np.array(found["scores"])
        assert np.diff(np.sort(scores))[-1] == pytest.approx(gap, abs=1e-12)
        weights = ah.softmax(beta * scores)
        np.testing.assert_allclose(found["weights"], weights, rtol=EXACT)
        wanted = beta * ah.softmax_jacobian(weights)
        np.testing.assert_allclose(found["matrix"], wanted, rtol=EXACT, atol=1e-15 * beta)
        largest = largest_entries(scores, np.array([beta]))[0]
        assert found["top"] == pytest.approx(largest, rel=EXACT, abs=1e-15 * beta)


def test_rows_before_their_gap_is_set_are_normal_with_the_spread_of_d(run):
    rows = run("({jacobian}) => Array.from({ length: 5000 }, (_, i) => jacobian.rowOf(i, 0))")
    lower = np.sort(rows)[:, :3]  # the gap moves the best alone
    normal = np.sort(8 * np.random.default_rng(1).standard_normal((40_000, 4)))[:, :3]
    np.testing.assert_allclose(lower.mean(axis=0), normal.mean(axis=0), atol=0.4)
    np.testing.assert_allclose(lower.std(axis=0), normal.std(axis=0), rtol=0.05)


@pytest.mark.parametrize("n", [3, 50, 4096])
def test_gaps_and_half_scales_are_those_of_the_chapter(run, n):
    rng = np.random.default_rng(n)
    for scores in (rng.standard_normal(n), lengths.spherical_rows(n, 1, 3, rng)[0]):
        half = float(lengths.half_scale(scores))
        found = run(
            "({lengths: m}, [z, b]) => { const gaps = m.gapsOf(z); return {"
            " half: m.halfScale(gaps), worth: m.worth(gaps, b),"
            " counts: [0.1, 1, 3].map(reach => m.within(gaps, reach)) }; }",
            [scores.tolist(), half / 3],
        )
        assert found["half"] == pytest.approx(half, rel=EXACT)
        best = ah.softmax(half / 3 * scores).max()
        assert 1 / (1 + found["worth"]) == pytest.approx(best, rel=EXACT)
        assert found["counts"] == lengths.competitors(scores[None], [0.1, 1, 3]).tolist()


@pytest.mark.parametrize("index", range(7))
def test_rows_of_each_geometry_have_its_moments_and_half_scale(run, index):
    data = made("ch5/lengths").data
    geometry = data["geometries"][index]
    d, overlap = geometry["d"], geometry["overlap"]
    rows = np.array(
        run(
            "({lengths: m}, g) => Array.from({ length: 200 }, (_, i) =>"
            " [...m.drawRow(i, g, 256)])",
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


def test_statistics_of_a_sample_are_those_of_the_package(run):
    sample = np.random.default_rng(2).exponential(size=501) - 3
    found = run("({softmax: s}, x) => ({ ...s.moments(x), median: s.median(x) })", sample.tolist())
    wanted = ah.score_statistics(sample)
    got = [found[name] for name in ("mean", "variance", "kurtosis", "median")]
    expected = [wanted.mean, wanted.variance, wanted.kurtosis, np.median(sample)]
    np.testing.assert_allclose(got, expected, rtol=EXACT)


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
        ("r.chiSquared(2)", 2, 4, 9),
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
def test_each_law_has_unit_variance_and_its_sums_of_products_grow_as_they_should(run, law):
    drawn, kurtosis = run(
        "({random, laws}, [law, n]) => { const r = new random.Random(law), l = laws.LAWS[law];"
        " return [Array.from({ length: n }, () => l.draw(r)), l.kurtosis]; }",
        [law, COUNT],
    )
    assert_moments(drawn, 0, 1, kurtosis)
    for d in (1, 5, 96):
        sums = run(
            "({random, laws}, [law, d, n]) => { const r = new random.Random(law, d);"
            " return Array.from({ length: n }, () => laws.LAWS[law].products(r, d)); }",
            [law, d, COUNT],
        )
        exact = None if law == "outliers" and d < 96 else 3 + (kurtosis**2 - 3) / d
        assert_moments(sums, 0, d, exact)


@pytest.mark.parametrize("law", ["normal", "uniform", "signs", "outliers"])
def test_the_same_scores_grow_with_d(run, law):
    low, odd, high = (
        np.array(run("({sampler}, [l, d]) => [...sampler.scoresAt(l, 5, d)]", [law, d]))
        for d in (64, 100, 256)
    )
    for scores, d in ((low, 64), (odd, 100), (high, 256)):
        assert_moments(scores, 0, d)
    # What is added is independent of what was there.
    assert np.corrcoef(low, high)[0, 1] == pytest.approx(0.5, abs=0.1)
    assert np.corrcoef(low, odd)[0, 1] == pytest.approx(0.8, abs=0.06)


def test_rows_of_weights_have_one_query(run):
    rows = np.array(
        run("({sampler: s}) => Array.from({ length: 300 }, (_, i) => s.rowAt('normal', 1, i, 16))")
    )
    assert_moments(rows.ravel(), 0, 16)
    # Var over rows of the mean square: 16² (2/10 + 12/16·…) is far from that of ten free scores.
    squares = np.mean(rows**2, axis=1)
    assert squares.std() > 1.2 * 16 * np.sqrt(2 / 10)


@pytest.mark.parametrize("broken", LAWS)
@pytest.mark.parametrize("strength", [0.35, 1])
def test_draws_of_broken_laws_have_the_exact_moments(run, broken, strength):
    for d in (2, 64):
        exact, sample = run(
            "({assumptions: a}, [b, s, d, n]) => [a.BROKEN[b].at(s).exact(d),"
            " [...a.draws(b, s, d, 1, n)]]",
            [broken, strength, d, COUNT],
        )
        assert_moments(sample, exact["mean"], exact["variance"], exact["kurtosis"])


def test_the_bet_is_settled_by_many_rows(run):
    rng = np.random.default_rng(4)
    for d, scale in ((64, 1.0), (64, 0.125)):
        lengths = np.sqrt(rng.chisquare(d, (4000, 1)))
        tops = ah.softmax(scale * lengths * rng.standard_normal((4000, 10))).max(axis=1)
        found = run("({sampler}, [d, s]) => sampler.typicalTop(d, s)", [d, scale])
        assert found == pytest.approx(np.median(tops), abs=0.03)


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

    def opened(hash="", width=900, missing="", started=False):
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.set_default_timeout(10_000)
        made = open_live(context, hash, missing)
        if started:
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
    other = fresh("#fig-growth?d=100&law=uniform&scaled=1&seed=2", started=True).page
    assert sentence(other, "growth") == said
    assert other.locator("#fig-growth").evaluate(
        "e => Math.abs(e.getBoundingClientRect().top) < innerHeight"
    )
    figure.get_by_role("button", name="Reset").click()
    hash_is(page, "#fig-growth")


def test_an_address_followed_on_the_page_changes_the_figure(page):
    page.evaluate("location.hash = '#fig-margin?scores=14,10'")
    said_includes(page, "margin", "98\u202f%")
    assert "margin is 4" in sentence(page, "margin")


@pytest.mark.parametrize(
    ("hash", "quoted"),
    [
        ("#fig-sampler?d=abc", "“abc” is not a whole number from 4 to 1024"),
        ("#fig-sampler?d=2000&law=cauchy", "“cauchy” is none of normal, uniform, signs, outliers"),
        ("#fig-growth?scaled=yes", "“yes” is neither 1 (on) nor 0 (off)"),
        ("#fig-margin?scores=1", "“1” are not 2 to 8 numbers with commas"),
        ("#fig-margin?scores=1,x", "“x” is not a number from"),
    ],
)
def test_a_bad_address_is_quoted_and_the_start_is_shown(fresh, hash, quoted):
    opened = fresh(hash, started=True)
    name = re.match(r"#fig-(\w+)", hash)[1]
    assert quoted in opened.page.locator(f"#fig-{name} [role=alert]").inner_text()
    assert sentence(opened.page, name)
    assert opened.troubles == []


def test_a_bad_value_is_quoted_and_a_good_one_mends_it(page):
    field = page.locator("#fig-sampler").get_by_role("textbox", name="dimension d, typed")
    before = sentence(page, "sampler")
    for bad in ("twelve", "3", "1025", "64.5", "1e9", ""):
        field.fill(bad)
        page.keyboard.press("Enter")
        alert = page.locator("#fig-sampler [role=alert]")
        assert alert.inner_text() == f"dimension d: “{bad}” is not a whole number from 4 to 1024."
        assert field.get_attribute("aria-invalid") == "true"
        assert sentence(page, "sampler") == before
    field.fill("1 024")
    page.keyboard.press("Enter")
    wait_until(page, "!document.querySelector('#fig-sampler [role=alert]').textContent")
    wait_until(
        page, "document.querySelector('#fig-sampler .live-say').textContent.includes('√1024')"
    )


def test_sliders_are_turned_by_keyboard_and_the_page_hears_nothing(page):
    page.evaluate("window.heard = 0; document.addEventListener('keydown', () => { heard += 1; })")
    slider = page.locator("#fig-sampler").get_by_role("slider", name="dimension d")
    slider.focus()
    for key, d in (("ArrowRight", 8), ("Home", 4), ("End", 1024), ("ArrowLeft", 512)):
        page.keyboard.press(key)
        said_includes(page, "sampler", f"√{d} ")
        assert slider.get_attribute("aria-valuetext") == str(d)
    assert page.evaluate("heard") == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") in ("INPUT", "SELECT")


def test_the_sentence_is_spoken_once_after_a_rest(page):
    page.evaluate(
        "() => { window.said = []; const s = document.querySelector('#fig-sampler [role=status]"
        ".live-status'); new MutationObserver(() => said.push(s.textContent)).observe(s,"
        " { childList: true }); }"
    )
    page.locator("#fig-sampler").get_by_role("slider", name="dimension d").focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    wait_until(page, "said.length > 0")
    page.wait_for_timeout(500)
    assert page.evaluate("said") == [sentence(page, "sampler")]


def test_one_is_drawn_and_two_thousand(page):
    figure = page.locator("#fig-sampler")
    one = figure.get_by_role("button", name="Draw one")
    one.click()
    wait_until(
        page, "document.querySelector('#fig-sampler .live-say').textContent.includes('One')"
    )
    one.click()
    hash_is(page, "#fig-sampler?seed=604&drawn=2")
    assert sentence(page, "sampler").startswith("The 2 scores")
    figure.get_by_role("button", name="Draw 2000").click()
    hash_is(page, "#fig-sampler?seed=604")
    assert sentence(page, "sampler").startswith("The 2000 scores")


def test_the_bet_is_answered(page):
    figure = page.locator("#fig-sampler")
    figure.get_by_role("textbox", name="your bet, %, typed").fill("40")
    figure.get_by_role("button", name="Show me").click()
    reply = figure.locator(".live-reply").inner_text()
    got = re.search(r"top key of this row takes ([\d.]+)\u202f%", sentence(page, "sampler"))[1]
    assert reply.startswith(
        f"You bet 40 %. The top key of this row got {got}\u202f%; in a typical row"
    )
    assert re.search(r"typical row it gets 9[567]\u202f%", reply)
    hash_is(page, "#fig-sampler?d=64")


def test_the_first_figure_does_not_answer_its_bet_before_it_is_made(fresh):
    page = fresh(started=True).page
    assert "√4 = 2.0" in sentence(page, "sampler")
    assert page.locator("#fig-sampler .live-reply").inner_text() == ""
    axis = page.locator("#fig-sampler svg").first.locator("text").all_text_contents()
    assert {"−10", "10"} <= set(axis)


def test_the_first_row_is_a_typical_one_and_stays_so(run):
    for d in (4, 64, 1024):
        for scale in (1.0, d**-0.5):
            typical = run("({sampler}, [d, s]) => sampler.typicalTop(d, s)", [d, scale])
            row = np.array(run("({sampler}, d) => sampler.rowAt('normal', 603, 2000, d)", d))
            assert ah.softmax(scale * row).max() == pytest.approx(typical, abs=0.06)


def test_dividing_moves_no_axis(page):
    number = "t => /^−?\\d+$/.test(t)"
    axis = f"e => [...e.querySelectorAll('text')].map(t => t.textContent).filter({number})"
    ticks = []
    for scaled in ("", "&scaled=1"):
        page.evaluate(f"location.hash = '#fig-sampler?d=256{scaled}'")
        said_includes(page, "sampler", "exactly 1 at" if scaled else "√256")
        ticks.append(page.locator("#fig-sampler svg").first.evaluate(axis))
    assert ticks[0] == ticks[1] != []
    words = page.locator("#fig-sampler svg").first.locator("text").all_text_contents()
    assert {"divided by √d", "undivided"} <= set(words)


DIMENSIONS_SEEN = """() => { window.seen = [];
  const said = document.querySelector('#fig-sampler .live-say');
  new MutationObserver(() => seen.push(Number(said.textContent.match(/√(\\d+)/)[1])))
    .observe(said, { childList: true, characterData: true, subtree: true }); }"""


def test_the_answer_to_a_bet_grows_before_the_eyes(fresh):
    page = fresh(started=True).page
    page.evaluate(DIMENSIONS_SEEN)
    page.locator("#fig-sampler").get_by_role("button", name="Show me").click()
    reply = page.locator("#fig-sampler .live-reply")
    assert reply.inner_text() == "You bet 50 %. Watch d grow to 64 …"
    hash_is(page, "#fig-sampler?d=64")
    assert reply.inner_text().startswith("You bet 50 %. The top key")
    assert page.evaluate("[...new Set(seen)]") == [8, 16, 32, 64]


def test_who_takes_over_stops_the_growing(fresh):
    page = fresh(started=True).page
    figure = page.locator("#fig-sampler")
    figure.get_by_role("button", name="Show me").click()
    figure.get_by_role("slider", name="dimension d").press("Home")
    assert figure.locator(".live-reply").inner_text().startswith("You bet 50 %. The top key")
    page.wait_for_timeout(700)
    assert "√4 " in sentence(page, "sampler")


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
    wait_until(page, "id => location.hash === id", arg=f"#fig-{name}")
    assert figure.locator(".live-curve").count() == 0


def test_one_more_key_takes_the_majority(page):
    for crowd, share in ((125, "50.1"), (126, "49.9")):
        page.evaluate(f"location.hash = '#fig-margin?scores=5,3,1&crowd={crowd}'")
        said_includes(page, "margin", f"the top key takes {share}\u202f%")


def test_one_key_is_seen_beside_a_crowd(page):
    page.evaluate("location.hash = '#fig-keys?n=16384'")
    said_includes(page, "keys", "16\u202f384")
    strips = page.locator("#fig-keys svg").first

    def widths(look):
        rects = strips.locator(f"rect.live-{look}")
        return rects.evaluate_all("a => a.map(e => e.getBoundingClientRect().width)")

    (undivided, divided), (few, crowd) = widths("top"), widths("crowd")
    assert undivided > 20 * divided
    assert divided >= 2  # of 16 384 keys it has less than a pixel
    assert crowd > 0.9 * strips.bounding_box()["width"] > few


def test_keys_are_added_and_removed(page):
    figure = page.locator("#fig-margin")
    for _ in range(4):
        figure.get_by_role("button", name="Add a key").click()
        page.wait_for_timeout(40)
    assert figure.get_by_role("slider", name=re.compile("key [0-9]")).count() == 8
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
def test_text_is_large_enough_and_nothing_is_wider_than_the_page(fresh, width):
    page = fresh(width=width, started=True).page
    sizes = page.locator(".live text").evaluate_all(
        "a => a.map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    assert min(sizes) >= 11.5
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator(".live :is(button, select, input[type=range])").all():
        assert control.bounding_box()["height"] >= (44 if width == 360 else 36)


def test_a_figure_whose_script_cannot_come_shows_its_still(fresh):
    page = fresh(missing="sampler.js").page
    page.evaluate("document.querySelector('#fig-sampler').start().catch(() => null)")
    page.wait_for_selector("#fig-sampler .live-still p")
    assert page.locator("#fig-sampler .live-still").inner_text() == "A still picture."


PATCH = """({patch}, pairs) => pairs.map(([before, after]) => {
  const place = document.createElement("div");
  place.innerHTML = before;
  const held = [...place.childNodes], wanted = document.createElement("div");
  wanted.innerHTML = after;
  const nodes = [...wanted.childNodes]
    .map(one => (one.nodeType === Node.TEXT_NODE ? one.data : one));
  patch.patch(place, nodes);
  return [place.innerHTML, held.filter(one => place.contains(one)).length];
})"""


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("", "<p>new</p>", 0),
        ("<p>old</p>", "", 0),
        ('<p a="1" b="2">old</p>', '<p b="3" c="4">new</p>', 1),
        ('<p a="1">same</p>', '<p b="1">same</p>', 1),
        ("a<b>c</b>d", "e<b>f</b>g", 3),
        ("a<b>c</b>d", "<b>c</b>d", 0),
        ("<i>1</i><i>2</i><i>3</i>", "<i>1</i>", 1),
        ("<g><i>1</i></g>", "<g><i>1</i><u>2</u></g>", 1),
        ("<g><i>1</i><u>2</u></g>", "<g>text</g>", 1),
    ],
)
def test_a_patch_gives_what_is_wanted_and_keeps_what_is_alike(run, before, after, kept):
    assert run(PATCH, [[before, after], [after, after]]) == [
        [after, kept],
        [after, run("(_, text) => new DOMParser().parseFromString(text, 'text/html')"
                    ".body.childNodes.length", after)],
    ]  # fmt: skip


def test_a_turn_of_a_slider_changes_marks_and_makes_none(page):
    page.evaluate(
        """() => { window.made = 0; new MutationObserver(list => { made += list.length; })
        .observe(document.querySelector("#fig-growth"), { childList: true, subtree: true }); }"""
    )
    before = sentence(page, "growth")
    page.locator("#fig-growth").get_by_role("slider", name="terms d").press("ArrowRight")
    wait_until(
        page, "t => document.querySelector('#fig-growth .live-say').innerText !== t", arg=before
    )
    assert page.evaluate("made") == 0


def test_the_sentence_gets_no_lower_so_that_the_text_below_stays(page):
    said = page.locator("#fig-growth .live-say")
    assert said.evaluate("e => e.style.minHeight === `${e.offsetHeight}px`")
    longer = "e => { e.textContent += ' and on'.repeat(90); return e.offsetHeight; }"
    height = said.evaluate(longer)
    held = "h => parseFloat(document.querySelector('#fig-growth .live-say').style.minHeight) > h"
    wait_until(page, held, arg=height - 1)  # an observer sets it, a frame later
    page.locator("#fig-growth").get_by_role("slider", name="terms d").press("ArrowRight")
    wait_until(
        page,
        "() => !document.querySelector('#fig-growth .live-say').innerText.includes(' and on')",
    )
    assert said.evaluate("e => e.offsetHeight") == height


LIVE_PAGES = [name for name in PAGES if count_of(name, "<live-figure")]


def test_a_page_gets_no_comment_but_the_licence():
    text = engine_text(ROOM / "host.js")
    assert "Copyright 2010-2026 Mike Bostock" in text
    assert re.findall(r"^\s*/[/*](?!!).*", text, re.M) == []


def test_every_figure_stands_on_a_page():
    found = {e["data-module"] for name in LIVE_PAGES for e in soup(name).select("live-figure")}
    assert found == set(FIGURES)
    for name in PAGES:
        scripts = soup(name).select("script[src*='live/engine.js']")
        assert len(scripts) == (name in LIVE_PAGES)


@pytest.mark.parametrize("name", LIVE_PAGES)
def test_the_page_has_the_script_and_the_still_of_each_figure(name):
    figures = soup(name).select("live-figure")
    for figure in figures:
        assert ((SITE / name).parent / figure["data-src"]).exists()
        still = figure.select_one("noscript img")
        assert len(still["alt"]) >= 40
        assert ((SITE / name).parent / still["src"]).exists()
    preloaded = [e["href"] for e in soup(name).select("link[rel=preload][as=script]")]
    assert preloaded == [figures[0]["data-src"]]


@pytest.mark.parametrize("source", ["http", "file"])
def test_a_figure_of_the_site_answers(visit, source):
    opened = visit(FRONT, source=source)
    figure = opened.page.locator("live-figure").first
    figure.locator(".live-say").wait_for()
    before = figure.locator(".live-say").inner_text()
    figure.get_by_role("slider", name="dimension d").press("ArrowRight")
    wait_until(opened.page, "location.hash.includes('d=8')")
    assert figure.locator(".live-say").inner_text() != before
    assert opened.troubles == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", LIVE_PAGES)
def test_a_figure_takes_the_place_that_was_kept(visit, name, width):
    page = visit(name, width=width).page
    all_started(page)
    for figure in page.locator("live-figure").all():
        figure.scroll_into_view_if_needed()  # a phone lays out what is near
        page.evaluate(SETTLED)
        kept, taken = figure.evaluate(
            "e => [parseFloat(getComputedStyle(e).minHeight), e.querySelector('.live')"
            ".getBoundingClientRect().height]"
        )
        assert -60 <= kept - taken <= 60, (figure.get_attribute("id"), kept, taken)


def test_nothing_moves_by_itself(live):
    durations = live.page.locator(".live *").evaluate_all(
        "a => a.map(x => getComputedStyle(x))"
        ".map(s => s.transitionDuration + ' ' + s.animationName)"
    )
    assert set(durations) == {"0s none"}


def test_every_chapter_room_with_figures_has_a_function_for_each():
    import importlib

    for name, path in FIGURES.items():
        room = importlib.import_module(f"why_sqrt_d.{name.replace('/', '.live:').split(':')[0]}")
        made = getattr(room, path.stem)()
        assert made.name == name
