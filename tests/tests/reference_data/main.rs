//! Tests with reference data, which are ignored without it: see `docs/decisions/reference-data.md`.

mod ccd_ground_truth;
mod ccd_queries;
mod rigid_ipc_fixtures;
mod rigid_ipc_trajectories;

fn main() {
    let parts = [
        ccd_ground_truth::trials(),
        ccd_queries::trials(),
        rigid_ipc_fixtures::trials(),
        rigid_ipc_trajectories::trials(),
    ];
    rigor_tests::reference::run(parts.into_iter().flatten().collect());
}
