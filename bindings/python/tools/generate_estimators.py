"""Generate the estimators and the page of methods from the library's description of its methods.

    python bindings/python/tools/generate_estimators.py

Reads ``methods()`` of the extension and the optional hand-written base classes ``<Class>Base`` (``_and.py``,
``_methods.py``), and writes ``python/andnmf/_estimators.py`` and ``docs/methods.md``. The docstring of a generated class is
that of its base class, with the parameters inserted.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SOURCES = PACKAGE / "python" / "andnmf"
ESTIMATORS = SOURCES / "_estimators.py"
PAGE = PACKAGE.parent.parent / "docs" / "methods.md"
COMMAND = "python bindings/python/tools/generate_estimators.py"
BASE_MODULES = ("_and", "_methods")
WIDTH = 116

#: Parameters that are not settings, or that differ from the setting of the same name.
HELP = {
    "n_components": (
        "Number of components. ``None`` and ``\"auto\"`` use that of ``init`` if it is an array, otherwise the number of "
        "components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if "
        "smaller), with a warning."
    ),
    "init": (
        "Start (initialization): {starts} (see :mod:`andnmf.init`), or an array of components. ``None`` is ``\"auto\"``."
    ),
    "threshold": (
        "Thresholds below which decoded weights count as zero. ``\"auto\"`` chooses them from the data. Anything else runs "
        "Algorithm 1 of the paper as printed: a schedule as text (``\"constant:C\"``, ``\"geometric:START:RATIO[:FLOOR]\"``, "
        "``\"theory:LAMBDA:R:Q\"``, ``\"list:A,B,...\"``), one value for all stages, or a list of values, the last of "
        "which applies to all further stages."
    ),
    "time_limit": (
        "Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet."
    ),
    "random_state": "Random seed. The same number gives bit-identical results on any number of threads.",
    "n_jobs": "Number of threads; ``None`` and -1 use all cores.",
    "verbose": (
        "Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per stage."
    ),
    "warm_start": "Start from the components of the last fit, if there are as many as ``n_components`` asks for.",
    "scale": (
        "Scale of components and weights, whose product is the same: as the method leaves them (``\"fit\"``), weights of root "
        "mean square 1 (``\"weights\"``, for classifiers with regularization), or components that sum to 1 "
        "(``\"components\"``)."
    ),
    "callback": (
        "Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns "
        "``True``, the fit ends with the best result so far."
    ),
    "nonnegative": (
        "Constrain components to be non-negative; samples with negative but no positive values then raise ValueError. "
        "Weights are always non-negative."
    ),
}
#: Parameters of AND that differ from those.
HELP_OF_AND = {
    "nonnegative": (
        "Constrain components to be non-negative: ``\"auto\"`` does so if the samples are non-negative. ``True`` also "
        "raises ValueError for negative samples."
    ),
    "batch_size": (
        "Number of samples per gradient step. In ``fit`` only with a threshold schedule; ``None`` uses all samples. In "
        "``partial_fit``, ``None`` is 16."
    ),
}
ATTRIBUTES = """\
Attributes
----------
components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
warnings_
    As in :class:`andnmf.AND`.
