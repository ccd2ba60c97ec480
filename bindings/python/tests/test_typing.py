"""What the types say of the compiled part is what it has."""

import ast
import inspect
from pathlib import Path

import andnmf
from andnmf import _core

HERE = Path(andnmf.__file__).parent


def test_the_stub_has_every_function_with_its_arguments():
    stub = ast.parse((HERE / "_core.pyi").read_text())
    described = {node.name: node.args for node in stub.body if isinstance(node, ast.FunctionDef)}
    compiled = {name: found for name, found in vars(_core).items() if callable(found)}
    assert set(described) == set(compiled)
    for name, arguments in described.items():
        names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
        assert names == list(inspect.signature(compiled[name]).parameters), name


def test_the_package_says_that_it_is_typed():
    assert (HERE / "py.typed").exists()
