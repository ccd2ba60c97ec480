//! `andnmf manual`, `andnmf completions` and the help of every command.

#[cfg(feature = "packaging")]
use crate::support::{Folder, files_in};
use crate::support::{andnmf, refused, text};

/// Every command, as the overview lists them.
fn commands() -> Vec<String> {
    let help = text(&andnmf(&["--help"]).stdout);
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_opens_with_its_purpose_and_an_example() {
    let commands = commands();
    assert!(commands.len() >= 6 && commands.iter().any(|name| name == "demo"), "{commands:?}");
    for name in commands {
        let done = andnmf(&[&name, "--help"]);
        assert!(done.status.success(), "{name}");
        let help = text(&done.stdout);
        let purpose = help.lines().next().unwrap();
        assert!(purpose.ends_with('.') || !purpose.is_empty() && purpose.len() < 100, "{name}: {purpose}");
        assert!(!purpose.starts_with("Usage"), "{name}: {purpose}");
        let example = format!("andnmf {name}");
        let before_usage = help.split("Usage:").next().unwrap();
        assert!(before_usage.contains(&example), "{name} has no example before its usage:\n{help}");
    }
}

#[cfg(feature = "packaging")]
#[test]
fn every_shell_gets_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = andnmf(&["completions", shell]);
        assert!(done.status.success() && done.stderr.is_empty());
        let script = text(&done.stdout);
        for name in commands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("co-occurrence"), "{shell} completes options too");
    }
}

#[cfg(feature = "packaging")]
#[test]
fn there_is_a_manual_page_for_every_command() {
    let whole = andnmf(&["manual"]);
    assert!(text(&whole.stdout).starts_with(".ie") && text(&whole.stdout).contains(".TH andnmf 1"));
    let folder = Folder::new();
    let done = andnmf(&["manual", "--out", &folder.arg("man")]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let mut expected: Vec<String> = commands().iter().map(|name| format!("andnmf-{name}.1")).collect();
    expected.push("andnmf.1".to_owned());
    expected.sort();
    assert_eq!(files_in(&folder.path("man")), expected);
    let page = std::fs::read_to_string(folder.path("man/andnmf-generate.1")).unwrap();
    assert!(page.contains(".TH andnmf-generate 1") && page.contains("andnmf generate paired"), "{page}");
    refused(&["manual", "--out", &folder.arg("man")], &["--force"]);
}

#[test]
fn a_build_without_them_says_which_one_has_them() {
    refused(&["completions", "bsh"], &["bsh", "bash"]);
    if !cfg!(feature = "packaging") {
        refused(&["completions", "bash"], &["completions for bash", "--features packaging"]);
        refused(&["manual"], &["manual page", "--features packaging"]);
    }
}
