"""cel-expr-python (Google's cel-cpp): reads and checks expressions, and works on texts.

The only module that imports it, when first needed.

It cannot run Kubernetes' own functions: an overload with an abstract type (Quantity, Semver) is
refused when a program is built (``Unimplemented type: 13``), two of them on one function collide,
and there is neither a cost limit nor a map with a default. So trees are evaluated by `evaluation`.
"""

import re
from functools import lru_cache
from typing import Any

from gangplan.datasets.kubernetes.cel import declarations
from gangplan.datasets.kubernetes.cel.errors import CelError, Failed

_WHERE = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n]*)")
_STATUS = re.compile(r"^[A-Z_]+: ")
_DEEP = re.compile(r"recursion (?:limit|depth)")


def check(expression: str) -> bytes:
    """Read and type-check an expression.

    Returns
    -------
    A serialized cel.expr.CheckedExpr inside an Any.

    Raises
    ------
    CelError : it does not compile; ``LINE:COLUMN: what is wrong``.
    """
    try:
        return bytes(_environment().compile(expression).serialize())
    except (RuntimeError, ValueError, UnicodeError) as error:
        raise CelError(_said(str(error))) from None


def call(function: str, member: bool, operands: tuple[Any, ...]) -> Any:
    """Evaluate a function of CEL or of its strings extension on plain values.

    Raises
    ------
    Failed : its error.
    """
    names = "abcd"[: len(operands)]
    try:
        value = _program(function, member, len(operands)).eval(
            data={name: _given(one) for name, one in zip(names, operands, strict=True)}
        )
        if value.type().name() == "ERROR":
            raise Failed(_STATUS.sub("", str(value.value())))
        return _plain(value.plain_value())
    except (RuntimeError, ValueError, UnicodeError) as error:
        raise Failed(_STATUS.sub("", str(error).splitlines()[0])) from None


def _said(message: str) -> str:
    """Make one line of the library's message; a position stays."""
    if _DEEP.search(message):
        return "not supported: nested deeper than 32 levels"
    found = _WHERE.findall(message)
    if not found:
        return _STATUS.sub("", message.splitlines()[0])
    line, column, what = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{line}:{column}: {what.strip()}{more}"


@lru_cache(maxsize=1)
def _environment() -> Any:
    functions = _functions(declarations.kubernetes())
    merged = _cel().CelExtension("kubernetes", _functions(declarations.merged()))
    return _cel().NewEnv(
        variables={name: _type(text) for name, text in declarations.VARIABLES.items()},
        extensions=[*_extensions(), merged],
        functions=functions,
    )


@lru_cache(maxsize=1)
def _cel() -> Any:
    from cel_expr_python import cel  # type: ignore[import-untyped, unused-ignore] # no py.typed

    return cel


def _extensions() -> list[Any]:
    from cel_expr_python.ext import (  # type: ignore[import-untyped, unused-ignore] # no py.typed
        ext_bindings,
        ext_optional,
        ext_strings,
    )

    return [ext_bindings.ExtBindings(), ext_optional.ExtOptional(), ext_strings.ExtStrings(2)]


@lru_cache(maxsize=256)
def _program(function: str, member: bool, operands: int) -> Any:
    names = "abcd"[:operands]
    env = _cel().NewEnv(variables=dict.fromkeys(names, _cel().Type.DYN), extensions=_extensions())
    arguments = ", ".join(names[1:] if member else names)
    return env.compile(f"{'a.' if member else ''}{function}({arguments})")


def _functions(overloads: tuple[declarations.Overload, ...]) -> list[Any]:
    by_name: dict[str, list[Any]] = {}
    for one in overloads:
        by_name.setdefault(one.function, []).append(
            _cel().Overload(
                one.name,
                return_type=_type(one.result),
                parameters=[_type(text) for text in one.parameters],
                is_member=one.member,
            )
        )
    return [_cel().FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _type(text: str) -> Any:
    name, parenthesis, rest = text.partition("(")
    if parenthesis:
        inner = [_type(one) for one in declarations.split(rest[:-1])]
        return _cel().Type.List(*inner) if name == "list" else _cel().Type.Map(*inner)
    if name in declarations.OPAQUE:
        return _cel().Type.AbstractType(name)
    return getattr(_cel().Type, name.upper())


def _given(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_plain(one) for one in value)
    return bytes(value) if isinstance(value, bytearray) else value
