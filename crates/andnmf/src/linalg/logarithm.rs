//! A vectorizable natural logarithm.
//!
//! The standard library's logarithm is scalar and would cost as much as all matrix products of a stage. This one takes
//! the exponent from the bits and evaluates the series ln m = 2·(s + s³/3 + s⁵/5 + …), s = (m−1)/(m+1), for the
//! mantissa m between √½ and √2.

use std::f64::consts::LN_2;

const ONE: u64 = 1.0_f64.to_bits();
const EXPONENT_SHIFT: u32 = f64::MANTISSA_DIGITS - 1;
/// 2⁵²: setting its low mantissa bits to an integer adds that integer.
const TWO_POW_52: f64 = 4_503_599_627_370_496.0;

/// The natural logarithm of a positive normal number. Zero and infinity give about the logarithm of the smallest and
/// the largest normal number: finite, so that zero times the result is zero.
///
/// Call it from code that is compiled for wide vectors.
#[inline(always)]
pub(crate) fn logarithm(value: f64) -> f64 {
    let bits = value.to_bits();
    // The offset of √½ centers the mantissa around 1.
    let exponent = (bits + (ONE - std::f64::consts::FRAC_1_SQRT_2.to_bits())) >> EXPONENT_SHIFT;
    let mantissa = f64::from_bits(bits.wrapping_sub(exponent << EXPONENT_SHIFT).wrapping_add(ONE));
    let exponent = f64::from_bits(TWO_POW_52.to_bits() | exponent) - (TWO_POW_52 + 1023.0);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut series = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square + 1.0 / odd;
    }
    exponent * LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_equal_those_of_the_standard_library() {
        let mut value = 3e-308_f64;
        while value < 1e308 {
            let expected = value.ln();
            let error = (logarithm(value) - expected).abs();
            assert!(error <= 4.0 * f64::EPSILON * expected.abs().max(0.5), "{value:e}: {error:e}");
            value *= 1.037;
        }
        for value in [1.0, 1.0 - 1e-9, 1.0 + 1e-9, std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2]
        {
            assert!((logarithm(value) - value.ln()).abs() < 1e-15, "{value}");
        }
    }

    #[test]
    fn zero_and_infinity_have_finite_logarithms() {
        assert!((logarithm(0.0) + 709.0).abs() < 1.0 && (logarithm(f64::INFINITY) - 709.0).abs() < 1.0);
    }
}
