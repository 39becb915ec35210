//! The process of an engine: its streams and its time limits.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fault::{Fault, FaultKind};
use super::message::{Refusal, Request};
use super::stream::{LastLines, Line, MAX_REPLY, lines};

/// How a process is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables of its environment, in addition to ours.
    pub variables: Vec<(String, OsString)>,
}

/// A running engine. It is asked to end when this is dropped, and killed if it does not.
pub struct Channel {
    engine: String,
    child: Child,
    /// Absent while a thread writes to it, and after that failed.
    stdin: Option<ChildStdin>,
    replies: Receiver<Line>,
    words: LastLines,
}

/// A request that fits into the buffer of every system's pipe never waits for the reader.
const FITS_A_PIPE: usize = 4096;

/// Length of the start of a line in an error (bytes).
const START: usize = 120;

/// How long a process may take to end (ms).
const PATIENCE: u64 = 1000;

impl Channel {
    /// Starts the process of `engine`.
    ///
    /// # Errors
    /// [`FaultKind::NotStarted`].
    pub fn start(engine: &str, launch: &Launch) -> Result<Self, Fault> {
        let program = launch.program.display().to_string();
        let not_started = |why: &io::Error| Fault {
            engine: engine.to_owned(),
            asked: "start",
            kind: FaultKind::NotStarted { program: program.clone(), why: why.to_string() },
            last_words: Vec::new(),
        };
        let mut child = command(&launch.program)
            .args(&launch.arguments)
            .envs(launch.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| not_started(&why))?;
        let missing = || not_started(&io::Error::from(io::ErrorKind::BrokenPipe));
        let replies = lines(child.stdout.take().ok_or_else(missing)?);
        let words = LastLines::of(child.stderr.take().ok_or_else(missing)?);
        let stdin = child.stdin.take();
        Ok(Self { engine: engine.to_owned(), child, stdin, replies, words })
    }

    /// Sends `request`, an object, as a line and returns the reply, which must come within `seconds`.
    ///
    /// # Errors
    /// [`Fault`], after which the process has ended, except after [`FaultKind::Refused`].
    pub fn ask<T: DeserializeOwned>(
        &mut self,
        asked: &'static str,
        request: &impl Serialize,
        seconds: f64,
    ) -> Result<T, Fault> {
        let line = serde_json::to_vec(request).map_err(|why| self.garbage(asked, b"", &why.to_string()))?;
        self.send(line, seconds).map_err(|kind| self.fault(asked, kind))?;
        let reply = match self.replies.recv_timeout(Duration::from_secs_f64(seconds)) {
            Ok(Line::Whole(line)) => line,
            Ok(Line::Half(line)) => {
                let status = self.end();
                return Err(self.fault(asked, FaultKind::HalfLine { start: start_of(&line), status }));
            }
            Ok(Line::TooLong) => {
                return Err(self.fault(asked, FaultKind::TooLong { limit: MAX_REPLY }));
            }
            Err(RecvTimeoutError::Timeout) => return Err(self.fault(asked, FaultKind::Hung { seconds })),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.end();
                return Err(self.fault(asked, FaultKind::Dead { status }));
            }
        };
        // A refusal comes first: other replies may have all of its keys but one. They fail here at their first key.
        if let Ok(Refusal { error, bodies }) = serde_json::from_slice(&reply) {
            return Err(Fault {
                engine: self.engine.clone(),
                asked,
                kind: FaultKind::Refused { why: error, bodies },
                last_words: Vec::new(),
            });
        }
        serde_json::from_slice(&reply).map_err(|why| self.garbage(asked, &reply, &why.to_string()))
    }

    /// Ends the process and returns the fault.
    pub fn fault(&mut self, asked: &'static str, kind: FaultKind) -> Fault {
        self.kill();
        Fault { engine: self.engine.clone(), asked, kind, last_words: self.words.last() }
    }

    fn garbage(&mut self, asked: &'static str, line: &[u8], why: &str) -> Fault {
        self.fault(asked, FaultKind::Garbage { start: start_of(line), why: why.to_owned() })
    }

    /// Writes a line. A long one is written by a thread, since the process may not read it.
    fn send(&mut self, mut line: Vec<u8>, seconds: f64) -> Result<(), FaultKind> {
        line.push(b'\n');
        let Some(mut stdin) = self.stdin.take() else {
            return Err(FaultKind::Dead { status: self.end() });
        };
        if line.len() <= FITS_A_PIPE {
            let written = write(&mut stdin, &line);
            self.stdin = Some(stdin);
            return written.or_else(|_| self.excuse());
        }
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let written = write(&mut stdin, &line);
            // Nobody listens after a timeout.
            let _ = sender.send((stdin, written));
        });
        match receiver.recv_timeout(Duration::from_secs_f64(seconds)) {
            Ok((stdin, written)) => {
                self.stdin = Some(stdin);
                written.or_else(|_| self.excuse())
            }
            Err(_) => Err(FaultKind::Hung { seconds }),
        }
    }

    /// A process that closed its input may have replied before: the reply tells what happened.
    fn excuse(&mut self) -> Result<(), FaultKind> {
        self.stdin = None;
        Ok(())
    }

    /// Waits for a moment until the process ends by itself, then kills it; returns how it ended.
    fn end(&mut self) -> String {
        self.stdin = None;
        for _ in 0..PATIENCE / 5 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.to_string();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.kill();
        "killed".to_owned()
    }

    /// Kills the process; one that has ended already is left as it is.
    fn kill(&mut self) {
        self.stdin = None;
        // It fails for a process that has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let (Some(stdin), Ok(line)) = (&mut self.stdin, serde_json::to_vec(&Request::Bye)) {
            let _ = write(stdin, &[line, b"\n".to_vec()].concat());
        }
        self.end();
    }
}

/// A command whose process does not receive an interrupt from the keyboard, which is meant for us.
fn command(program: &Path) -> Command {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

fn write(stdin: &mut ChildStdin, line: &[u8]) -> io::Result<()> {
    stdin.write_all(line)?;
    stdin.flush()
}

fn start_of(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(START)]).into_owned()
}
