#![allow(unreachable_pub, dead_code)] // the declared types are public, the test is not

use super::*;
use crate::fit::Limits;
use crate::samples::DenseSamples;

declare_choice! {
    /// A word or a length.
    pub enum Length for "length" {
        /// A short one.
        Short = "short",
        ;
        /// This one.
        Of(f64) = "a length",
    }
}

declare_settings! {
    /// The settings of a method that only this test has.
    pub struct ToyParams for Toy = "toy" {
        common rank;
        /// How long it is:
        /// short, or `so` long.
        length: Length = Length::Short, Range::above(0.0, "it must be short or a positive length");
        /// Whether it is loud.
        loud: bool = true;
        common max_stages = 7;
        common tolerance = 0.5;
        common time_limit;
        common seed;
    }
}

impl ToyParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        if self.loud && self.rank > 5 {
            return Err(SettingError::new("loud", true, "at most 5 components can be loud"));
        }
        Ok(())
    }
}

impl Described for ToyParams {
    const ABOUT: About = About { class: "Toy", title: "Toy", summary: "Nothing.", counts: false, loss: None };

    fn default_start(&self, _negative: bool) -> &'static str {
        "auto"
    }

    fn needs_nonnegative(&self) -> bool {
        false
    }

    fn weighs_counts(&self) -> bool {
        false
    }

    fn memory(&self, size: &Size) -> Memory {
        size.memory(size.wide(self.rank), 0)
    }
}

fn refused(params: ToyParams) -> String {
    params.check().unwrap_err().to_string()
}

#[test]
fn a_declaration_generates_struct_defaults_and_checks() {
    let toy = ToyParams { loud: false, ..ToyParams::new(6) }.check().unwrap();
    assert_eq!((toy.params().rank, toy.params().length, toy.params().max_stages), (6, Length::Short, 7));
    assert_eq!(refused(ToyParams::new(0)), "rank is 0, but it must be at least 1");
    assert_eq!(refused(ToyParams::new(6)), "loud is true, but at most 5 components can be loud");
    let length = |value| ToyParams { length: Length::Of(value), ..ToyParams::new(3) };
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(length(value)).ends_with("but it must be short or a positive length"));
    }
    assert!(length(0.1).check().is_ok());
    let Limits { rank, max_stages, tolerance, time_limit } = ToyParams::new(3).limits();
    assert_eq!((rank, max_stages, tolerance, time_limit), (3, 7, 0.5, None));
    assert_eq!(ToyParams::new(3).stage_limit(), 7);
}

#[test]
fn a_declaration_generates_its_description() {
    let names: Vec<&str> = ToyParams::SETTINGS.iter().map(|setting| setting.name).collect();
    assert_eq!(names, ["rank", "length", "loud", "max_stages", "tolerance", "time_limit", "seed"]);
    let length = &ToyParams::SETTINGS[1];
    assert_eq!(length.help(), "How long it is: short, or so long.");
    assert_eq!((length.default_text().as_str(), length.kind.placeholder().as_str()), ("short", "short|X"));
    assert_eq!(length.kind.expected(), "it must be short or a length");
    let stages = &ToyParams::SETTINGS[3];
    assert_eq!((stages.option().as_str(), stages.parameter()), ("stages", "max_stages"));
    let limit = &ToyParams::SETTINGS[5];
    assert_eq!((limit.option().as_str(), limit.default_text().as_str()), ("time-limit", "none"));
    assert_eq!(ToyParams::SETTINGS[4].parameter(), "tol");
    let formatted = [0.5, 10.0, 1e-5, 1e-12].map(|value| text_of(&json_of(&value)));
    assert_eq!(formatted, ["0.5", "10", "1e-5", "1e-12"]);
}

