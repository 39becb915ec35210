//! `rigor view`, and the page of `rigor run --view`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use rigor_report::Comparison;
use rigor_run::Folder;
use rigor_run::disk::load_scene;
use rigor_run::execute::{self, KeptFiles};
use rigor_run::folder::record::{Ending, Record};
use rigor_run::registry;
use rigor_study::found::{folders, found};
use rigor_study::frame_reader::FrameReader;
use rigor_study::report;
use serde_json::{Value, json};

use super::frame::frame;
use super::http::{HttpRequest, HttpServer};
use super::{CliError, Exit, interrupt};

/// How long to wait for a request before Ctrl-C is looked at.
const PATIENCE: Duration = Duration::from_millis(200);
/// What a page that is served may do: run its own script and ask this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
                      connect-src 'self'";
/// The page until the run has written its record.
const WAITING: &str = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">\
                       <title>Starting</title><p>The run is starting.</p></html>";

/// Play runs in a browser: judgement, plots and motion, of runs that are complete or still go on.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor view erleben/wedges                            simulate a scene and watch it; nothing is kept
  rigor view out/wedges
  rigor view out/wedges-xpbd out/wedges-ipc            several runs of a scene side by side
  rigor view out/study                                 all runs of a study or a report
  rigor view out/wedges --page wedges.html             a page to keep or to mail

Only this computer can see the page. It follows a run that goes on. Ctrl-C ends the program.

EXIT CODES
  0 the page was written, or served until Ctrl-C; 2 a folder holds no run or a damaged one, or the port is taken")]
pub struct ViewArgs {
    /// Folders made by `rigor run`, `rigor study` or `rigor compare`; or a scene.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// The method that simulates a scene.
    #[arg(long, default_value = "xpbd")]
    method: String,
    /// Port on 127.0.0.1 [default: any that is free].
    #[arg(long, default_value = "0", hide_default_value = true)]
    port: u16,
    /// Write the page to this file instead.
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    page: Option<PathBuf>,
}

/// Serves the page of the runs until Ctrl-C, or writes it.
///
/// # Errors
/// A folder holds no run, the port is taken, or the page cannot be written.
pub fn execute(args: &ViewArgs) -> Result<Exit, CliError> {
    match &args.runs[..] {
        [scene] if !scene.is_dir() => watch(scene, args),
        roots => show(roots, args),
    }
}

fn show(roots: &[PathBuf], args: &ViewArgs) -> Result<Exit, CliError> {
    let page = page(roots, None, &mut None)?;
    if let Some(path) = &args.page {
        std::fs::write(path, page).map_err(|error| CliError::file(path, "written", &error))?;
        super::print(&format!("{}\n", path.display()))?;
        return Ok(Exit::Ok);
    }
    let host = Host::open(args.port)?;
    host.serve(roots, &|| interrupt::flag().load(Ordering::Relaxed))?;
    Ok(Exit::Ok)
}

/// Simulates a scene in a folder that is removed afterwards, and shows it.
fn watch(scene: &Path, args: &ViewArgs) -> Result<Exit, CliError> {
    let loaded = load_scene(&scene.to_string_lossy(), &[])?;
    let root = std::env::temp_dir().join(format!("rigor-view-{}", std::process::id()));
    let keeps = KeptFiles { contacts: true, products: false, ..KeptFiles::default() };
    let plan =
        execute::Plan { keeps, ..execute::Plan::new(loaded, args.method.as_str(), Folder::new(&root)) };
    // What cannot run is refused before a page is served.
    registry::find(&args.method)?;
    let roots = [root.clone()];
    let simulate = || {
        execute::execute(&plan, false, interrupt::flag(), &mut |_| {})
            .map(|_| ())
            .map_err(|error| CliError::new(error.to_string()))
    };
    let made = match args.page {
        Some(_) => simulate().and_then(|()| show(&roots, args)),
        None => Host::open(args.port).and_then(|host| host.during(&roots, simulate)).map(|()| Exit::Ok),
    };
    // What is left behind is in the folder for temporary files.
    let _ = std::fs::remove_dir_all(&root);
    made
}

