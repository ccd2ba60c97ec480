//! A prior of shares without a family: a finite set of profiles with weights (nonparametric maximum likelihood).
//!
//! Samples belong softly to profiles. Counts gathered by profile are few long samples, on which steps of likelihood for profiles
//! and components are cheap. A sample belongs to few profiles: most passes look only at its candidates, those that were likely
//! when all profiles were last compared.

use ndarray::{Array2, Axis};
use rand::seq::index;
use rayon::prelude::*;

use super::model::improved;
use super::pass::{ByFeature, ShareRule, pass};
use super::rows::{normalise, rows_of};
use crate::fit::{StageInterrupt, StopMonitor};
use crate::linalg::product::multiply;
use crate::random::{Stream, generator};
use crate::samples::{CsrSamples, Samples, read};

/// Samples per task.
const ROWS_PER_TASK: usize = 256;
/// Profiles per task of gathering.
const PROFILES_PER_TASK: usize = 16;
/// Profiles this much (in log-likelihood) below the best of a sample are no candidates.
const FAR: f32 = 12.0;
/// Memberships below this are left out.
const NEGLIGIBLE: f32 = 1e-4;
/// Smallest share of a component in a profile.
const LEAST_SHARE: f32 = 1e-9;

/// Profiles, their weights, and components.
#[derive(Debug, Clone)]
pub(crate) struct Profiles {
    pub(crate) components: Array2<f32>,
    /// Profiles × rank.
    pub(crate) profiles: Array2<f32>,
    /// One weight per profile; their sum is one.
    pub(crate) weights: Vec<f64>,
}

/// The course of the steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfileCourse {
    pub(crate) steps: usize,
    /// Steps of likelihood on the gathered counts, per step.
    pub(crate) sweeps: usize,
    /// Candidates of a sample, at most.
    pub(crate) candidates: usize,
    /// All profiles are compared every so many steps.
    pub(crate) refresh: usize,
    /// The first inverse temperature of the memberships; it rises to one over the first half of the steps.
    pub(crate) heat: f64,
}

/// The memberships of a sample: profiles and their probabilities.
type Memberships = Vec<(u32, f32)>;

/// The sum over samples of the log-likelihood under all profiles, and the memberships.
struct Expected {
    log_likelihood: f64,
    memberships: Vec<Memberships>,
}

/// Profiles that begin at the shares of random samples.
pub(crate) fn begin(components: Array2<f32>, shares: &Array2<f32>, how_many: usize, seed: u64) -> Profiles {
    let n = shares.nrows();
    let mut rng = generator(seed, Stream::RandomSamples);
    let mut chosen = index::sample(&mut rng, n, how_many.min(n)).into_vec();
    chosen.sort_unstable();
    let mut profiles = shares.select(Axis(0), &chosen);
    normalise(&mut profiles, 1e-6);
    let weights = vec![1.0 / chosen.len() as f64; chosen.len()];
    Profiles { components, profiles, weights }
}

/// Steps of profiles, weights and components towards the largest likelihood of the samples.
pub(crate) fn profile_steps(
    samples: &CsrSamples<'static, f32>,
    model: Profiles,
    course: &ProfileCourse,
    monitor: &StopMonitor<'_>,
) -> Result<(Profiles, f64), StageInterrupt> {
    let mut model = model;
    let mut candidates: Option<Vec<Memberships>> = None;
    let mut reached = f64::NEG_INFINITY;
    for step in 0..course.steps {
        monitor.check()?;
        let warming = (2.0 * step as f64 / course.steps as f64).min(1.0);
        let power = (course.heat + (1.0 - course.heat) * warming) as f32;
        let whole = step % course.refresh == 0 || step <= 2;
        let before = if whole { None } else { candidates.as_deref() };
        let found = expected(samples, &model, before, course.candidates, power)?;
        reached = found.log_likelihood;
        model = maximised(samples, &model, &found.memberships, course.sweeps)?;
        candidates = Some(found.memberships);
    }
    Ok((model, reached))
}

/// ln(profile · components) of each feature, features × profiles.
fn log_table(model: &Profiles) -> Array2<f32> {
    let mut table = multiply(model.components.t(), model.profiles.t());
    let width = table.ncols();
    table.as_slice_mut().expect("row-major").par_chunks_mut(width).for_each(|row| {
        row.iter_mut().for_each(|v| *v = v.max(1e-30).ln());
    });
    table
}

