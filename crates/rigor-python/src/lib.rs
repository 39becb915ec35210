//! The native part of the Python package `rigor`: the module `rigor._rigor`.
//!
//! It holds what is fast or already there in Rust; the package in `python/rigor` gives it its shape. Arrays are contiguous, of
//! 64-bit floating-point numbers, in the units of the scene format. Poses are those of the principal frames of bodies,
//! quaternions are (w, x, y, z).
//!
//! | module | content |
//! | --- | --- |
//! | `scene`, `body` | scenes and their bodies |
//! | `state` | the state as arrays |
//! | `report` | reports of steps as rows of numbers |
//! | `method`, `judge` | methods and judges written in Python |
//! | `recorder` | what a run keeps, and Ctrl-C |
//! | `finished_run` | what is kept of a run |
//! | `run`, `simulation` | whole runs, and one step at a time |
//! | `verdict` | judgement of a run |
//! | `trajectory` | runs from elsewhere, and runs on disk |
//! | `page`, `study`, `paper` | reports, plans of runs, and figures of papers |
//! | `ccd`, `geometry` | collision detection and geometry over arrays |
//! | `array`, `error`, `kind`, `signal`, `word` | conversion of arrays, errors, kinds of primitives, Ctrl-C, and names |

mod array;
mod body;
mod ccd;
mod ccd_query;
mod error;
mod finished_run;
mod geometry;
mod judge;
mod kind;
mod method;
mod page;
mod paper;
mod recorder;
mod report;
mod run;
mod scene;
mod signal;
mod simulation;
mod state;
mod study;
mod trajectory;
mod verdict;
mod word;

use pyo3::prelude::*;

/// Fills the module.
#[pymodule]
fn _rigor(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::register(module)?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<body::Body>()?;
    module.add_class::<state::State>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_function(wrap_pyfunction!(scene::cases, module)?)?;
    module.add_function(wrap_pyfunction!(method::methods, module)?)?;
    module.add_function(wrap_pyfunction!(verdict::figures, module)?)?;
    module.add_function(wrap_pyfunction!(page::page, module)?)?;
    module.add_function(wrap_pyfunction!(page::picture, module)?)?;
    module.add_function(wrap_pyfunction!(study::study, module)?)?;
    module.add_function(wrap_pyfunction!(paper::papers, module)?)?;
    module.add_function(wrap_pyfunction!(paper::reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(ccd::ccd_linear, module)?)?;
    module.add_function(wrap_pyfunction!(ccd::ccd_rigid, module)?)?;
    module.add_function(wrap_pyfunction!(ccd::ccd_methods, module)?)?;
    module.add_function(wrap_pyfunction!(ccd_query::ccd_queries, module)?)?;
    module.add_class::<ccd_query::CcdQuery>()?;
    module.add_function(wrap_pyfunction!(geometry::distance_sq, module)?)?;
    module.add_function(wrap_pyfunction!(geometry::distance_sq_gradient, module)?)?;
    module.add_function(wrap_pyfunction!(geometry::mass_properties, module)?)?;
    module.add_function(wrap_pyfunction!(geometry::winding_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(geometry::meshes_touch, module)?)?;
    Ok(())
}
