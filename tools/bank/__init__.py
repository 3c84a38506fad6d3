"""Questions for an examination, by objective; the numbers come from a seed that one keeps."""
