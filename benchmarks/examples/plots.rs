//! Writes the plots of `docs/performance.md` from the committed measurements.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images/performance");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in rigor_benchmarks::performance::plots() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
