//! Samples that are set aside: junk, saturated or spiked ones, which are no mixtures of the components.
//!
//! A few of them are enough to turn a direction, or to take one from a component. They show in two ways. Most have far more
//! outside the leading directions than samples usually have. One that is strong enough to pull a direction to itself has
//! not, but it holds nearly all that lies in that direction alone. Both kinds are left out, the directions are found from
//! the others, and all samples are tested against those: a strange sample that the others do explain comes back. Samples
//! of a rare component explain each other, so that none of them is alone in its direction.
//!
//! What is set aside takes no part in the fit; its weights are found as those of any other sample.

use ndarray::{ArrayView2, Axis, concatenate};
use rayon::prelude::*;

use super::projected::{Directions, SampleProjection, directions};
use super::shares::quantile;
use crate::constants::{Constants, OutlierConstants};
use crate::linalg::coordinates::project;
use crate::samples::{MeasuredSamples, SampleSubset, Samples};
use crate::{FitError, Real};

/// Samples in the space of the stages, without those that are set aside.
pub(super) struct Prepared<T: Real> {
    pub(super) leading: Directions<T>,
    pub(super) projection: SampleProjection<T>,
    /// The numbers of the samples that were set aside, in order.
    pub(super) set_aside: Vec<usize>,
    /// Passes over the samples after those for the first directions.
    pub(super) passes: usize,
}

/// The hold of each sample on the directions.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    /// The length of each sample within the leading directions.
    inside: Vec<f64>,
    /// The same within all directions, spare ones included.
    inside_all: Vec<f64>,
    /// The share of a sample in all that lies in its own direction, from 0 to 1.
    share: Vec<f64>,
    /// The number of directions.
    directions: usize,
}

impl Hold {
    /// From the coordinates of samples (rows) along the directions in which these samples are strongest, of which the
    /// first `leading` are not spare. Of the samples that are `left_out` the directions are not.
    pub(super) fn new<T: Real>(coordinates: ArrayView2<'_, T>, leading: usize, left_out: &[usize]) -> Self {
        let width = coordinates.ncols().max(1);
        let largest = coordinates.iter().fold(0.0_f64, |largest, v| largest.max(v.as_f64().abs()));
        // Squares of values in any unit stay in range.
        let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let rows = coordinates.as_standard_layout();
        let rows = rows.as_slice().expect("row-major");
        let mut sizes = vec![0.0; width];
        let mut held = vec![true; coordinates.nrows()];
        left_out.iter().for_each(|&i| held[i] = false);
        for (row, _) in rows.chunks_exact(width).zip(&held).filter(|(_, held)| **held) {
            sizes.iter_mut().zip(row).for_each(|(size, v)| *size += (v.as_f64() * scale).powi(2));
        }
        let squares = |row: &[T]| row.iter().map(|v| (v.as_f64() * scale).powi(2)).collect::<Vec<f64>>();
        let of_row = |row: &[T]| {
            let squares = squares(row);
            let share = |(square, size): (&f64, &f64)| if *size > 0.0 { square / size } else { 0.0 };
            let (inside, all) = (squares[..leading].iter().sum::<f64>(), squares.iter().sum::<f64>());
            (
                inside.sqrt() * largest,
                all.sqrt() * largest,
                squares.iter().zip(&sizes).map(share).sum::<f64>(),
            )
        };
        let found: Vec<(f64, f64, f64)> =
            rows.par_chunks_exact(width).with_min_len(256).map(of_row).collect();
        let share = found.iter().zip(held).map(|(of, held)| if held { of.2 } else { 0.0 }).collect();
        Self {
            inside: found.iter().map(|of| of.0).collect(),
            inside_all: found.iter().map(|of| of.1).collect(),
            share,
            directions: coordinates.ncols(),
        }
    }
}

/// Projects the samples on their leading directions, without samples that are set aside.
///
/// Distributed samples are not tested: that would take queries of its own.
pub(super) fn project_without_outliers<T: Real>(
    samples: &dyn Samples<T>,
    leading: Directions<T>,
    (rank, seed): (usize, u64),
    constants: &Constants,
) -> Result<Prepared<T>, FitError> {
    let measured = MeasuredSamples::new(samples);
    let tested = samples.executor().is_none();
    let source: &dyn Samples<T> = if tested { &measured } else { samples };
    let Directions { basis, spare, spectrum, .. } = &leading;
    let projection = SampleProjection::new(source, basis, spare, spectrum, &constants.projection)?;
    let whole = |leading, projection, passes| Prepared { leading, projection, set_aside: Vec::new(), passes };
    if !tested {
        return Ok(whole(leading, projection, 1));
    }
    let mut search = Search {
        samples,
        lengths: measured.into_lengths(),
        strange: vec![false; samples.n_samples()],
        rank,
        seed,
        constants,
        passes: 1,
    };
    let Some(Settled { others, set_aside, .. }) = search.search(&projection.hold, spectrum.noise > 0.0)?
    else {
        return Ok(whole(leading, projection, search.passes));
    };
    let kept = without(samples, &set_aside);
    let kept = kept.as_ref().map_or(samples, |kept| kept as &dyn Samples<T>);
    let Directions { basis, spare, spectrum, .. } = &others;
    let projection = SampleProjection::new(kept, basis, spare, spectrum, &constants.projection)?;
    Ok(Prepared { leading: others, projection, set_aside, passes: search.passes + 1 })
}

