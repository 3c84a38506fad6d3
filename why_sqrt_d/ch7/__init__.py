"""Chapter 7, the dynamic-β algorithm: all that belongs to it."""

from why_sqrt_d.chapters import opening

__getattr__ = opening(__name__)
