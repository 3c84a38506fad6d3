"""The kinds of answer an exercise can ask for."""
