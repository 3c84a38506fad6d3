"""Chapter 8, what real models do: all that belongs to it."""

from why_sqrt_d.chapters import opening

__getattr__ = opening(__name__)
