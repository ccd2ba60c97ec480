//! Every query of the registry: parts merge to the whole, and requests and replies are checked for damage.

use std::collections::BTreeSet;

use ndarray::{Array2, ArrayView2, CowArray, s};

use super::*;
use crate::and::{Decoder, NoiseFloors, StageWeights, StageWorkspace};
use crate::baselines::{WeightPassResult, WeightRule};
use crate::linalg::linear_map::LinearMap;
use crate::linalg::product::gram_of_rows;
use crate::query::{MaybeOwned, WireReader, full_name, request};
use crate::samples::fold::FoldPlan;
use crate::samples::{CsrSamples, DenseSamples, Request};
use crate::testing::{assert_close, random_matrix, sparse_copy};

const SAMPLES: usize = 700;
const FEATURES: usize = 14;
const RANK: usize = 3;

fn data(sparse: bool) -> Array2<f64> {
    random_matrix::<f64>(SAMPLES, FEATURES, 1).mapv(|v| if sparse && v < 0.8 { 0.0 } else { v })
}

fn part(data: &Array2<f64>, rows: std::ops::Range<usize>, sparse: bool) -> Box<dyn Samples<f64>> {
    let rows = data.slice(s![rows, ..]).to_owned();
    if !sparse {
        return Box::new(DenseSamples::new(rows).unwrap());
    }
    let (pointers, indices, values) = sparse_copy(&rows);
    Box::new(CsrSamples::new(FEATURES, &pointers, indices, values).unwrap())
}

/// Runs the checks on one query; `numbers` returns the values of its result.
struct Each {
    data: Array2<f64>,
    sparse: bool,
    names: BTreeSet<String>,
}

impl Each {
    fn check<Q: Query<f64, Error: std::fmt::Debug>>(
        &mut self,
        query: &Q,
        numbers: impl Fn(&Q::Partial) -> Vec<f64>,
    ) {
        let (name, sparse) = (full_name::<f64, Q>(), self.sparse);
        let whole = part(&self.data, 0..SAMPLES, sparse);
        let expected = numbers(&query::run(whole.as_ref(), query).unwrap());
        let request = request(query, SAMPLES);
        assert_eq!(request.query, name);
        let run = |rows: std::ops::Range<usize>| {
            let samples = part(&self.data, rows.clone(), sparse);
            let own = request.rows_of(rows.clone()).unwrap();
            execute(samples.as_ref(), rows.start, &name, &request.arguments, own).unwrap()
        };
        let (left, right) = (run(0..90), run(90..SAMPLES));
        let sums = merge(&name, &left.sums, &right.sums).unwrap();
        let reply = Reply { sums, rows: [&left.rows[..], &right.rows].concat() };
        assert_eq!(reply.rows.is_empty(), !request.returns_rows, "{name}");
        let merged: Q::Partial = query::read_reply(&reply, SAMPLES).unwrap();
        assert!(query.accepts(&merged, &Part { samples: whole.as_ref(), first: 0 }), "{name}");
        let result = Array2::from_shape_vec((1, expected.len()), numbers(&merged)).unwrap();
        assert_close(&result, &Array2::from_shape_vec((1, expected.len()), expected.clone()).unwrap(), 1e-12);
        // Conversion to bytes and back changes nothing.
        let alone: Q::Partial = query::read_reply(&run(0..SAMPLES), SAMPLES).unwrap();
        assert_eq!(numbers(&alone), expected, "{name}");
        self.refuses_damage::<Q>(&request, &reply, whole.as_ref());
        self.names.insert(name);
    }

    fn refuses_damage<Q: Query<f64>>(&self, request: &Request, reply: &Reply, whole: &dyn Samples<f64>) {
        let Request { query: name, arguments, rows, .. } = request;
        let refused = |arguments: &[u8], rows: &[u8]| {
            let error = execute(whole, 0, name, arguments, rows).unwrap_err();
            assert!(matches!(error, SamplesError::Executor { .. }), "{name}: {error}");
        };
        let longer = |bytes: &[u8]| [bytes, &[0]].concat();
        (0..arguments.len()).for_each(|end| refused(&arguments[..end], rows));
        refused(&longer(arguments), rows);
        refused(arguments, &longer(rows));
        if !rows.is_empty() {
            refused(arguments, &rows[1..]);
            refused(arguments, &[]);
        }
        for end in (0..reply.sums.len()).step_by(1 + reply.sums.len() / 50) {
            assert!(merge(name, &reply.sums[..end], &reply.sums).is_err(), "{name}");
            assert!(merge(name, &reply.sums, &reply.sums[..end]).is_err(), "{name}");
            let cut = Reply { sums: reply.sums[..end].to_vec(), rows: reply.rows.clone() };
            assert!(query::read_reply::<Q::Partial>(&cut, SAMPLES).is_err(), "{name}");
        }
        assert!(merge(name, &longer(&reply.sums), &reply.sums).is_err(), "{name}");
        let all = Part { samples: whole, first: 0 };
        for rows in [longer(&reply.rows), reply.rows[..reply.rows.len() / 2].to_vec()] {
            let cut = Reply { sums: reply.sums.clone(), rows };
            let read = query::read_reply::<Q::Partial>(&cut, SAMPLES);
            assert!(cut.rows.is_empty() || read.is_err(), "{name}");
        }
        // Samples that do not match the arguments; the caller must detect sums over other features.
        let narrow = DenseSamples::new(random_matrix::<f64>(SAMPLES, FEATURES - 1, 7)).unwrap();
        if let Ok(other) = execute(&narrow, 0, name, arguments, rows) {
            let read: Q::Partial = query::read_reply(&other, SAMPLES).unwrap();
            let sound = |query: &Q| query.accepts(&read, &all);
            let query = Q::read(&mut WireReader::new(arguments), &mut WireReader::new(rows), &all).unwrap();
            let no_features = reply.sums.len() == other.sums.len();
            assert!(no_features || !sound(&query), "{name}");
        }
    }
}

