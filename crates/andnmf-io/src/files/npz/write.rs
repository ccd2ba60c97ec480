//! Writes `.npz` archives: a dense matrix as the only array, a sparse one as scipy's CSR.

use std::io::{self, BufWriter, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::damaged;
use crate::files::error::{LocatedProblem, Problem};
use crate::files::npy::{self, header::NpyHeader};
use crate::files::write::GZIP_LEVEL;
use crate::files::{SampleTable, TableValues};
use andnmf::Real;
use andnmf::samples::Samples;

pub(crate) fn write<T: Real>(out: impl Write + Seek, table: &SampleTable<T>) -> Result<(), LocatedProblem> {
    let mut archive = ArchiveWriter(ZipWriter::new(out));
    match &table.values {
        TableValues::Dense(samples) => {
            archive.write_entry("arr_0", CompressionMethod::Stored, |out| {
                npy::write_matrix(out, samples.view())
            })?;
        }
        TableValues::Sparse(_) => write_sparse(&mut archive, table)?,
    }
    archive.0.finish().map_err(damaged)?;
    Ok(())
}

fn write_sparse<T: Real>(
    archive: &mut ArchiveWriter<impl Write + Seek>,
    table: &SampleTable<T>,
) -> Result<(), LocatedProblem> {
    let (rows, columns, n_values) = (table.n_samples(), table.n_features(), table.stored_values());
    // Like scipy: one integer width for both index arrays, 32 bits if possible.
    let width = if columns.max(n_values) <= i32::MAX as usize { 4 } else { 8 };
    let descr = if width == 4 { "<i4" } else { "<i8" };
    archive.write_array("indices", descr, &[n_values], |out| {
        table.try_for_each(|_, column, _| out.write_all(&column.to_le_bytes()[..width]))
    })?;
    let mut starts = vec![0; rows + 1];
    table.for_each(|row, _, _| starts[row + 1] += 1);
    archive.write_array("indptr", descr, &[rows + 1], |out| {
        let mut end = 0_usize;
        starts.iter().try_for_each(|count| {
            end += count;
            out.write_all(&end.to_le_bytes()[..width])
        })
    })?;
    archive.write_array("format", "|S3", &[], |out| out.write_all(b"csr"))?;
    let shape = [rows as u64, columns as u64].map(u64::to_le_bytes).concat();
    archive.write_array("shape", "<i8", &[2], |out| out.write_all(&shape))?;
    archive.write_array("data", npy::descr::<T>(), &[n_values], |out| {
        let mut bytes = Vec::new();
        table.try_for_each(|_, _, value| {
            bytes.clear();
            npy::push_value(&mut bytes, value);
            out.write_all(&bytes)
        })
    })
}

struct ArchiveWriter<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> ArchiveWriter<W> {
    fn write_entry(
        &mut self,
        name: &str,
        method: CompressionMethod,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), LocatedProblem> {
        let level = (method == CompressionMethod::Deflated).then_some(GZIP_LEVEL.into());
        // `large_file`: the size of an entry is not known before it is written.
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.0.start_file(format!("{name}.npy"), options.compression_level(level)).map_err(damaged)?;
        // The compressor is faster with large writes.
        let mut out = BufWriter::with_capacity(1 << 16, &mut self.0);
        write(&mut out).and_then(|()| out.flush()).map_err(Problem::Io)?;
        Ok(())
    }

    fn write_array(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), LocatedProblem> {
        self.write_entry(name, CompressionMethod::Deflated, |out| {
            out.write_all(&NpyHeader::bytes(descr, shape))?;
            write(out)
        })
    }
}
