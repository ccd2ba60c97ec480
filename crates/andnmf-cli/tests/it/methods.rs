//! Every method, setting and start of the library is one of the command, under the same name.

use andnmf::Method;
use andnmf::fit::{StageRecord, Start};
use andnmf::settings::{Setting, SettingKind};

use crate::support::{Folder, andnmf, json, refused, small_data, text};

/// The message of `fit` for a valid request with a missing file.
fn said_without_data(folder: &Folder, options: &[&str]) -> String {
    let (data, out) = (folder.arg("missing.npy"), folder.arg("fitted"));
    let done = andnmf(&[&["fit", &data, "--rank", "5", "--out", &out], options].concat());
    assert_eq!(done.status.code(), Some(2), "{options:?}");
    text(&done.stderr)
}

/// The option of a setting with its default.
fn option_with_default(setting: &Setting) -> Vec<String> {
    let option = format!("--{}", setting.option());
    match setting.kind {
        SettingKind::Flag => vec![option],
        _ => vec![option, setting.default_text()],
    }
}

fn settings_of(method: Method) -> impl Iterator<Item = &'static Setting> {
    method.info().settings.iter().filter(|setting| setting.name != "rank")
}

#[test]
fn every_setting_of_every_method_is_an_option() {
    let folder = Folder::new();
    for method in Method::ALL {
        let mut options = vec!["--method".to_owned(), method.name().to_owned()];
        for setting in settings_of(method) {
            let words = option_with_default(setting);
            let one: Vec<&str> = options[..2].iter().chain(&words).map(String::as_str).collect();
            let said = said_without_data(&folder, &one);
            assert!(said.contains("there is no such file"), "{method}: {words:?}: {said}");
            options.extend(words);
        }
        let all: Vec<&str> = options.iter().map(String::as_str).collect();
        let said = said_without_data(&folder, &all);
        assert!(said.contains("there is no such file"), "{method}: {said}");
    }
}

#[test]
fn a_setting_of_other_methods_is_refused_with_those_that_have_it() {
    let folder = Folder::new();
    for method in Method::ALL {
        for other in Method::ALL {
            for setting in settings_of(other).filter(|setting| method.info().setting(setting.name).is_none())
            {
                let words = option_with_default(setting);
                let mut options = vec!["--method", method.name()];
                options.extend(words.iter().map(String::as_str));
                let said = said_without_data(&folder, &options);
                assert!(said.contains(&format!("--method {method} has no {}", words[0])), "{said}");
                assert!(said.trim_end().rsplit(": ").next().unwrap().contains(other.name()), "{said}");
            }
        }
    }
}

#[test]
fn every_start_is_a_value_of_init() {
    let folder = Folder::new();
    for start in Start::<f64>::NAMES {
        let said = said_without_data(&folder, &["--init", start.name]);
        assert!(said.contains("there is no such file"), "{}: {said}", start.name);
    }
    let said = said_without_data(&folder, &["--method", "anchor-words", "--init", "auto"]);
    assert!(said.contains("there is no such file"), "{said}");
}

#[test]
fn the_help_names_every_setting_under_its_method() {
    let help = text(&andnmf(&["fit", "--help-all"]).stdout);
    for method in Method::ALL {
        for setting in settings_of(method) {
            assert!(help.contains(&format!("--{}", setting.option())), "{method}: {}", setting.name);
        }
    }
    for heading in [
        "Settings of --method lda:",
        "Settings of several methods:",
        "Settings of --method and (the paper's Algorithm 1):",
    ] {
        assert!(help.contains(heading), "{heading}");
    }
    assert!(help.contains("[default: 0.7]") && help.contains("above 0.5 and at most 1"), "{help}");
    assert!(help.contains("[default: 200; poisson-nmf 50; lda 10]"), "{help}");
}

#[test]
fn settings_of_the_other_methods_reach_them_and_the_trace_has_their_loss() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let fit = |method: &str, options: &[&str]| {
        let out = folder.arg("fitted");
        let args = ["fit", &samples, "--rank", "5", "--method", method, "--stages", "4", "--force", "--json"];
        json(&andnmf(&[&args[..], &["--out", &out], options].concat()))["settings"].clone()
    };
    let settings = fit("mu", &["--loss", "kullback-leibler", "--sweeps", "3", "--init", "nndsvd"]);
    assert_eq!((&settings["loss"], &settings["sweeps"]), (&"kullback-leibler".into(), &3.into()));
    let settings =
        fit("min-volume", &["--volume-weight", "0.01", "--weight-ratio", "0.5", "--offset", "0.1"]);
    let numbers = ["volume_weight", "weight_ratio", "offset"].map(|name| settings[name].as_f64().unwrap());
    assert_eq!(numbers, [0.01, 0.5, 0.1]);
    let settings = fit("lda", &["--document-prior", "0.2", "--batch", "50", "--kappa", "0.9"]);
    assert_eq!(settings["batch"], serde_json::json!({"size": 50}));
    assert_eq!((settings["document_prior"].as_f64(), settings["kappa"].as_f64()), (Some(0.2), Some(0.9)));

    fit("hals", &["--sweeps", "1", "--init", "nndsvda"]);
    let trace = std::fs::read_to_string(folder.path("fitted/trace.csv")).unwrap();
    let columns = StageRecord::COLUMNS.map(|(name, _)| name).join(",");
    assert_eq!(trace.lines().next().unwrap(), format!("stage,{columns}"));
    let losses: Vec<f64> =
        trace.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert!(losses.len() > 1 && losses.windows(2).all(|pair| pair[1] <= pair[0]), "{trace}");
}

#[test]
fn values_out_of_range_are_refused_by_their_option() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    for (method, option, value, said) in [
        ("mu", "--sweeps", "0", "--sweeps is 0, but it must be at least 1"),
        ("lda", "--kappa", "0.2", "--kappa is 0.2, but it must be above 0.5 and at most 1"),
        ("lda", "--document-prior", "-1", "--document-prior is -1, but it must be a positive number"),
        ("min-volume", "--weight-ratio", "2", "--weight-ratio is 2"),
        ("mu", "--loss", "euclid", "frobenius"),
        ("mu", "--sweeps", "many", "--sweeps is 'many', but it must be a whole number"),
        ("anchor-words", "--projection", "0", "--projection is 0, but it must be at least 1 dimension"),
    ] {
        refused(&["fit", &samples, "--rank", "5", "--method", method, option, value, "--out", &out], &[said]);
    }
}
