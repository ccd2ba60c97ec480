//! Dense linear algebra without any knowledge of factorization: products, QR, pseudo-inverse, symmetric
//! eigenproblems, geometric sums of matrices, and the products of sparse rows with dense matrices.
//!
//! Everything here gives the same bits on any number of threads: it runs on the calling thread, or is cut into
//! pieces whose boundaries are fixed. Products and factorizations come from [`faer`].

pub(crate) mod basis;
mod bridge;
mod cholesky_qr;
pub(crate) mod coordinates;
pub(crate) mod determinant;
pub(crate) mod dot;
pub(crate) mod feature_rows;
pub(crate) mod gather;
pub(crate) mod lane_cholesky;
mod lane_kernels;
pub(crate) mod leading;
pub(crate) mod logarithm;
pub(crate) mod lower_factor;
pub(crate) mod powers;
mod precision;
pub(crate) mod product;
pub(crate) mod products;
pub(crate) mod pseudo_inverse;
pub(crate) mod row_map;
mod row_tiles;
pub(crate) mod sample_products;
pub(crate) mod singular;
pub(crate) mod sketch;
pub(crate) mod span;
pub(crate) mod symmetric;
pub(crate) mod unit_sum;
pub(crate) mod weighted_sums;
