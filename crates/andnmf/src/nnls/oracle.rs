//! Slow reference solvers for the tests.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// The solution of a square system by elimination with pivots; `None` if it is nearly singular.
fn eliminate(mut a: Array2<f64>, mut b: Array1<f64>) -> Option<Array1<f64>> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&x, &y| a[[x, i]].abs().total_cmp(&a[[y, i]].abs()))?;
        if a[[pivot, i]].abs() < 1e-6 {
            return None;
        }
        for j in 0..n {
            a.swap([i, j], [pivot, j]);
        }
        b.swap(i, pivot);
        for row in i + 1..n {
            let factor = a[[row, i]] / a[[i, i]];
            for j in i..n {
                a[[row, j]] -= factor * a[[i, j]];
            }
            b[row] -= factor * b[i];
        }
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| a[[i, j]] * b[j]).sum();
        b[i] = (b[i] - sum) / a[[i, i]];
    }
    Some(b)
}

fn least_squares(gram: ArrayView2<'_, f64>, p: ArrayView1<'_, f64>, set: &[usize]) -> Option<Array1<f64>> {
    let part = Array2::from_shape_fn((set.len(), set.len()), |(i, j)| gram[[set[i], set[j]]]);
    let values = eliminate(part, set.iter().map(|&k| p[k]).collect())?;
    let mut all = Array1::zeros(p.len());
    for (&k, &v) in set.iter().zip(&values) {
        all[k] = v;
    }
    Some(all)
}

/// xᵀGx/2 − pᵀx: half the squared residual, up to a constant.
pub(crate) fn loss(gram: ArrayView2<'_, f64>, p: ArrayView1<'_, f64>, x: ArrayView1<'_, f64>) -> f64 {
    0.5 * x.dot(&gram.dot(&x)) - p.dot(&x)
}

/// The best of the non-negative least-squares solutions of all passive sets.
pub(crate) fn exhaustive(gram: ArrayView2<'_, f64>, p: ArrayView1<'_, f64>) -> Array1<f64> {
    let rank = p.len();
    let mut best = Array1::zeros(rank);
    for bits in 1_usize..1 << rank {
        let set: Vec<usize> = (0..rank).filter(|k| bits >> k & 1 == 1).collect();
        if let Some(x) = least_squares(gram, p, &set)
            && x.iter().all(|&v| v >= 0.0)
            && loss(gram, p, x.view()) < loss(gram, p, best.view())
        {
            best = x;
        }
    }
    best
}

/// The active-set method of Lawson and Hanson, for components that are far from dependent.
pub(crate) fn lawson_hanson(components: ArrayView2<'_, f64>, sample: ArrayView1<'_, f64>) -> Array1<f64> {
    let (gram, p) = (components.dot(&components.t()), components.dot(&sample));
    let mut x: Array1<f64> = Array1::zeros(p.len());
    let mut set: Vec<usize> = Vec::new();
    loop {
        let slope = components.dot(&(&sample - &x.dot(&components)));
        let entering = (0..p.len())
            .filter(|k| !set.contains(k) && slope[*k] > 1e-11)
            .max_by(|&a, &b| slope[a].total_cmp(&slope[b]));
        let Some(entering) = entering else { return x };
        set.push(entering);
        loop {
            let target = least_squares(gram.view(), p.view(), &set).expect("independent components");
            if set.iter().all(|&k| target[k] > 0.0) {
                x = target;
                break;
            }
            let step = set
                .iter()
                .filter(|&&k| target[k] <= 0.0)
                .map(|&k| x[k] / (x[k] - target[k]))
                .fold(1.0, f64::min);
            x = &x + &((&target - &x) * step);
            set.retain(|&k| x[k] > 1e-14);
            (0..p.len()).filter(|k| !set.contains(k)).for_each(|k| x[k] = 0.0);
        }
    }
}