/// A server of one page on 127.0.0.1.
pub struct Host {
    server: HttpServer,
}

impl Host {
    /// Opens a port and prints the address.
    ///
    /// # Errors
    /// The port is taken.
    pub fn open(port: u16) -> Result<Self, CliError> {
        let server = HttpServer::open(port)
            .map_err(|error| CliError::new(format!("127.0.0.1:{port} cannot be opened: {error}")))?;
        super::print(&format!("http://{}/  (Ctrl-C ends)\n", server.address()))?;
        Ok(Self { server })
    }

    /// Answers until `is_over`.
    ///
    /// # Errors
    /// The server failed.
    pub fn serve(&self, roots: &[PathBuf], is_over: &dyn Fn() -> bool) -> Result<(), CliError> {
        let mut feed = None;
        while !is_over() {
            match self.server.next(PATIENCE) {
                Ok(Some(request)) => answer(request, roots, &mut feed),
                Ok(None) => {}
                Err(error) => return Err(CliError::new(format!("the server failed: {error}"))),
            }
        }
        Ok(())
    }

    /// Does `work` and answers meanwhile, on another thread, and afterwards until Ctrl-C.
    ///
    /// # Errors
    /// Those of `work`, and that the server failed.
    pub fn during<T>(
        &self,
        roots: &[PathBuf],
        work: impl FnOnce() -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let (stop, has_failed) = (interrupt::flag(), AtomicBool::new(false));
        let is_over = || stop.load(Ordering::Relaxed) || has_failed.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            let served = scope.spawn(|| self.serve(roots, &is_over));
            let made = work();
            has_failed.store(made.is_err(), Ordering::Relaxed);
            match served.join() {
                Ok(Err(error)) if made.is_ok() => Err(error),
                _ => made,
            }
        })
    }
}

/// Answers one request. A browser that has gone away is no error, and a panic ends the answer and not the server.
fn answer(request: HttpRequest, roots: &[PathBuf], feed: &mut Option<FrameReader>) {
    let made = catch_unwind(AssertUnwindSafe(|| answer_of(&request, roots, feed)));
    let (code, kind, text) = made.unwrap_or_else(|_| {
        *feed = None;
        (500, "text/plain; charset=utf-8", "the page cannot be made: the terminal says why".to_owned())
    });
    let headers =
        [("Content-Type", kind), ("Content-Security-Policy", POLICY), ("Cache-Control", "no-store")];
    request.answer(code, &headers, text);
}

/// Code, kind and text of the answer to a request.
fn answer_of(
    request: &HttpRequest,
    roots: &[PathBuf],
    feed: &mut Option<FrameReader>,
) -> (u16, &'static str, String) {
    let is_there = folders(roots).iter().all(|folder| folder.record().is_file());
    match (is_ours(&request.host), request.path.as_str()) {
        (false, _) => (403, "text/plain; charset=utf-8", "this address serves its own pages only".to_owned()),
        (true, "/") if !is_there => (200, "text/html; charset=utf-8", WAITING.to_owned()),
        (true, "/") => match state(roots).and_then(|state| page(roots, Some(state), feed)) {
            Ok(page) => (200, "text/html; charset=utf-8", page),
            Err(error) => (500, "text/plain; charset=utf-8", error.render()),
        },
        (true, "/state") => match state(roots) {
            Ok((state, going)) => {
                (200, "application/json", json!({ "state": state, "going": going }).to_string())
            }
            Err(error) => (500, "text/plain; charset=utf-8", error.render()),
        },
        (true, url) => match asked(url).map(|step| news(roots, step, feed)) {
            Some(Ok(news)) => (200, "application/json", news.to_string()),
            Some(Err(error)) => (500, "text/plain; charset=utf-8", error.render()),
            None => (404, "text/plain; charset=utf-8", "there is nothing here".to_owned()),
        },
    }
}

