use std::fs;
use std::path::PathBuf;

use ndarray::{Array2, array};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use super::*;
use crate::files::testing::survives_damage;
use crate::files::{FileError, LocatedProblem, Location, Overwrite, Problem};
use crate::testing::random_matrix;
use andnmf::fit::Start;
use andnmf::samples::DenseSamples;
use andnmf::synth::{DatasetKind, DatasetSpec};
use andnmf::trust::Verdict;

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("feature \"{i}\"\nü")).collect()
}

/// A model of AND with all optional parts, and its samples.
fn model<T: Real>() -> (Model<T>, Array2<T>) {
    let data = DatasetSpec { n_features: 30, rank: 3, n_samples: 200, ..DatasetSpec::new(DatasetKind::Dir) };
    let samples = data.generate().unwrap().samples.mapv(T::from_f64);
    let settings = MethodParams::new(Method::And, 3).with_seed(u64::MAX).with_tolerance(0.1 + 0.2);
    let solver = settings.clone().check().unwrap();
    let fit = solver.fit(&DenseSamples::new(samples.view()).unwrap(), Start::Auto, &mut Run::new()).unwrap();
    (Model::from_fit(&fit, &settings, Some(names(30))).unwrap(), samples)
}

struct ModelFolder(tempfile::TempDir);

impl ModelFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("model.safetensors")
    }
}

fn saved<T: Real>(model: &Model<T>) -> Vec<u8> {
    let folder = ModelFolder::new();
    model.save(&folder.file(), Overwrite::No).unwrap();
    fs::read(folder.file()).unwrap()
}

fn loaded<T: Real>(bytes: &[u8]) -> Result<Model<T>, FileError> {
    let folder = ModelFolder::new();
    fs::write(folder.file(), bytes).unwrap();
    Model::load(&folder.file())
}

#[test]
fn topics_of_lda_come_back_with_their_posterior() {
    let counts = random_matrix::<f64>(60, 12, 3).mapv(|v| (6.0 * v).round().max(0.0));
    let samples = DenseSamples::new(counts.view()).unwrap();
    let params = andnmf::baselines::OnlineLdaParams::new(3);
    let lda = params.clone().check().unwrap();
    let fit = andnmf::fit::Solver::fit(&lda, &samples, Start::Auto, &mut Run::new()).unwrap();
    let model = Model::from_fit(&fit, &MethodParams::OnlineLda(params), None).unwrap();
    let back = loaded::<f64>(&saved(&model)).unwrap();
    assert_eq!(back, model);
    let shares = lda.topics(&fit).unwrap().weights(&samples).unwrap();
    let weights = back.weights(&samples, None, &Run::new()).unwrap();
    for ((row, shares), counts) in weights.outer_iter().zip(shares.outer_iter()).zip(counts.outer_iter()) {
        row.iter()
            .zip(shares)
            .for_each(|(w, share)| assert!((w - share * counts.sum()).abs() < 1e-9, "{w} {share}"));
    }
    let few = ModelParts {
        components: model.components.clone(),
        thresholds: vec![],
        settings: model.settings,
        feature_names: None,
        trust: None,
        scale: None,
        topic_totals: Some(vec![1.0]),
    };
    assert!(Model::from_parts(few).unwrap_err().to_string().contains("totals of topics"));
}