"""
EXAMPLES = """\
Examples
--------
>>> from andnmf import {name}
>>> from andnmf.datasets import make_dir
>>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
>>> {name}(n_components=3, tol=1e-3, random_state=0).fit(data.samples).components_.shape
(3, 20)
"""


def description() -> dict[str, Any]:
    """The description of the methods by the extension, loaded without the package, which may be out of date."""
    files = [file for pattern in ("_core*.so", "_core*.pyd") for file in SOURCES.glob(pattern)]
    if not files:
        raise SystemExit(f"{SOURCES}: no compiled extension; build it first with maturin develop")
    spec = importlib.util.spec_from_file_location("andnmf._core", files[0])
    assert spec is not None and spec.loader is not None
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    return json.loads(core.methods())


def hand_written() -> dict[str, tuple[str, str]]:
    """Module and docstring of each hand-written base class, by the name of the generated class."""
    bases = {}
    for module in BASE_MODULES:
        for node in ast.parse((SOURCES / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Base"):
                bases[node.name.removesuffix("Base")] = (module, ast.get_docstring(node) or "")
    return bases


def parameters(method: dict[str, Any], starts: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Name, type hint, documented type, default and help of all parameters, in order."""
    own = HELP | (HELP_OF_AND if method["name"] == "and" else {})
    names = ", ".join(f'``"{start["name"]}"``' for start in [*starts, {"name": "random"}])
    rows = []

    def add(name: str, hint: str, doc_type: str, default: str, text: str) -> None:
        rows.append({"name": name, "hint": hint, "doc_type": doc_type, "default": default, "help": text})

    add("n_components", "Any", 'int, "auto" or None', "None", own["n_components"])
    if method["takes_start"]:
        shape = "str or array of shape (n_components, n_features)"
        add("init", "Any", shape, '"auto"', own["init"].format(starts=names))
    for setting in method["settings"]:
        name = setting["parameter"]
        if setting["name"] == "rank":
            continue
        if setting["name"] == "seed":
            add(name, "Any", "int, RandomState instance or None", "None", own[name])
            continue
        hint, doc_type = types(setting, method)
        text = own.get(name) or setting["help"] + range_sentence(setting)
        add(name, hint, doc_type, default(setting, method), text)
    add("n_jobs", "int | None", "int or None", "None", own["n_jobs"])
    add("verbose", "int", "int", "0", own["verbose"])
    if method["takes_start"]:
        add("warm_start", "bool", "bool", "False", own["warm_start"])
    add("scale", 'Literal["fit", "weights", "components"]', '{"fit", "weights", "components"}', '"fit"', own["scale"])
    add("callback", "Callable[[Stage], object] | None", "callable or None", "None", own["callback"])
    return rows


def types(setting: dict[str, Any], method: dict[str, Any]) -> tuple[str, str]:
    """Type hint and documented type of a parameter."""
    kind = setting["kind"]["type"]
    number = {"whole": "int", "real": "float", None: ""}[setting["number"]]
    quoted = ", ".join(f'"{word}"' for word in setting["words"])
    if setting["parameter"] == "nonnegative":
        of_and = ('bool | Literal["auto"]', '{"auto", True, False}')
        return of_and if method["name"] == "and" else ("bool", "bool")
    if setting["parameter"] == "batch_size":
        return "int | None", "int or None"
    return {
        "threshold": ("Any", '"auto", str, float, sequence of float or dict'),
        "flag": ("bool", "bool"),
        "number": (number, number),
        "optional_number": (f"{number} | None", f"{number} or None"),
        "words": (f"Literal[{quoted}]", f"{{{quoted}}}"),
        "words_or_number": (f"Literal[{quoted}] | {number}", f"{{{quoted}}} or {number}"),
    }[kind]


def default(setting: dict[str, Any], method: dict[str, Any]) -> str:
    """The default of a parameter as Python source."""
    value = setting["default"]
    if setting["parameter"] == "nonnegative":
        return '"auto"' if method["name"] == "and" else repr(not value)
    if isinstance(value, dict):
        value = next(iter(value.values()))
    if setting["parameter"] == "batch_size" and value == "all":
        return "None"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def range_sentence(setting: dict[str, Any]) -> str:
    """The range of a setting as a sentence; empty if its help states it."""
    text = setting["range"].removeprefix("it must be ")
    plain = text in ("", "zero or more seconds") or text in setting["help"] or not setting["range"].startswith("it must")
    return "" if plain else f" It must be {text}."


