"""The course "Why √d?": exercises, figures, experiments, and a room for each chapter.

The mathematics is in `attn_helpers`, which knows nothing of this package.
"""
