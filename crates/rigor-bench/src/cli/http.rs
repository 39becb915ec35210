//! A server on this computer for requests without a body: each has a limited head and time, and few are open at once.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum length of a request line with its headers (bytes).
const MAX_HEAD: usize = 16 << 10;
/// Maximum number of open connections; more are closed at once.
const MAX_CONNECTIONS: usize = 32;
/// Time in which a request must have arrived.
const TIME_TO_ASK: Duration = Duration::from_secs(5);
/// Time in which an answer must have been taken.
const TIME_TO_TAKE: Duration = Duration::from_secs(60);
/// Maximum number of bytes of a refused request that are read, so that its sender sees the answer.
const DRAINED: usize = 64 << 10;
/// Time between two looks for connections.
const PAUSE: Duration = Duration::from_millis(10);

/// A server on 127.0.0.1.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    asked: Mutex<Receiver<HttpRequest>>,
    ask: Sender<HttpRequest>,
    /// One reference per open connection, and one more.
    open: Arc<()>,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub struct HttpRequest {
    /// The path with its query, such as `/news?after=3`.
    pub path: String,
    /// The header `Host`.
    pub host: String,
    connection: Connection,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    _open: Arc<()>,
}

impl HttpServer {
    /// Opens a port of 127.0.0.1; 0 for any that is free.
    ///
    /// # Errors
    /// Those of the system: the port is taken.
    pub fn open(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let (ask, asked) = channel();
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            asked: Mutex::new(asked),
            ask,
            open: Arc::new(()),
        })
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits at most `patience` for the next request. Requests that are malformed, too long, too slow or have a body are refused
    /// meanwhile.
    ///
    /// # Errors
    /// Those of the system.
    pub fn next(&self, patience: Duration) -> io::Result<Option<HttpRequest>> {
        let end = Instant::now() + patience;
        loop {
            self.accept()?;
            if let Ok(request) = self.asked.lock().unwrap_or_else(PoisonError::into_inner).try_recv() {
                return Ok(Some(request));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn accept(&self) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The connection was given up, or there are too many files: others may follow.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(_) => return Ok(()),
            };
            if Arc::strong_count(&self.open) > MAX_CONNECTIONS || stream.set_nonblocking(false).is_err() {
                continue;
            }
            let connection = Connection { stream, _open: Arc::clone(&self.open) };
            let ask = self.ask.clone();
            let read = move || match read(connection) {
                // Nobody listens any more when the server has ended.
                Ok(request) => drop(ask.send(request)),
                Err((connection, code, words)) => connection.answer(code, &[], words.as_bytes()),
            };
            // Without a thread the connection is closed.
            drop(std::thread::Builder::new().spawn(read));
        }
    }
}

impl HttpRequest {
    /// Answers, in a thread of its own, so that a slow reader keeps nobody waiting.
    pub fn answer(self, code: u16, headers: &[(&'static str, &'static str)], body: String) {
        let headers = headers.to_vec();
        let answer = move || self.connection.answer(code, &headers, body.as_bytes());
        drop(std::thread::Builder::new().spawn(answer));
    }
}

impl Connection {
    /// Sends an answer and closes. A reader that has gone away, or takes too long, is no error.
    fn answer(mut self, code: u16, headers: &[(&str, &str)], body: &[u8]) {
        let reason = match code {
            200 => "OK",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            500 => "Internal Server Error",
            _ => "Bad Request",
        };
        let mut head =
            format!("HTTP/1.1 {code} {reason}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        head += "\r\n";
        let sent = self.send(head.as_bytes()).and_then(|()| self.send(body));
        if sent.is_ok() && self.stream.shutdown(Shutdown::Write).is_ok() {
            let _ = self.stream.set_read_timeout(Some(Duration::from_millis(200)));
            let mut left = DRAINED;
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = self.stream.read(&mut bytes) {
                left = left.saturating_sub(n);
                if left == 0 {
                    break;
                }
            }
        }
    }

    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let end = Instant::now() + TIME_TO_TAKE;
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left_until(end)?))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn left_until(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads the head of a request; else the connection with the code and the words of a refusal.
fn read(mut connection: Connection) -> Result<HttpRequest, (Connection, u16, &'static str)> {
    let head = match head(&mut connection.stream) {
        Ok(head) => head,
        Err((code, words)) => return Err((connection, code, words)),
    };
    match parsed(&head) {
        Ok((path, host)) => Ok(HttpRequest { path, host, connection }),
        Err((code, words)) => Err((connection, code, words)),
    }
}

fn head(stream: &mut TcpStream) -> Result<Vec<u8>, (u16, &'static str)> {
    let late = (408, "the request took too long\n");
    let end = Instant::now() + TIME_TO_ASK;
    let mut head = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let left = left_until(end).map_err(|_| late)?;
        stream.set_read_timeout(Some(left)).map_err(|_| late)?;
        let n = match stream.read(&mut bytes) {
            Ok(0) => return Err((400, "the request ends early\n")),
            Ok(n) => n,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(late),
        };
        head.extend_from_slice(&bytes[..n]);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(end);
            return Ok(head);
        }
        if head.len() > MAX_HEAD {
            return Err((431, "the head of the request is too long\n"));
        }
    }
}

