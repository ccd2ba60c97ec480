"""Type hints match the extension and the estimators."""

import ast
import inspect
from pathlib import Path

import andnmf
from andnmf import _core

HERE = Path(andnmf.__file__).parent


def test_the_stub_has_every_function_with_its_arguments():
    stub = ast.parse((HERE / "_core.pyi").read_text())
    described = {node.name: node.args for node in stub.body if isinstance(node, ast.FunctionDef)}
    compiled = {name: function for name, function in vars(_core).items() if callable(function)}
    assert set(described) == set(compiled)
    for name, arguments in described.items():
        names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
        assert names == list(inspect.signature(compiled[name]).parameters), name


def test_fit_returns_self_and_attributes_are_annotated(kind):
    assert inspect.signature(kind.fit).return_annotation == "Self"
    known = {name for base in kind.__mro__ for name in vars(base).get("__annotations__", {})}
    of_kind = {"thresholds_", "trust_", "stability_", "n_batches_seen_"} if kind is andnmf.AND else set()
    common = {"components_", "n_components_", "n_features_in_", "n_iter_", "stop_reason_", "ending_", "trace_"}
    assert common | of_kind | {"warnings_", "reconstruction_err_", "feature_names_in_"} <= known


def test_the_package_is_marked_as_typed():
    assert (HERE / "py.typed").exists()
