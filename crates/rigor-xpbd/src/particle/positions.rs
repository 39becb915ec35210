//! Particle access for constraints: in sequence, from several threads, or recording corrections only.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rigor_math::Vec3;

use crate::particle::SolverParticle;

/// The particle operations that a constraint needs.
pub(crate) trait Positions {
    /// x (m) of particle `i`.
    fn x(&self, i: u32) -> Vec3;
    /// w (1/kg) of particle `i`.
    fn w(&self, i: u32) -> f64;
    /// x ← x + `by` (m). Every constraint moves each of its particles once, in its own order.
    fn shift(&mut self, i: u32, by: Vec3);
}

impl Positions for [SolverParticle] {
    #[inline]
    fn x(&self, i: u32) -> Vec3 {
        self[i as usize].x
    }

    #[inline]
    fn w(&self, i: u32) -> f64 {
        self[i as usize].w
    }

    #[inline]
    fn shift(&mut self, i: u32, by: Vec3) {
        self[i as usize].x += by;
    }
}

/// A particle that several threads may access, as long as no two move the same one at a time.
///
/// Coordinates are the bits of f64 in relaxed atomics, which cost as much as plain loads and stores. The
/// colours of [`crate::elastic::colour`] guarantee that no particle is moved twice at a time; if they failed,
/// a correction would be lost, but memory would stay sound.
#[derive(Debug)]
pub(crate) struct SharedParticle {
    x: [AtomicU64; 3],
    w: f64,
}

impl SharedParticle {
    /// Copies the particle's position and inverse mass.
    pub fn of(particle: &SolverParticle) -> Self {
        Self { x: [0, 1, 2].map(|k| AtomicU64::new(particle.x[k].to_bits())), w: particle.w }
    }

    /// x (m).
    #[inline]
    pub fn x(&self) -> Vec3 {
        let [x, y, z] = &self.x;
        Vec3::new(
            f64::from_bits(x.load(Relaxed)),
            f64::from_bits(y.load(Relaxed)),
            f64::from_bits(z.load(Relaxed)),
        )
    }
}

impl Positions for &[SharedParticle] {
    #[inline]
    fn x(&self, i: u32) -> Vec3 {
        self[i as usize].x()
    }

    #[inline]
    fn w(&self, i: u32) -> f64 {
        self[i as usize].w
    }

    #[inline]
    fn shift(&mut self, i: u32, by: Vec3) {
        let particle = &self[i as usize];
        // Constraints of one colour may share a pinned particle, which none of them moves.
        if particle.w > 0.0 {
            let x = particle.x() + by;
            for k in 0..3 {
                particle.x[k].store(x[k].to_bits(), Relaxed);
            }
        }
    }
}

/// Recorder for the corrections of one constraint, in its own particle order; the particles stay in place.
pub(crate) struct CorrectionRecorder<'a> {
    pub particles: &'a [SolverParticle],
    pub corrections: &'a mut [Vec3],
    pub n: usize,
}

impl<'a> CorrectionRecorder<'a> {
    /// Creates a recorder that writes the corrections of one constraint into `corrections`.
    pub fn new(particles: &'a [SolverParticle], corrections: &'a mut [Vec3]) -> Self {
        corrections.fill(Vec3::zeros());
        Self { particles, corrections, n: 0 }
    }
}

impl Positions for CorrectionRecorder<'_> {
    #[inline]
    fn x(&self, i: u32) -> Vec3 {
        self.particles[i as usize].x
    }

    #[inline]
    fn w(&self, i: u32) -> f64 {
        self.particles[i as usize].w
    }

    #[inline]
    fn shift(&mut self, _: u32, by: Vec3) {
        self.corrections[self.n] = by;
        self.n += 1;
    }
}
