//! Fading of the barrier of two edges as they become parallel.

use rigor_geometry::mollifier;
use rigor_math::{Mat3, Vec3};

/// m as a function of c = ‖u × v‖², where u and v (m) are the edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum EdgeMollifier {
    /// m = (c/e_x)(2 − c/e_x) below e_x (m⁴), 1 above.
    ///
    /// Source: \[Li2020\] eq. (24).
    Mollifier(f64),
    /// m = c/(‖u‖² ‖v‖²) = sin²α, where α is the angle between the edges; holds ‖u‖² ‖v‖² (m⁴).
    ///
    /// Deviation: \[Li2020\] fades edges out only below 1.8°. Where the border of one face cuts off a
    /// right-angled corner of another, it crosses both edges of the corner; as sin²α + sin²(90° − α) = 1,
    /// both crossings together count as one vertex.
    Sine(f64),
}

/// ∂m and ∂²m by the edges u and v.
pub(crate) struct MollifierDerivatives {
    pub by_u: Vec3,
    pub by_v: Vec3,
    pub uu: Mat3,
    pub uv: Mat3,
    pub vv: Mat3,
}

impl EdgeMollifier {
    /// Returns the mollifier of \[Li2020\] for the edges x₀x₁ and x₂x₃.
    pub fn mollifier(x: &[Vec3; 4]) -> Self {
        Self::Mollifier(mollifier::threshold(&x[0], &x[1], &x[2], &x[3]))
    }

    /// Returns sin²α of the edges x₀x₁ and x₂x₃.
    pub fn sine(x: &[Vec3; 4]) -> Self {
        Self::Sine((x[1] - x[0]).norm_squared() * (x[3] - x[2]).norm_squared())
    }

    /// Returns whether m can differ from 1 nearby.
    pub fn is_felt(&self, x: &[Vec3; 4]) -> bool {
        match *self {
            Self::Mollifier(e_x) => normal(x).norm_squared() < e_x,
            Self::Sine(e) => e > 0.0,
        }
    }

    /// m.
    pub fn value(&self, x: &[Vec3; 4]) -> f64 {
        let c = normal(x).norm_squared();
        match *self {
            Self::Mollifier(e_x) if c < e_x => (c / e_x) * (2.0 - c / e_x),
            Self::Sine(e) if e > 0.0 => c / e,
            Self::Mollifier(_) | Self::Sine(_) => 1.0,
        }
    }

    /// m′(c) (1/m⁴), m″(c) (1/m⁸).
    fn rates(&self, c: f64) -> (f64, f64) {
        match *self {
            Self::Mollifier(e_x) if c < e_x => (2.0 * (1.0 - c / e_x) / e_x, -2.0 / e_x / e_x),
            Self::Sine(e) if e > 0.0 => (1.0 / e, 0.0),
            Self::Mollifier(_) | Self::Sine(_) => (0.0, 0.0),
        }
    }

    /// ∂m = m′ ∂c and ∂²m = m′ ∂²c + m″ ∂c ∂cᵀ, with n = u × v: ∂c/∂u = 2 v × n, ∂c/∂v = 2 n × u,
    /// ∂²c/∂u² = 2 (‖v‖² 1 − v vᵀ), ∂²c/∂v² = 2 (‖u‖² 1 − u uᵀ), ∂²c/∂u∂v = 2 (2 u vᵀ − v uᵀ − (u·v) 1).
    pub fn derivatives(&self, x: &[Vec3; 4]) -> MollifierDerivatives {
        let (u, v, n) = (x[1] - x[0], x[3] - x[2], normal(x));
        let (first, second) = self.rates(n.norm_squared());
        let (c_u, c_v) = (v.cross(&n) * 2.0, n.cross(&u) * 2.0);
        let eye = Mat3::identity();
        let own = |w: &Vec3, c: &Vec3| {
            (eye * w.norm_squared() - w * w.transpose()) * (2.0 * first) + c * c.transpose() * second
        };
        let mixed = u * v.transpose() * 2.0 - v * u.transpose() - eye * u.dot(&v);
        MollifierDerivatives {
            by_u: c_u * first,
            by_v: c_v * first,
            uu: own(&v, &c_u),
            uv: mixed * (2.0 * first) + c_u * c_v.transpose() * second,
            vv: own(&u, &c_v),
        }
    }
}

/// u × v (m²).
fn normal(x: &[Vec3; 4]) -> Vec3 {
    (x[1] - x[0]).cross(&(x[3] - x[2]))
}

#[cfg(test)]
mod tests {
    use rigor_geometry::mollifier;

    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value_and_the_mollifier_is_that_of_the_geometry() {
        for tilt in [0.0, 0.01, 0.3, 1.5] {
            let v = Vec3::new(0.7, tilt, 0.2 * tilt);
            let x = [
                Vec3::zeros(),
                Vec3::new(1.2, 0.1, 0.0),
                Vec3::new(0.1, 0.2, 0.3),
                Vec3::new(0.1, 0.2, 0.3) + v,
            ];
            let known = mollifier::value(&x[0], &x[1], &x[2], &x[3], 0.05);
            assert!((EdgeMollifier::Mollifier(0.05).value(&x) - known).abs() < 1e-15);
            for fade in [EdgeMollifier::Mollifier(0.05), EdgeMollifier::sine(&x)] {
                let moved = |end: usize, k: usize, h: f64| {
                    let mut y = x;
                    y[end][k] += h;
                    y
                };
                let given = fade.derivatives(&x);
                for (end, first, own, other) in
                    [(1, given.by_u, given.uu, given.uv.transpose()), (3, given.by_v, given.vv, given.uv)]
                {
                    for k in 0..3 {
                        let h = 1e-5;
                        let [up, down] = [h, -h].map(|h| moved(end, k, h));
                        let slope = (fade.value(&up) - fade.value(&down)) / (2.0 * h);
                        assert!((slope - first[k]).abs() < 1e-7, "{fade:?} {tilt} {slope} {}", first[k]);
                        let [up, down] = [fade.derivatives(&up), fade.derivatives(&down)];
                        let by = |d: &MollifierDerivatives| {
                            if end == 1 { (d.by_u, d.by_v) } else { (d.by_v, d.by_u) }
                        };
                        let bend = (by(&up).0 - by(&down).0) / (2.0 * h);
                        assert!((bend - own.column(k)).norm() < 1e-6, "{fade:?} {tilt}");
                        let mixed = (by(&up).1 - by(&down).1) / (2.0 * h);
                        assert!((mixed - other.column(k)).norm() < 1e-6, "{fade:?} {tilt}");
                    }
                }
            }
        }
    }
}
