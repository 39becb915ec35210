//! The side of the protocol that answers.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use rigor_ccd::{LinearQuery, RigidQuery};
use rigor_ccd_test::ruling::OutsideAnswer;
use serde_json::json;

use super::{AnswerMessage, Answers, AskedQuery, Introduction, Request};

/// What answers queries behind the protocol.
pub trait Replier {
    /// What it says of itself.
    fn introduction(&self) -> Introduction;
    /// The answer to a linear query.
    fn linear(&self, query: &LinearQuery) -> OutsideAnswer;
    /// The answer to a rigid query.
    fn rigid(&self, query: &RigidQuery) -> OutsideAnswer;
}

/// Replies to requests, one on each line, until there are no more.
///
/// # Errors
/// A stream fails.
pub fn serve(replier: &dyn Replier, requests: impl BufRead, mut replies: impl Write) -> io::Result<()> {
    for line in requests.lines() {
        let reply = match serde_json::from_str(&line?) {
            Ok(Request::Bye) => return Ok(()),
            Ok(Request::Hello { .. }) => json!(replier.introduction()),
            Ok(Request::Ask { queries }) => {
                let answer = |message| told(answered(replier, message));
                json!(Answers { answers: queries.iter().map(answer).collect() })
            }
            Err(why) => json!({ "error": why.to_string() }),
        };
        writeln!(replies, "{reply}")?;
        replies.flush()?;
    }
    Ok(())
}

/// The answer to the query of a message, and the time (s) that it took.
fn answered(replier: &dyn Replier, message: &serde_json::Value) -> (OutsideAnswer, f64) {
    let start = Instant::now();
    let answer = if let Some(query) = LinearQuery::of_message(message) {
        replier.linear(&query)
    } else if let Some(query) = RigidQuery::of_message(message) {
        replier.rigid(&query)
    } else {
        OutsideAnswer::Failed { why: "this is no query of the protocol".into() }
    };
    (answer, start.elapsed().as_secs_f64())
}

fn told((answer, seconds): (OutsideAnswer, f64)) -> AnswerMessage {
    let plain =
        |word: &str| AnswerMessage { answer: word.into(), seconds: Some(seconds), ..Default::default() };
    let finite = |x: f64| x.is_finite().then_some(x);
    match answer {
        OutsideAnswer::Free => plain("free"),
        OutsideAnswer::Hit { t_safe, t_hit } => {
            AnswerMessage { t_safe: finite(t_safe), t_hit: t_hit.and_then(finite), ..plain("hit") }
        }
        OutsideAnswer::Undecided { t_safe } => AnswerMessage { t_safe: finite(t_safe), ..plain("undecided") },
        OutsideAnswer::TimedOut => plain("timed out"),
        OutsideAnswer::Failed { why } => AnswerMessage { why: Some(why), ..plain("failed") },
        OutsideAnswer::Skipped => plain("skipped"),
    }
}
