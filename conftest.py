"""What every test and every notebook that nbval runs needs: the kernels' environment."""

from tools.kernel import prepare_environment

prepare_environment()
