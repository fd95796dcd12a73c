"""The same rows through PuLP expressions: the yardstick for the time a model takes to build."""

from gangplan.models.milp import Milp


def pulp_rows(milp: Milp) -> int:
    """Write every column and row of ``milp`` as PuLP variables and expressions.

    One variable a column and one ``lpSum`` a row side, as a modeller would write them; the
    rows are taken from the finished matrix, so no time is spent finding out what they are.

    Returns
    -------
    Number of constraints written (a row with two different finite sides is two).
    """
    import pulp  # type: ignore[import-untyped, unused-ignore]

    problem = pulp.LpProblem("counts", pulp.LpMinimize)
    x = [
        problem.add_variable(f"x{j}", int(milp.lower[j]), int(milp.upper[j]), cat="Integer")
        for j in range(milp.n_cols)
    ]
    problem += pulp.lpSum([])
    matrix = milp.matrix
    written = 0
    for i in range(milp.n_rows):
        start, end = int(matrix.indptr[i]), int(matrix.indptr[i + 1])
        row = pulp.lpSum(
            float(a) * x[int(j)]
            for a, j in zip(matrix.data[start:end], matrix.indices[start:end], strict=True)
        )
        low, high = float(milp.row_lower[i]), float(milp.row_upper[i])
        if low == high:
            problem += row == low
            written += 1
            continue
        if low > -float("inf"):
            problem += row >= low
            written += 1
        if high < float("inf"):
            problem += row <= high
            written += 1
    return written