#[test]
fn parts_merge_to_the_whole_and_damage_is_refused() {
    let components = random_matrix::<f64>(RANK, FEATURES, 2);
    let view = || CowArray::from(components.view());
    let rows = random_matrix::<f64>(SAMPLES, RANK, 3).mapv(f64::abs);
    let noise: Vec<f64> = (0..SAMPLES).map(|i| 0.1 + i as f64 / SAMPLES as f64).collect();
    let all = |matrix: &Array2<f64>| matrix.iter().copied().collect::<Vec<_>>();
    let mut checked = BTreeSet::new();
    for sparse in [false, true] {
        let mut each = Each { data: data(sparse), sparse, names: BTreeSet::new() };
        for with_lowest in [false, true] {
            each.check(&ProjectionQuery { directions: view(), with_lowest }, |result| {
                [all(&result.rows), vec![result.lowest]].concat()
            });
        }
        let plan = FoldPlan::new(part(&each.data, 0..SAMPLES, sparse).as_ref(), 5 * FEATURES);
        each.check(&RandomSketch { size: 5, seed: 3, plan }, |result| all(&result.products));
        each.check(&Combinations { weights: rows.view().into() }, |result| all(&result.products));
        each.check(&NormalProduct { directions: view() }, |result| all(&result.products));
        each.check(&SquaredNorm { scale: 0.7 }, |result| vec![result.sum]);
        each.check(&SampleSizesQuery, |result| {
            [&result.sums[..], &result.lengths, &result.total, &[result.lowest]].concat()
        });
        each.check(&WeightsQuery { components: view() }, |result| all(&result.rows));
        each.check(&Residual { weights: rows.view().into(), components: view() }, |result| {
            vec![result.residual, result.samples]
        });
        each.check(&NnlsResidual::new(view()), |result| vec![result.residual, result.samples]);
        let decoder = Decoder::new(components.view(), sparse).unwrap();
        let workspace = StageWorkspace::default();
        each.check(
            &DecodeQuery {
                decoder: MaybeOwned::Borrowed(&decoder),
                workspace: MaybeOwned::Borrowed(&workspace),
            },
            |result| [&all(&result.values)[..], &result.statistics.negative_squares].concat(),
        );
        let floors = || NoiseFloors {
            per_noise: vec![0.3, 0.1, 0.2].into(),
            highest: vec![0.2; RANK].into(),
            noise: (&noise[..]).into(),
        };
        for given in [false, true] {
            for floors in [None, Some(floors())] {
                let weights = match given {
                    true => StageWeights::Decoded(rows.view().into()),
                    false => StageWeights::Decoder(MaybeOwned::Borrowed(&decoder)),
                };
                let workspace = MaybeOwned::Borrowed(&workspace);
                each.check(
                    &StageQuery { weights, thresholds: vec![0.1, 0.05, 0.2].into(), floors, workspace },
                    |result| {
                        let counts = result.decoded().active.iter().map(|&count| count as f64).collect();
                        let sizes = vec![result.n_samples() as f64];
                        let products = result.products().iter().copied().collect();
                        [products, all(&result.second_moments()), counts, sizes].concat()
                    },
                );
            }
        }
        passes(&mut each, &components, &rows);
        checked.extend(each.names);
    }
    let registered: BTreeSet<String> = registry::<f64>().map(|entry| entry.name).collect();
    assert_eq!(checked, registered, "every registered query is checked, under a name of its own");
    assert_eq!(registry::<f64>().count(), registered.len());
    assert!(registry::<f32>().all(|entry| entry.name.ends_with(".f32")));
}

