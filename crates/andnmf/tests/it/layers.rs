//! The modules of every crate import each other in one direction only.
//!
//! Reads `crate::`, `$crate::` and `super::` paths from the source text without tests, and resolves names that the
//! crate root re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the numerical library from bottom to top: each may import those above it in this list.
const LAYERS: [&str; 30] = [
    "error",
    "memory",
    "real",
    "random",
    "pool",
    "samples",
    "query",
    "linalg",
    "volume",
    "constants",
    "trust",
    "init",
    "fit",
    "settings",
    "objective",
    "compression",
    "nnls",
    "counts",
    "and",
    "baselines",
    "metrics",
    "theory",
    "auto",
    "methods",
    "synth",
    "online",
    "rank",
    "diagnose",
    "distributed",
    "testing",
];

type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn every_module_of_the_library_imports_lower_layers_only() {
    let imports = imports_of(&sources("crates/andnmf/src"));
    let level = |module: &str| {
        let level = LAYERS.iter().position(|layer| *layer == module);
        level.unwrap_or_else(|| panic!("module `{module}` is not in LAYERS (tests/it/layers.rs)"))
    };
    let upward: Vec<String> = edges(&imports)
        .filter(|(from, to)| level(to) >= level(from))
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    assert!(upward.is_empty(), "imports from higher layers: {upward:?}");
    assert!(edges(&imports).count() > 50, "the imports were not read");
}

#[test]
fn no_crate_has_circular_imports() {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    for folder in crates.chain([root().join("bindings/python/src")]) {
        let cycle =
            import_cycle(&imports_of(&sources(folder.strip_prefix(root()).unwrap().to_str().unwrap())));
        assert!(cycle.is_empty(), "{}: circular imports between {}", folder.display(), cycle.join(", "));
    }
}

#[test]
fn every_form_of_import_is_detected() {
    let read = |text: &str, depth: usize| {
        let root = BTreeMap::from([("Thing".to_owned(), "high".to_owned())]);
        imports(&without_tests(text), depth, &root)
    };
    let high = BTreeSet::from(["high".to_owned()]);
    assert_eq!(read("use crate::high::Other;", 1), high);
    assert_eq!(read("use crate::{\n    high::{A, B},\n};", 1), high);
    assert_eq!(read("use crate::{Thing};", 1), high, "re-exported by the root");
    assert_eq!(read("use super::high::x;", 1), high);
    assert_eq!(read("let x = super::super::high::f();", 2), high);
    assert_eq!(read("($x:expr) => { $crate::high::f($x) };", 3), high);
    let none = BTreeSet::new();
    assert_eq!(read("use super::high::x;", 2), none, "a sibling of the same module");
    assert_eq!(read("// see crate::high\nlet x = 1; /// [`crate::high`]", 1), none);
    assert_eq!(read("fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::high::x;\n}\n", 1), none);
    let circular = BTreeMap::from([
        ("a".to_owned(), BTreeSet::from(["b".to_owned()])),
        ("b".to_owned(), BTreeSet::from(["c".to_owned()])),
        ("c".to_owned(), BTreeSet::from(["b".to_owned()])),
    ]);
    assert_eq!(import_cycle(&circular), ["b", "c"]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The source files of a folder by their module paths, without test files.
fn sources(folder: &str) -> BTreeMap<Vec<String>, String> {
    let top = root().join(folder);
    let mut files: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !["tests", "testing"].contains(&name) {
                folders.push(path);
            } else if name.ends_with(".rs") && !["tests.rs", "testing.rs"].contains(&name) {
                let parts = path.strip_prefix(&top).unwrap().iter();
                let parts = parts.map(|part| part.to_str().unwrap().trim_end_matches(".rs").to_owned());
                files
                    .insert(parts.filter(|part| part != "mod").collect(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    let for_tests: Vec<Vec<String>> =
        files.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    files.retain(|path, _| !for_tests.contains(path));
    files
}

/// The module paths declared with `#[cfg(test)]`.
fn test_modules(path: &[String], text: &str) -> Vec<Vec<String>> {
    let declared = text.split("#[cfg(test)]\nmod ").skip(1);
    let names = declared.filter_map(|rest| rest.split_once(';')).map(|(name, _)| name.to_owned());
    let parent = if *path == ["lib"] { &[] } else { path };
    names.map(|name| parent.iter().cloned().chain([name]).collect()).collect()
}

/// The imports of each top-level module.
fn imports_of(files: &BTreeMap<Vec<String>, String>) -> Imports {
    let modules: BTreeSet<&String> = files.keys().filter_map(|path| path.first()).collect();
    let roots = ["lib", "main"].map(|name| files.get(&vec![name.to_owned()]).cloned().unwrap_or_default());
    let re_exported = re_exports(&roots.concat());
    let mut all = Imports::new();
    for (path, text) in files {
        let module = &path[0];
        if ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        let found = imports(&without_tests(text), path.len(), &re_exported);
        let known = found.into_iter().filter(|name| name != module && modules.contains(name));
        all.entry(module.clone()).or_default().extend(known);
    }
    all
}

fn edges(imports: &Imports) -> impl Iterator<Item = (&str, &str)> {
    imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())))
}

/// The names that a crate root re-exports, with their modules.
fn re_exports(root: &str) -> BTreeMap<String, String> {
    let uses = root.split(';').filter_map(|item| item.rsplit_once("pub use ").map(|(_, path)| path));
    let uses = uses.filter_map(|path| path.split_once("::"));
    uses.flat_map(|(module, names)| identifiers(names).map(move |name| (name, module.to_owned()))).collect()
}

/// The code without comments and without the test module at its end.
fn without_tests(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code: Vec<&str> = code.collect();
    let code = code.join("\n");
    let tests = code.match_indices("#[cfg(test)]\n").find(|(place, attribute)| {
        let item = code[place + attribute.len()..].lines().next().unwrap_or_default();
        item.contains("mod ") && item.ends_with('{')
    });
    code[..tests.map_or(code.len(), |(place, _)| place)].to_owned()
}

/// The top-level modules imported by code at a given depth below the crate root.
fn imports(code: &str, depth: usize, re_exported: &BTreeMap<String, String>) -> BTreeSet<String> {
    let up = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for start in ["crate::", up.as_str()] {
        for (place, _) in code.match_indices(start) {
            // Another number of `super::` does not lead to the root.
            let other_depth = start == up
                && (code[..place].ends_with("super::") || code[place + up.len()..].starts_with("super::"));
            if !other_depth {
                found.extend(first_names(&code[place + start.len()..]));
            }
        }
    }
    found.into_iter().map(|name| re_exported.get(&name).cloned().unwrap_or(name)).collect()
}

/// The first names of a path: one, or all of a group in braces.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return identifiers(path).take(1).collect() };
    let (mut names, mut depth, mut at_name_start) = (Vec::new(), 0, true);
    for (place, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_name_start = true,
            _ if at_name_start && depth == 0 && letter.is_alphabetic() => {
                names.extend(identifiers(&group[place..]).take(1));
                at_name_start = false;
            }
            _ => {}
        }
    }
    names
}

fn identifiers(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

/// The modules that import themselves directly or indirectly; empty without circular imports.
fn import_cycle(imports: &Imports) -> Vec<String> {
    let reached = |start: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(module) = next.pop() {
            for to in imports.get(module).into_iter().flatten() {
                if seen.insert(to) {
                    next.push(to);
                }
            }
        }
        seen
    };
    imports.keys().filter(|module| reached(module).contains(module)).cloned().collect()
}
