//! `rigor view`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use rigor_report::Comparison;
use rigor_run::Folder;
use rigor_run::disk::load_run;
use rigor_run::folder::record::{Ending, Record};
use rigor_study::{Row, Task, report};
use serde_json::json;
use tiny_http::{Header, Request, Response, Server};

use super::frame::frame;
use super::{CliError, Exit, interrupt};

/// How long to wait for a request before Ctrl-C is looked at.
const PATIENCE: Duration = Duration::from_millis(200);
/// What a page that is served may do: run its own script and ask this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
                      connect-src 'self'";

/// Play runs in a browser: judgement, plots and motion, of runs that are complete or still go on.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor view out/wedges
  rigor view out/wedges-xpbd out/wedges-ipc            several runs of a scene side by side
  rigor view out/wedges --page wedges.html             a page to keep or to mail

Only this computer can see the page. It follows a run that goes on. Ctrl-C ends the program.

EXIT CODES
  0 the page was written, or served until Ctrl-C; 2 a folder holds no run or a damaged one, or the port is taken")]
pub struct ViewArgs {
    /// Folders made by `rigor run`.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
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
    let folders: Vec<Folder> = args.runs.iter().map(Folder::new).collect();
    let page = page(&folders, None)?;
    if let Some(path) = &args.page {
        std::fs::write(path, page).map_err(|error| CliError::file(path, "written", &error))?;
        super::print(&format!("{}\n", path.display()))?;
        return Ok(Exit::Ok);
    }
    let stop = interrupt::flag();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = Server::http(address)
        .map_err(|error| CliError::new(format!("{address} cannot be opened: {error}")))?;
    let Some(address) = server.server_addr().to_ip() else {
        return Err(CliError::new("the server has no address on this computer"));
    };
    super::print(&format!("http://{address}/  (Ctrl-C ends)\n"))?;
    while !stop.load(Ordering::Relaxed) {
        match server.recv_timeout(PATIENCE) {
            Ok(Some(request)) => answer(request, &folders, address),
            Ok(None) => {}
            Err(error) => return Err(CliError::new(format!("the server failed: {error}"))),
        }
    }
    Ok(Exit::Ok)
}

/// Answers one request. A browser that has gone away is no error.
fn answer(request: Request, folders: &[Folder], address: SocketAddr) {
    let (code, kind, text) = match (is_meant(&request, address), request.url()) {
        (false, _) => (403, "text/plain; charset=utf-8", "this address serves its own pages only".to_owned()),
        (true, "/") => match state(folders).and_then(|state| page(folders, Some(state))) {
            Ok(page) => (200, "text/html; charset=utf-8", page),
            Err(error) => (500, "text/plain; charset=utf-8", error.render()),
        },
        (true, "/state") => match state(folders) {
            Ok((state, going)) => {
                (200, "application/json", json!({ "state": state, "going": going }).to_string())
            }
            Err(error) => (500, "text/plain; charset=utf-8", error.render()),
        },
        (true, _) => (404, "text/plain; charset=utf-8", "there is nothing here".to_owned()),
    };
    let headers =
        [("Content-Type", kind), ("Content-Security-Policy", POLICY), ("Cache-Control", "no-store")];
    let response = headers
        .iter()
        .filter_map(|(name, value)| Header::from_bytes(name.as_bytes(), value.as_bytes()).ok())
        .fold(Response::from_string(text).with_status_code(code), Response::with_header);
    let _ = request.respond(response);
}

/// Whether the request names this server: a page from elsewhere whose name leads to this computer does not.
fn is_meant(request: &Request, address: SocketAddr) -> bool {
    let mut hosts = request.headers().iter().filter(|header| header.field.equiv("Host"));
    hosts.next().is_some_and(|host| is_ours(host.value.as_str(), address))
}

fn is_ours(host: &str, address: SocketAddr) -> bool {
    host == address.to_string() || host == format!("localhost:{}", address.port())
}

/// How far the runs have come, and whether any of them goes on.
fn state(folders: &[Folder]) -> Result<(String, bool), CliError> {
    let mut words = Vec::new();
    let mut going = false;
    for folder in folders {
        let record = Record::read(&folder.record()).map_err(|error| CliError::new(error.to_string()))?;
        going |= record.outcome == Ending::Running;
        words.push(std::fs::metadata(folder.frames()).map_or(0, |data| data.len()).to_string());
    }
    Ok((words.join(" "), going))
}

fn page(folders: &[Folder], state: Option<(String, bool)>) -> Result<String, CliError> {
    let rows = folders.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    let scenes = report::sections(&rows)?;
    let title = match &scenes[..] {
        [one] => one.name.clone(),
        several => format!("{} scenes", several.len()),
    };
    let live = state.and_then(|(state, going)| going.then_some(state));
    Ok(rigor_report::html(&Comparison { title, scenes, live, ..frame() }))
}

/// A run, which may still go on.
fn row(folder: &Folder) -> Result<Row, CliError> {
    let record = Record::read(&folder.record()).map_err(|error| CliError::new(error.to_string()))?;
    let loaded = load_run(folder)?;
    let task = Task::of_loaded(loaded, record.method.clone(), record.steps as f64 * record.dt);
    Ok(Row::new(task, record, folder.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_computer_are_answered() {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
        for host in ["127.0.0.1:8080", "localhost:8080"] {
            assert!(is_ours(host, address), "{host}");
        }
        for host in ["", "127.0.0.1", "127.0.0.1:80", "evil.example:8080", "localhost.evil.example:8080"] {
            assert!(!is_ours(host, address), "{host}");
        }
    }
}
