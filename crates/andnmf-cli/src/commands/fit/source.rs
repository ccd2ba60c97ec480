//! The samples of a fit: in memory if they fit, else in their file.

use andnmf::memory::{self, Bytes};
use andnmf::samples::Samples;
use andnmf::settings::{Memory, Size};
use andnmf::{MethodParams, Real};
use andnmf_io::{FileError, Format, OnDisk, Problem, SampleTable};
use andnmf_program::{Failure, read_failure};

use super::args::FitArgs;

/// One part in this many of the available memory stays unused: other processes may need it a moment later.
const RESERVED_PART: u64 = 10;

/// The samples of a fit.
pub(crate) enum SampleSource<T: Real> {
    Memory(SampleTable<T>),
    Disk { file: OnDisk, names: Option<Vec<String>> },
}

impl<T: Real> SampleSource<T> {
    /// Opens or reads the samples, for a fit with these settings.
    pub(crate) fn open(args: &FitArgs, settings: &MethodParams) -> Result<Self, Failure> {
        let path = &args.data.data;
        let Some(budget) = MemoryBudget::of(args) else { return args.data.read().map(Self::Memory) };
        let how = &args.data.how.file;
        let by_rows = !how.transpose && how.layer.is_none() && Format::of(path).is_ok_and(OnDisk::reads);
        let file = match by_rows.then(|| OnDisk::open(path)) {
            Some(Ok(file)) => file,
            other => return Self::read_whole(args, settings, budget, other.and_then(Result::err)),
        };
        let size = Size {
            n_samples: file.n_samples(),
            n_features: file.n_features(),
            stored_values: Samples::<T>::stored_values(&file),
            sparse: Samples::<T>::is_sparse(&file),
            value: size_of::<T>(),
            threads: threads(args),
        };
        let samples = file.bytes_in_memory::<T>();
        if samples.saturating_add(settings.memory(&size).total) <= budget.bytes {
            return args.data.read().map(Self::Memory);
        }
        budget.check(settings, &size)?;
        let names = how.names_for(path, file.n_samples(), file.n_features())?;
        let names = names.or_else(|| file.feature_names().map(<[String]>::to_vec));
        Ok(Self::Disk { file, names })
    }

    /// Reads samples that cannot be read in blocks, if they fit.
    fn read_whole(
        args: &FitArgs,
        settings: &MethodParams,
        budget: MemoryBudget,
        refused: Option<FileError>,
    ) -> Result<Self, Failure> {
        let path = &args.data.data;
        let too_large = |bytes: u64| match refused {
            Some(error) if error.file.exists() => Err(read_failure(error)),
            _ => Err(Failure::Request(format!(
                "{}: this format must be read as a whole, which takes at least {} of memory, but {}; convert it to a \
                 format that is read in blocks: andnmf convert {} samples.csrstore{} (or samples.npy, if few values \
                 are zero)",
                path.display(),
                Bytes(bytes),
                budget.text(),
                path.display(),
                if args.data.how.file.transpose { " --transpose" } else { "" },
            ))),
        };
        let length =
            std::fs::metadata(path).map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 });
        if length > budget.bytes {
            return too_large(length);
        }
        // Any fit takes as much as that of a single value.
        let smallest = Size {
            n_samples: 1,
            n_features: 1,
            stored_values: 1,
            sparse: false,
            value: size_of::<T>(),
            threads: threads(args),
        };
        let program = settings.memory(&smallest).total;
        let limit = budget.requested.then(|| budget.bytes.saturating_sub(program));
        let table: SampleTable<T> = match args.data.how.file.read_within(path, limit)? {
            Ok(table) => table,
            Err(FileError { problem: Problem::Memory { needed, .. }, .. }) if budget.requested => {
                return too_large(needed.saturating_add(program));
            }
            Err(error) => return Err(read_failure(error)),
        };
        let size = Size {
            n_samples: table.n_samples(),
            n_features: table.n_features(),
            stored_values: table.stored_values(),
            sparse: table.is_sparse(),
            value: size_of::<T>(),
            threads: threads(args),
        };
        let per_value = if size.sparse { size.value + 4 } else { size.value };
        let samples = (size.stored_values as u64).saturating_mul(per_value as u64);
        let needed = samples.saturating_add(settings.memory(&size).total);
        if budget.requested && needed > budget.bytes {
            return too_large(needed);
        }
        Ok(Self::Memory(table))
    }

    pub(crate) fn samples(&self) -> &dyn Samples<T> {
        match self {
            Self::Memory(table) => table,
            Self::Disk { file, .. } => file,
        }
    }

    pub(crate) fn feature_names(&self) -> Option<&[String]> {
        match self {
            Self::Memory(table) => table.feature_names.as_deref(),
            Self::Disk { names, .. } => names.as_deref(),
        }
    }

    pub(crate) fn sample_names(&self) -> Option<&[String]> {
        match self {
            Self::Memory(table) => table.sample_names.as_deref(),
            Self::Disk { .. } => None,
        }
    }

    /// Returns true if the samples stay in their file.
    pub(crate) fn on_disk(&self) -> bool {
        matches!(self, Self::Disk { .. })
    }
}

fn threads(args: &FitArgs) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, |threads| threads.get());
    args.common.n_threads().unwrap_or_else(all)
}

/// The memory limit of a fit.
struct MemoryBudget {
    bytes: u64,
    /// True if `--memory` is given.
    requested: bool,
}

impl MemoryBudget {
    /// The limit of `--memory`, or the available memory; `None` if neither is known.
    fn of(args: &FitArgs) -> Option<Self> {
        if let Some(Bytes(bytes)) = args.memory {
            return Some(Self { bytes, requested: true });
        }
        let Bytes(bytes) = memory::available()?;
        Some(Self { bytes: bytes - bytes / RESERVED_PART, requested: false })
    }

    fn text(&self) -> String {
        let bytes = Bytes(self.bytes);
        if self.requested { format!("--memory is {bytes}") } else { format!("only {bytes} are available") }
    }

    /// Refuses a fit that needs more than the limit even without its samples, with the amount that suffices.
    fn check(&self, settings: &MethodParams, size: &Size) -> Result<(), Failure> {
        let Memory { total, space } = settings.memory(size);
        // The estimates are upper bounds: without an explicit limit, the fit may still succeed.
        if total <= self.bytes || !self.requested {
            return Ok(());
        }
        let without = Bytes(total - space);
        let or = if space > 0 { format!(", or {without} with --compress off") } else { String::new() };
        Err(Failure::Request(format!(
            "{} components of {} samples × {} features take about {} of memory, even with the samples read from their \
             file{or}, but {}",
            settings.rank(),
            size.n_samples,
            size.n_features,
            Bytes(total),
            self.text(),
        )))
    }
}
