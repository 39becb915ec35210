//! What `rigor figure` writes, opened by the programs that readers have: a viewer of PDF, LaTeX, a player of videos, an XML parser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

/// A paper in two columns, as `docs/guide/make-figures.md` has it.
const PAPER: &str = r"\documentclass[twocolumn]{article}
\usepackage{graphicx,booktabs}
\begin{document}
\begin{figure}\centering\includegraphics{PLOT}\caption{A plot.}\end{figure}
\begin{table*}\centering\input{tables/verdicts.tex}\caption{Verdicts.}\end{table*}
Text.
\end{document}
";

/// A test for each program that is installed; those of others are ignored.
pub fn trials() -> Vec<Trial> {
    let files = Arc::new(OnceLock::new());
    let trial = |name: &str, tools: &[&str], check: fn(&Path) -> Result<(), Failed>| {
        let missing: Vec<&str> = tools.iter().copied().filter(|tool| !is_installed(tool)).collect();
        let name = if missing.is_empty() {
            name.to_owned()
        } else {
            format!("{name} (needs {})", missing.join(", "))
        };
        let files = files.clone();
        Trial::test(name, move || check(&made(&files)?)).with_ignored_flag(!missing.is_empty())
    };
    vec![
        trial("plots_open_as_pdf_and_have_their_words", &["pdftotext"], pdf),
        trial("plots_are_svg", &["xmllint"], svg),
        trial("a_plot_and_a_table_fit_a_paper_in_two_columns", &["pdflatex", "pdftotext"], latex),
        trial("a_video_plays", &["ffmpeg", "ffprobe"], video),
    ]
}

fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// The folder of the files of a short run, made once.
fn made(files: &OnceLock<Result<TempDir, String>>) -> Result<PathBuf, Failed> {
    let root = files.get_or_init(|| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = folder.path();
        let run = ["run", "bouncing/ball", "--time", "0.4", "--out", "run", "--quiet"];
        rigor(&run, root)?;
        let only = "plots,tables,video";
        rigor(&["figure", "run", "--out", "paper", "--only", only, "--size", "160x100"], root)?;
        Ok(folder)
    });
    match root {
        Ok(folder) => Ok(folder.path().join("paper")),
        Err(error) => Err(error.clone().into()),
    }
}

fn rigor(line: &[&str], folder: &Path) -> Result<(), String> {
    run(env!("CARGO_BIN_EXE_rigor"), line, folder).map(|_| ())
}

fn run(program: &str, line: &[&str], folder: &Path) -> Result<Output, String> {
    let done = Command::new(program).args(line).current_dir(folder).output();
    let done = done.map_err(|error| format!("{program}: {error}"))?;
    if done.status.success() {
        return Ok(done);
    }
    let said = [done.stdout, done.stderr].concat();
    Err(format!("{program} {line:?}: {}", String::from_utf8_lossy(&said)))
}

fn of_kind(folder: &Path, kind: &str) -> Result<Vec<String>, Failed> {
    let files = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == kind))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    names.sort();
    if names.is_empty() { Err(format!("no .{kind} in {}", folder.display()).into()) } else { Ok(names) }
}

fn pdf(root: &Path) -> Result<(), Failed> {
    for plot in of_kind(&root.join("plots"), "pdf")? {
        let words = run("pdftotext", &[&plot, "-"], root)?;
        if !String::from_utf8_lossy(&words.stdout).contains("time") {
            return Err(format!("{plot} has no axis of time").into());
        }
    }
    Ok(())
}

fn svg(root: &Path) -> Result<(), Failed> {
    for plot in of_kind(&root.join("plots"), "svg")? {
        run("xmllint", &["--noout", "--nonet", &plot], root)?;
    }
    Ok(())
}

fn latex(root: &Path) -> Result<(), Failed> {
    let plot = of_kind(&root.join("plots"), "pdf")?.swap_remove(0);
    fs::write(root.join("paper.tex"), PAPER.replace("PLOT", &plot))?;
    run("pdflatex", &["-interaction=nonstopmode", "-halt-on-error", "paper.tex"], root)?;
    let log = fs::read(root.join("paper.log"))?;
    if String::from_utf8_lossy(&log).contains("Overfull") {
        return Err("the plot or the table is wider than its column".into());
    }
    let words = run("pdftotext", &["paper.pdf", "-"], root)?;
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    if words.contains("xpbd") && words.contains("A plot.") { Ok(()) } else { Err(words.into()) }
}

fn video(root: &Path) -> Result<(), Failed> {
    let film = of_kind(&root.join("video"), "mp4")?.swap_remove(0);
    let count = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0"];
    let told = run("ffprobe", &[&count[..], &[&film]].concat(), root)?;
    // 0.4 s at 30 pictures per second, and the first.
    let frames: usize = String::from_utf8_lossy(&told.stdout).trim().trim_end_matches(',').parse()?;
    if (12..=14).contains(&frames) { Ok(()) } else { Err(format!("{frames} frames").into()) }
}
