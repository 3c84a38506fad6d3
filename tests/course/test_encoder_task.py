import numpy as np
import pytest

from why_sqrt_d.encoder.task import batches, make_strings


def rng(seed=0):
    return np.random.default_rng(seed)


def test_targets_are_the_strings_backwards():
    tokens, targets = make_strings(rng(), 50, 10, 7)
    assert tokens.shape == targets.shape == (50, 7)
    for string, answer in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert answer == list(reversed(string))
    assert not np.shares_memory(tokens, targets)


def test_tokens_are_uniform_over_the_whole_vocabulary():
    tokens, _ = make_strings(rng(), 5000, 10, 8)
    counts = np.bincount(tokens.ravel())
    assert counts.size == 10
    # 40000 draws: 4000 each, standard deviation 60
    assert np.abs(counts - 4000).max() < 300


def test_one_seed_gives_one_set_of_strings():
    np.testing.assert_array_equal(make_strings(rng(3), 4, 9, 5), make_strings(rng(3), 4, 9, 5))
    assert (make_strings(rng(3), 4, 9, 5)[0] != make_strings(rng(4), 4, 9, 5)[0]).any()


def numbered(samples):
    """Strings that say their own number: [i, -i], targets [-i, i]."""
    tokens = np.arange(samples)[:, None] * [1, -1]
    return tokens, tokens[:, ::-1]


@pytest.mark.parametrize(("samples", "size", "count"), [(12, 4, 3), (13, 4, 3), (5, 5, 1)])
def test_batches_cover_each_string_at_most_once(samples, size, count):
    found = list(batches(rng(), *numbered(samples), size))
    assert [x.shape for x, _ in found] == [(size, 2)] * count
    numbers = [int(i) for x, _ in found for i in x[:, 0]]
    assert len(numbers) == len(set(numbers)) == count * size
    assert set(numbers) <= set(range(samples))
    for x, y in found:
        np.testing.assert_array_equal(y, x[:, ::-1])


def test_every_epoch_has_its_own_order():
    generator, data = rng(), numbered(50)
    first, second = (
        np.concatenate([x[:, 0] for x, _ in batches(generator, *data, 10)]) for _ in range(2)
    )
    assert sorted(first) == sorted(second) == list(range(50))
    assert (first != second).any()
    assert first.tolist() != list(range(50))


def test_who_is_dropped_changes_with_the_epoch():
    generator, seen = rng(), set()
    for _ in range(20):
        seen |= {int(i) for x, _ in batches(generator, *numbered(7), 3) for i in x[:, 0]}
    assert seen == set(range(7))


def test_batches_leave_their_inputs():
    tokens, targets = (a.copy() for a in numbered(6))
    for x, _ in batches(rng(), tokens, targets, 2):
        x += 100
    np.testing.assert_array_equal(tokens, numbered(6)[0])


def test_errors_quote_what_was_given():
    for call, error, message in (
        (lambda: make_strings(rng(), 0, 5, 5), ValueError, "samples .* >= 1, got 0"),
        (lambda: make_strings(rng(), 5, 0, 5), ValueError, "vocabulary .* >= 1, got 0"),
        (lambda: make_strings(rng(), 5, 5, 2.0), TypeError, "length .* got 2.0"),
        (lambda: batches(rng(), *numbered(3), 4), ValueError, "batch_size 4 .* 3 samples"),
        (lambda: batches(rng(), *numbered(3), 0), ValueError, "batch_size .* got 0"),
        (
            lambda: batches(rng(), np.ones((3, 2)), np.ones((2, 2)), 1),
            ValueError,
            r"got \(3, 2\) and \(2, 2\)",
        ),
    ):
        with pytest.raises(error, match=message):
            call()
