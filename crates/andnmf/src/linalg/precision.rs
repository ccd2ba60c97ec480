//! Computing in double precision for matrices of single precision.

use ndarray::{Array2, ArrayView2};

use super::product::zip_mut_wide;
use crate::entry_point;

entry_point! {
    /// The matrix in double precision: itself, or a copy in `workspace`.
    pub(super) fn widen_to_f64<'a; T>(matrix: ArrayView2<'a, T>, workspace: &'a mut Array2<f64>) -> ArrayView2<'a, f64> = Widen::widen;
}

entry_point! {
    /// Rounds a double-precision matrix into one of the same shape. The content of `matrix` is unspecified afterwards.
    pub(super) fn narrow_from_f64<'a; T>(matrix: &'a mut Array2<f64>, into: &'a mut Array2<T>) -> () = Narrow::narrow;
}

trait Widen<'a> {
    fn widen(self, workspace: &'a mut Array2<f64>) -> ArrayView2<'a, f64>;
}

impl<'a> Widen<'a> for ArrayView2<'a, f32> {
    fn widen(self, workspace: &'a mut Array2<f64>) -> ArrayView2<'a, f64> {
        if workspace.dim() != self.dim() {
            *workspace = Array2::zeros(self.dim());
        }
        zip_mut_wide(workspace.view_mut(), self, |wide, &v| *wide = v.into());
        workspace.view()
    }
}

impl<'a> Widen<'a> for ArrayView2<'a, f64> {
    fn widen(self, _: &'a mut Array2<f64>) -> ArrayView2<'a, f64> {
        self
    }
}

trait Narrow<T> {
    fn narrow(self, into: &mut Array2<T>);
}

impl Narrow<f32> for &mut Array2<f64> {
    fn narrow(self, into: &mut Array2<f32>) {
        zip_mut_wide(into.view_mut(), self.view(), |v, &wide| *v = wide as f32);
    }
}

impl Narrow<f64> for &mut Array2<f64> {
    fn narrow(self, into: &mut Array2<f64>) {
        std::mem::swap(self, into);
    }
}
