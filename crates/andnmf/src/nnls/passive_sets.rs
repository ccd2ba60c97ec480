//! Passive sets: the weights of each sample that may be nonzero, as bits, and groups of samples with equal sets.

use std::cmp::Ordering;
use std::ops::Range;

const BITS: usize = u64::BITS as usize;

/// One set of components per sample.
#[derive(Debug, Default)]
pub(super) struct PassiveSets {
    words_per_set: usize,
    words: Vec<u64>,
}

impl PassiveSets {
    /// Resets to `n_samples` empty sets.
    pub(super) fn clear(&mut self, n_samples: usize, rank: usize) {
        self.words_per_set = rank.div_ceil(BITS).max(1);
        self.words.clear();
        self.words.resize(n_samples * self.words_per_set, 0);
    }

    fn set(&self, sample: usize) -> &[u64] {
        &self.words[sample * self.words_per_set..(sample + 1) * self.words_per_set]
    }

    /// Adds the component to the set, or removes it if it is a member.
    pub(super) fn toggle(&mut self, sample: usize, component: usize) {
        self.words[sample * self.words_per_set + component / BITS] ^= 1 << (component % BITS);
    }

    fn len(&self, sample: usize) -> usize {
        self.set(sample).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Writes the members in ascending order.
    pub(super) fn list(&self, sample: usize, members: &mut Vec<usize>) {
        members.clear();
        for (i, &word) in self.set(sample).iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                members.push(i * BITS + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// Compares by size, so that neighbours have similar costs, then by members, so that equal sets are adjacent.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.len(a).cmp(&self.len(b)).then_with(|| self.set(a).cmp(self.set(b))).then(a.cmp(&b))
    }

    /// Sorts the samples and writes the ranges of those with equal sets.
    pub(super) fn group(&self, samples: &mut [usize], groups: &mut Vec<Range<usize>>) {
        samples.sort_unstable_by(|&a, &b| self.compare(a, b));
        groups.clear();
        let mut start = 0;
        for i in 1..=samples.len() {
            if i == samples.len() || self.set(samples[i]) != self.set(samples[start]) {
                groups.push(start..i);
                start = i;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_listed_in_order_and_toggled_both_ways() {
        let mut sets = PassiveSets::default();
        sets.clear(2, 130);
        for component in [129, 0, 64, 63] {
            sets.toggle(1, component);
        }
        let mut members = vec![7];
        sets.list(1, &mut members);
        assert_eq!(members, [0, 63, 64, 129]);
        assert_eq!((sets.len(0), sets.len(1)), (0, 4));
        sets.toggle(1, 64);
        sets.list(1, &mut members);
        assert_eq!(members, [0, 63, 129]);
    }

    #[test]
    fn equal_sets_form_groups_in_order_of_size() {
        let mut sets = PassiveSets::default();
        sets.clear(5, 70);
        for (sample, component) in [(0, 3), (0, 69), (2, 69), (3, 3), (3, 69), (4, 3)] {
            sets.toggle(sample, component);
        }
        let (mut samples, mut groups) = (vec![0, 1, 2, 3, 4], Vec::new());
        sets.group(&mut samples, &mut groups);
        let grouped: Vec<&[usize]> = groups.iter().map(|g| &samples[g.clone()]).collect();
        assert_eq!(grouped, [&[1][..], &[2], &[4], &[0, 3]]);
    }
}
