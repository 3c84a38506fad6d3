"""The command `python -m why_sqrt_d.experiments`."""

import pytest
import toy

from why_sqrt_d.experiments import __main__ as command
from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.definition import all_experiments


@pytest.fixture
def with_toy(monkeypatch):
    monkeypatch.setattr(command, "all_experiments", lambda: {"toy": toy.toy()})


def test_the_list_has_every_experiment(capsys):
    assert command.main([]) == 0
    shown = capsys.readouterr().out
    for name, experiment in all_experiments().items():
        assert name in shown
        assert experiment.purpose in shown


def test_every_experiment_is_declared_in_order():
    for experiment in all_experiments().values():
        for row in experiment.rows:
            assert row.keys() == experiment.rows[0].keys()
            assert not {"seed", *experiment.fixed} & {*row}
            assert experiment.rows.count(row) == 1
            assert experiment.cost({**row, "seed": 0}) > 0


def test_rows_are_listed(with_toy, capsys):
    assert command.main(["toy", "--list"]) == 0
    assert "2  base = 3" in capsys.readouterr().out


def test_a_run(with_toy, tmp_path, capsys):
    arguments = ["toy", "--folder", str(tmp_path), "--rows", "1-2", "--seeds", "2", "--quiet"]
    assert command.main(arguments) == 0
    assert "4 runs done" in capsys.readouterr().out
    assert len(stored("toy", tmp_path)) == 4


def test_bad_arguments(with_toy, capsys):
    for arguments, said in (
        (["nothing"], "no experiment 'nothing'; there are toy"),
        (["toy", "--rows", "a"], "'a' is not a list such as 1,3-5"),
        (["toy", "--seeds", "0"], "'0' is not a whole number"),
        (["toy", "--backend", "dask"], "belong together"),
        (["toy", "--scheduler", "tcp://localhost:1"], "belong together"),
    ):
        with pytest.raises(SystemExit) as stopped:
            command.main(arguments)
        assert stopped.value.code == 2
        assert said in capsys.readouterr().err


def test_a_refusal_is_one_line(with_toy, tmp_path, capsys):
    assert command.main(["toy", "--folder", str(tmp_path), "--rows", "9"]) == 1
    assert capsys.readouterr().err == "toy: toy has rows 1 to 3, not 9\n"


def test_control_c_says_how_to_go_on(with_toy, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_experiment", stop)
    assert command.main(["toy"]) == 130
    assert "the same command goes on" in capsys.readouterr().err
