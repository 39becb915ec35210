//! Certified queries of continuous collision detection, to judge implementations in Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_ccd::{Kind, LinearQuery, RigidMotion, RigidQuery, Truth};
use rigor_ccd_test::ruling::{self, OutsideAnswer, Ruling};
use rigor_ccd_test::{Family, Generate, MotionClass, Query};
use rigor_math::Vec3;

/// Maximum number of queries of a call.
const MAX_QUERIES: u64 = 1_000_000;

enum Motions {
    Linear(LinearQuery),
    Rigid(RigidQuery),
}

/// A generated query and its proven truth.
#[pyclass(frozen, module = "rigor._rigor")]
pub struct CcdQuery {
    query: Motions,
    truth: Truth,
    family: Family,
    /// Family, seed and number.
    #[pyo3(get)]
    label: String,
}

type Vector = [f64; 3];

fn vectors(points: &[Vec3]) -> Vec<Vector> {
    points.iter().map(|v| [v.x, v.y, v.z]).collect()
}

/// Positions, rotation vectors and orientation.
type MotionRow = (Vec<Vector>, Vec<Vector>, [f64; 4]);

fn row(motion: &RigidMotion) -> MotionRow {
    let q = motion.orientation.as_vector();
    (
        vectors(&[motion.position_t0, motion.position_t1]),
        vectors(&[motion.theta_t0, motion.theta_t1]),
        [q.w, q.x, q.y, q.z],
    )
}

impl CcdQuery {
    fn kind(&self) -> Kind {
        match &self.query {
            Motions::Linear(query) => query.kind,
            Motions::Rigid(query) => query.kind,
        }
    }

    fn rigid(&self) -> PyResult<&RigidQuery> {
        match &self.query {
            Motions::Rigid(query) => Ok(query),
            Motions::Linear(_) => Err(PyValueError::new_err("a linear query has start and end, no bodies")),
        }
    }

    fn linear(&self) -> PyResult<&LinearQuery> {
        match &self.query {
            Motions::Linear(query) => Ok(query),
            Motions::Rigid(_) => {
                Err(PyValueError::new_err("a rigid query has motions and points, no start and end"))
            }
        }
    }
}