/// Path and host of a request without a body.
fn parsed(head: &[u8]) -> Result<(String, String), (u16, &'static str)> {
    let malformed = (400, "this is no request of a browser\n");
    let text = std::str::from_utf8(head).map_err(|_| malformed)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(malformed);
    };
    if !version.starts_with("HTTP/1.") {
        return Err(malformed);
    }
    if method != "GET" {
        return Err((405, "only pages can be asked for\n"));
    }
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(malformed)?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") && host.replace(value).is_some() {
            return Err(malformed);
        }
        let has_body = name.eq_ignore_ascii_case("content-length") && value != "0"
            || name.eq_ignore_ascii_case("transfer-encoding");
        if has_body {
            return Err((413, "a request here has no body\n"));
        }
    }
    Ok((path.to_owned(), host.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Sends `request` to a server that answers "page", and returns its answer.
    fn answers(requests: &[Vec<u8>]) -> Vec<String> {
        let server = HttpServer::open(0).expect("a port is free");
        let address = server.address();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if let Some(request) = server.next(Duration::from_millis(20)).expect("it goes on") {
                        request.answer(200, &[], "page".to_owned());
                    }
                }
            });
            let ask = |bytes: &Vec<u8>| {
                let mut stream = TcpStream::connect(address).expect("it listens");
                // The server may have refused already.
                let _ = stream.write_all(bytes);
                let mut text = Vec::new();
                let _ = stream.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            };
            let all = requests.iter().map(ask).collect();
            is_over.store(true, Ordering::Relaxed);
            all
        })
    }

    #[test]
    fn hostile_requests_are_refused_and_the_next_is_answered() {
        let good = b"GET / HTTP/1.1\r\nHost: localhost:1\r\n\r\n".to_vec();
        let with = |more: &str| format!("GET / HTTP/1.1\r\nHost: localhost\r\n{more}\r\n\r\n").into_bytes();
        let hostile = [
            (with("Content-Length: 99999999999"), "413"),
            (with("Content-Length: 18446744073709551615"), "413"),
            (with("Content-Length: 99999999999999999999999999"), "413"),
            (with("Content-Length: -1"), "413"),
            (with("Transfer-Encoding: chunked"), "413"),
            (with("Host: other"), "400"),
            (with("no colon"), "400"),
            (with(&format!("X: {}", "x".repeat(1 << 20))), "431"),
            (b"GET /\r\n\r\n".to_vec(), "400"),
            (b"POST / HTTP/1.1\r\n\r\n".to_vec(), "405"),
            (b"\x16\x03\x01\xff\xfe\r\n\r\n".to_vec(), "400"),
            (vec![0; 1 << 20], "431"),
        ];
        let requests: Vec<Vec<u8>> =
            hostile.iter().flat_map(|(request, _)| [request.clone(), good.clone()]).collect();
        let answers = answers(&requests);
        for (k, (request, code)) in hostile.iter().enumerate() {
            let what = String::from_utf8_lossy(&request[..request.len().min(80)]).into_owned();
            // A sender of much may see its connection closed before the answer.
            let is_seen = answers[2 * k].starts_with(&format!("HTTP/1.1 {code}"));
            assert!(is_seen || request.len() > MAX_HEAD, "{what}: {}", answers[2 * k]);
            assert!(!answers[2 * k].ends_with("page"), "{what}");
            assert!(answers[2 * k + 1].ends_with("page"), "after {what}: {}", answers[2 * k + 1]);
        }
    }

    #[test]
    fn many_open_connections_do_not_grow_without_bound() {
        let server = HttpServer::open(0).expect("a port is free");
        let idle: Vec<TcpStream> =
            (0..3 * MAX_CONNECTIONS).filter_map(|_| TcpStream::connect(server.address()).ok()).collect();
        for _ in 0..10 {
            assert!(server.next(Duration::from_millis(10)).expect("it goes on").is_none());
        }
        assert!(Arc::strong_count(&server.open) <= MAX_CONNECTIONS + 1);
        drop(idle);
    }
}
