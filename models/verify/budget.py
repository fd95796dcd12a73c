"""How long a search may take."""


class Spent(Exception):
    """The steps are used up."""


class Budget:
    """Steps that a search may still take."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def take(self, steps: int = 1) -> None:
        """Take steps.

        Raises
        ------
        Spent : none are left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise Spent
