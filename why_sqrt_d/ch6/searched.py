"""Source D's five-step procedure as it stands, and a fair comparison in its place."""

from typing import Any

from why_sqrt_d.encoder.searches import bracket_scale, five_steps, refine_scale
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy
from why_sqrt_d.experiments.digits import short

SIZES = (1_000, 2_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000)
RATE = 5e-4  # the tutorial's, and the middle of a search for the learning rate
NEW_START = 1_000  # added to a seed: data and parameters that the search has not seen


def _accuracies(settings: TrainingSettings, seed: int, strings: int) -> tuple[float, float]:
    """Train once; return the accuracy on validation strings and on others, for the test."""
    run = Training(settings, seed)
    run.finish()
    return (
        measure_accuracy(run.params, *run.unseen(1_000), run.model),
        measure_accuracy(run.params, *run.unseen(strings), run.model),
    )


def procedure_run(*, seed: int, test_samples: int, vocabulary: int, length: int) -> dict[str, Any]:
    """Run the five steps, which look at the test accuracy all the way."""

    def train(samples: int, scale: float | None) -> float:
        settings = TrainingSettings(vocabulary, length, samples, scale)
        return _accuracies(settings, seed, test_samples)[1]

    done = five_steps(train, SIZES, rounds=2, max_power=2)
    again = Training(
        TrainingSettings(vocabulary, length, done.samples, done.scale), seed + NEW_START
    )
    again.finish()
    return {
        "steps": [decision.step for decision in done.decisions],
        "samples": [decision.samples for decision in done.decisions],
        "scales": [decision.scale for decision in done.decisions],
        "accuracies": short(decision.accuracy for decision in done.decisions),
        "chosen_samples": done.samples,
        "chosen_scale": done.scale,
        "new_accuracy": done.new_accuracy,
        "old_accuracy": done.old_accuracy,
        "new_start_accuracy": measure_accuracy(
            again.params, *again.unseen(test_samples), again.model
        ),
    }


def fair_run(
    *, seed: int, test_samples: int, searched: str, vocabulary: int, length: int, samples: int
) -> dict[str, Any]:
    """Search β, or the learning rate at d^-1/2, the same way; choose on validation strings.

    Either search tries a factor 10^±N and halves the bracket; the factor is β itself, or
    multiplies the learning rate. The winner is trained once more from a new start and tested.
    """

    def settings(factor: float) -> TrainingSettings:
        if searched == "scale":
            return TrainingSettings(vocabulary, length, samples, factor, learning_rate=RATE)
        return TrainingSettings(vocabulary, length, samples, learning_rate=RATE * factor)

    def validation(factor: float) -> float:
        return _accuracies(settings(factor), seed, 1)[0]

    search = refine_scale(validation, bracket_scale(validation, max_power=2), rounds=2)
    chosen = search.best.scale
    return {
        "factors": short(trial.scale for trial in search.trials),
        "accuracies": short(trial.score for trial in search.trials),
        "chosen": chosen,
        "validation_accuracy": search.best.score,
        "test_accuracy": _accuracies(settings(chosen), seed + NEW_START, test_samples)[1],
    }
