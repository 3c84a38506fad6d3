import dataclasses

import numpy as np
import pytest

from why_sqrt_d.encoder.model import EncoderSettings, forward, initialise, loss_and_gradient
from why_sqrt_d.encoder.optimiser import Adam, clip_by_norm, warmup_cosine
from why_sqrt_d.encoder.task import make_strings
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy

TASK = TrainingSettings(vocabulary=5, length=4, samples=300, epochs=3, batch_size=64, warmup=2)


def finished(settings=TASK, seed=0):
    run = Training(settings, seed)
    run.finish()
    return run


def test_the_last_partial_batch_is_dropped():
    settings = TrainingSettings(vocabulary=10, length=20, samples=8000)
    assert settings.steps == 620  # 62 full batches, ten times; 64 strings are left over


def test_a_run_is_adam_on_clipped_gradients_under_the_schedule():
    """Write the loop out once more, from the pieces that are tested on their own."""
    run = Training(TASK, seed=3)
    params, model, losses = run.params.copy(), run.model, []
    tokens, targets = (part.copy() for part in run.strings)
    order = np.random.default_rng(3).spawn(4)[2]
    optimiser = Adam(params)
    for _ in range(3):
        shuffled = order.permutation(300)[:256].reshape(4, 64)
        for rows in shuffled:
            loss, _, gradient = loss_and_gradient(params, tokens[rows], targets[rows], model)
            rate = 5e-4 * warmup_cosine(len(losses), 2, 12)
            optimiser.step(clip_by_norm(gradient, 5.0), rate)
            losses.append(loss)
    run.finish()
    assert run.losses == losses
    np.testing.assert_array_equal(run.params, params)


def test_one_seed_one_run_another_seed_another():
    assert finished().losses == finished().losses
    assert finished().losses != finished(seed=1).losses


def test_runs_of_one_seed_share_data_start_and_order():
    a, b = Training(TASK, 0), Training(dataclasses.replace(TASK, scale=3.0), 0)
    np.testing.assert_array_equal(a.params, b.params)
    np.testing.assert_array_equal(a.strings[0], b.strings[0])
    a.step()
    b.step()
    assert a.losses != b.losses
    np.testing.assert_array_equal(a.unseen(5)[0], b.unseen(5)[0])


def test_it_learns_to_reverse():
    settings = TrainingSettings(4, 12, 2560, learning_rate=1e-2, scale=5.0)
    run = finished(settings)
    assert measure_accuracy(run.params, *run.unseen(500), run.model) > 0.99
    assert run.accuracies[-1] > 0.99


def test_float32_and_float64_losses_agree():
    """The promise: loss curves within 1e-4 over 200 steps."""
    curves = []
    for dtype in ("float32", "float64"):
        settings = TrainingSettings(10, 20, 2560, epochs=10, dtype=dtype, scale=3.0)
        run = finished(settings)
        assert run.params.dtype == dtype
        curves.append(run.losses)
    assert len(curves[0]) == 200
    np.testing.assert_allclose(curves[0], curves[1], rtol=1e-4)


def test_the_gain_multiplies_query_and_key_only():
    plain, wide = Training(TASK, 0), Training(dataclasses.replace(TASK, query_key_gain=3.0), 0)
    a, b = plain.model.views(plain.params), wide.model.views(wide.params)
    for name in a:
        factor = np.ones_like(a[name])
        if name == "qkv.weight":
            factor[:8] = 3
        np.testing.assert_array_equal(b[name], a[name] * factor, err_msg=name)


def test_gain_equals_scale_at_the_start():
    """W_q and W_k times f, or β times f²: the same first logits."""
    model = EncoderSettings(5, 4, scale=0.5)
    gained = Training(dataclasses.replace(TASK, scale=0.5, query_key_gain=2.0), 0)
    scaled = Training(dataclasses.replace(TASK, scale=2.0), 0)
    tokens = gained.unseen(7)[0]
    np.testing.assert_allclose(
        forward(gained.params, tokens, model)[0],
        forward(scaled.params, tokens, scaled.model)[0],
        rtol=1e-4,
        atol=1e-6,
    )


