"""What computes the stored results: nothing that a reader runs imports it."""
