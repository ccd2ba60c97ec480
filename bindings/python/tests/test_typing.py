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


def test_fits_return_what_they_were_called_on_and_attributes_have_types(kind):
    assert inspect.signature(kind.fit).return_annotation == "Self"
    known = {name for base in kind.__mro__ for name in vars(base).get("__annotations__", {})}
    of_kind = {"thresholds_", "trust_", "stability_", "n_batches_seen_"} if kind is andnmf.AND else set()
    common = {"components_", "n_components_", "n_features_in_", "n_iter_", "stop_reason_", "trace_", "warnings_"}
    assert common | of_kind | {"reconstruction_err_", "feature_names_in_"} <= known


def test_the_package_says_that_it_is_typed():
    assert (HERE / "py.typed").exists()