def paragraph(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def docstring(method: dict[str, Any], rows: list[dict[str, str]], base_docstring: str) -> str:
    """The docstring of the base class with the parameters inserted before attributes and examples."""
    opening, attributes, examples = base_docstring, "", ""
    if "\nExamples\n---" in opening:
        opening, examples = opening.split("\nExamples\n", 1)
        examples = "Examples\n" + examples + "\n"
    if "\nAttributes\n---" in opening:
        opening, attributes = opening.split("\nAttributes\n", 1)
        attributes = "Attributes\n" + attributes.rstrip() + "\n"
    opening = opening.strip() or f"{method['title']}.\n\n{paragraph(method['summary'], '')}"
    table = "Parameters\n----------\n"
    for row in rows:
        table += f"{row['name']} : {row['doc_type']}, default={row['default']}\n{paragraph(row['help'], '    ')}\n"
    parts = [opening + "\n", table, attributes or ATTRIBUTES, examples or EXAMPLES.format(name=method["class"])]
    return textwrap.indent("\n".join(parts), "    ")


def render_class(method: dict[str, Any], starts: list[dict[str, Any]], bases: dict[str, tuple[str, str]]) -> str:
    rows = parameters(method, starts)
    module, base_docstring = bases.get(method["class"], ("", ""))
    base = f"{method['class']}Base" if module else "Factorization"
    lines = [f"class {method['class']}({base}):", f'    """{docstring(method, rows, base_docstring).lstrip()}    """', ""]
    lines += [f'    _method: ClassVar[str] = "{method["name"]}"', "", "    def __init__(", "        self,"]
    for at, row in enumerate(rows):
        lines.append(f"        {row['name']}: {row['hint']} = {row['default']},")
        if at == 0:
            lines.append("        *,")
    lines += ["        **other_arguments: Never,", "    ):"]
    lines += ["        if other_arguments:", "            refuse(self, other_arguments)"]
    lines += [f"        self.{row['name']} = {row['name']}" for row in rows]
    return "\n".join(lines) + "\n"


def render_estimators(known: dict[str, Any], bases: dict[str, tuple[str, str]]) -> str:
    """The contents of ``_estimators.py``."""
    text = (
        '"""The estimators.\n\nGenerated from the library\'s description of its methods; do not edit. Regenerate with:\n'
        f"{COMMAND}\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import TYPE_CHECKING, Any, ClassVar, Literal\n\n'
    )
    for module in BASE_MODULES:
        imports = sorted(f"{name}Base" for name, (base_module, _) in bases.items() if base_module == module)
        text += f"from andnmf.{module} import {', '.join(imports)}\n"
        if module == "_and":
            text += "from andnmf._base import Factorization\n"
    text += (
        "from andnmf._names import refuse\n\nif TYPE_CHECKING:\n    from collections.abc import Callable\n\n"
        "    from typing_extensions import Never\n\n    from andnmf._types import Stage\n"
    )
    names = sorted(method["class"] for method in known["methods"])
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    classes = "\n\n".join(render_class(method, known["starts"], bases) for method in known["methods"])
    table = "".join(f'    "{method["name"]}": {method["class"]},\n' for method in known["methods"])
    return (
        f"{text}\n\n{classes}\n\n#: Estimators by method.\nESTIMATORS: dict[str, type[Factorization]] = "
        f"{{\n{table}}}\n"
    )


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def render_page(known: dict[str, Any]) -> str:
    """The contents of ``docs/methods.md``."""
    text = (
        "# Methods and their settings\n\n"
        f"Generated from the library's description of its methods by `{COMMAND}`; do not edit.\n\n"
        "| `--method` | Python | name | default start | samples | loss in the trace |\n|---|---|---|---|---|---|\n"
    )
    for method in known["methods"]:
        samples = "non-negative" if method["needs_nonnegative"] else "any sign"
        row = [f"`{method['name']}`", f"`{method['class']}`", method["title"], method["default_start"], samples]
        text += f"| {' | '.join(row)} | {cell(method['loss'] or 'none')} |\n"
    text += "\n## Starts\n\n`--init` of the command, `init=` in Python, `Start::by_name` in Rust.\n\n| name | description |\n|---|---|\n"
    for start in known["starts"]:
        text += f"| `{start['name']}` | {start['help']} |\n"
    text += "| a file or an array | given components, rank × features |\n"
    for method in known["methods"]:
        text += f"\n## {method['class']}: {method['title'][0].lower()}{method['title'][1:]}\n\n{method['summary']}\n\n"
        text += "| option | Python | values | default | description |\n|---|---|---|---|---|\n"
        for setting in method["settings"]:
            values = f"`{value_summary(setting)}`" if value_summary(setting) else "flag"
            # The command and Python require the rank or choose it; only the library has a default.
            usual = "required" if setting["name"] == "rank" else f"`{setting['default_text']}`"
            text += (
                f"| `--{setting['option']}` | `{setting['parameter']}` | {cell(values)} | {usual} "
                f"| {cell(setting['help'] + range_sentence(setting))} |\n"
            )
    return text


def value_summary(setting: dict[str, Any]) -> str:
    """The accepted values of a setting, abbreviated."""
    number = {"whole": ["N"], "real": ["X"], None: []}[setting["number"]]
    if setting["kind"]["type"] == "threshold":
        return "auto|SCHEDULE"
    return "|".join([*setting["words"], *number])


def rendered() -> dict[Path, str]:
    """The contents of each generated file."""
    known = description()
    return {ESTIMATORS: render_estimators(known, hand_written()), PAGE: render_page(known)}


if __name__ == "__main__":
    for file, contents in rendered().items():
        file.write_text(contents, encoding="utf-8")
        print(f"wrote {file}")
