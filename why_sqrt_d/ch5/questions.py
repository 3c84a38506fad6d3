"""Numbers of chapter 5's exercises; their words stand in questions.md."""

from why_sqrt_d.exercises import Questions
from why_sqrt_d.rows import select, stored

QUESTIONS = Questions(__file__)

_CALM = select(stored("start_and_speed_compared"), task="copy", arm="1/d frozen")
_LOSSES = [run["test"] for run in _CALM]
QUESTIONS.numbers("5.1", lambda: {"low": min(_LOSSES), "high": max(_LOSSES)})
