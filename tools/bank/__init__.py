"""Questions for an examination, by objective, with the numbers of a seed that the teacher keeps."""
