"""Formulas of docstrings as typst writes them."""

import pytest

from gangplan.experiments.paper.notation import formula, prose
from gangplan.models.errors import InputError


@pytest.mark.parametrize(
    ("text", "typst"),
    [
        ("x[k, n]", "x_(k, n)"),
        ("sum_n x[k, n]  <=  most_k y[g]", 'sum_(n) x_(k, n) <= "most"_(k) thin y_(g)'),
        ("sum_{k in g, n} x[k, n]", "sum_(k in g, n) x_(k, n)"),
        ("x[k, n] in {0, ..., upper[k, n]}", 'x_(k, n) in {0, dots, "upper"_(k, n)}'),
        ("q[t, d] in Z+", "q_(t, d) in ZZ_(>= 0)"),
        ("u[t', D]", "u_(t', D)"),
        ("(request[k, r] / w) x[k, n]", '("request"_(k, r) / w) thin x_(k, n)'),
        ("cost of t  =  (m_t - 1) a[t]", '"cost of" space t = (m_(t) - 1) thin a_(t)'),
        ("sum_{v: p >= q} e[v]", "sum_(v : p >= q) e_(v)"),
        ("sum_{j on n} h[j]", 'sum_(j space "on" space n) h_(j)'),
        ("min(W_k, min_r floor(b / c))", "min(W_(k), min_(r) floor(b / c))"),
        ("2^40", "2^(40)"),
    ],
)
def test_a_formula_keeps_its_meaning(text: str, typst: str) -> None:
    assert formula(text) == typst


@pytest.mark.parametrize("text", ["x[k, n", "x)", "x ; y", "most_", "x[k, n)"])
def test_a_broken_formula_is_refused_by_name(text: str) -> None:
    with pytest.raises(InputError, match="formula"):
        formula(text)


@pytest.mark.parametrize(
    ("text", "typst"),
    [
        ("for each role k of a group", "for each role $k$ of a group"),
        ("A gang is a gang.", "A gang is a gang."),
        ("where 0 < least_k < most_k", 'where $0 < "least"_(k) < "most"_(k)$'),
        ("an exact role has gang.role", "an exact role has `gang.role`"),
        ("an owner's rule", "an owner's rule"),
        ("at most 2^-20 of it", "at most $2^(-20)$ of it"),
        ("a role is *exact*: no #set, no $x$", "a role is _exact_: no \\#set, no \\$$x$\\$"),
        ("what b[n] / w leaves", "what $b_(n) slash w$ leaves"),
        ("see ``Milp.cost``", "see `Milp.cost`"),
    ],
)
def test_prose_shows_symbols_as_symbols_and_articles_as_words(text: str, typst: str) -> None:
    assert prose(text) == typst