/// Passes of alternating methods, with weights from before and without.
fn passes(each: &mut Each, components: &Array2<f64>, rows: &Array2<f64>) {
    fn pass<'a, R: WeightRule<f64>>(
        rule: R,
        components: &'a Array2<f64>,
        last: Option<&'a Array2<f64>>,
        sparse: bool,
    ) -> WeightPass<'a, f64, R> {
        WeightPass {
            rule,
            map: MaybeOwned::Owned(LinearMap::new(components.clone(), sparse)),
            gram: gram_of_rows(components.view()).into(),
            last: last.map(|last| last.view().into()),
            measure: true,
            workspace: MaybeOwned::default(),
        }
    }
    fn numbers(result: &WeightPassResult<f64>) -> Vec<f64> {
        let WeightPassResult { weights, sums } = result;
        let sizes = vec![sums.squares, sums.largest, sums.active as f64];
        let matrix = |matrix: ArrayView2<'_, f64>| matrix.iter().copied().collect::<Vec<_>>();
        [matrix(weights.view()), matrix(sums.sums.products()), matrix(sums.sums.gram().view()), sizes]
            .concat()
    }
    let multiplicative = MultiplicativeRule { signed: true, sweeps: 2 };
    for last in [None, Some(rows)] {
        each.check(&pass(SweepRule { sweeps: 2 }, components, last, each.sparse), numbers);
        each.check(&pass(ExactRule {}, components, last, each.sparse), numbers);
        each.check(&pass(multiplicative, components, last, each.sparse), numbers);
    }
}

#[test]
fn unknown_queries_are_refused() {
    let samples = DenseSamples::new(random_matrix::<f64>(3, 2, 1)).unwrap();
    // The query of the other precision is unknown, too.
    for name in ["", "sizes", "sizes.f32", "sizes.f16", "nothing.f64"] {
        let error = execute(&samples, 0, name, &[], &[]).unwrap_err();
        assert!(error.to_string().contains("there is no query"), "{error}");
    }
    assert!(execute(&samples, 0, "sizes.f64", &[], &[]).is_ok());
    assert!(merge("sizes", &[], &[]).is_err());
}

#[test]
fn samples_out_of_range_are_refused() {
    let samples = DenseSamples::new(random_matrix::<f64>(30, 2, 1)).unwrap();
    let query = RandomSketch { size: 2, seed: 0, plan: FoldPlan::new(&samples, 4) };
    let arguments = request::<f64, _>(&query, 30).arguments;
    let run = |first| execute(&samples, first, "random-combinations.f64", &arguments, &[]);
    assert!(run(0).is_ok() && run(1).is_err() && run(usize::MAX).is_err());
}

/// The sum of the first feature: a new query is this type, and a line in the registry.
mod toy {
    use super::*;
    use crate::query::{Sums, WireWriter, from_bytes, to_bytes, wire};

    struct FirstFeature;

    #[derive(Debug, PartialEq)]
    struct Total {
        total: f64,
    }
    wire!(impl [] Total { total });

    impl Sums for Total {
        fn merge(&mut self, next: Self) -> Result<(), WireError> {
            self.total += next.total;
            Ok(())
        }
    }

    impl<T: Real> Query<T> for FirstFeature {
        const NAME: &'static str = "first-feature";
        type Partial = Total;
        type Error = SamplesError;

        fn write(&self, _: &mut WireWriter) {}

        fn read(_: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
            Ok(Self)
        }

        fn check(&self, _: &Part<'_, T>) -> Result<(), SamplesError> {
            Ok(())
        }

        fn run(&self, part: &Part<'_, T>) -> Result<Total, SamplesError> {
            let block = part.samples.block(0..part.samples.n_samples())?;
            let mut total = 0.0;
            block.for_each(|_, feature, v| total += if feature == 0 { v.as_f64() } else { 0.0 });
            Ok(Total { total })
        }

        fn accepts(&self, _: &Total, _: &Part<'_, T>) -> bool {
            true
        }
    }

    #[test]
    fn a_new_query_is_one_type_and_one_line() {
        let entry: RegisteredQuery<f64> = register::<f64, FirstFeature>();
        let samples = |rows| DenseSamples::new(rows).unwrap();
        let (left, right) =
            (samples(ndarray::array![[1.0, 7.0], [2.0, 7.0]]), samples(ndarray::array![[4.0, 7.0]]));
        let run = |samples, first| (entry.execute)(&Part { samples, first }, &[], &[]).unwrap().sums;
        let merged = (entry.merge)(&run(&left, 0), &run(&right, 2)).unwrap();
        assert_eq!(from_bytes::<Total>(&merged), Ok(Total { total: 7.0 }));
        assert_eq!(merged, to_bytes(&Total { total: 7.0 }));
        let both = samples(ndarray::array![[1.0, 7.0], [2.0, 7.0], [4.0, 7.0]]);
        assert_eq!(query::run::<f64, _>(&both, &FirstFeature), Ok(Total { total: 7.0 }));
    }
}
