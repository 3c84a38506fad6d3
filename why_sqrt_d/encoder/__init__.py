"""The small transformer of chapter 6: layers, model, training, its task and the searches for β."""
