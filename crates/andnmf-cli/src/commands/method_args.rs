//! `--method` and an option for every setting of every method, generated from the registry of the library.

use crate::shared::help_all;
use andnmf::and::Schedule;
use andnmf::settings::{Setting, SettingKind};
use andnmf::{Method, MethodParams, SettingError};
use andnmf_program::{Failure, did_you_mean, nearest};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

const METHOD: &str = "method";
/// Each command declares this option itself.
const RANK: &str = "rank";
const TIME_LIMIT: &str = "time_limit";
/// Settings among the first options of the help; the others have headings below them and are only in `--help-all`.
const COMMON: [&str; 4] = ["seed", TIME_LIMIT, "noise", "signed"];
const AND_HEADING: &str = "Settings of --method and (the paper's Algorithm 1)";

/// A method and the settings given on the command line.
#[derive(Debug, Clone)]
pub(crate) struct MethodArgs {
    pub(crate) method: Method,
    /// Settings by their names in the library.
    given: Vec<(&'static str, String)>,
}

impl MethodArgs {
    /// The settings for this many components, checked.
    pub(crate) fn settings(&self, rank: usize) -> Result<MethodParams, Failure> {
        let mut settings = MethodParams::new(self.method, rank);
        for (name, text) in &self.given {
            let Some(setting) = self.method.info().setting(name) else {
                return Err(self.unsupported(name));
            };
            settings.set(name, text).map_err(|error| with_hint(error, setting, text))?;
        }
        settings.clone().check::<f64>()?;
        Ok(settings)
    }

    /// The text given for a setting.
    pub(crate) fn given(&self, setting: &str) -> Option<&str> {
        self.given.iter().find(|(name, _)| *name == setting).map(|(_, text)| text.as_str())
    }

    /// The same without these settings.
    pub(crate) fn without(&self, settings: &[&str]) -> Self {
        let given = self.given.iter().filter(|(name, _)| !settings.contains(name)).cloned().collect();
        Self { method: self.method, given }
    }

