//! A map of the components: points in the plane whose distances are close to those of the components.

use andnmf::Real;
use ndarray::{Array2, ArrayView2, Axis};
use serde::Serialize;

use crate::rounding::rounded;

/// More components would overlap on any screen.
const MAX_MAPPED: usize = 300;
/// Steps of stress majorization; positions hardly change after a hundred.
const MAX_STEPS: usize = 300;
/// Number of features whose products are summed at once.
const FEATURES_AT_ONCE: usize = 4096;
/// The relative decrease of the stress below which the steps end.
const TOLERANCE: f64 = 1e-5;

/// The positions of components on a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Positions {
    /// The components of the map, counted from 0: all, or the strongest if there are too many.
    pub members: Vec<usize>,
    /// Their points, centred, with the first axis along the largest spread.
    pub points: Vec<(f64, f64)>,
    /// The correlation of distances on the map with those of the components: 1 if the map is exact.
    pub fidelity: f64,
}

impl Positions {
    /// The map of components by their Hellinger distances; `shares` ranks them. `None` for fewer than three.
    pub(crate) fn of<T: Real>(components: ArrayView2<'_, T>, shares: Option<&[f64]>) -> Option<Self> {
        let members = strongest(components.nrows(), shares, MAX_MAPPED);
        if members.len() < 3 {
            return None;
        }
        let distances = distances(components, &members);
        let mut points = principal_axes(&distances);
        majorize(&distances, &mut points);
        along_axes(&mut points);
        let fidelity = rounded(correlation(&distances, &points));
        let points = points.into_iter().map(|[x, y]| (rounded(x), rounded(y))).collect();
        Some(Self { members, points, fidelity })
    }
}

/// The `count` components with the largest shares, in their own order.
pub(crate) fn strongest(rank: usize, shares: Option<&[f64]>, count: usize) -> Vec<usize> {
    let mut members: Vec<usize> = (0..rank).collect();
    if let Some(shares) = shares {
        members.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    }
    members.truncate(count);
    members.sort_unstable();
    members
}

/// Hellinger distances between components scaled to sum to one. Unlike Euclidean distances, they do not depend on a few
/// large features alone; unlike divergences, they are finite where features are zero.
fn distances<T: Real>(components: ArrayView2<'_, T>, members: &[usize]) -> Array2<f64> {
    let sum = |&member: &usize| components.row(member).iter().map(|value| value.as_f64().abs()).sum::<f64>();
    let sums: Vec<f64> = members.iter().map(sum).collect();
    let root =
        |value: f64, sum: f64| if sum > 0.0 { (value.abs() / sum).sqrt().copysign(value) } else { 0.0 };
    let mut products = Array2::zeros((members.len(), members.len()));
    // By parts: a copy of all components may not fit in memory.
    for features in components.axis_chunks_iter(Axis(1), FEATURES_AT_ONCE) {
        let shape = (members.len(), features.ncols());
        let roots = Array2::from_shape_fn(shape, |(i, w)| root(features[[members[i], w]].as_f64(), sums[i]));
        products += &roots.dot(&roots.t());
    }
    Array2::from_shape_fn(
        products.dim(),
        |(i, j)| {
            if i == j { 0.0 } else { (1.0 - products[[i, j]]).max(0.0).sqrt() }
        },
    )
}

/// Classical scaling: the two main directions of the doubly centred squares, by orthogonal iteration.
fn principal_axes(distances: &Array2<f64>) -> Vec<[f64; 2]> {
    let count = distances.nrows();
    let mut centred = distances.mapv(|distance| -0.5 * distance * distance);
    let means: Vec<f64> = centred.outer_iter().map(|row| row.sum() / count as f64).collect();
    let mean = means.iter().sum::<f64>() / count as f64;
    for ((i, j), value) in centred.indexed_iter_mut() {
        *value += mean - means[i] - means[j];
    }
    // Any start with both directions will do: the points are improved afterwards.
    let angle = |i: usize| 2.4 * i as f64;
    let mut axes = Array2::from_shape_fn(
        (count, 2),
        |(i, axis)| if axis == 0 { angle(i).cos() } else { angle(i).sin() },
    );
    let mut lengths = [0.0; 2];
    for _ in 0..100 {
        axes = centred.dot(&axes);
        for (axis, length) in lengths.iter_mut().enumerate() {
            if axis == 1 {
                let first = axes.column(0).to_owned();
                let along = first.dot(&axes.column(1));
                axes.column_mut(1).scaled_add(-along, &first);
            }
            *length = axes.column(axis).dot(&axes.column(axis)).sqrt();
            let unit = if *length > 1e-12 { 1.0 / *length } else { 0.0 };
            axes.column_mut(axis).mapv_inplace(|value| value * unit);
        }
    }
    // Equal points could not be told apart: a tiny spiral separates them.
    let apart = |i: usize| 1e-3 * (i + 1) as f64 / count as f64;
    let point = |i: usize, axis: usize| {
        let turn = if axis == 0 { angle(i).cos() } else { angle(i).sin() };
        axes[[i, axis]] * lengths[axis].sqrt() + apart(i) * turn
    };
    (0..count).map(|i| [point(i, 0), point(i, 1)]).collect()
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Stress majorization (SMACOF): each step lowers the squared differences between distances on the map and the real ones.
/// Directions alone would heap up many components that are all equally far from each other.
fn majorize(distances: &Array2<f64>, points: &mut Vec<[f64; 2]>) {
    let count = points.len();
    let mut before = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let mut stress = 0.0;
        let mut moved = vec![[0.0; 2]; count];
        for i in 0..count {
            for j in (0..count).filter(|&j| j != i) {
                let drawn = distance(points[i], points[j]);
                stress += (drawn - distances[[i, j]]).powi(2);
                let ratio = if drawn > 0.0 { distances[[i, j]] / drawn } else { 0.0 };
                for axis in 0..2 {
                    moved[i][axis] += ratio * (points[i][axis] - points[j][axis]);
                }
            }
        }
        if stress >= before * (1.0 - TOLERANCE) {
            return;
        }
        before = stress;
        *points = moved.into_iter().map(|point| point.map(|sum| sum / count as f64)).collect();
    }
}