/// The samples without those that are set aside; `None` if none are.
pub(super) fn without<'a, T: Real>(
    samples: &'a dyn Samples<T>,
    set_aside: &[usize],
) -> Option<SampleSubset<'a, T>> {
    let numbers = || complement(set_aside, samples.n_samples());
    (!set_aside.is_empty()).then(|| SampleSubset { samples, numbers: numbers() })
}

/// The numbers below `n` that are not among these, which are in order.
fn complement(numbers: &[usize], n: usize) -> Vec<usize> {
    let mut left_out = numbers.iter().copied().peekable();
    (0..n).filter(|i| left_out.next_if_eq(i).is_none()).collect()
}

/// The search for samples to set aside.
struct Search<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    lengths: Vec<f64>,
    /// Samples that stood out by themselves in some round: far outside all directions, or nearly alone in one.
    strange: Vec<bool>,
    rank: usize,
    seed: u64,
    constants: &'a Constants,
    passes: usize,
}

/// The end of a search: directions that no longer change what is set aside.
struct Settled<T: Real> {
    others: Directions<T>,
    set_aside: Vec<usize>,
    /// Samples far outside the leading directions that agree with each other: outliers, or a component too many.
    doubtful: Vec<usize>,
}

/// What one round says of each sample.
struct Judged {
    /// Too much of it lies outside the leading directions.
    far: Vec<bool>,
    /// It is nearly alone in some direction: no component of samples that explain each other.
    alone: Vec<bool>,
    /// It shares some direction with few others.
    in_a_group: Vec<bool>,
}

