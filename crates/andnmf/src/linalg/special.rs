//! Digamma and log-gamma of positive numbers.
//!
//! The recurrence shifts small arguments up by ten, where the asymptotic series are accurate to rounding. The series
//! for digamma is that of its exponential: exp ψ(z + ½) = z·(1 + 1/(24 z²) − …), which needs no logarithm; E-steps
//! use only exp ψ.

/// The shift of small arguments.
const SHIFT: usize = 10;

/// exp ψ(z + ½) / z as a series in 1/z².
const EXP_DIGAMMA: [f64; 8] = [
    1.0,
    1.0 / 24.0,
    -37.0 / 5_760.0,
    10_313.0 / 2_903_040.0,
    -5_509_121.0 / 1_393_459_200.0,
    2_709_398_569.0 / 367_873_228_800.0,
    -499_769_010_050_743.0 / 24_103_053_950_976_000.0,
    47_655_701_498_228_027.0 / 578_473_294_823_424_000.0,
];

/// Stirling's series in 1/y², without the factor 1/y.
const LN_GAMMA: [f64; 7] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1_260.0, -1.0 / 1_680.0, 1.0 / 1_188.0, -691.0 / 360_360.0, 1.0 / 156.0];

/// The Taylor series of exp, up to x¹³.
const TAYLOR: [f64; 14] = {
    let mut c = [1.0; 14];
    let mut i = 1;
    while i < 14 {
        c[i] = c[i - 1] / i as f64;
        i += 1;
    }
    c
};

/// Returns `(factor, decay)` with exp ψ(x) = factor · exp(−decay).
///
/// Arguments outside 1e-300..1e300 are clamped. This function and [`exp_of_negative`] are free of branches and calls,
/// so that loops over local arrays vectorize.
#[inline(always)]
pub(crate) fn split_exp_digamma(x: f64) -> (f64, f64) {
    let x = if x > 1e-300 { x } else { 1e-300 };
    // ψ(x + 10) − ψ(x) = Σ 1/(x + i) = P′/P with P = Π (x + i): one division instead of ten. Beyond the upper
    // bound the sum is zero to rounding and its powers would overflow.
    let bounded = if x < 1e25 { x } else { 1e25 };
    let (mut product, mut derivative) = (bounded, 1.0);
    for i in 1..SHIFT {
        let term = bounded + i as f64;
        derivative = derivative * term + product;
        product *= term;
    }
    let z = x + (SHIFT as f64 - 0.5);
    (z * horner(&EXP_DIGAMMA, 1.0 / (z * z)), derivative / product)
}

#[inline(always)]
fn horner<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut sum = 0.0;
    for c in coefficients.iter().rev() {
        sum = sum * x + c;
    }
    sum
}

/// exp(x) for x ≤ 0; arguments below −708 are clamped, so that the result never underflows to zero.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    /// Adding this rounds to an integer and stores it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// ln 2 as a sum of two numbers: multiples of the first are exact.
    const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    let x = if x > -708.0 { x } else { -708.0 };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let rest = (x - n * LN_2.0) - n * LN_2.1;
    horner(&TAYLOR, rest) * f64::from_bits((rounded.to_bits() << 52).wrapping_add(1023 << 52))
}

/// ψ(x) for positive x.
pub(crate) fn digamma(x: f64) -> f64 {
    let (factor, decay) = split_exp_digamma(x);
    factor.ln() - decay
}

/// ln Γ(x) for positive x.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (y, below) = if x < SHIFT as f64 {
        (x + SHIFT as f64, (0..SHIFT).map(|i| x + i as f64).product::<f64>().ln())
    } else {
        (x, 0.0)
    };
    let half_ln_two_pi = 0.918_938_533_204_672_8;
    (y - 0.5) * y.ln() - y + half_ln_two_pi + horner(&LN_GAMMA, 1.0 / (y * y)) / y - below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x, ψ(x) and ln Γ(x), from a computation with fifty digits.
    const KNOWN: [(f64, f64, f64); 10] = [
        (1e-3, -1000.5755719318103, 6.907178885383853),
        (0.05, -20.497844991299868, 2.9688792010517306),
        (0.5, -1.9635100260214235, 0.5723649429247001),
        (1.0, -0.5772156649015329, 0.0),
        (1.5, 0.03648997397857652, -0.12078223763524522),
        (2.0, 0.42278433509846713, 0.0),
        (7.3, 1.9178203356379862, 7.147892523022248),
        (10.0, 2.251752589066721, 12.801827480081469),
        (123.456, 4.811829323828985, 469.6055471299295),
        (1e6, 13.815510057964191, 12815504.569147611),
    ];

    fn assert_near(found: f64, expected: f64, x: f64) {
        assert!((found - expected).abs() <= 2e-14 * expected.abs().max(1.0), "{x}: {found} for {expected}");
    }

    #[test]
    fn both_functions_have_their_known_values() {
        for (x, psi, lgamma) in KNOWN {
            assert_near(digamma(x), psi, x);
            assert_near(ln_gamma(x), lgamma, x);
        }
    }

    #[test]
    fn both_functions_satisfy_their_recurrences_across_the_shift() {
        for i in 1..400 {
            let x = f64::from(i) * 0.05;
            assert_near(digamma(x + 1.0), digamma(x) + 1.0 / x, x);
            assert_near(ln_gamma(x + 1.0), ln_gamma(x) + x.ln(), x);
        }
    }

    #[test]
    fn extreme_arguments_give_finite_results() {
        for x in [0.0, 5e-324, 1e-300, 1e300, f64::MAX] {
            let (factor, decay) = split_exp_digamma(x);
            assert!(factor.is_finite() && decay.is_finite(), "{x}: {factor}, {decay}");
        }
        assert_near(digamma(1e30), 1e30_f64.ln(), 1e30);
    }

    #[test]
    fn the_exponential_is_accurate_to_rounding() {
        for i in 0..=7080 {
            let x = f64::from(i) * -0.1;
            let found = exp_of_negative(x);
            assert!((found / x.exp() - 1.0).abs() < 4e-16, "{x}: {found:e}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), exp_of_negative(-708.0));
    }
}