#[test]
fn values_are_parsed_from_text_and_json_and_formatted_again() {
    let mut toy = ToyParams::default();
    toy.set("length", "2.5").unwrap();
    toy.set_json("loud", &Value::Bool(false)).unwrap();
    toy.set("time_limit", "3").unwrap();
    assert_eq!((toy.length, toy.loud, toy.time_limit), (Length::Of(2.5), false, Some(3.0)));
    assert_eq!(serde_json::to_value(&toy).unwrap()["length"], serde_json::json!({"of": 2.5}));
    assert_eq!(serde_json::from_value::<ToyParams>(serde_json::to_value(&toy).unwrap()).unwrap(), toy);
    assert_eq!((Length::Of(2.5).to_string().parse(), "short".parse()), (Ok(toy.length), Ok(Length::Short)));
    toy.set_json("length", &serde_json::json!({"of": 4.0})).unwrap();
    toy.set_json("time_limit", &Value::Null).unwrap();
    assert_eq!((toy.length, toy.time_limit), (Length::Of(4.0), None));
    let error = toy.set("length", "long").unwrap_err();
    assert_eq!(error.to_string(), "length is 'long', but it must be short or a length");
    let error = toy.set_json("rank", &serde_json::json!(2.5)).unwrap_err();
    assert_eq!(error.to_string(), "rank is 2.5, but it must be a whole number");
    assert!(toy.set("lenght", "1").unwrap_err().expected.contains("rank, length, loud"));
}

#[test]
fn ranges_contain_the_right_numbers() {
    assert!(Range::ANY.contains(f64::NAN) && Range::SECONDS.contains(f64::INFINITY));
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(!Range::NOT_NEGATIVE.contains(value) && !Range::POSITIVE.contains(value), "{value}");
    }
    assert!(Range::NOT_NEGATIVE.contains(0.0) && !Range::POSITIVE.contains(0.0));
    let range = Range::above_up_to(0.5, 1.0, "it must be above 0.5 and at most 1");
    assert!(range.contains(1.0) && !range.contains(0.5) && !range.contains(1.1));
}

#[test]
fn more_components_than_the_memory_can_hold_are_refused_with_the_size_that_they_take() {
    let samples = DenseSamples::new(ndarray::Array2::<f64>::ones((50, 20))).unwrap();
    let fits =
        |rank| ToyParams { loud: false, ..ToyParams::new(rank) }.check().unwrap().check_memory(&samples);
    for rank in [10_000_000, 1_000_000_000, usize::MAX] {
        let error = fits(rank).unwrap_err();
        let message = error.to_string();
        assert_eq!((error.name, error.given.as_str()), ("rank", rank.to_string().as_str()));
        assert!(message.contains("components of 50 samples × 20 features take at least"), "{message}");
    }
    assert!(fits(100).is_ok(), "more components than samples and features may be fitted");
}

#[test]
fn memory_does_not_wrap_for_any_size() {
    let most = usize::MAX;
    for sparse in [false, true] {
        let size =
            Size { n_samples: most, n_features: most, stored_values: most, sparse, value: 8, threads: most };
        assert_eq!(size.memory(size.wide(most), size.rows(most, most)).total, u64::MAX);
        assert_eq!((size.least(most), size.smaller_space(most)), (u64::MAX, u64::MAX));
        for method in crate::Method::ALL {
            assert_eq!(crate::MethodParams::new(method, most).memory(&size).total, u64::MAX, "{method}");
        }
    }
}

#[test]
fn memory_grows_with_the_arrays_of_a_fit() {
    let size =
        Size { n_samples: 1000, n_features: 50, stored_values: 50_000, sparse: false, value: 8, threads: 1 };
    let (bare, more) = (size.memory(0, 0), size.memory(size.rows(10, 2), 7));
    assert_eq!((more.total - bare.total, more.space, bare.space), (1000 * 10 * 8 * 2 + 7, 7, 0));
    assert_eq!(size.smaller_space(5), 1000 * 5 * 8 * 2);
    let sparse = Size { sparse: true, ..size };
    assert_eq!(sparse.wide(5), size.wide(8), "tables of sparse samples have rows of whole vectors");
}
