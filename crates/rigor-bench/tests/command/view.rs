//! `rigor view`, as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn rigor(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).current_dir(folder).output().expect("it starts")
}

#[test]
fn the_page_of_two_kept_runs_plays_both() {
    let folder = tempfile::tempdir().expect("a folder");
    for method in ["xpbd", "pbd"] {
        let line = ["run", "bouncing/ball", "--method", method, "--time", "0.2", "--out", method];
        let made = rigor(&line, folder.path());
        assert!(made.status.code().is_some_and(|code| code < 2), "{made:?}");
    }
    let made = rigor(&["view", "xpbd", "pbd", "--page", "page.html"], folder.path());
    assert!(made.status.success(), "{made:?}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert_eq!(page.matches("class=\"player\"").count(), 1);
    assert_eq!(page.matches("\"film\":").count(), 2);
    assert!(!page.contains("data-live") && !page.contains("http:"));
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rigor(&["view", ".", "--page", "page.html"], folder.path());
    assert_eq!(made.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&made.stderr).contains("run.json"), "{made:?}");
}

/// A process that serves a page, and the address that it prints.
fn serving(arguments: &[&str], folder: &Path) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rigor"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("it prints its address");
    let address = line.trim_start_matches("http://").split('/').next().expect("an address").to_owned();
    (child, address)
}

/// Sends bytes; the first line of the answer.
fn asked(address: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    // The server may have refused before it has read all.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

/// One request with a large `Content-Length` ended the process, and with it the simulation that it showed.
#[test]
fn no_request_ends_a_page_or_the_run_that_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = ["run", "stacks/05", "--dt", "1e-3", "--time", "2", "--quiet", "--out", "run", "--view"];
    let (mut running, address) = serving(&run, folder.path());
    let good = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes();
    for hostile in [
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 99999999999\r\n\r\n").into_bytes(),
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n".to_vec(),
        format!("GET /news?after=99999999999999999999 HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes(),
        format!("GET /../../etc/passwd HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes(),
        good("evil.example"),
        vec![0xff; 100_000],
        Vec::new(),
    ] {
        assert!(!asked(&address, &hostile).contains("200"), "{:?}", String::from_utf8_lossy(&hostile));
        // A tunnel has a port of its own.
        assert!(asked(&address, &good("localhost:1")).contains("200 OK"));
    }
    let record = folder.path().join("run/run.json");
    for _ in 0..600 {
        let text = std::fs::read_to_string(&record).unwrap_or_default();
        if text.contains("\"completed\"") {
            break;
        }
        assert!(running.try_wait().expect("it is a process").is_none(), "the run ended");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(asked(&address, &good(&address)).contains("200 OK"));
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    assert!(std::fs::read_to_string(&record).expect("a record").contains("\"completed\""));
}
