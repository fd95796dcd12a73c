"""Prints the list."""

from examples.make_cluster.listing import text

if __name__ == "__main__":
    print(text(), end="")
