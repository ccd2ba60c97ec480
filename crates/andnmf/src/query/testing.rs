//! Checks a query by examples that it declares itself: parts merge to the whole, and damaged messages are refused.

use std::fmt::Debug;
use std::ops::Range;

use ndarray::{Array2, s};

use super::{Part, Query, WireReader, execute, full_name, merge, read_reply, request, run};
use crate::Real;
use crate::samples::{CsrSamples, DenseSamples, Reply, Request, Samples};
use crate::testing::{assert_close, random_matrix, sparse_copy};

const SAMPLES: usize = 700;
const FEATURES: usize = 14;
const RANK: usize = 3;

/// Data for the examples of a query, and the checks that each of them must pass.
pub(crate) struct ExampleCheck<T: Real> {
    data: Array2<T>,
    sparse: bool,
    /// Names of the queries checked.
    pub(crate) names: Vec<String>,
}

impl<T: Real> ExampleCheck<T> {
    pub(crate) fn new(sparse: bool) -> Self {
        let kept = |v: T| !sparse || v.as_f64() >= 0.8;
        let data = random_matrix(SAMPLES, FEATURES, 1);
        let data = data.mapv(|v| if kept(v) { v } else { T::from_f64(0.0) });
        Self { data, sparse, names: Vec::new() }
    }

    /// True if the samples are stored sparsely.
    pub(crate) fn is_sparse(&self) -> bool {
        self.sparse
    }

    pub(crate) fn samples(&self) -> Box<dyn Samples<T>> {
        self.part(0..SAMPLES)
    }

    /// Components × features, with values of both signs.
    pub(crate) fn components(&self) -> Array2<T> {
        random_matrix(RANK, FEATURES, 2)
    }

    /// Samples × components, not negative.
    pub(crate) fn weights(&self) -> Array2<T> {
        random_matrix::<T>(SAMPLES, RANK, 3).mapv(|v| T::from_f64(v.as_f64().abs()))
    }

    /// A positive number for each sample.
    pub(crate) fn noise(&self) -> Vec<f64> {
        (0..SAMPLES).map(|i| 0.1 + i as f64 / SAMPLES as f64).collect()
    }

    fn part(&self, rows: Range<usize>) -> Box<dyn Samples<T>> {
        let rows = self.data.slice(s![rows, ..]).to_owned();
        if !self.sparse {
            return Box::new(DenseSamples::new(rows).unwrap());
        }
        let (pointers, indices, values) = sparse_copy(&rows);
        Box::new(CsrSamples::new(FEATURES, &pointers, indices, values).unwrap())
    }

    /// Checks a query; `numbers` returns the values of its result.
    pub(crate) fn check<Q: Query<T, Error: Debug>>(
        &mut self,
        query: &Q,
        numbers: impl Fn(&Q::Partial) -> Vec<f64>,
    ) {
        let name = full_name::<T, Q>();
        let whole = self.samples();
        let expected = numbers(&run(whole.as_ref(), query).unwrap());
        let request = request(query, SAMPLES);
        assert_eq!(request.query, name);
        let execute_on = |rows: Range<usize>| {
            let samples = self.part(rows.clone());
            let own = request.rows_of(rows.clone()).unwrap();
            let part = Part { samples: samples.as_ref(), first: rows.start };
            execute::<T, Q>(&part, &request.arguments, own).unwrap()
        };
        let (left, right) = (execute_on(0..90), execute_on(90..SAMPLES));
        let sums = merge::<T, Q>(&left.sums, &right.sums).unwrap();
        let reply = Reply { sums, rows: [&left.rows[..], &right.rows].concat() };
        assert_eq!(reply.rows.is_empty(), !request.returns_rows, "{name}");
        let merged: Q::Partial = read_reply(&reply, SAMPLES).unwrap();
        assert!(query.accepts(&merged, &Part { samples: whole.as_ref(), first: 0 }), "{name}");
        let row = |numbers: Vec<f64>| Array2::from_shape_vec((1, numbers.len()), numbers).unwrap();
        assert_close(&row(numbers(&merged)), &row(expected.clone()), 4096.0 * T::EPSILON.as_f64());
        // Conversion to bytes and back changes nothing.
        let alone: Q::Partial = read_reply(&execute_on(0..SAMPLES), SAMPLES).unwrap();
        assert_eq!(numbers(&alone), expected, "{name}");
        refuses_damage::<T, Q>(&request, &reply, whole.as_ref());
        self.names.push(name);
    }
}

/// The values of a matrix.
pub(crate) fn values<T: Real>(matrix: &Array2<T>) -> Vec<f64> {
    matrix.iter().map(|v| v.as_f64()).collect()
}

fn refuses_damage<T: Real, Q: Query<T>>(request: &Request, reply: &Reply, whole: &dyn Samples<T>) {
    let Request { query: name, arguments, rows, .. } = request;
    let all = Part { samples: whole, first: 0 };
    let refused = |arguments: &[u8], rows: &[u8]| {
        assert!(execute::<T, Q>(&all, arguments, rows).is_err(), "{name}");
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
        assert!(merge::<T, Q>(&reply.sums[..end], &reply.sums).is_err(), "{name}");
        assert!(merge::<T, Q>(&reply.sums, &reply.sums[..end]).is_err(), "{name}");
        let cut = Reply { sums: reply.sums[..end].to_vec(), rows: reply.rows.clone() };
        assert!(read_reply::<Q::Partial>(&cut, SAMPLES).is_err(), "{name}");
    }
    assert!(merge::<T, Q>(&longer(&reply.sums), &reply.sums).is_err(), "{name}");
    for rows in [longer(&reply.rows), reply.rows[..reply.rows.len() / 2].to_vec()] {
        let cut = Reply { sums: reply.sums.clone(), rows };
        let read = read_reply::<Q::Partial>(&cut, SAMPLES);
        assert!(cut.rows.is_empty() || read.is_err(), "{name}");
    }
    // Samples that do not match the arguments; the caller must detect sums over other features.
    let narrow = DenseSamples::new(random_matrix::<T>(SAMPLES, FEATURES - 1, 7)).unwrap();
    if let Ok(other) = execute::<T, Q>(&Part { samples: &narrow, first: 0 }, arguments, rows) {
        let read: Q::Partial = read_reply(&other, SAMPLES).unwrap();
        let query = Q::read(&mut WireReader::new(arguments), &mut WireReader::new(rows), &all).unwrap();
        let no_features = reply.sums.len() == other.sums.len();
        assert!(no_features || !query.accepts(&read, &all), "{name}");
    }
}