def test_a_rate_of_zero_freezes_query_and_key():
    settings = dataclasses.replace(TASK, query_key_rate=0.0)
    before, after = Training(settings, 0), finished(settings)
    a, b = (run.model.views(run.params) for run in (before, after))
    np.testing.assert_array_equal(a["qkv.weight"][:8], b["qkv.weight"][:8])
    np.testing.assert_array_equal(a["qkv.bias"][:8], b["qkv.bias"][:8])
    assert (a["qkv.weight"][8:] != b["qkv.weight"][8:]).any()
    assert (a["output.weight"] != b["output.weight"]).any()


def test_the_rate_multiplies_the_first_moves():
    twice = dataclasses.replace(TASK, query_key_rate=2.0, warmup=0)
    runs = [Training(s, 0) for s in (dataclasses.replace(TASK, warmup=0), twice)]
    start = runs[0].params.copy()
    for run in runs:
        run.step()
    once, double = (run.model.views(run.params - start) for run in runs)
    # In float32 a difference of nearly equal numbers keeps about three digits here.
    np.testing.assert_allclose(double["qkv.weight"][:8], 2 * once["qkv.weight"][:8], rtol=2e-3)
    np.testing.assert_array_equal(double["qkv.weight"][8:], once["qkv.weight"][8:])


def test_the_gradient_is_clipped(monkeypatch):
    given = []
    step = Adam.step

    def watched(self, gradient, *rest):
        given.append(np.linalg.norm(gradient))
        step(self, gradient, *rest)

    monkeypatch.setattr(Adam, "step", watched)
    Training(dataclasses.replace(TASK, max_norm=1e-3), 0).step()
    Training(TASK, 0).step()
    assert given[0] == pytest.approx(1e-3, rel=1e-5)
    assert given[1] > 0.01


def test_setting_the_scale_changes_the_model_and_not_the_parameters():
    run = Training(TASK, 0)
    before = run.params.copy()
    run.set_scale(7.0)
    assert run.model.beta == 7.0
    np.testing.assert_array_equal(run.params, before)
    run.set_scale(None)
    assert run.model.beta == 0.5


def test_a_run_that_is_over_says_so():
    with pytest.raises(RuntimeError, match="over after its 12 steps"):
        finished().step()


def test_unseen_strings_are_new_each_time_and_not_the_training_set():
    run = Training(TASK, 0)
    first, second = run.unseen(300)[0], run.unseen(300)[0]
    assert (first != second).any()
    assert (first != run.strings[0]).any()


def test_accuracy_counts_positions_also_in_pieces():
    model = EncoderSettings(3, 20)
    params = initialise(model, np.random.default_rng(0))
    tokens, targets = make_strings(np.random.default_rng(1), 2500, 3, 20)  # more than one piece
    logits, _ = forward(params, tokens, model)
    expected = float((logits.argmax(-1) == targets).mean())
    assert measure_accuracy(params, tokens, targets, model) == pytest.approx(expected, abs=1e-12)


def test_accuracy_of_other_shapes():
    model = EncoderSettings(3, 4)
    params = initialise(model, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"targets have shape \(2, 4\) but tokens have \(1, 4\)"):
        measure_accuracy(params, [[0, 1, 2, 0]], [[0, 1, 2, 0]] * 2, model)


def test_bad_settings():
    for changes, error, said in (
        ({"samples": 63}, ValueError, "samples = 63 do not fill one batch of 64"),
        ({"epochs": 0}, ValueError, "epochs must be an integer >= 1, got 0"),
        ({"epochs": 1.5}, TypeError, "epochs .* 1.5"),
        ({"learning_rate": 0.0}, ValueError, "learning_rate .* 0.0"),
        ({"learning_rate": float("nan")}, ValueError, "learning_rate .* nan"),
        ({"max_norm": -1.0}, ValueError, "max_norm .* -1.0"),
        ({"query_key_rate": -1.0}, ValueError, "query_key_rate .* -1.0"),
        ({"query_key_gain": 0.0}, ValueError, "query_key_gain"),
        ({"dtype": "float16"}, ValueError, "'float16'"),
        ({"scale": -1.0}, ValueError, "scale .* -1.0"),
    ):
        with pytest.raises(error, match=said):
            dataclasses.replace(TASK, **changes)
