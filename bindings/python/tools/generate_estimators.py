"""Write the estimators and the table of methods from the library's own description of its methods.

    python bindings/python/tools/generate_estimators.py

Reads ``methods()`` of the compiled extension and the hand-written parts of estimators (``_and.py``, ``_methods.py``), and
writes ``python/andnmf/_estimators.py`` and ``docs/methods.md``. A part ``<Class>Base`` is the base of the generated class;
its docstring gets the parameters between its opening and its examples. A method without a part needs none.
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
PARTS = ("_and", "_methods")
WIDTH = 116

#: Parameters that Python has beside the settings, or whose meaning is another one than the setting's.
HELP = {
    "n_components": (
        "Number of components. ``None`` and ``\"auto\"`` take that of ``init`` where it is an array, else the number that "
        "stands out from the noise of the samples; where that is unclear, 10 (or the number of samples or features if "
        "that is less), with a warning."
    ),
    "init": "Where to begin: {starts} (see :mod:`andnmf.init`), or components. ``None`` is ``\"auto\"``.",
    "threshold": (
        "Thresholds of decoded weights. Anything but ``\"auto\"`` is Algorithm 1 as printed, with a schedule as the "
        "command writes it (``\"constant:C\"``, ``\"geometric:START:RATIO[:FLOOR]\"``, ``\"theory:LAMBDA:R:Q\"``, "
        "``\"list:A,B,...\"``), one value for all stages, or values for the first stages, of which the last one stays."
    ),
    "time_limit": (
        "Time limit in seconds; the best result so far is kept. Only if there are no components at all by then is that a "
        "ValueError."
    ),
    "random_state": "Random seed. The same number gives the same bits on any number of threads.",
    "n_jobs": "Threads; ``None`` and -1 are all cores.",
    "verbose": "Whether to print a line per stage.",
    "nonnegative": (
        "Whether components must not be negative; samples without any value above zero are then refused. Weights never "
        "are negative."
    ),
}
#: Where AND differs from that.
HELP_OF_AND = {
    "nonnegative": (
        "Whether components are kept from being negative: ``\"auto\"`` does so where the samples are not negative. "
        "``True`` also refuses samples with negative values."
    ),
    "batch_size": (
        "Samples per gradient step: in ``fit`` with a schedule only, where ``None`` is all of them; in ``partial_fit`` "
        "always, where ``None`` is 16."
    ),
}
ATTRIBUTES = """\
Attributes
----------
components_, n_components_, n_features_in_, n_iter_, stop_reason_, trace_, reconstruction_err_, warnings_
    As for :class:`andnmf.AND`.
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
    """What the compiled extension says, loaded without the package, whose estimators may be out of date."""
    files = [file for pattern in ("_core*.so", "_core*.pyd") for file in SOURCES.glob(pattern)]
    if not files:
        raise SystemExit(f"there is no compiled extension in {SOURCES}; build it first (maturin develop)")
    spec = importlib.util.spec_from_file_location("andnmf._core", files[0])
    assert spec is not None and spec.loader is not None
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    return json.loads(core.methods())


