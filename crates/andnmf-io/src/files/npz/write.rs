//! Writing archives: a dense matrix as the only array, a sparse one in the rows of scipy.

use std::io::{self, BufWriter, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::damaged;
use crate::files::error::{Fault, Problem};
use crate::files::npy::{self, header::Header};
use crate::files::write::PACKING;
use crate::files::{Table, Values};
use andnmf::Real;
use andnmf::samples::Samples;

/// Writes a matrix.
pub(crate) fn write<T: Real>(out: impl Write + Seek, table: &Table<T>) -> Result<(), Fault> {
    let mut archive = Archive(ZipWriter::new(out));
    match &table.values {
        Values::Dense(samples) => {
            archive.part("arr_0", CompressionMethod::Stored, |out| npy::write_matrix(out, samples.view()))?;
        }
        Values::Sparse(_) => write_sparse(&mut archive, table)?,
    }
    archive.0.finish().map_err(damaged)?;
    Ok(())
}

fn write_sparse<T: Real>(archive: &mut Archive<impl Write + Seek>, table: &Table<T>) -> Result<(), Fault> {
    let (rows, columns, n_values) = (table.n_samples(), table.n_features(), table.stored_values());
    // Both kinds of indices in one width, the narrow one where it will do: so scipy has them.
    let width = if columns.max(n_values) <= i32::MAX as usize { 4 } else { 8 };
    let descr = if width == 4 { "<i4" } else { "<i8" };
    archive.packed("indices", descr, &[n_values], |out| {
        table.try_for_each(|_, column, _| out.write_all(&column.to_le_bytes()[..width]))
    })?;
    let mut starts = vec![0; rows + 1];
    table.for_each(|row, _, _| starts[row + 1] += 1);
    archive.packed("indptr", descr, &[rows + 1], |out| {
        let mut end = 0_usize;
        starts.iter().try_for_each(|count| {
            end += count;
            out.write_all(&end.to_le_bytes()[..width])
        })
    })?;
    archive.packed("format", "|S3", &[], |out| out.write_all(b"csr"))?;
    let shape = [rows as u64, columns as u64].map(u64::to_le_bytes).concat();
    archive.packed("shape", "<i8", &[2], |out| out.write_all(&shape))?;
    archive.packed("data", npy::descr::<T>(), &[n_values], |out| {
        let mut bytes = Vec::new();
        table.try_for_each(|_, _, value| {
            bytes.clear();
            npy::push_value(&mut bytes, value);
            out.write_all(&bytes)
        })
    })
}

struct Archive<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Archive<W> {
    fn part(
        &mut self,
        name: &str,
        method: CompressionMethod,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Fault> {
        let level = (method == CompressionMethod::Deflated).then_some(PACKING.into());
        // Whether a part needs wide sizes must be known before it is written.
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.0.start_file(format!("{name}.npy"), options.compression_level(level)).map_err(damaged)?;
        // The compressor likes long pieces.
        let mut out = BufWriter::with_capacity(1 << 16, &mut self.0);
        write(&mut out).and_then(|()| out.flush()).map_err(Problem::Io)?;
        Ok(())
    }

    fn packed(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Fault> {
        self.part(name, CompressionMethod::Deflated, |out| {
            out.write_all(&Header::bytes(descr, shape))?;
            write(out)
        })
    }
}