impl<T: Real> Search<'_, T> {
    /// The samples to set aside, and the directions of the others; `None` if there are none.
    fn search(&mut self, hold: &Hold, noisy: bool) -> Result<Option<Settled<T>>, FitError> {
        let n = self.lengths.len();
        let mut doubtful = Vec::new();
        // Without noise, the directions explain all samples.
        if noisy {
            let Judged { far, in_a_group, .. } = self.judge(hold);
            doubtful = (0..n).filter(|&i| (far[i] || in_a_group[i]) && !self.strange[i]).collect();
        }
        let mut first: Vec<usize> = (0..n).filter(|&i| self.strange[i]).collect();
        if first.is_empty() && doubtful.is_empty() {
            first = self.hiding();
        }
        let settled = if first.is_empty() { None } else { self.settle(first)? };
        if let Some(settled) = &settled {
            doubtful.clone_from(&settled.doubtful);
        }
        if doubtful.is_empty() {
            return Ok(settled);
        }
        // What agrees with itself is no component if the others single out the rank without it.
        doubtful.iter().for_each(|&i| self.strange[i] = true);
        let mut wider = settled.as_ref().map_or_else(Vec::new, |settled| settled.set_aside.clone());
        wider.extend(doubtful);
        wider.sort_unstable();
        let clear = |wider: &Settled<T>| wider.others.spectrum.gap() >= self.constants.outliers.clear_gap;
        Ok(self.settle(wider)?.filter(clear).or(settled))
    }

    /// Sets these samples aside, and others in their place until nothing changes; `None` if none remain, or too many.
    fn settle(&mut self, mut aside: Vec<usize>) -> Result<Option<Settled<T>>, FitError> {
        let (n, outliers) = (self.lengths.len(), &self.constants.outliers);
        let mut tested = vec![false; n];
        for _ in 0..outliers.rounds {
            if aside.is_empty() || aside.len() as f64 > outliers.most * n as f64 {
                return Ok(None);
            }
            aside.iter().for_each(|&i| tested[i] = true);
            let kept = SampleSubset { samples: self.samples, numbers: complement(&aside, n) };
            let others = directions(&kept, self.rank, self.seed, &self.constants.projection)?;
            let all =
                concatenate(Axis(0), &[others.basis.view(), others.spare.view()]).expect("equally wide");
            let coordinates = project(self.samples, all.view())?;
            self.passes += others.passes + 1;
            let hold = Hold::new(coordinates.view(), others.basis.nrows(), &aside);
            let mut judged = self.judge(&hold);
            if others.spectrum.noise == 0.0 {
                // In directions of rounding any sample may be alone.
                judged.alone.fill(false);
                judged.in_a_group.fill(false);
            }
            let Judged { far, alone, in_a_group } = judged;
            // Tested once without its own pull, a sample is not suspected again for being alone.
            let new: Vec<bool> = (0..n).map(|i| alone[i] && !tested[i]).collect();
            // Nothing comes back because of others that are suspects, too.
            let growing = new.contains(&true);
            let next: Vec<usize> = (0..n)
                .filter(|&i| new[i] || (self.strange[i] && (far[i] || (growing && tested[i]))))
                .collect();
            if next == aside {
                let doubtful = |&i: &usize| !self.strange[i] && (far[i] || (in_a_group[i] && !tested[i]));
                let doubtful = (0..n).filter(doubtful).collect();
                return Ok(Some(Settled { others, set_aside: aside, doubtful }));
            }
            aside = next;
        }
        Ok(None)
    }

    /// Judges all samples, and marks those that are strange by themselves.
    fn judge(&mut self, hold: &Hold) -> Judged {
        let OutlierConstants { alone, by_chance, samples_per_outlier, group, .. } = self.constants.outliers;
        let n = self.lengths.len() as f64;
        // The share of a sample if all have the same.
        let even = hold.directions as f64 / n;
        let at_least = |share: f64| share.max(8.0 * even).min(alone).max(1.5 * even);
        let few = n / (self.rank as f64 * samples_per_outlier);
        let (limit, of_group) =
            (at_least((1.0 / (1.0 + few)).max(by_chance)), at_least(1.0 / (1.0 + group * n)));
        let beyond = |limit: f64| hold.share.iter().map(|share| *share > limit).collect::<Vec<bool>>();
        let mut alone = beyond(limit);
        // With few samples per component, one that is alone may be all there is of a component.
        if few < 1.0 {
            alone.fill(false);
        }
        let strange = self.far(&hold.inside_all);
        for (i, known) in self.strange.iter_mut().enumerate() {
            *known |= strange[i] || alone[i];
        }
        Judged { far: self.far(&hold.inside), alone, in_a_group: beyond(of_group) }
    }

    /// True for samples of which too much lies outside.
    fn far(&self, inside: &[f64]) -> Vec<bool> {
        deviations::<T>(&self.lengths, inside, &self.constants.outliers).iter().map(|of| *of > 1.0).collect()
    }

    /// Few samples, much longer than the others, that have most of all squares: they would hide all else.
    fn hiding(&mut self) -> Vec<usize> {
        let (OutlierConstants { most, hiding, .. }, n) = (self.constants.outliers, self.lengths.len());
        let median = quantile(self.lengths.iter().copied(), 0.5);
        let is_long = |&i: &usize| self.lengths[i] > self.constants.projection.uneven * median;
        let long: Vec<usize> = (0..n).filter(is_long).collect();
        let squares =
            |numbers: &[usize]| numbers.iter().map(|&i| (self.lengths[i] / median).powi(2)).sum::<f64>();
        let others = squares(&complement(&long, n));
        if median > 0.0
            && squares(&long) * (1.0 - hiding) > hiding * others
            && long.len() as f64 <= most * n as f64
        {
            long.iter().for_each(|&i| self.strange[i] = true);
            return long;
        }
        Vec::new()
    }
}

/// What of each sample lies outside the directions, in multiples of what is too much.
fn deviations<T: Real>(lengths: &[f64], inside: &[f64], constants: &OutlierConstants) -> Vec<f64> {
    let OutlierConstants { usual, least_ratio, spread, .. } = *constants;
    // Differences of squares lose digits.
    let rounding = (64.0 * T::EPSILON.as_f64()).sqrt();
    let outside = |(&length, &inside): (&f64, &f64)| {
        let share = if length > 0.0 { (inside / length).min(1.0) } else { 1.0 };
        length * (1.0 - share * share).sqrt().max(rounding)
    };
    let residuals: Vec<f64> = lengths.iter().zip(inside).map(outside).collect();
    let something: Vec<usize> = (0..lengths.len()).filter(|&i| lengths[i] > 0.0).collect();
    let median = quantile(something.iter().map(|&i| lengths[i]), 0.5);
    // Noise has one size in short samples, and grows with long ones where light or materials vary.
    let short = something.iter().filter(|&&i| lengths[i] <= median);
    let floor = quantile(short.map(|&i| residuals[i]), usual);
    let long = something.iter().filter(|&&i| lengths[i] >= median);
    let slope = quantile(long.map(|&i| residuals[i] / lengths[i]), usual);
    let relative = |i: usize| residuals[i] / floor.max(slope * lengths[i]).max(f64::MIN_POSITIVE);
    let relative: Vec<f64> = (0..lengths.len()).map(relative).collect();
    let middle = quantile(something.iter().map(|&i| relative[i]), 0.5);
    let upper = quantile(something.iter().map(|&i| relative[i]), usual);
    let limit = (least_ratio * upper).max(middle + spread * (upper - middle)).max(f64::MIN_POSITIVE);
    relative.into_iter().map(|of| of / limit).collect()
}
