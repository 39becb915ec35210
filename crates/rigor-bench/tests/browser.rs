//! A page in headless Chromium: the player, the plots, keys, and what a page must not do; and files for papers in the programs
//! that open them. Tests without their program are ignored.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

#[path = "browser/exports.rs"]
mod exports;

/// What the browser does with the page.
const CHECK: &str = include_str!("browser/check.js");
/// Gathers complaints from the start.
const GATHER: &str = "<head><script>window.seen_faults=[];addEventListener('error',(e)=>seen_faults.push(e.message));\
    addEventListener('unhandledrejection',(e)=>seen_faults.push(String(e.reason)));\
    for(const k of ['error','warn'])console[k]=(...w)=>seen_faults.push(w.join(' '));</script>";

fn main() {
    let arguments = Arguments::from_args();
    let browser = browser();
    let trial = |name: &str, width: usize| {
        let chosen = browser.clone();
        let run = move || chosen.map_or(Ok(()), |browser| check(&browser, width));
        let name = if browser.is_some() { name.to_owned() } else { format!("{name} (needs Chromium)") };
        Trial::test(name, run).with_ignored_flag(browser.is_none())
    };
    let mut all =
        vec![trial("a_page_does_what_a_reader_asks", 1280), trial("a_narrow_page_does_so_too", 400)];
    all.extend(exports::trials());
    libtest_mimic::run(&arguments, all).exit();
}

/// The browser, if there is one.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let places =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(places).find(|path| path.is_file())
}

fn check(browser: &Path, width: usize) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("page.html");
    make(folder.path())?;
    let text = fs::read_to_string(&page)?;
    let checked =
        text.replacen("<head>", GATHER, 1).replace("</body>", &format!("<script>{CHECK}</script></body>"));
    fs::write(&page, checked)?;
    let done = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
        ])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--window-size={width},900"))
        .args(["--virtual-time-budget=60000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()?;
    let dom = String::from_utf8_lossy(&done.stdout);
    let outcome = dom.split("id=\"outcome\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let told = outcome.ok_or_else(|| format!("no outcome: {}", String::from_utf8_lossy(&done.stderr)))?;
    if !told.ends_with("end") || told.contains("FAILED") || told.matches("ok ").count() < 10 {
        return Err(told.to_owned().into());
    }
    Ok(())
}

/// A page of two methods, with contacts.
fn make(folder: &Path) -> Result<(), Failed> {
    let rigor =
        |line: &[&str]| Command::new(env!("CARGO_BIN_EXE_rigor")).args(line).current_dir(folder).output();
    for method in ["xpbd", "pbd"] {
        let made = rigor(&[
            "run",
            "bouncing/ball",
            "--method",
            method,
            "--time",
            "0.6",
            "--contacts",
            "--out",
            method,
        ])?;
        if made.status.code().is_none_or(|code| code > 1) {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
        }
    }
    let made = rigor(&["view", "xpbd", "pbd", "--page", "page.html"])?;
    if made.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&made.stderr).into_owned().into())
    }
}
