//! Where the samples of a fit are: in memory where they fit, else in their file.

use andnmf::samples::Samples;
use andnmf::settings::{Memory, Size};
use andnmf::{MethodParams, Real};
use andnmf_io::{FileError, Format, OnDisk, SampleTable};
use andnmf_program::{Failure, reading};

use super::args::FitArgs;
use crate::shared::{Bytes, available_memory};

/// Of what the system has to spare, so much is left alone: it counts what a moment later may be gone.
const LEFT_ALONE: u64 = 10;

/// The samples of a fit.
pub(crate) enum Source<T: Real> {
    Memory(SampleTable<T>),
    Disk { file: OnDisk, names: Option<Vec<String>> },
}

impl<T: Real> Source<T> {
    /// Opens or reads the samples, for a fit with these settings.
    pub(crate) fn open(args: &FitArgs, settings: &MethodParams) -> Result<Self, Failure> {
        let path = &args.data.data;
        let Some(budget) = Budget::of(args) else { return args.data.read().map(Self::Memory) };
        let how = &args.data.how.file;
        let by_rows = !how.transpose && how.layer.is_none() && Format::of(path).is_ok_and(OnDisk::reads);
        let file = match by_rows.then(|| OnDisk::open(path)) {
            Some(Ok(file)) => file,
            other => return Self::as_a_whole(args, settings, budget, other.and_then(Result::err)),
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
        budget.refuse_if_short(settings, &size)?;
        let names = how.names_for(path, file.n_samples(), file.n_features())?;
        let names = names.or_else(|| file.feature_names().map(<[String]>::to_vec));
        Ok(Self::Disk { file, names })
    }

    /// Reads samples that cannot be read by rows, if they fit.
    fn as_a_whole(
        args: &FitArgs,
        settings: &MethodParams,
        budget: Budget,
        refused: Option<FileError>,
    ) -> Result<Self, Failure> {
        let path = &args.data.data;
        let too_large = |bytes: u64| match refused {
            Some(error) if error.file.exists() => Err(reading(error)),
            _ => Err(Failure::Request(format!(
                "{}: samples in this form are read as a whole, which takes {} of memory or more, but {}; turn them \
                 into a form that is read piece by piece: andnmf convert {} samples.csrstore{} (or samples.npy, where \
                 few values are zero)",
                path.display(),
                Bytes(bytes),
                budget.in_words(),
                path.display(),
                if args.data.how.file.transpose { " --transpose" } else { "" },
            ))),
        };
        let length =
            std::fs::metadata(path).map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 });
        if length > budget.bytes {
            return too_large(length);
        }
        let table: SampleTable<T> = args.data.read()?;
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
        if budget.asked_for && needed > budget.bytes {
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

    /// Whether the samples stay in their file.
    pub(crate) fn on_disk(&self) -> bool {
        matches!(self, Self::Disk { .. })
    }
}

fn threads(args: &FitArgs) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, |threads| threads.get());
    args.common.threads.map_or_else(all, |threads| threads.get())
}

/// How much memory a fit may take.
struct Budget {
    bytes: u64,
    /// Whether `--memory` says so.
    asked_for: bool,
}

impl Budget {
    /// What was asked for, or what there is; `None` where neither is known.
    fn of(args: &FitArgs) -> Option<Self> {
        if let Some(Bytes(bytes)) = args.memory {
            return Some(Self { bytes, asked_for: true });
        }
        let Bytes(bytes) = available_memory()?;
        Some(Self { bytes: bytes - bytes / LEFT_ALONE, asked_for: false })
    }

    fn in_words(&self) -> String {
        let bytes = Bytes(self.bytes);
        if self.asked_for { format!("--memory is {bytes}") } else { format!("the system can spare {bytes}") }
    }

    /// Refuses a fit that does not even fit without its samples, with how much would do.
    fn refuse_if_short(&self, settings: &MethodParams, size: &Size) -> Result<(), Failure> {
        let Memory { total: beside, space } = settings.memory(size);
        // These are upper bounds: whoever has not asked for a limit may get by with less.
        if beside <= self.bytes || !self.asked_for {
            return Ok(());
        }
        let without = Bytes(beside - space);
        let or = if space > 0 { format!(", or {without} with --compress off") } else { String::new() };
        Err(Failure::Request(format!(
            "{} components of {} samples × {} features take about {} of memory with the samples left in their file{or}, \
             but {}",
            settings.rank(),
            size.n_samples,
            size.n_features,
            Bytes(beside),
            self.in_words(),
        )))
    }
}