/// The memberships of all samples, among all profiles or among candidates.
fn expected(
    samples: &CsrSamples<'_, f32>,
    model: &Profiles,
    candidates: Option<&[Memberships]>,
    most: usize,
    power: f32,
) -> Result<Expected, StageInterrupt> {
    let table = log_table(model);
    let width = table.ncols();
    let table = table.as_slice().expect("row-major");
    let log_weights: Vec<f32> = model.weights.iter().map(|w| w.max(1e-12).ln() as f32).collect();
    let n = samples.n_samples();
    let tasks: Vec<usize> = (0..n).step_by(ROWS_PER_TASK).collect();
    let parts: Vec<Result<(f64, Vec<Memberships>), StageInterrupt>> = tasks
        .into_par_iter()
        .map(|first| {
            let end = (first + ROWS_PER_TASK).min(n);
            let block = read(samples, first..end)?;
            let crate::samples::Block::Sparse(rows) = &block else { return Ok((0.0, Vec::new())) };
            let (mut sum, mut all) = (0.0, Vec::with_capacity(end - first));
            let mut scores = vec![0.0_f32; width];
            for i in 0..end - first {
                let mut found: Memberships = match candidates {
                    None => {
                        scores.copy_from_slice(&log_weights);
                        for (feature, count) in rows.row(i) {
                            add_scaled_row(
                                &mut scores,
                                &table[feature * width..(feature + 1) * width],
                                count,
                            );
                        }
                        let best = scores.iter().fold(f32::NEG_INFINITY, |best, &v| best.max(v));
                        let near = scores.iter().enumerate().filter(|(_, v)| **v > best - FAR / power);
                        near.map(|(m, &v)| (m as u32, v)).collect()
                    }
                    Some(before) => before[first + i]
                        .iter()
                        .map(|&(m, _)| {
                            let mut score = log_weights[m as usize];
                            for (feature, count) in rows.row(i) {
                                score += count * table[feature * width + m as usize];
                            }
                            (m, score)
                        })
                        .collect(),
                };
                if found.len() > most {
                    found.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    found.truncate(most);
                    found.sort_unstable_by_key(|&(m, _)| m);
                }
                // All samples keep theirs: without this, they would keep room for nearly all profiles.
                found.shrink_to_fit();
                let best = found.iter().fold(f32::NEG_INFINITY, |best, &(_, v)| best.max(v));
                let plain: f32 = found.iter().map(|&(_, v)| (v - best).exp()).sum();
                sum += f64::from(best) + f64::from(plain).ln();
                let mut total = 0.0;
                for (_, score) in &mut found {
                    *score = ((*score - best) * power).exp();
                    total += *score;
                }
                found.iter_mut().for_each(|(_, v)| *v /= total);
                all.push(found);
            }
            Ok((sum, all))
        })
        .collect();
    let (mut log_likelihood, mut memberships) = (0.0, Vec::with_capacity(n));
    for part in parts {
        let (sum, rows) = part?;
        log_likelihood += sum;
        memberships.extend(rows);
    }
    Ok(Expected { log_likelihood, memberships })
}

/// `to += factor · row`, vectorized for the machine.
fn add_scaled_row(to: &mut [f32], row: &[f32], factor: f32) {
    struct Work<'a>(&'a mut [f32], &'a [f32], f32);
    impl pulp::WithSimd for Work<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) {
            self.0.iter_mut().zip(self.1).for_each(|(to, v)| *to += self.2 * v);
        }
    }
    pulp::Arch::new().dispatch(Work(to, row, factor));
}

/// Weights from the memberships; profiles and components from the counts gathered by profile.
fn maximised(
    samples: &CsrSamples<'static, f32>,
    model: &Profiles,
    memberships: &[Memberships],
    sweeps: usize,
) -> Result<Profiles, StageInterrupt> {
    let (how_many, n_features) = (model.profiles.nrows(), samples.n_features());
    let mut of_profile: Vec<Vec<(u32, f32)>> = vec![Vec::new(); how_many];
    let mut weights = vec![0.0_f64; how_many];
    for (i, found) in memberships.iter().enumerate() {
        for &(m, share) in found {
            weights[m as usize] += f64::from(share);
            if share > NEGLIGIBLE {
                of_profile[m as usize].push((i as u32, share));
            }
        }
    }
    let all: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w = (*w / all).max(1e-12));
    let rows = rows_of(samples)?;
    let parts: Vec<Vec<(Vec<u32>, Vec<f32>)>> = of_profile
        .par_chunks(PROFILES_PER_TASK)
        .map(|lists| {
            let mut sums = vec![0.0_f32; n_features];
            let each = lists.iter().map(|list| {
                for &(i, share) in list {
                    for (feature, count) in rows.row(i as usize) {
                        sums[feature] += share * count;
                    }
                }
                let (mut features, mut counts) = (Vec::new(), Vec::new());
                for (feature, sum) in sums.iter_mut().enumerate() {
                    if *sum > 0.0 {
                        features.push(feature as u32);
                        counts.push(*sum);
                        *sum = 0.0;
                    }
                }
                (features, counts)
            });
            each.collect()
        })
        .collect();
    let (mut starts, mut features, mut counts) = (vec![0_usize], Vec::new(), Vec::new());
    for (own, values) in parts.into_iter().flatten() {
        features.extend(own);
        counts.extend(values);
        starts.push(counts.len());
    }
    let gathered = CsrSamples::new(n_features, &starts, features, counts)?;
    let (mut components, mut profiles) = (model.components.clone(), model.profiles.clone());
    for _ in 0..sweeps {
        let sums =
            pass(&gathered, &ByFeature::new(&components), ShareRule::Likelihood, 1, profiles.view_mut())?;
        normalise(&mut profiles, LEAST_SHARE);
        components = improved(&components, &sums);
    }
    Ok(Profiles { components, profiles, weights })
}

/// The posterior means of the shares of samples.
pub(crate) fn posterior_means(
    samples: &CsrSamples<'_, f32>,
    model: &Profiles,
    most: usize,
) -> Result<(Array2<f32>, f64), StageInterrupt> {
    let found = expected(samples, model, None, most, 1.0)?;
    let mut means = Array2::zeros((samples.n_samples(), model.profiles.ncols()));
    for (mut row, memberships) in means.outer_iter_mut().zip(&found.memberships) {
        for &(m, share) in memberships {
            row.scaled_add(share, &model.profiles.row(m as usize));
        }
    }
    Ok((means, found.log_likelihood))
}
