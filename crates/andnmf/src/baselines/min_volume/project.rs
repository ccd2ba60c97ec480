//! The nearest point of a simplex or a sphere.

use crate::Real;

/// Replaces `values` by the nearest point that is non-negative and sums to 1.
pub(crate) fn project_on_simplex<T: Real>(values: &mut [T]) {
    // Michelot's method: lower all values of the current set by their excess, drop those at or below zero, and
    // repeat. Each round drops at least one, and few rounds are needed.
    let mut positive: Vec<f64> = values.iter().map(|v| v.as_f64()).collect();
    let mut shift;
    loop {
        shift = (positive.iter().sum::<f64>() - 1.0) / positive.len() as f64;
        let before = positive.len();
        positive.retain(|&v| v > shift);
        if positive.len() == before {
            break;
        }
        if positive.is_empty() {
            // Only if the 1 is lost to rounding beside huge values: the largest takes all.
            return only_largest(values);
        }
    }
    for v in values.iter_mut() {
        *v = T::from_f64((v.as_f64() - shift).max(0.0));
    }
}

/// Replaces `values` by the nearest point of length 1, which must also be non-negative unless `signed`.
pub(crate) fn project_on_sphere<T: Real>(values: &mut [T], signed: bool) {
    let zero = T::from_f64(0.0);
    let counts = |v: &T| signed || *v > zero;
    let largest = values.iter().filter(|v| counts(v)).fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    if largest == 0.0 {
        return only_largest(values);
    }
    // Scaled first, so that squares stay in range.
    let square = |v: &T| (v.as_f64() / largest).powi(2);
    let length = largest * values.iter().filter(|v| counts(v)).map(square).sum::<f64>().sqrt();
    for v in values.iter_mut() {
        *v = if counts(v) { T::from_f64(v.as_f64() / length) } else { zero };
    }
}

/// The corner at the largest value; at the first of several.
fn only_largest<T: Real>(values: &mut [T]) {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = i;
        }
    }
    values.fill(T::from_f64(0.0));
    if let Some(v) = values.get_mut(best) {
        *v = T::from_f64(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn no_point_of_the_simplex_is_nearer() {
        for seed in 0..20 {
            let given = random_matrix::<f64>(1, 6, seed).mapv(|v| 3.0 * v).into_raw_vec_and_offset().0;
            let mut found = given.clone();
            project_on_simplex(&mut found);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-14 && found.iter().all(|&v| v >= 0.0));
            // At the nearest point, moving towards any corner leads no nearer.
            for corner in 0..6 {
                let slope: f64 = (0..6)
                    .map(|i| (found[i] - given[i]) * (f64::from(u8::from(i == corner)) - found[i]))
                    .sum();
                assert!(slope > -1e-12, "seed {seed}: {found:?} is not nearest to {given:?}");
            }
        }
    }

    #[test]
    fn points_of_the_simplex_stay() {
        let mut values = [0.25_f64, 0.0, 0.75];
        project_on_simplex(&mut values);
        assert!(distance(&values, &[0.25, 0.0, 0.75]) < 1e-15);
    }

    #[test]
    fn huge_values_project_on_a_corner() {
        let mut values = [1e300, 3.0, 2e300];
        project_on_simplex(&mut values);
        assert_eq!(values, [0.0, 0.0, 1.0]);
        let mut values = [1e300_f64, -1e300, 0.0];
        project_on_sphere(&mut values, true);
        assert!(distance(&values, &[0.5_f64.sqrt(), -0.5_f64.sqrt(), 0.0]) < 1e-15);
    }

    #[test]
    fn the_sphere_keeps_directions_and_drops_negative_values_where_asked() {
        let mut values = [3.0_f64, -4.0];
        project_on_sphere(&mut values, true);
        assert!(distance(&values, &[0.6, -0.8]) < 1e-15);
        let mut values = [3.0_f64, -4.0];
        project_on_sphere(&mut values, false);
        assert_eq!(values, [1.0, 0.0]);
        let mut values = [-3.0_f64, -1.0];
        project_on_sphere(&mut values, false);
        assert_eq!(values, [0.0, 1.0]);
    }
}
