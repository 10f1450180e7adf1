"""What models are asked to do: one file per routine, with its question and how it is answered."""
