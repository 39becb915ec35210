//! Settings that do not fit are refused.

use rigor_moreau::{Config, ContactLaw, ContactSolver, Nonsmooth};
use rigor_scene::Clock;

#[test]
fn a_solver_that_does_not_know_the_law_is_refused_with_those_that_it_knows() {
    let make = |law, solver| {
        Nonsmooth::new(Config { law, solver, ..Config::default() }, Clock::default()).map(|_| ())
    };
    let error = make(ContactLaw::Convex, ContactSolver::Newton).unwrap_err().to_string();
    assert!(error.contains("law is \"convex\"") && error.contains("coulomb"), "{error}");
    for law in [ContactLaw::Coulomb, ContactLaw::Convex, ContactLaw::Pyramid, ContactLaw::Regularised] {
        make(law, ContactSolver::Automatic).unwrap();
    }
    let error = Nonsmooth::new(Config { tolerance: 0.0, ..Config::default() }, Clock::default()).unwrap_err();
    assert!(error.to_string().contains("tolerance is 0"), "{error}");
}
