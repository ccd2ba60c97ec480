//! Every query of the registry: parts merge to the whole, and requests and replies are checked for damage.

use std::collections::BTreeSet;

use super::*;
use crate::query::request;
use crate::query::testing::ExampleCheck;
use crate::samples::DenseSamples;
use crate::samples::fold::FoldPlan;
use crate::testing::random_matrix;

fn examples_of_every_query_pass<T: Real>() {
    let mut names = BTreeSet::new();
    for entry in registry::<T>() {
        assert!(entry.name.ends_with(T::NAME) && names.insert(entry.name.clone()), "{}", entry.name);
        for sparse in [false, true] {
            let mut check = ExampleCheck::new(sparse);
            (entry.examples)(&mut check);
            assert!(!check.names.is_empty(), "{} has no examples", entry.name);
            assert!(check.names.iter().all(|name| *name == entry.name), "{:?}", check.names);
        }
    }
}

#[test]
fn parts_merge_to_the_whole_and_damage_is_refused() {
    examples_of_every_query_pass::<f64>();
    examples_of_every_query_pass::<f32>();
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
    use crate::query::{Sums, WireReader, WireWriter, from_bytes, to_bytes, wire};

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

        fn examples(check: &mut ExampleCheck<T>) {
            check.check(&Self, |result| vec![result.total]);
        }
    }

    #[test]
    fn a_new_query_is_one_type_and_one_line() {
        let entry: RegisteredQuery<f64> = register::<f64, FirstFeature>();
        (entry.examples)(&mut ExampleCheck::new(true));
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