/// Centres points and turns them so that the first axis has the largest spread; signs make the first point positive.
fn along_axes(points: &mut [[f64; 2]]) {
    let count = points.len() as f64;
    for axis in 0..2 {
        let mean = points.iter().map(|point| point[axis]).sum::<f64>() / count;
        points.iter_mut().for_each(|point| point[axis] -= mean);
    }
    let moment = |a: usize, b: usize| points.iter().map(|point| point[a] * point[b]).sum::<f64>();
    let turn = 0.5 * (2.0 * moment(0, 1)).atan2(moment(0, 0) - moment(1, 1));
    let (sin, cos) = turn.sin_cos();
    points.iter_mut().for_each(|[x, y]| (*x, *y) = (cos * *x + sin * *y, cos * *y - sin * *x));
    for axis in 0..2 {
        if points[0][axis] < 0.0 {
            points.iter_mut().for_each(|point| point[axis] = -point[axis]);
        }
    }
}

/// The correlation of drawn and real distances; 1 if all are equal.
fn correlation(distances: &Array2<f64>, points: &[[f64; 2]]) -> f64 {
    let pairs = || (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let real = |(i, j): (usize, usize)| distances[[i, j]];
    let drawn = |(i, j): (usize, usize)| distance(points[i], points[j]);
    let count = pairs().count() as f64;
    let (mean_real, mean_drawn) =
        (pairs().map(real).sum::<f64>() / count, pairs().map(drawn).sum::<f64>() / count);
    let moment = |f: &dyn Fn((usize, usize)) -> f64| pairs().map(f).sum::<f64>();
    let both = moment(&|pair| (real(pair) - mean_real) * (drawn(pair) - mean_drawn));
    let scale = moment(&|pair| (real(pair) - mean_real).powi(2)).sqrt()
        * moment(&|pair| (drawn(pair) - mean_drawn).powi(2)).sqrt();
    if scale > 1e-12 { both / scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn distances_are_zero_for_multiples_and_one_without_a_common_feature() {
        let components = array![[1.0, 3.0, 0.0], [2.0, 6.0, 0.0], [0.0, 0.0, 5.0], [1.0, 0.0, 0.0]];
        let distances = distances(components.view(), &[0, 1, 2, 3]);
        assert!(distances[[0, 1]] < 1e-7 && (distances[[0, 2]] - 1.0).abs() < 1e-12);
        // 1 − √(1/4 · 1) = 1/2.
        assert!((distances[[0, 3]] - 0.5_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn three_components_keep_their_distances() {
        let components = array![[4.0, 1.0, 0.0], [1.0, 4.0, 0.2], [0.0, 0.5, 4.0]];
        let distances = distances(components.view(), &[0, 1, 2]);
        let map = Positions::of(components.view(), None).unwrap();
        for i in 0..3 {
            for j in 0..i {
                let ((ax, ay), (bx, by)) = (map.points[i], map.points[j]);
                let drawn = (ax - bx).hypot(ay - by);
                assert!((drawn / distances[[i, j]] - 1.0).abs() < 0.02, "{i} {j}: {drawn}");
            }
        }
        assert!(map.fidelity > 0.99, "{}", map.fidelity);
    }

    #[test]
    fn similar_components_are_close_and_equal_ones_are_finite() {
        // Four groups of five that share features.
        let components = Array2::from_shape_fn((20, 400), |(k, w)| {
            let group = if w / 100 == k % 4 { 1.0 } else { 0.02 };
            group * (1.0 + ((k * 31 + w * 17) % 7) as f64)
        });
        let map = Positions::of(components.view(), None).unwrap();
        let apart = |i: usize, j: usize| {
            let ((ax, ay), (bx, by)) = (map.points[i], map.points[j]);
            (ax - bx).hypot(ay - by)
        };
        for i in 0..20 {
            let nearest = (0..20).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
            assert_eq!(nearest.unwrap() % 4, i % 4, "{i}");
        }
        let equal = Positions::of(Array2::<f64>::ones((4, 3)).view(), None).unwrap();
        assert!(equal.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        let zeros = Positions::of(Array2::<f64>::zeros((5, 3)).view(), None).unwrap();
        assert!(zeros.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
    }

    #[test]
    fn two_components_have_no_map_and_many_show_the_strongest() {
        assert_eq!(Positions::of(array![[1.0, 0.0], [0.0, 1.0]].view(), None), None);
        assert_eq!(strongest(4, Some(&[0.1, 0.5, 0.0, 0.4]), 2), [1, 3]);
        assert_eq!(strongest(3, None, 2), [0, 1]);
    }
}
