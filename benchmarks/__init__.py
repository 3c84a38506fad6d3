"""What measures: the built site, and attention beside PyTorch's."""
