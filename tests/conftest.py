"""What every test needs: the environment in which the book's notebooks are executed."""

from tools.kernel import prepare_environment

prepare_environment()
