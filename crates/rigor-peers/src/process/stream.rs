//! Threads that empty the output streams of a process, so that it never waits for us.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum length of a reply (bytes).
pub(super) const MAX_REPLY: usize = 1 << 30;

/// Number of lines of standard error that are kept.
const WORDS_KEPT: usize = 12;

/// Maximum length of a kept line of standard error (bytes).
const MAX_LINE: u64 = 400;

/// Replies that wait to be read; more make the process wait.
const REPLIES_KEPT: usize = 4;

/// Something that the process wrote to standard output.
pub(super) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// The start of a line at which the stream ended.
    Half(Vec<u8>),
    /// A line that is longer than [`MAX_REPLY`].
    TooLong,
}

/// Reads lines until the stream ends.
pub(super) fn lines(stream: impl Read + Send + 'static) -> Receiver<Line> {
    let (sender, receiver) = sync_channel(REPLIES_KEPT);
    std::thread::spawn(move || send_lines(BufReader::with_capacity(1 << 16, stream), &sender));
    receiver
}

fn send_lines(mut stream: impl BufRead, sender: &SyncSender<Line>) {
    loop {
        let mut line = Vec::new();
        let read = (&mut stream).take(MAX_REPLY as u64 + 1).read_until(b'\n', &mut line);
        let next = match (read, line.last()) {
            (Ok(0) | Err(_), _) => return,
            (Ok(_), Some(b'\n')) => {
                line.pop();
                Line::Whole(line)
            }
            (Ok(n), _) if n > MAX_REPLY => Line::TooLong,
            _ => Line::Half(line),
        };
        let is_last = !matches!(next, Line::Whole(_));
        if sender.send(next).is_err() || is_last {
            return;
        }
    }
}

/// The last lines of a stream, whatever its length.
pub(super) struct LastLines {
    kept: Arc<Mutex<VecDeque<String>>>,
    ended: Receiver<()>,
}

impl LastLines {
    /// Reads the stream until it ends.
    pub(super) fn of(stream: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, ended) = channel();
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            keep_last(BufReader::new(stream), &shared);
            drop(sender);
        });
        Self { kept, ended }
    }

    /// Returns the last lines; of a process that has ended, after its stream has been read.
    pub(super) fn last(&self) -> Vec<String> {
        // Nothing is ever sent: this waits until the thread ends, or for a moment.
        let _ = self.ended.recv_timeout(std::time::Duration::from_millis(200));
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

fn keep_last(mut stream: impl BufRead, kept: &Mutex<VecDeque<String>>) {
    loop {
        let mut line = Vec::new();
        match (&mut stream).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if text.is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == WORDS_KEPT {
            kept.pop_front();
        }
        kept.push_back(text);
    }
}
