//! Renews the matrices and plots of `docs/engines.md`. With folders of studies as arguments, such as `out/contact`, it first keeps
//! their rows: the name of a folder is that of the page. That of the page `tosses` is one of `rigor accuracy`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use rigor_benchmarks::engines::{kept, kept_tosses, pages, plots, read, renewed};

fn main() -> io::Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = workspace.join("benchmarks/results/engines");
    for study in std::env::args_os().skip(1).map(PathBuf::from) {
        let is_it = |page: &&rigor_benchmarks::engines::Page| study.ends_with(page.name);
        let pages = pages();
        let Some(page) = pages.iter().find(is_it) else {
            return Err(io::Error::other(format!("{}: no page has this name", study.display())));
        };
        let rows = if page.name == "tosses" {
            kept_tosses(&fs::read(study.join("accuracy.csv"))?)?
        } else {
            kept(page, &fs::read(study.join("results.csv"))?)?
        };
        fs::write(folder.join(format!("{}.csv", page.name)), rows)?;
    }
    let images = workspace.join("docs/images/engines");
    fs::create_dir_all(&images)?;
    for page in pages() {
        let rows = read(&fs::read(folder.join(format!("{}.csv", page.name)))?)?;
        for (name, text) in plots(&page, &rows) {
            fs::write(images.join(name), text)?;
        }
    }
    let document = workspace.join("docs/engines.md");
    fs::write(&document, renewed(&fs::read_to_string(&document)?, &folder)?)
}
