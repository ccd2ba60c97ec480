use super::*;
use crate::settings::SettingKind;

#[test]
fn the_settings_of_every_method_have_its_name_also_in_json() {
    for method in Method::ALL {
        let params = MethodParams::new(method, 7).with_seed(5).with_time_limit(Some(2.0));
        assert_eq!((params.method(), params.rank(), params.seed()), (method, 7, 5));
        assert_eq!(params.time_limit(), Some(2.0));
        let solver = params.clone().check::<f32>().unwrap();
        assert_eq!(solver.method(), method.name());
        let text = serde_json::to_string(&params).unwrap();
        assert!(text.starts_with(&format!(r#"{{"method":"{method}""#)), "{text}");
        assert_eq!(serde_json::from_str::<MethodParams>(&text).unwrap(), params);
        assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
        assert_eq!(method.name().parse(), Ok(method));
    }
    assert!(serde_json::from_str::<MethodParams>(r#"{"method":"hals","rnak":3}"#).is_err());
    assert_eq!(MethodParams::new(Method::Mu, 0).check::<f64>().err().unwrap().name, "rank");
    assert_eq!("halls".parse::<Method>().unwrap_err().name, "method");
}

#[test]
fn stages_and_tolerance_are_set_if_the_method_has_them() {
    for method in Method::ALL {
        let params = MethodParams::new(method, 3).with_max_stages(17).with_tolerance(0.25);
        assert_eq!(params.stage_limit(), if method.info().staged { 17 } else { 1 }, "{method}");
        let json = serde_json::to_value(&params).unwrap();
        assert_eq!(json["tolerance"], 0.25, "{method}");
    }
    assert!(!Method::AnchorWords.info().staged && Method::Hals.info().staged);
}

#[test]
fn the_description_has_every_setting_with_its_default_and_help() {
    for method in Method::ALL {
        let info = method.info();
        let Value::Object(mut defaults) = serde_json::to_value(MethodParams::new(method, 10)).unwrap() else {
            panic!("settings are an object");
        };
        defaults.remove("method");
        for setting in info.settings {
            assert_eq!(defaults.remove(setting.name), Some(setting.default()), "{method}: {}", setting.name);
            assert!(setting.help().len() > 10 && setting.help().ends_with('.'), "{}", setting.name);
        }
        assert!(defaults.is_empty(), "{method}: {defaults:?}");
        assert!(!info.about.title.is_empty() && info.about.summary.ends_with('.'), "{method}");
    }
}

#[test]
fn a_setting_of_several_methods_is_the_same_kind_everywhere() {
    let mut known: Vec<&Setting> = Vec::new();
    for setting in Method::ALL.iter().flat_map(|method| method.info().settings) {
        match known.iter().find(|other| other.name == setting.name) {
            Some(other) => assert_eq!(other.kind, setting.kind, "{}", setting.name),
            None => known.push(setting),
        }
    }
    for common in ["rank", "tolerance", "time_limit", "seed"] {
        for method in Method::ALL {
            assert!(method.info().setting(common).is_some(), "{method} has no {common}");
        }
    }
}

#[test]
fn every_default_can_be_formatted_and_parsed_again() {
    for method in Method::ALL {
        let defaults = MethodParams::new(method, 10);
        let (mut by_text, mut by_json) = (defaults.clone(), defaults.clone());
        for setting in method.info().settings {
            by_text.set(setting.name, &setting.default_text()).unwrap();
            by_json.set_json(setting.name, &setting.default()).unwrap();
            for word in setting.kind.words() {
                by_text.clone().set(setting.name, word).unwrap();
            }
            if !matches!(setting.kind, SettingKind::Threshold) {
                let error = by_text.set(setting.name, "no such value").unwrap_err();
                assert!(error.name == setting.name && error.expected == setting.kind.expected(), "{error}");
            }
        }
        assert_eq!((&by_text, &by_json), (&defaults, &defaults));
        assert_eq!(by_text.set("rnak", "3").unwrap_err().name, "setting");
    }
}

#[test]
fn numbers_and_serialized_forms_are_read_from_json() {
    let mut params = MethodParams::new(Method::And, 3);
    for (name, value, expected) in [
        ("inner", serde_json::json!(50), serde_json::json!({"steps": 50})),
        ("inner", serde_json::json!({"steps": 7}), serde_json::json!({"steps": 7})),
        ("step", serde_json::json!(0.25), serde_json::json!({"value": 0.25})),
        ("batch", serde_json::json!("all"), serde_json::json!("all")),
        ("compress", serde_json::json!(30), serde_json::json!({"leading": 30})),
        ("time_limit", serde_json::json!(null), serde_json::json!(null)),
        ("time_limit", serde_json::json!(3), serde_json::json!(3.0)),
    ] {
        params.set_json(name, &value).unwrap();
        assert_eq!(serde_json::to_value(&params).unwrap()[name], expected, "{name}");
    }
    let scheduled = |value| {
        let mut params = MethodParams::new(Method::And, 3);
        params.set_json("threshold", &value).unwrap();
        serde_json::to_value(&params).unwrap()["threshold"]["scheduled"]["schedule"].clone()
    };
    assert_eq!(scheduled(serde_json::json!(0.5)), serde_json::json!({"constant": 0.5}));
    assert_eq!(scheduled(serde_json::json!([0.5, 0.25])), serde_json::json!({"list": [0.5, 0.25]}));
    let constant = serde_json::json!({"schedule": {"constant": 0.5}});
    assert_eq!(scheduled(constant.clone()), constant["schedule"]);
    assert_eq!(scheduled(serde_json::json!({"scheduled": constant})), constant["schedule"]);
    assert_eq!(params.set_json("signed", &serde_json::json!(3)).unwrap_err().name, "signed");
}
