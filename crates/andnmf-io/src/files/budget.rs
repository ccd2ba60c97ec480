//! The memory that a matrix may take while it is read. Sizes in files are not trusted, and packed files hold far more than
//! their length: the memory is checked as it grows.

use andnmf::memory::{self, Bytes};

use super::error::Problem;

/// Growth below this is not checked: it would take longer than it is worth.
const SMALL: u64 = 1 << 20;

/// A limit in bytes, or else the memory that the system has left.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget(pub(crate) Option<u64>);

impl Budget {
    /// For reads whose size is already bounded.
    pub(crate) const NO_CHECK: Self = Self(Some(u64::MAX));

    /// Refuses to take `bytes` in all, of which `more` are new.
    pub(crate) fn check(self, bytes: u64, more: u64) -> Result<(), Problem> {
        let reason = match self.0 {
            Some(limit) if bytes > limit => Some(format!("the limit is {}", Bytes(limit))),
            None if more > SMALL => memory::shortage(more),
            _ => None,
        };
        reason.map_or(Ok(()), |reason| Err(Problem::Memory { needed: bytes, reason }))
    }

    /// What is left beside these bytes.
    pub(crate) fn after(self, bytes: u64) -> Self {
        Self(self.0.map(|limit| limit.saturating_sub(bytes)))
    }

    /// Makes space for `more` values in a vector that grows by doubling; each value stands for `bytes_per_value` of all
    /// vectors that grow together.
    #[inline]
    pub(crate) fn grow<V>(
        self,
        values: &mut Vec<V>,
        more: usize,
        bytes_per_value: usize,
    ) -> Result<(), Problem> {
        if values.capacity() - values.len() >= more {
            Ok(())
        } else {
            self.enlarge(values, more, bytes_per_value)
        }
    }

    #[cold]
    fn enlarge<V>(self, values: &mut Vec<V>, more: usize, bytes_per_value: usize) -> Result<(), Problem> {
        let bytes = |count: usize| memory::product(&[count, bytes_per_value]);
        let least = values.len().saturating_add(more);
        let doubled = least.max(values.capacity().saturating_mul(2));
        // Doubling may exceed a limit that the values themselves do not.
        let wanted = if self.check(bytes(doubled), bytes(doubled - values.capacity())).is_ok() {
            doubled
        } else {
            least
        };
        self.check(bytes(wanted), bytes(wanted - values.capacity()))?;
        let needed = bytes(wanted);
        values.try_reserve_exact(wanted - values.len()).map_err(|error| Problem::Memory {
            needed,
            reason: format!("the system refuses to give that much ({error})"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_grow_up_to_the_limit_and_no_further() {
        let budget = Budget(Some(1000));
        let mut values: Vec<u64> = Vec::new();
        for value in 0..125 {
            budget.grow(&mut values, 1, 8).unwrap();
            values.push(value);
            assert!(values.capacity() <= 125, "{}", values.capacity());
        }
        let error = budget.grow(&mut values, 1, 8).unwrap_err();
        assert_eq!(error.to_string(), "the matrix takes at least 1008 of memory, but the limit is 1000");
        assert!(Budget(None).grow(&mut values, 1, 8).is_ok());
    }

    #[test]
    fn without_a_limit_the_memory_of_the_machine_counts() {
        let error = Budget(None).check(1 << 60, 1 << 60).unwrap_err().to_string();
        assert!(error.contains("at least 1152922T of memory"), "{error}");
        assert!(Budget(None).check(1 << 60, 1000).is_ok(), "what is already there costs nothing");
    }
}
