"""From the notation of our docstrings to typst.

Formulas are plain text that a reader of the code can read, as in
``sum_{n in d} x[k, n] <= m[k, d] u[t, d]``. Brackets and underscores both mean an index. A name of
one letter is a symbol; a longer one is a symbol where it has an index, and words where it has none.
"""

import re

from gangplan.models.errors import Fault, InputError

TOKEN = re.compile(r"\.\.\.|<=|>=|!=|[A-Za-z]+'?|\d+|[-+*/=<>(){}\[\],:_^]")
RELATIONS = {"<=", ">=", "!=", "<", ">", "=", "in"}
OPERATORS = {"+": "+", "-": "-", "*": "dot", "/": "/", "...": "dots", ":": ":"}
FUNCTIONS = {"sum", "min", "max", "floor", "gcd"}
CLOSING = {"(": ")", "{": "}", "[": "]"}

INDEX = r"(?:\[[^\]]*\]|_\{[^}]*\}|_[A-Za-z0-9]\b)"
OPERAND = rf"(?:[A-Za-z]+'?{INDEX}|(?!(?:a|A|I)\b)[A-Za-z]\b'?|\d+(?:\^-?\d+)?)"
FORMULA = rf"(?<![\w.'\[-]){OPERAND}(?: (?:<=|>=|!=|[-+/<>=]) {OPERAND})*(?![\w'])"
PROSE = re.compile(
    rf"``(?P<code>[^`]+)``|(?P<name>\b[a-z-]+\.[a-z-]+\b)|\*(?P<stress>\w+)\*|(?P<formula>{FORMULA})"
)


def formula(text: str) -> str:
    """Write a formula in typst's math notation, without the dollar signs.

    Raises
    ------
    InputError : a character or a bracket that the notation does not have.
    """
    tokens = TOKEN.findall(text)
    if "".join(tokens) != "".join(text.split()):
        raise _refusal(text, "a character that is not part of the notation")
    out, rest = _sequence(tokens, "")
    if rest:
        raise _refusal(text, f"{rest[0]!r} closes nothing")
    return out


def prose(text: str) -> str:
    """Write running text in typst's markup; formulas, row names and code in it are recognised."""
    out, at = [], 0
    text = " ".join(text.split())
    for found in PROSE.finditer(text):
        out.append(_escaped(text[at : found.start()]))
        at = found.end()
        if found["formula"]:
            # A fraction bar would stretch the line.
            out.append(f"${formula(found['formula']).replace(' / ', ' slash ')}$")
        elif found["stress"]:
            out.append(f"_{found['stress']}_")
        else:
            out.append(f"`{found['code'] or found['name']}`")
    return "".join([*out, _escaped(text[at:])])


def _refusal(text: str, why: str) -> InputError:
    return InputError([Fault("", f"formula {text!r}", "", why)])


def _escaped(text: str) -> str:
    return re.sub(r"([\\#$*_`@<>\[\]~])", r"\\\1", text)


def _sequence(tokens: list[str], closing: str) -> tuple[str, list[str]]:
    """Write tokens up to ``closing``: (typst, the tokens after it)."""
    parts: list[tuple[str, str]] = []
    while tokens and tokens[0] != closing:
        if tokens[0] in CLOSING.values():
            break
        kind, part, tokens = _part(tokens)
        if kind == "words" and parts and parts[-1][0] == "words":
            part = f"{parts.pop()[1][:-1]} {part[1:]}"
        parts.append((kind, part))
    if closing:
        if tokens[:1] != [closing]:
            raise _refusal("".join(tokens), f"{closing!r} is missing before it")
        tokens = tokens[1:]
    out = ""
    for i, (kind, part) in enumerate(parts):
        out += _gap(parts[i - 1][0], kind) if i else ""
        out += part
    return out, tokens


def _gap(left: str, right: str) -> str:
    """Space between neighbours: a thin one between factors, a full one around words."""
    if right in ("comma", "power"):
        return ""
    if "words" in (left, right) and not {"operator", "comma"} & {left, right}:
        return " space "
    if left in ("factor", "power", "bracket") and right in ("factor", "function"):
        return " thin "
    return " "


def _part(tokens: list[str]) -> tuple[str, str, list[str]]:
    """Write the first symbol, bracket, word or operator: (kind, typst, the rest)."""
    head, rest = tokens[0], tokens[1:]
    if head == "Z" and rest[:1] == ["+"]:
        return "factor", "ZZ_(>= 0)", rest[1:]
    if head in RELATIONS:
        return "operator", head, rest
    if head == ",":
        return "comma", ",", rest
    if head == "^" and rest:
        sign = "-" if rest[0] == "-" else ""
        return "power", f"^({sign}{rest[len(sign)]})", rest[len(sign) + 1 :]
    if head in OPERATORS:
        return "operator", OPERATORS[head], rest
    if head in CLOSING:
        inner, rest = _sequence(rest, CLOSING[head])
        return "bracket", f"{head}{inner}{CLOSING[head]}", rest
    if head in FUNCTIONS and rest[:1] in (["_"], ["("]):
        return _function(head, rest)
    if head.isdigit():
        return "factor", head, rest
    symbol = head if len(head.rstrip("'")) == 1 else f'"{head}"'
    if rest[:1] in (["_"], ["["]):
        index, rest = _index(rest)
        return "factor", f"{symbol}_({index})", rest
    return ("factor" if symbol == head else "words"), symbol, rest


def _function(head: str, rest: list[str]) -> tuple[str, str, list[str]]:
    if rest[0] == "_":
        index, rest = _index(rest)
        return "function", f"{head}_({index})", rest
    inner, rest = _sequence(rest[1:], ")")
    return "factor", f"{head}({inner})", rest


def _index(rest: list[str]) -> tuple[str, list[str]]:
    """Write ``[k, n]``, ``_{n in d}`` or ``_k``: (typst, the rest)."""
    if rest[0] == "[":
        return _sequence(rest[1:], "]")
    if rest[1:2] == ["{"]:
        return _sequence(rest[2:], "}")
    if len(rest) < 2:
        raise _refusal("".join(rest), "an index is missing")
    _, part, rest = _part(rest[1:])
    return part, rest
