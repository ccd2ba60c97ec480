//! Hierarchical clustering with average linkage, to order similar components next to each other.
//!
//! Nearest-neighbour chain algorithm: two clusters are merged when each is the nearest neighbour of the other. For
//! average linkage this gives the same tree as always merging the closest pair, in quadratic time.

use std::mem::take;

use ndarray::{Array2, ArrayView2};

/// The leaves 0…n−1 of the cluster tree in an order that keeps every cluster contiguous; the two parts of a cluster are
/// oriented so that their most similar ends meet. `distances` is symmetric and without NaN.
pub(crate) fn leaf_order(distances: ArrayView2<'_, f64>) -> Vec<usize> {
    let mut leaves: Vec<Vec<usize>> = (0..distances.nrows()).map(|leaf| vec![leaf]).collect();
    for (kept, removed) in merges(distances.to_owned()) {
        let (left, right) = (take(&mut leaves[kept]), take(&mut leaves[removed]));
        leaves[kept] = join(left, right, distances);
    }
    let mut order = leaves.into_iter().find(|leaves| !leaves.is_empty()).unwrap_or_default();
    // Both directions are equivalent: start with the smaller number.
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

/// The merges of clusters in order, as pairs (kept, removed). A cluster is identified by the index of one member.
fn merges(mut distances: Array2<f64>) -> Vec<(usize, usize)> {
    let count = distances.nrows();
    let mut sizes = vec![1.0; count];
    let mut alive: Vec<usize> = (0..count).collect();
    let mut chain: Vec<usize> = Vec::new();
    let mut merged = Vec::new();
    while alive.len() > 1 {
        let last = *chain.last().unwrap_or(&alive[0]);
        if chain.is_empty() {
            chain.push(last);
        }
        let before = chain.len().checked_sub(2).map(|i| chain[i]);
        let nearest = nearest(&distances, &alive, last, before);
        if before != Some(nearest) {
            chain.push(nearest);
            continue;
        }
        let (kept, removed) = (last.min(nearest), last.max(nearest));
        let (share, rest) =
            (sizes[kept] / (sizes[kept] + sizes[removed]), sizes[removed] / (sizes[kept] + sizes[removed]));
        alive.retain(|&cluster| cluster != removed);
        for &other in alive.iter().filter(|&&other| other != kept) {
            let mean = share * distances[[kept, other]] + rest * distances[[removed, other]];
            (distances[[kept, other]], distances[[other, kept]]) = (mean, mean);
        }
        sizes[kept] += sizes[removed];
        // Rounding could make a chain revert to itself: cut it where it first contains one of the pair.
        let end = chain.iter().position(|&cluster| cluster == kept || cluster == removed);
        chain.truncate(end.unwrap_or(0));
        merged.push((kept, removed));
    }
    merged
}

/// The nearest other cluster; ties go to the previous one in the chain, so that chains end.
fn nearest(distances: &Array2<f64>, alive: &[usize], from: usize, before: Option<usize>) -> usize {
    let others = alive.iter().copied().filter(|&other| other != from);
    let by_distance = |a: &usize, b: &usize| distances[[from, *a]].total_cmp(&distances[[from, *b]]);
    let nearest = others.min_by(by_distance).unwrap_or(from);
    before.filter(|&before| distances[[from, before]] <= distances[[from, nearest]]).unwrap_or(nearest)
}

/// Concatenates two lists, each oriented so that the ends that meet are as close as possible.
fn join(mut left: Vec<usize>, mut right: Vec<usize>, distances: ArrayView2<'_, f64>) -> Vec<usize> {
    let ends = |list: &[usize]| (list[0], list[list.len() - 1]);
    let ((a, b), (c, d)) = (ends(&left), ends(&right));
    let gaps = [distances[[b, c]], distances[[b, d]], distances[[a, c]], distances[[a, d]]];
    let best = (0..4).min_by(|&i, &j| gaps[i].total_cmp(&gaps[j])).unwrap_or(0);
    if best >= 2 {
        left.reverse();
    }
    if best % 2 == 1 {
        right.reverse();
    }
    left.append(&mut right);
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Pseudo-random distances without ties.
    fn distances(count: usize, seed: u64) -> Array2<f64> {
        let mut matrix = Array2::zeros((count, count));
        let mut state = seed;
        for i in 0..count {
            for j in 0..i {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let value = (state >> 11) as f64 / (1_u64 << 53) as f64;
                (matrix[[i, j]], matrix[[j, i]]) = (value, value);
            }
        }
        matrix
    }

    /// Always merges the two clusters with the smallest mean distance, computed directly from all members.
    fn naive_clusters(distances: &Array2<f64>) -> BTreeSet<BTreeSet<usize>> {
        let mut clusters: Vec<BTreeSet<usize>> =
            (0..distances.nrows()).map(|leaf| BTreeSet::from([leaf])).collect();
        let mut all = BTreeSet::new();
        while clusters.len() > 1 {
            let mut best = (f64::INFINITY, 0, 0);
            for i in 0..clusters.len() {
                for j in 0..i {
                    let pairs = clusters[i].iter().flat_map(|&a| clusters[j].iter().map(move |&b| (a, b)));
                    let total: f64 = pairs.map(|(a, b)| distances[[a, b]]).sum();
                    let mean = total / (clusters[i].len() * clusters[j].len()) as f64;
                    if mean < best.0 {
                        best = (mean, i, j);
                    }
                }
            }
            let mut merged = clusters.swap_remove(best.1);
            merged.append(&mut clusters[best.2]);
            clusters[best.2].clone_from(&merged);
            all.insert(merged);
        }
        all
    }

    #[test]
    fn the_tree_is_that_of_always_merging_the_nearest_pair() {
        for seed in 0..40 {
            let count = 2 + seed as usize % 23;
            let distances = distances(count, seed + 1);
            let mut members: Vec<BTreeSet<usize>> = (0..count).map(|leaf| BTreeSet::from([leaf])).collect();
            let mut clusters = BTreeSet::new();
            for (kept, removed) in merges(distances.clone()) {
                let other = take(&mut members[removed]);
                members[kept].extend(other);
                clusters.insert(members[kept].clone());
            }
            assert_eq!(clusters, naive_clusters(&distances), "seed {seed}");
        }
    }

    #[test]
    fn every_cluster_is_contiguous_in_the_order() {
        let distances = distances(30, 7);
        let order = leaf_order(distances.view());
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), (0..30).collect());
        for cluster in naive_clusters(&distances) {
            let positions: Vec<usize> = (0..30).filter(|&at| cluster.contains(&order[at])).collect();
            assert_eq!(
                positions[positions.len() - 1] - positions[0] + 1,
                cluster.len(),
                "{cluster:?} in {order:?}"
            );
        }
    }

    #[test]
    fn shuffled_groups_are_recovered() {
        let group = |i: usize| i % 3;
        let distances = Array2::from_shape_fn((9, 9), |(i, j)| {
            if i == j {
                0.0
            } else if group(i) == group(j) {
                0.1
            } else {
                1.0
            }
        });
        let groups: Vec<usize> = leaf_order(distances.view()).into_iter().map(group).collect();
        assert_eq!(groups.iter().zip(&groups[1..]).filter(|(a, b)| a != b).count(), 2, "{groups:?}");
    }

    #[test]
    fn the_ends_that_meet_are_the_nearest() {
        // Points on a line: any other order would put distant points next to each other.
        let positions = [5.0, 0.0, 9.0, 1.0, 6.5, 10.5];
        let distances = Array2::from_shape_fn((6, 6), |(i, j)| f64::abs(positions[i] - positions[j]));
        assert_eq!(leaf_order(distances.view()), [1, 3, 0, 4, 2, 5]);
    }

    #[test]
    fn one_leaf_or_none_is_handled() {
        assert_eq!(leaf_order(Array2::zeros((1, 1)).view()), [0]);
        assert!(leaf_order(Array2::zeros((0, 0)).view()).is_empty());
    }
}