def hand_written() -> dict[str, tuple[str, str]]:
    """The parts of estimators by the class that they are the base of: their module, and their docstring."""
    found = {}
    for module in PARTS:
        for node in ast.parse((SOURCES / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Base"):
                found[node.name.removesuffix("Base")] = (module, ast.get_docstring(node) or "")
    return found


def parameters(method: dict[str, Any], starts: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Name, type hint, type in words, default and help of every parameter, in order."""
    own = HELP | (HELP_OF_AND if method["name"] == "and" else {})
    names = ", ".join(f'``"{start["name"]}"``' for start in [*starts, {"name": "random"}])
    rows = []

    def add(name: str, hint: str, words: str, default: str, text: str) -> None:
        rows.append({"name": name, "hint": hint, "words": words, "default": default, "help": text})

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
        hint, words = types(setting, method)
        text = own.get(name) or setting["help"] + span(setting)
        add(name, hint, words, default(setting, method), text)
    add("n_jobs", "int | None", "int or None", "None", own["n_jobs"])
    add("verbose", "int", "int", "0", own["verbose"])
    return rows


def types(setting: dict[str, Any], method: dict[str, Any]) -> tuple[str, str]:
    """The type of a parameter, as a hint and in words."""
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
    """The default of a parameter, as Python writes it."""
    value = setting["default"]
    if setting["parameter"] == "nonnegative":
        return '"auto"' if method["name"] == "and" else repr(not value)
    if isinstance(value, dict):
        value = next(iter(value.values()))
    if setting["parameter"] == "batch_size" and value == "all":
        return "None"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def span(setting: dict[str, Any]) -> str:
    """The range of a setting as a sentence, where its help does not say it."""
    text = setting["range"].removeprefix("it must be ")
    plain = text in ("", "zero or more seconds") or text in setting["help"] or not setting["range"].startswith("it must")
    return "" if plain else f" It must be {text}."


def paragraph(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def docstring(method: dict[str, Any], rows: list[dict[str, str]], written: str) -> str:
    """The opening of the hand-written part, the parameters, and the rest of the part."""
    opening, attributes, examples = written, "", ""
    if "\nExamples\n---" in opening:
        opening, examples = opening.split("\nExamples\n", 1)
        examples = "Examples\n" + examples + "\n"
    if "\nAttributes\n---" in opening:
        opening, attributes = opening.split("\nAttributes\n", 1)
        attributes = "Attributes\n" + attributes.rstrip() + "\n"
    opening = opening.strip() or f"{method['title']}.\n\n{paragraph(method['summary'], '')}"
    table = "Parameters\n----------\n"
    for row in rows:
        table += f"{row['name']} : {row['words']}, default={row['default']}\n{paragraph(row['help'], '    ')}\n"
    parts = [opening + "\n", table, attributes or ATTRIBUTES, examples or EXAMPLES.format(name=method["class"])]
    return textwrap.indent("\n".join(parts), "    ")


def render_class(method: dict[str, Any], starts: list[dict[str, Any]], parts: dict[str, tuple[str, str]]) -> str:
    rows = parameters(method, starts)
    module, written = parts.get(method["class"], ("", ""))
    base = f"{method['class']}Base" if module else "Factorization"
    lines = [f"class {method['class']}({base}):", f'    """{docstring(method, rows, written).lstrip()}    """', ""]
    lines += [f'    _method: ClassVar[str] = "{method["name"]}"', "", "    def __init__(", "        self,"]
    for at, row in enumerate(rows):
        lines.append(f"        {row['name']}: {row['hint']} = {row['default']},")
        if at == 0:
            lines.append("        *,")
    lines.append("    ):")
    lines += [f"        self.{row['name']} = {row['name']}" for row in rows]
    return "\n".join(lines) + "\n"


def render_estimators(known: dict[str, Any], parts: dict[str, tuple[str, str]]) -> str:
    """The file of the estimators."""
    text = (
        '"""The estimators.\n\nGenerated from the library\'s description of its methods; do not edit. To write it anew:\n'
        f"{COMMAND}\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Any, ClassVar, Literal\n\n'
    )
    for module in PARTS:
        bases = sorted(f"{name}Base" for name, (where, _) in parts.items() if where == module)
        text += f"from andnmf.{module} import {', '.join(bases)}\n"
        if module == "_and":
            text += "from andnmf._base import Factorization\n"
    names = sorted(method["class"] for method in known["methods"])
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    classes = "\n\n".join(render_class(method, known["starts"], parts) for method in known["methods"])
    table = "".join(f'    "{method["name"]}": {method["class"]},\n' for method in known["methods"])
    return (
        f"{text}\n\n{classes}\n\n#: Every estimator by its method.\nESTIMATORS: dict[str, type[Factorization]] = "
        f"{{\n{table}}}\n"
    )


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def render_page(known: dict[str, Any]) -> str:
    """The page of the documentation."""
    text = (
        "# Methods and their settings\n\n"
        f"Generated from the library's description of its methods by `{COMMAND}`; do not edit.\n\n"
        "| `--method` | Python | name | start by default | samples | loss in the trace |\n|---|---|---|---|---|---|\n"
    )
    for method in known["methods"]:
        samples = "not negative" if method["needs_nonnegative"] else "any sign"
        row = [f"`{method['name']}`", f"`{method['class']}`", method["title"], method["default_start"], samples]
        text += f"| {' | '.join(row)} | {cell(method['loss'] or 'none')} |\n"
    text += "\n## Starts\n\n`--init` of the command, `init=` in Python, `Start::by_name` in Rust.\n\n| name | what it is |\n|---|---|\n"
    for start in known["starts"]:
        text += f"| `{start['name']}` | {start['help']} |\n"
    text += "| a file, an array | these components, rank × features |\n"
    for method in known["methods"]:
        text += f"\n## {method['class']}: {method['title'][0].lower()}{method['title'][1:]}\n\n{method['summary']}\n\n"
        text += "| option | Python | values | default | what it does |\n|---|---|---|---|---|\n"
        for setting in method["settings"]:
            values = f"`{form(setting)}`" if form(setting) else "flag"
            # The number of components has a default in the library alone.
            usual = "required" if setting["name"] == "rank" else f"`{setting['default_text']}`"
            text += (
                f"| `--{setting['option']}` | `{setting['parameter']}` | {cell(values)} | {usual} "
                f"| {cell(setting['help'] + span(setting))} |\n"
            )
    return text


def form(setting: dict[str, Any]) -> str:
    """The values of a setting, in short."""
    number = {"whole": ["N"], "real": ["X"], None: []}[setting["number"]]
    if setting["kind"]["type"] == "threshold":
        return "auto|SCHEDULE"
    return "|".join([*setting["words"], *number])


def rendered() -> dict[Path, str]:
    """What each generated file should hold."""
    known = description()
    return {ESTIMATORS: render_estimators(known, hand_written()), PAGE: render_page(known)}


if __name__ == "__main__":
    for file, contents in rendered().items():
        file.write_text(contents, encoding="utf-8")
        print(f"wrote {file}")