#[pymethods]
impl CcdQuery {
    #[getter]
    fn r#type(&self) -> &'static str {
        match self.query {
            Motions::Linear(_) => "linear",
            Motions::Rigid(_) => "rigid",
        }
    }

    #[getter(kind)]
    fn kind_name(&self) -> &'static str {
        self.kind().name()
    }

    #[getter]
    fn family(&self) -> &'static str {
        self.family.name()
    }

    #[getter]
    fn motion_class(&self) -> &'static str {
        match &self.query {
            Motions::Linear(_) => MotionClass::Straight.name(),
            Motions::Rigid(query) => MotionClass::of(query).name(),
        }
    }

    #[getter]
    fn d_min(&self) -> f64 {
        match &self.query {
            Motions::Linear(query) => query.d_min,
            Motions::Rigid(query) => query.d_min,
        }
    }

    /// The bounds of the time of contact; `None` if they stay apart.
    #[getter]
    fn t_true(&self) -> Option<(f64, f64)> {
        match self.truth {
            Truth::First { lo, hi } => Some((lo, hi)),
            Truth::Hit => Some((0.0, 1.0)),
            Truth::Free | Truth::Unknown { .. } => None,
        }
    }

    #[getter]
    fn start(&self) -> PyResult<Vec<Vector>> {
        self.linear().map(|query| vectors(&query.start[..query.kind.n_points()]))
    }

    #[getter]
    fn end(&self) -> PyResult<Vec<Vector>> {
        self.linear().map(|query| vectors(&query.end[..query.kind.n_points()]))
    }

    #[getter]
    fn motion_a(&self) -> PyResult<MotionRow> {
        self.rigid().map(|query| row(&query.motion_a))
    }

    #[getter]
    fn motion_b(&self) -> PyResult<MotionRow> {
        self.rigid().map(|query| row(&query.motion_b))
    }

    #[getter]
    fn points(&self) -> PyResult<Vec<Vector>> {
        self.rigid().map(|query| vectors(&query.points_local[..query.kind.n_points()]))
    }

    /// The points at t in the world (m), those of the first primitive first.
    fn at(&self, t: f64) -> Vec<Vector> {
        let points = match &self.query {
            Motions::Linear(query) => query.points(t),
            Motions::Rigid(query) => query.points(t),
        };
        vectors(&points[..self.kind().n_points()])
    }

    /// Rules on an answer: the verdict, then delay, overrun in sizes and depth in d_min of a late one, and t_safe/t_true.
    #[pyo3(signature = (t_safe, t_hit=None, undecided=false))]
    #[allow(clippy::type_complexity, reason = "the package names the parts")]
    fn rule(
        &self,
        t_safe: Option<f64>,
        t_hit: Option<f64>,
        undecided: bool,
    ) -> (&'static str, bool, Option<(f64, f64, f64)>, Option<f64>) {
        let answer = match t_safe {
            None => OutsideAnswer::Free,
            Some(t_safe) if undecided => OutsideAnswer::Undecided { t_safe },
            Some(t_safe) => OutsideAnswer::Hit { t_safe, t_hit },
        };
        let Ruling { verdict, lateness, ratio } = match &self.query {
            Motions::Linear(query) => ruling::rule(query, &self.truth, &answer),
            Motions::Rigid(query) => ruling::rule(query, &self.truth, &answer),
        };
        let late = lateness.map(|l| (l.delay, l.overrun_relative, l.depth_relative));
        (verdict.name(), verdict.is_fault(), late, ratio)
    }
}

/// Returns the queries 0 to n − 1 of each family and their proven truth; those without are left out.
#[pyfunction]
pub fn ccd_queries(
    py: Python<'_>,
    r#type: &str,
    families: Vec<String>,
    n: u64,
    seed: u64,
) -> PyResult<Vec<CcdQuery>> {
    let known = || Family::ALL.map(Family::name).join(", ");
    let unknown =
        |name: &String| PyValueError::new_err(format!("there is no family {name:?}: there are {}", known()));
    let named = families.iter().map(|name| Family::named(name).ok_or_else(|| unknown(name)));
    let mut families: Vec<Family> = named.collect::<PyResult<_>>()?;
    if families.is_empty() {
        families = Family::ALL.to_vec();
    }
    if n.checked_mul(families.len() as u64).is_none_or(|n| n > MAX_QUERIES) {
        return Err(PyValueError::new_err(format!("n is {n} for each family: at most {MAX_QUERIES} in all")));
    }
    py.detach(|| match r#type {
        "linear" => Ok(certified(&families, n, seed, Motions::Linear)),
        "rigid" => Ok(certified(&families, n, seed, Motions::Rigid)),
        other => Err(PyValueError::new_err(format!("type is {other:?}: it must be linear or rigid"))),
    })
}

fn certified<Q: Generate>(
    families: &[Family],
    n: u64,
    seed: u64,
    wrap: impl Fn(Q) -> Motions,
) -> Vec<CcdQuery> {
    let each = families.iter().flat_map(|family| (0..n).map(move |index| (*family, index)));
    let query = |(family, index): (Family, u64)| {
        let made = Q::generate(family, seed, index);
        let truth = match (Query::truth(&made.query), made.witness) {
            (Truth::Unknown { lo }, Some(witness)) => Truth::First { lo, hi: witness.t },
            (Truth::Unknown { .. }, None) => return None,
            (truth, _) => truth,
        };
        Some(CcdQuery { query: wrap(made.query), truth, family, label: format!("{family} {seed} {index}") })
    };
    each.filter_map(query).collect()
}
