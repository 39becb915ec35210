//! `rigor figure`.

mod picture;
mod video;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rigor_report::naming::row_name;
use rigor_report::paper::citation::{Citation, Run};
use rigor_report::paper::tables::{file_name, tables};
use rigor_report::paper::{POINTS, pdf, plots};
use rigor_report::{Comparison, SceneSection};
use rigor_run::output::vtk;
use rigor_study::album::{Album, FrameSequence};
use rigor_study::found::found;
use rigor_study::{Plan, Results, Row, StudyError, report, results};

use super::frame::frame;
use super::{CliError, Exit};

/// Make files for a paper from kept runs: plots, tables, pictures, videos, frames for ParaView, and a citation.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor figure out/wedges --out out/paper                        of one run
  rigor figure out/wedges-xpbd out/wedges-ipc --out out/paper    of several runs
  rigor figure out/first --out out/paper --only sheet,tables     of a report or a study
  rigor figure out/wedges --out out/paper --only pictures --size 2400x1500 --transparent --time 0.2
  rigor figure out/wedges --out out/paper --only video,vtk

WRITES
  plots/*.svg, *.pdf (--column wide, fonts embedded), *.csv; tables/*.tex (booktabs), *.csv; results.csv;
  pictures/*.png; sheet.png (all runs at their end, with their names); video/*.mp4 (by ffmpeg; without it, the
  frames and the command that joins them); vtk/RUN/*.vtp with RUN.pvd; citation.txt, citation.bib

EXIT CODES
  0 all files were written; 2 a folder holds no run or a damaged one, or a file cannot be written")]
pub struct FigureArgs {
    /// Folders of runs, studies or reports.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Folder for the files.
    #[arg(long)]
    out: PathBuf,
    /// What to make, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "plots,tables,pictures,citation")]
    only: Vec<Part>,
    /// Width of a plot in points (1/72 inch); 228 fits the column of an article in two columns.
    #[arg(long, default_value_t = 228.0)]
    column: f64,
    /// Size of a picture in pixels.
    #[arg(long, default_value = "1280x800", value_parser = size)]
    size: [usize; 2],
    /// Make pictures with a transparent ground.
    #[arg(long)]
    transparent: bool,
    /// Also make pictures at this time (s); repeatable.
    #[arg(long, allow_negative_numbers = true)]
    time: Vec<f64>,
    /// Pictures of a video per second.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// Simulated seconds per second of a video.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Plots as SVG, PDF and CSV.
    Plots,
    /// Tables as LaTeX and CSV.
    Tables,
    /// Pictures of the start and of the end of each run.
    Pictures,
    /// All runs at their end in one picture, with their names.
    Sheet,
    /// A video per scene, with its runs side by side.
    Video,
    /// Frames for ParaView.
    Vtk,
    /// Program, versions and hashes.
    Citation,
}

/// Largest side of a picture in pixels.
const MAX_SIDE: usize = 16_384;

/// Reads `WIDTHxHEIGHT`.
fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides.filter(|sides: &[usize; 2]| sides.iter().all(|side| (16..=MAX_SIDE).contains(side))).ok_or_else(
        || format!("{text}: write WIDTHxHEIGHT in pixels, each 16 to {MAX_SIDE}, such as 1280x800"),
    )
}

/// Makes the files and prints their paths.
///
/// # Errors
/// A run cannot be read, or a file cannot be written.
pub fn execute(args: &FigureArgs) -> Result<Exit, CliError> {
    check(args)?;
    let (plan, results) = found(&args.runs)?;
    if results.rows.is_empty() {
        return Err(CliError::new(format!("{}: no run is there", args.runs[0].display())));
    }
    check_times(args, &results)?;
    let plan = plan.unwrap_or_default();
    let page = report::page(&plan, &results, &frame())?;
    let files = Files { out: &args.out, taken: RefCell::default() };
    for part in &args.only {
        match part {
            Part::Plots => write_plots(&files, &page, args.column)?,
            Part::Tables => write_tables(&files, &page, &plan, &results)?,
            Part::Citation => {
                let citation = citation(&page, &results);
                files.write("citation.txt", citation.text().as_bytes())?;
                files.write("citation.bib", citation.bibtex().as_bytes())?;
            }
            Part::Sheet => picture::sheet(&files, &albums(&page, &results)?, args)?,
            Part::Pictures => {
                albums(&page, &results)?
                    .iter()
                    .try_for_each(|album| picture::pictures(&files, album, args))?;
            }
            Part::Video => {
                albums(&page, &results)?.iter().try_for_each(|album| video::video(&files, album, args))?;
            }
            Part::Vtk => albums(&page, &results)?.iter().try_for_each(|album| write_vtk(&files, album))?,
        }
    }
    Ok(Exit::Ok)
}

fn check(args: &FigureArgs) -> Result<(), CliError> {
    let is_good =
        |value: f64, range: std::ops::RangeInclusive<f64>| value.is_finite() && range.contains(&value);
    for (name, value, range) in [
        ("column", args.column, 60.0..=2000.0),
        ("fps", args.fps, 0.1..=1000.0),
        ("speed", args.speed, 1e-6..=1e6),
    ] {
        if !is_good(value, range.clone()) {
            let (low, high) = (range.start(), range.end());
            return Err(CliError::new(format!("--{name} is {value}: it must be {low} to {high}")));
        }
    }
    match args.time.iter().find(|time| !time.is_finite() || **time < 0.0) {
        Some(time) => Err(CliError::new(format!("--time is {time} s: it must be at least 0"))),
        None => Ok(()),
    }
}

/// Checks that each time of a picture lies within the runs.
fn check_times(args: &FigureArgs, results: &Results) -> Result<(), CliError> {
    for row in &results.rows {
        // A frame stands for the time until the next.
        let end = row.record.steps_done as f64 * row.record.dt;
        if let Some(time) = args.time.iter().find(|time| **time > end * (1.0 + 1e-9)) {
            let what = format!("--time is {time} s: {} with {} ends at {end} s", row.scene, row.task.label);
            return Err(CliError::new(what).with_help("name a time within all runs"));
        }
    }
    Ok(())
}

/// The folder of all files, and the names that are taken.
struct Files<'a> {
    out: &'a Path,
    taken: RefCell<BTreeSet<String>>,
}

impl Files<'_> {
    /// Returns a name that no file or folder of this command has: `name`, or `name` with a number before its last dot, if it has one.
    fn free(&self, name: &str) -> String {
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if !ending.contains('/') => (stem, format!(".{ending}")),
            _ => (name, String::new()),
        };
        let numbered = (2..).map(|n| format!("{stem}-{n}{ending}"));
        let mut taken = self.taken.borrow_mut();
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| taken.insert(name.clone()))
            .unwrap_or_default()
    }

    /// Writes a file, under another name if this one is taken, and prints its path.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, CliError> {
        let path = self.out.join(self.free(name));
        let folder = path.parent().unwrap_or(self.out);
        std::fs::create_dir_all(folder).map_err(|error| CliError::file(folder, "made", &error))?;
        std::fs::write(&path, bytes).map_err(|error| CliError::file(&path, "written", &error))?;
        super::print(&format!("{}\n", path.display()))?;
        Ok(path)
    }
}

/// The runs of a scene, with their names.
struct NamedRuns<'a> {
    section: &'a SceneSection,
    album: Album,
    /// The name of each run of the album.
    names: Vec<String>,
}

fn albums<'a>(page: &'a Comparison, results: &Results) -> Result<Vec<NamedRuns<'a>>, CliError> {
    let of = |section: &'a SceneSection| {
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.scene == section.name).collect();
        let album = Album::of(&rows)?;
        let names = album.runs.iter().map(|(k, _)| row_name(section, &section.rows[*k])).collect();
        Ok(NamedRuns { section, album, names })
    };
    page.scenes.iter().map(of).collect::<Result<_, StudyError>>().map_err(CliError::from)
}

fn write_plots(files: &Files<'_>, page: &Comparison, column: f64) -> Result<(), CliError> {
    let wrong = |error: &dyn std::error::Error| CliError::new(error.to_string());
    for plot in plots::plots(page, column).map_err(|error| wrong(&error))? {
        let name = |kind: &str| format!("plots/{}.{kind}", plot.name);
        let pdf = pdf::pdf(&plot.drawing, &plot.title, POINTS).map_err(|error| wrong(&error))?;
        files.write(&name("svg"), plot.drawing.svg(POINTS).as_bytes())?;
        files.write(&name("pdf"), &pdf)?;
        if let Some(numbers) = &plot.numbers {
            files.write(&name("csv"), numbers.csv().as_bytes())?;
        }
    }
    Ok(())
}

fn write_tables(files: &Files<'_>, page: &Comparison, plan: &Plan, found: &Results) -> Result<(), CliError> {
    for (name, grid) in tables(page) {
        files.write(&format!("tables/{name}.tex"), grid.latex().as_bytes())?;
        files.write(&format!("tables/{name}.csv"), grid.csv().as_bytes())?;
    }
    for (name, columns) in rigor_study::tables::all(plan, found)? {
        files.write(&format!("{name}.csv"), results::csv(&columns).as_bytes())?;
    }
    Ok(())
}

fn write_vtk(files: &Files<'_>, named: &NamedRuns<'_>) -> Result<(), CliError> {
    for ((_, folder), name) in named.album.runs.iter().zip(&named.names) {
        let name = files.free(&file_name(&format!("{} {name}", named.section.name)));
        let mut reel = FrameSequence::open(&named.album.scene, folder)?;
        let mut times = Vec::new();
        loop {
            let (state, file) = (&reel.now().state, format!("{name}-{:06}.vtp", reel.now().state.step));
            let path = files.out.join("vtk").join(&name).join(&file);
            let parent = path.parent().unwrap_or(files.out);
            std::fs::create_dir_all(parent).map_err(|error| CliError::file(parent, "made", &error))?;
            times.push((state.time, format!("{name}/{file}")));
            vtk::write(&path, &vtk::frame(&named.album.scene, reel.now()))
                .map_err(|error| CliError::new(error.to_string()))?;
            if reel.forward()?.is_none() {
                break;
            }
        }
        files.write(&format!("vtk/{name}.pvd"), vtk::series(&times).as_bytes())?;
    }
    Ok(())
}

fn citation(page: &Comparison, results: &Results) -> Citation {
    let run = |row: &Row| {
        let record = &row.record;
        let words = [format!("{} with {}", row.scene, row.task.label), row.point()];
        Run {
            name: words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", "),
            dt: record.dt,
            identity: record.identity.clone(),
            scene: record.scene_hash.clone(),
            state: record.state_hash.clone(),
            commit: record.versions.commit.clone(),
        }
    };
    Citation {
        command: page.command_line.clone(),
        date: page.date.clone(),
        versions: page.versions.clone(),
        machine: page.machine.clone(),
        runs: results.rows.iter().map(run).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_two_numbers_within_reason() {
        assert_eq!(size("640x400"), Ok([640, 400]));
        for wrong in ["640", "640x", "0x400", "640x99999", "axb"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