#[test]
fn a_model_comes_back_as_it_was() {
    let (wide, _) = model::<f64>();
    assert!(wide.trust().is_some() && wide.scale().is_some() && wide.thresholds().len() == 3);
    assert_eq!(loaded::<f64>(&saved(&wide)).unwrap(), wide);
    let (narrow, _) = model::<f32>();
    assert_eq!(loaded::<f32>(&saved(&narrow)).unwrap(), narrow);
    assert_eq!(saved(&wide), saved(&wide), "the same model, the same bytes");
    assert_eq!(wide.library_version(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_method_makes_a_model_with_or_without_names() {
    let samples =
        DenseSamples::new(random_matrix::<f64>(40, 6, 1).mapv(|v| (10.0 * v).abs().round())).unwrap();
    for method in Method::ALL {
        let settings = MethodParams::new(method, 2).with_max_stages(3);
        let fit = settings.clone().check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
        let model = Model::from_fit(&fit, &settings, None).unwrap();
        assert_eq!((model.method(), model.feature_names()), (method, None));
        assert_eq!(loaded::<f64>(&saved(&model)).unwrap(), model, "{method}");
    }
}

#[test]
fn single_precision_widens_exactly_and_double_is_rounded_only_on_demand() {
    let (narrow, _) = model::<f32>();
    let wide: Model<f64> = loaded(&saved(&narrow)).unwrap();
    assert_eq!(wide.components(), &narrow.components().mapv(f64::from));
    let (wide, _) = model::<f64>();
    let narrow: Model<f32> = loaded(&saved(&wide)).unwrap();
    assert_eq!(narrow.components(), &wide.components().mapv(|v| v as f32));

    let folder = ModelFolder::new();
    wide.save(&folder.file(), Overwrite::No).unwrap();
    assert_eq!(stored_precision(&folder.file()).unwrap(), "f64");
    narrow.save(&folder.file(), Overwrite::Yes).unwrap();
    assert_eq!(stored_precision(&folder.file()).unwrap(), "f32");
    let huge = Model { components: array![[1e300, 1.0]], feature_names: None, ..wide };
    let huge =
        Model { settings: MethodParams::new(Method::And, 1), thresholds: vec![0.1], trust: None, ..huge };
    let error = loaded::<f32>(&saved(&huge)).unwrap_err();
    assert_eq!(error.location, Location::Value { row: 1, column: 1 });
    assert!(matches!(error.problem, Problem::NotFinite { value: 1e300 }), "{error}");
}

#[test]
fn an_existing_file_is_replaced_only_where_that_is_allowed() {
    let (model, folder) = (model::<f64>().0, ModelFolder::new());
    model.save(&folder.file(), Overwrite::No).unwrap();
    assert!(matches!(model.save(&folder.file(), Overwrite::No).unwrap_err().problem, Problem::Exists));
    model.save(&folder.file(), Overwrite::Yes).unwrap();
}

#[test]
fn weights_rebuild_new_samples_and_are_never_negative() {
    let (model, samples) = model::<f64>();
    let model: Model<f64> = loaded(&saved(&model)).unwrap();
    let dense = DenseSamples::new(samples.view()).unwrap();
    let weights = model.weights(&dense, model.feature_names(), &Run::new()).unwrap();
    assert!(weights.iter().all(|&v| v >= 0.0));
    crate::testing::assert_close(&weights.dot(model.components()), &samples, 1e-6);
}

#[test]
fn samples_must_have_the_features_of_the_model() {
    let (model, samples) = model::<f64>();
    let run = Run::new();
    let narrow = DenseSamples::new(samples.slice(ndarray::s![.., ..29])).unwrap();
    let error = model.weights(&narrow, None, &run).unwrap_err();
    assert_eq!(error, ModelError::FeatureCount { expected: 30, given: 29 });
    let dense = DenseSamples::new(samples.view()).unwrap();
    let mut others = names(30);
    others.swap(4, 7);
    let error = model.weights(&dense, Some(&others), &run).unwrap_err();
    assert!(
        matches!(&error, ModelError::FeatureName { position: 5, given, .. } if *given == names(30)[7]),
        "{error}"
    );
    let error = model.weights(&dense, Some(&others[..3]), &run).unwrap_err();
    assert_eq!(error, ModelError::NameCount { given: 3, n_features: 30 });
    let nameless = Model { feature_names: None, ..model };
    assert!(nameless.weights(&dense, Some(&others), &run).is_ok(), "there is nothing to compare them with");
}

#[test]
fn a_fit_and_its_settings_must_match() {
    let samples = DenseSamples::new(random_matrix::<f64>(20, 5, 1).mapv(f64::abs)).unwrap();
    let settings = MethodParams::new(Method::Hals, 2);
    let fit = settings.clone().check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
    for other in [MethodParams::new(Method::Hals, 3), MethodParams::new(Method::Mu, 2)] {
        let error = Model::from_fit(&fit, &other, None).unwrap_err();
        assert!(error.to_string().starts_with("the fit was made by hals with rank 2, but"), "{error}");
    }
    let error = Model::from_fit(&fit, &settings, Some(names(4))).unwrap_err();
    assert_eq!(error, ModelError::NameCount { given: 4, n_features: 5 });
}

#[test]
fn the_parts_of_a_model_must_match() {
    let (whole, _) = model::<f64>();
    let parts = || ModelParts {
        components: whole.components.clone(),
        thresholds: whole.thresholds.clone(),
        settings: whole.settings.clone(),
        feature_names: whole.feature_names.clone(),
        trust: whole.trust.clone(),
        scale: whole.scale,
        topic_totals: None,
    };
    assert_eq!(Model::from_parts(parts()), Ok(whole.clone()));
    let none = Model::from_parts(ModelParts { thresholds: vec![], trust: None, ..parts() });
    assert!(none.is_ok(), "methods without thresholds, and fits without a trust summary");
    let message = |parts| Model::from_parts(parts).unwrap_err().to_string();
    let few = message(ModelParts { thresholds: vec![0.1], ..parts() });
    assert!(few.contains("expected 3 thresholds, one per component, but found 1"), "{few}");
    let trust = Trust { component_stability: vec![0.0; 4], ..whole.trust.clone().unwrap() };
    let many = message(ModelParts { trust: Some(trust), ..parts() });
    assert!(many.contains("expected 3 stability scores, one per component, but found 4"), "{many}");
    let other = message(ModelParts { settings: MethodParams::new(Method::And, 4), ..parts() });
    assert!(other.contains("and with rank 4"), "{other}");
    let names = message(ModelParts { feature_names: Some(names(7)), ..parts() });
    assert!(names.contains("expected 30 feature names, one per feature, but found 7"), "{names}");
}

#[test]
fn the_public_reader_of_the_format_reads_it_too() {
    let (model, _) = model::<f32>();
    let bytes = saved(&model);
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let components = tensors.tensor("components").unwrap();
    assert_eq!((components.dtype(), components.shape()), (Dtype::F32, &[3, 30][..]));
    let first = f32::from_le_bytes(components.data()[..4].try_into().unwrap());
    assert_eq!(first, model.components()[[0, 0]]);
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(metadata.metadata().as_ref().unwrap()["method"], "and");
    assert_eq!(components.data().as_ptr() as usize % 4, bytes.as_ptr() as usize % 4, "aligned");
}

#[test]
fn a_million_names_are_saved_and_loaded() {
    let (model, _) = model::<f32>();
    let names: Vec<String> = (0..1_000_000).map(|i| format!("ENSG{i:011}")).collect();
    let components = Array2::from_elem((3, names.len()), 0.5_f32);
    let model = Model { components, feature_names: Some(names), ..model };
    assert_eq!(loaded::<f32>(&saved(&model)).unwrap(), model);
}

/// Changes the header of a valid model file and returns the error of loading it.
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let bytes = saved(&model::<f64>().0);
    let size = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + size]).unwrap();
    change(&mut header);
    let header = serde_json::to_vec(&header).unwrap();
    let file = [&(header.len() as u64).to_le_bytes()[..], &header, &bytes[8 + size..]].concat();
    match loaded::<f64>(&file) {
        Ok(_) => "loaded".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn assert_message(message: String, expected: &str) {
    assert!(message.contains("model.safetensors: ") && message.contains(expected), "{message}");
}

#[test]
fn a_newer_format_version_is_refused() {
    let message = changed(|header| header["__metadata__"]["andnmf_model_version"] = json!("2"));
    assert_message(
        message,
        "the model has format version 2, but andnmf 0.1.0 supports only version 1; load it with a newer andnmf",
    );
}

#[test]
fn an_invalid_format_version_is_refused() {
    for version in ["0", "-1", "one", ""] {
        let message = changed(|header| header["__metadata__"]["andnmf_model_version"] = json!(version));
        assert_message(
            message,
            &format!("this is not an andnmf model: its andnmf_model_version is '{version}'"),
        );
    }
}

#[test]
fn a_foreign_file_of_the_same_format_is_refused() {
    let view = TensorView::new(Dtype::F32, vec![1, 2], &[0; 8]).unwrap();
    let foreign = safetensors::serialize([("components", view)], None).unwrap();
    assert_message(
        loaded::<f32>(&foreign).unwrap_err().to_string(),
        "its metadata lack andnmf_model_version",
    );
}

#[test]
fn other_formats_are_refused() {
    let text = b"stage,seconds,threshold_min\n0,1,2\n";
    assert_message(loaded::<f64>(text).unwrap_err().to_string(), "its first eight bytes declare a header of");
    assert_message(loaded::<f64>(b"1234").unwrap_err().to_string(), "truncated");
    assert_message(loaded::<f64>(b"").unwrap_err().to_string(), "truncated");
}

#[test]
fn a_truncated_or_extended_file_is_refused() {
    let mut bytes = saved(&model::<f64>().0);
    assert_message(loaded::<f64>(&bytes[..bytes.len() - 1]).unwrap_err().to_string(), "truncated");
    bytes.push(0);
    assert_message(loaded::<f64>(&bytes).unwrap_err().to_string(), "1 bytes follow its last array");
}

#[test]
fn a_header_without_required_parts_is_refused() {
    for expected in ["settings", "judgement"] {
        let message =
            changed(|header| drop(header["__metadata__"].as_object_mut().unwrap().remove(expected)));
        assert_message(message, &format!("it has no {expected}"));
    }
    for (from, expected) in [("components", "it has no components"), ("stability", "it has no stability")] {
        let rename =
            |header: &mut Value| header["other"] = header.as_object_mut().unwrap().remove(from).unwrap();
        assert_message(changed(rename), expected);
    }
}

#[test]
fn invalid_settings_are_refused() {
    let message =
        changed(|header| header["__metadata__"]["settings"] = json!("{\"method\":\"magic\",\"rank\":3}"));
    assert_message(message, "invalid settings");
    let other = serde_json::to_string(&MethodParams::new(Method::And, 4)).unwrap();
    assert_message(
        changed(|header| header["__metadata__"]["settings"] = json!(other)),
        "it has settings for 4 components, but 3 components",
    );
}

#[test]
fn arrays_of_the_wrong_type_or_shape_are_refused() {
    for (array, info, expected) in [
        ("components", json!({"shape": [90]}), "components of shape [90] instead of rank × features"),
        ("components", json!({"dtype": "I64"}), "components of type I64 instead of F32 or F64"),
        ("components", json!({"shape": [2, 45]}), "settings for 3 components, but 2 components"),
        ("thresholds", json!({"dtype": "F32", "shape": [6]}), "thresholds of type F32"),
        ("thresholds", json!({"shape": [1, 3]}), "thresholds of type F64 and shape [1, 3]"),
        ("components", json!({"shape": [3, 31]}), "invalid header"),
        ("components", json!({"shape": [u64::MAX, u64::MAX]}), "invalid header"),
        ("components", json!({"data_offsets": [0, 720]}), "invalid header"),
    ] {
        let change = |header: &mut Value| {
            let entries = info.as_object().unwrap().clone();
            header[array].as_object_mut().unwrap().extend(entries);
        };
        assert_message(changed(change), expected);
    }
}

#[test]
fn numbers_that_do_not_match_the_components_are_refused() {
    let (good, _) = model::<f64>();
    let message = |model: Model<f64>| loaded::<f64>(&saved(&model)).unwrap_err().to_string();
    assert_message(
        message(Model { thresholds: vec![0.1; 2], ..good.clone() }),
        "2 thresholds for 3 components",
    );
    assert_message(
        message(Model { thresholds: vec![0.1, f64::NAN, 0.2], ..good.clone() }),
        "thresholds with the value NaN",
    );
    assert_message(
        message(Model { feature_names: Some(names(29)), ..good.clone() }),
        "29 names for 30 features",
    );
    let mut components = good.components.clone();
    components[[2, 4]] = f64::NAN;
    assert_message(
        message_with_location(Model { components, ..good.clone() }),
        "row 3, column 5: the value is NaN",
    );
    let trust = good.trust.clone().map(|trust| Trust { component_stability: vec![0.0; 4], ..trust });
    assert_message(message(Model { trust, ..good.clone() }), "4 stability scores for 3 components");
    assert_eq!(good.trust.unwrap().judgement.verdict, Verdict::Good);
}

/// The message with the location moved behind the colon, for [`assert_message`].
fn message_with_location(model: Model<f64>) -> String {
    let message = loaded::<f64>(&saved(&model)).unwrap_err().to_string();
    message.replacen("model.safetensors, ", "model.safetensors: ", 1)
}

#[test]
fn names_that_are_not_a_list_are_refused() {
    let mut bytes = saved(&model::<f64>().0);
    let n = bytes.len();
    bytes[n - 1] = b' ';
    assert_message(
        loaded::<f64>(&bytes).unwrap_err().to_string(),
        "feature_names that are not a JSON list of strings",
    );
}

#[test]
fn damaged_models_never_cause_a_panic() {
    let folder = ModelFolder::new();
    let files = [saved(&model::<f64>().0), saved(&model::<f32>().0)];
    let outcome = survives_damage(&files, 10_000, |bytes| {
        fs::write(folder.file(), bytes).map_err(LocatedProblem::from)?;
        Model::<f64>::read(&mut fs::File::open(folder.file())?)
    });
    assert!(outcome.refused > 5_000 && outcome.accepted > 500, "{outcome:?}");
}
