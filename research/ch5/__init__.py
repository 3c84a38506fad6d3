"""What computes the stored rows of chapter 5."""