/// Whether the request names this computer: a page from elsewhere whose name leads here does not. The port may be any, as a tunnel
/// (`ssh -L`) has one of its own.
fn is_ours(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// How far the runs have come, and whether any of them goes on.
fn state(roots: &[PathBuf]) -> Result<(String, bool), CliError> {
    let mut words = Vec::new();
    let mut going = false;
    for folder in folders(roots) {
        let record = Record::read(&folder.record()).map_err(|error| CliError::new(error.to_string()))?;
        going |= record.outcome == Ending::Running;
        words.push(std::fs::metadata(folder.frames()).map_or(0, |data| data.len()).to_string());
    }
    Ok((words.join(" "), going))
}

/// The step after which `/news?after=STEP` asks for frames.
fn asked(url: &str) -> Option<u64> {
    url.strip_prefix("/news?after=")?.parse().ok()
}

/// The frames of a run that came after `step`, and whether it goes on.
fn news(roots: &[PathBuf], step: u64, feed: &mut Option<FrameReader>) -> Result<Value, CliError> {
    let (state, going) = state(roots)?;
    let told = |run: Value| json!({ "state": state, "going": going, "run": run });
    let ([folder], true) = (&folders(roots)[..], going) else { return Ok(told(Value::Null)) };
    let run = opened(feed, folder)?.after(step)?.map(|film| {
        json!({
            "dt": film.dt, "frames": film.frames, "film": film.text, "forces": film.forces, "every": film.every,
        })
    });
    Ok(told(run.unwrap_or_default()))
}

/// The frames of the run in `folder`.
fn opened<'a>(feed: &'a mut Option<FrameReader>, folder: &Folder) -> Result<&'a mut FrameReader, CliError> {
    Ok(match feed {
        Some(feed) => feed,
        None => feed.insert(FrameReader::open(folder)?),
    })
}

/// The page. One run that goes on is followed by its frames; of several, the whole is made, by one thread, so that the runs keep the
/// others.
fn page(
    roots: &[PathBuf],
    state: Option<(String, bool)>,
    feed: &mut Option<FrameReader>,
) -> Result<String, CliError> {
    let live = state.and_then(|(state, going)| going.then_some(state));
    if let (Some(_), [folder]) = (&live, &folders(roots)[..]) {
        let page = opened(feed, folder)?.page(&frame())?;
        return Ok(rigor_report::html(&Comparison { live: Some("one".to_owned()), ..page }));
    }
    if live.is_none() {
        return whole(roots, live);
    }
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(alone) => alone.install(|| whole(roots, live)),
        Err(_) => whole(roots, live),
    }
}

fn whole(roots: &[PathBuf], live: Option<String>) -> Result<String, CliError> {
    let (plan, results) = found(roots)?;
    let page = match plan {
        Some(plan) => Comparison { live, ..report::page(&plan, &results, &frame())? },
        None => {
            let scenes = report::sections(&results.rows)?;
            let title = match &scenes[..] {
                [one] => one.name.clone(),
                several => format!("{} scenes", several.len()),
            };
            Comparison { title, scenes, live, ..frame() }
        }
    };
    Ok(rigor_report::html(&page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_computer_are_answered() {
        for host in
            ["127.0.0.1:8080", "localhost:8080", "localhost:9", "127.0.0.1", "localhost", "[::1]:8080"]
        {
            assert!(is_ours(host), "{host}");
        }
        for host in [
            "",
            "evil.example:8080",
            "localhost.evil.example:8080",
            "127.0.0.1.evil.example",
            "localhost:",
            "::1",
            "127.0.0.1:80a",
        ] {
            assert!(!is_ours(host), "{host}");
        }
    }
}
