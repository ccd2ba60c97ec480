//! Dense linear algebra, independent of factorization: matrix products, QR, pseudo-inverse, symmetric eigenproblems,
//! randomized SVD, geometric sums of matrices, and products of sparse rows with dense matrices.
//!
//! Results are bitwise identical on any number of threads: kernels run on the calling thread or in tiles with fixed
//! boundaries. Products and factorizations come from [`faer`].

pub(crate) mod basis;
mod bridge;
pub(crate) mod cholesky;
mod cholesky_qr;
pub(crate) mod coordinates;
pub(crate) mod determinant;
pub(crate) mod dot;
mod feature_row_kernels;
pub(crate) mod feature_rows;
pub(crate) mod gather;
pub(crate) mod geometric_sum;
pub(crate) mod lane_cholesky;
mod lane_kernels;
pub(crate) mod linear_map;
pub(crate) mod logarithm;
mod precision;
pub(crate) mod product;
pub(crate) mod product_accumulator;
pub(crate) mod pseudo_inverse;
pub(crate) mod randomized_svd;
pub(crate) mod sample_products;
pub(crate) mod sketch;
pub(crate) mod span;
pub(crate) mod special;
pub(crate) mod subspace_iteration;
pub(crate) mod symmetric;
pub(crate) mod unit_sum;
pub(crate) mod weighted_sums;
