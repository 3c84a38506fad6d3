"""Numbers of chapter 5's exercises; their words stand in questions.md."""

from why_sqrt_d.exercises import Questions

QUESTIONS = Questions(__file__)
