"""What builds and tends the course: not installed with the package."""
