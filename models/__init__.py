"""The maths: what an instance is, what a plan has to keep, what it is worth."""