    fn unsupported(&self, setting: &str) -> Failure {
        let has = |method: &Method| method.info().setting(setting).is_some();
        let names: Vec<&str> = Method::ALL.iter().filter(|method| has(method)).map(|m| m.name()).collect();
        Failure::Request(format!(
            "--method {} has no --{}; methods that have it: {}",
            self.method,
            andnmf::settings::option_name(setting),
            names.join(", ")
        ))
    }
}

/// Adds a suggestion to the error of a wrong value.
fn with_hint(error: SettingError, setting: &Setting, text: &str) -> SettingError {
    let hint = match setting.kind {
        SettingKind::Threshold => schedule_hint(text),
        _ => did_you_mean(text, setting.kind.words().iter().copied()),
    };
    SettingError { expected: error.expected + &hint, ..error }
}

/// A suggestion of the schedule with the most similar name.
fn schedule_hint(text: &str) -> String {
    let name = text.split(':').next().unwrap_or_default();
    let known = Schedule::SYNTAX;
    if known.iter().any(|(known, _)| *known == name) {
        return String::new();
    }
    let meant = nearest(name, known.iter().map(|(name, _)| *name).chain(["auto"]));
    meant.map_or_else(String::new, |near| {
        let form = known.iter().find(|(known, _)| *known == near).map_or(near, |(_, form)| form);
        format!("; did you mean {form}?")
    })
}

/// Every setting once, with the methods that have it: settings of all methods first, then of several, then of one.
fn all_settings() -> Vec<(&'static Setting, Vec<Method>)> {
    let mut settings: Vec<(&Setting, Vec<Method>)> = Vec::new();
    for method in Method::ALL {
        for setting in method.info().settings.iter().filter(|setting| setting.name != RANK) {
            match settings.iter_mut().find(|(known, _)| known.name == setting.name) {
                Some((_, methods)) => methods.push(method),
                None => settings.push((setting, vec![method])),
            }
        }
    }
    settings.sort_by_key(|(_, methods)| match methods.len() {
        all if all == Method::ALL.len() => 0,
        1 => 2,
        _ => 1,
    });
    settings
}

/// The identifier of an option; the prefix keeps it apart from the command's own options.
fn id(setting: &str) -> String {
    format!("setting {setting}")
}

fn method_option() -> Arg {
    let values = Method::ALL.map(|method| PossibleValue::new(method.name()).help(method.info().about.title));
    Arg::new(METHOD)
        .long(METHOD)
        .value_name("METHOD")
        .help("Factorization method")
        .display_order(3)
        .default_value(Method::And.name())
        .value_parser(PossibleValuesParser::new(values))
}

/// An option that only `--help-all` shows.
fn rare(arg: Arg) -> Arg {
    arg.hide_short_help(true).hide_long_help(true)
}

/// The option of a setting that these methods have.
fn option(setting: &Setting, methods: &[Method]) -> Arg {
    let arg = Arg::new(id(setting.name)).long(setting.option());
    let arg = match methods {
        _ if COMMON.contains(&setting.name) => arg,
        [Method::And] => rare(arg.help_heading(AND_HEADING)),
        [only] => rare(arg.help_heading(format!("Settings of --method {only}"))),
        _ => rare(arg.help_heading("Settings of several methods")),
    };
    let (short, long) = help(setting, methods);
    let arg = arg.help(short).long_help(long);
    match setting.kind {
        SettingKind::Flag => arg.action(ArgAction::SetTrue),
        SettingKind::Words { words } => arg
            .value_parser(PossibleValuesParser::new(words))
            .hide_possible_values(true)
            .value_name(words.join("|")),
        _ if setting.name == TIME_LIMIT => arg.value_name("SECONDS").allow_negative_numbers(true),
        _ => {
            arg.value_name(setting.kind.placeholder()).allow_negative_numbers(setting.kind.number().is_some())
        }
    }
}

/// The first sentence for `-h`, and the whole text for `--help`, each with methods, range and default.
fn help(setting: &Setting, methods: &[Method]) -> (String, String) {
    let whole = setting.help();
    let mut facts = String::new();
    if methods.len() > 1 && methods.len() < Method::ALL.len() {
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        facts += &format!(" [methods: {}]", names.join(", "));
    }
    facts += &defaults(setting.name, methods);
    let sentence = whole.split_inclusive(". ").next().unwrap_or(&whole);
    let short = format!("{}{facts}", sentence.trim_end().trim_end_matches('.'));
    let range = setting.range.expected().strip_prefix("it must be ");
    let range = range.map_or_else(String::new, |range| format!(" [range: {range}]"));
    (short, format!("{}{range}{facts}", whole.trim_end_matches('.')))
}

/// The default of a setting, and those of the methods that have another one.
fn defaults(setting: &str, methods: &[Method]) -> String {
    let default =
        |method: &Method| method.info().setting(setting).map(Setting::default_text).unwrap_or_default();
    let common = methods.first().map(default).unwrap_or_default();
    if common == "false" {
        return String::new();
    }
    let mut text = format!(" [default: {common}");
    let mut others: Vec<(String, Vec<&str>)> = Vec::new();
    for method in methods.iter().filter(|method| default(method) != common) {
        match others.iter_mut().find(|(value, _)| *value == default(method)) {
            Some((_, names)) => names.push(method.name()),
            None => others.push((default(method), vec![method.name()])),
        }
    }
    for (value, names) in others {
        text += &format!("; {} {value}", names.join(", "));
    }
    text + "]"
}

impl Args for MethodArgs {
    fn augment_args(mut command: Command) -> Command {
        command = command.arg(method_option()).arg(help_all::option());
        for (setting, methods) in all_settings() {
            // A command's own option of the same name takes precedence.
            if command.get_arguments().all(|arg| arg.get_long() != Some(setting.option().as_str())) {
                command = command.arg(option(setting, &methods));
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MethodArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let method = matches.get_one::<String>(METHOD).and_then(|name| name.parse().ok());
        let mut given = Vec::new();
        for (setting, _) in all_settings() {
            let id = id(setting.name);
            let text = match setting.kind {
                SettingKind::Flag => matches
                    .try_get_one::<bool>(&id)
                    .ok()
                    .flatten()
                    .filter(|set| **set)
                    .map(ToString::to_string),
                _ => matches.try_get_one::<String>(&id).ok().flatten().cloned(),
            };
            given.extend(text.map(|text| (setting.name, text)));
        }
        Ok(Self { method: method.unwrap_or(Method::And), given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
