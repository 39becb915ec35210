//! An implementation of continuous collision detection in a process of its own, which answers queries in lines of JSON.
//!
//! `docs/ccd-protocol.md` describes the protocol, version [`PROTOCOL`]. [`serve`] is its other side, in Rust.

mod serve;
mod table;

use std::time::Instant;

use rigor_ccd::{Kind, LinearQuery, RigidMotion, RigidQuery};
use rigor_ccd_test::MotionClass;
use rigor_ccd_test::ruling::OutsideAnswer;
use rigor_math::{UnitQuaternion, Vec3};
use rigor_peers::process::fault::FaultKind;
use rigor_peers::process::{Channel, Fault, Launch};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AnsweredQuery;

pub use serve::{Replier, serve};
pub use table::{GuestEntry, install, launch, table};

/// The version of the protocol that this program speaks.
pub const PROTOCOL: u32 = 1;

/// Time limit (s) of the start and of `hello`: interpreters load large libraries.
const START_LIMIT: f64 = 120.0;

/// Maximum number of queries of a request.
const MAX_BATCH: usize = 256;

/// What an implementation says of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Kinds of linear queries that it answers; none if absent.
    #[serde(default)]
    pub linear: Vec<String>,
    /// Kinds of rigid queries that it answers; none if absent.
    #[serde(default)]
    pub rigid: Vec<String>,
    /// Classes of motion of rigid queries that it follows; all if absent.
    pub motions: Option<Vec<String>>,
    /// Whether it answers queries with d_min > 0.
    #[serde(default)]
    pub d_min: bool,
    /// How many queries it takes at once.
    #[serde(default = "one")]
    pub batch: usize,
    /// What a reader should know of it, such as its settings.
    #[serde(default)]
    pub about: String,
}

fn one() -> usize {
    1
}

impl Introduction {
    /// Whether it answers queries of this kind, motion and minimum distance.
    pub fn can_answer<Q: AskedQuery>(&self, query: &Q) -> bool {
        let kinds = if Q::TYPE == LinearQuery::TYPE { &self.linear } else { &self.rigid };
        let follows = self.motions.as_ref().is_none_or(|classes| {
            Q::TYPE == LinearQuery::TYPE || classes.iter().any(|class| class == query.motion_class().name())
        });
        kinds.iter().any(|kind| kind == query.kind().name())
            && follows
            && (self.d_min || query.d_min() == 0.0)
    }

    /// The first word in it that the protocol does not have.
    fn unknown_word(&self) -> Option<String> {
        let is_kind = |word: &String| Kind::ALL.iter().any(|kind| kind.name() == word);
        let kinds = self.linear.iter().chain(&self.rigid).find(|word| !is_kind(word));
        let mut classes = self.motions.iter().flatten();
        kinds.or_else(|| classes.find(|word| MotionClass::named(word).is_none())).cloned()
    }
}

/// A query that can be sent.
pub trait AskedQuery: AnsweredQuery {
    /// The query as an object of the protocol.
    fn message(&self) -> Value;
    /// Returns the query that an object of the protocol describes; `None` if it describes none of this type.
    fn of_message(message: &Value) -> Option<Self>;
    /// What an engine must be able to follow to answer it.
    fn motion_class(&self) -> MotionClass;
}

fn vector(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// The vectors in a list; `None` if it is none of so many vectors.
fn read_vectors(list: &Value, n: usize) -> Option<Vec<Vec3>> {
    let numbers: Vec<[f64; 3]> = serde_json::from_value(list.clone()).ok()?;
    (numbers.len() == n).then(|| numbers.into_iter().map(Vec3::from).collect())
}

/// The kind of a query, if it is of the type `of`, and d_min.
fn read_head(message: &Value, of: &str) -> Option<(Kind, f64)> {
    let kind = Kind::ALL.into_iter().find(|kind| message["kind"] == kind.name())?;
    (message["type"] == of).then_some((kind, message["d_min"].as_f64()?))
}

/// Four points, of which the last are zero.
fn padded(points: &[Vec3]) -> [Vec3; 4] {
    std::array::from_fn(|i| points.get(i).copied().unwrap_or_default())
}

fn vectors(points: &[Vec3]) -> Vec<[f64; 3]> {
    points.iter().map(vector).collect()
}

impl AskedQuery for LinearQuery {
    fn message(&self) -> Value {
        let n = self.kind.n_points();
        json!({
            "type": "linear", "kind": self.kind.name(), "d_min": self.d_min,
            "start": vectors(&self.start[..n]), "end": vectors(&self.end[..n]),
        })
    }

    fn of_message(message: &Value) -> Option<Self> {
        let (kind, d_min) = read_head(message, Self::TYPE)?;
        let points = |name: &str| read_vectors(&message[name], kind.n_points());
        Some(Self::new(kind, padded(&points("start")?), padded(&points("end")?), d_min))
    }

    fn motion_class(&self) -> MotionClass {
        MotionClass::Straight
    }
}

impl AskedQuery for RigidQuery {
    fn message(&self) -> Value {
        let motion = |motion: &RigidMotion| {
            let q = motion.orientation.as_vector();
            json!({
                "position": vectors(&[motion.position_t0, motion.position_t1]),
                "theta": vectors(&[motion.theta_t0, motion.theta_t1]),
                "orientation": [q.w, q.x, q.y, q.z],
            })
        };
        json!({
            "type": "rigid", "kind": self.kind.name(), "d_min": self.d_min,
            "motion_a": motion(&self.motion_a), "motion_b": motion(&self.motion_b),
            "points": vectors(&self.points_local[..self.kind.n_points()]),
        })
    }

    fn of_message(message: &Value) -> Option<Self> {
        let (kind, d_min) = read_head(message, Self::TYPE)?;
        let motion = |name: &str| {
            let told = &message[name];
            let position: [Vec3; 2] = read_vectors(&told["position"], 2)?.try_into().ok()?;
            let theta: [Vec3; 2] = read_vectors(&told["theta"], 2)?.try_into().ok()?;
            let [w, x, y, z]: [f64; 4] = serde_json::from_value(told["orientation"].clone()).ok()?;
            let orientation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
            Some(RigidMotion { orientation, ..RigidMotion::between(position, theta) })
        };
        let points = read_vectors(&message["points"], kind.n_points())?;
        Some(Self::new(kind, [motion("motion_a")?, motion("motion_b")?], padded(&points), d_min))
    }

    fn motion_class(&self) -> MotionClass {
        MotionClass::of(self)
    }
}

/// A request; its kind is the key `do`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    /// Introduce yourself.
    Hello {
        /// The version of the protocol.
        protocol: u32,
    },
    /// Answer these queries.
    Ask {
        /// The queries.
        queries: Vec<Value>,
    },
    /// End.
    Bye,
}

/// The reply to `ask`.
#[derive(Debug, Serialize, Deserialize)]
struct Answers {
    answers: Vec<AnswerMessage>,
}

/// One answer, in words and numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerMessage {
    answer: String,
    t_safe: Option<f64>,
    t_hit: Option<f64>,
    seconds: Option<f64>,
    why: Option<String>,
}

/// An answer and its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The answer.
    pub answer: OutsideAnswer,
    /// CPU time (s) of the answer as the implementation states it.
    pub seconds: Option<f64>,
    /// Time (s) from the request to the reply, with its share of a batch.
    pub wall: Option<f64>,
}

impl Response {
    fn plain(answer: OutsideAnswer) -> Self {
        Self { answer, seconds: None, wall: None }
    }

    fn failed(why: impl Into<String>) -> Self {
        Self::plain(OutsideAnswer::Failed { why: why.into() })
    }
}

/// Returns the answer that these words and numbers are; `None` for a word that is none, or without its number.
///
/// A missing or null `t_safe` is a NaN: the answer is then malformed, and not the protocol.
pub fn answer(
    word: &str,
    t_safe: Option<f64>,
    t_hit: Option<f64>,
    why: Option<String>,
) -> Option<OutsideAnswer> {
    let t_safe = t_safe.unwrap_or(f64::NAN);
    match word {
        "free" => Some(OutsideAnswer::Free),
        "hit" => Some(OutsideAnswer::Hit { t_safe, t_hit }),
        "undecided" => Some(OutsideAnswer::Undecided { t_safe: if t_safe.is_nan() { 0.0 } else { t_safe } }),
        "timed out" => Some(OutsideAnswer::TimedOut),
        "failed" => Some(OutsideAnswer::Failed { why: why.unwrap_or_default() }),
        "skipped" => Some(OutsideAnswer::Skipped),
        _ => None,
    }
}

/// A process that answers queries. One that hangs or dies is started again for the next query.
pub struct Guest {
    launch: Launch,
    /// Time limit (s) of one query.
    limit: f64,
    channel: Option<Channel>,
    introduction: Introduction,
    /// Number of requests of several queries that failed, and why the last one did.
    lost: (usize, String),
}

impl Guest {
    /// Starts the process; each query must be answered within `limit` (s).
    ///
    /// # Errors
    /// [`Fault`]: it does not start, does not introduce itself, or speaks another version.
    pub fn start(launch: Launch, limit: f64) -> Result<Self, Fault> {
        let (channel, introduction) = open(&launch)?;
        Ok(Self { launch, limit, channel: Some(channel), introduction, lost: (0, String::new()) })
    }

    /// What it says of itself.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Number of requests of several queries that it did not answer as a whole, and why it did not answer the last of them.
    pub fn lost(&self) -> (usize, &str) {
        (self.lost.0, &self.lost.1)
    }

    /// Asks queries in order, several at once if it takes them, until `stops` is true; calls `progress` after each.
    ///
    /// Queries that it says it cannot answer are skipped. Queries of a batch that fails, or takes as long as one may, are asked
    /// again one by one.
    pub fn ask_all<'a, Q: AskedQuery>(
        &mut self,
        queries: impl Iterator<Item = &'a Q>,
        stops: &impl Fn() -> bool,
        progress: &impl Fn(),
    ) -> Vec<Response> {
        let size = self.introduction.batch.clamp(1, MAX_BATCH);
        let queries: Vec<&Q> = queries.collect();
        let mut responses: Vec<Option<Response>> = queries.iter().map(|_| None).collect();
        let can: Vec<usize> =
            (0..queries.len()).filter(|i| self.introduction.can_answer(queries[*i])).collect();
        for batch in can.chunks(size) {
            if stops() {
                let reached = batch[0];
                responses.truncate(reached);
                break;
            }
            let asked: Vec<&Q> = batch.iter().map(|i| queries[*i]).collect();
            for (i, response) in batch.iter().zip(self.ask(&asked)) {
                responses[*i] = Some(response);
                progress();
            }
        }
        responses.into_iter().map(|r| r.unwrap_or(Response::plain(OutsideAnswer::Skipped))).collect()
    }

    fn ask<Q: AskedQuery>(&mut self, queries: &[&Q]) -> Vec<Response> {
        match self.ask_at_once(queries) {
            Ok(responses) => responses,
            Err(fault) if queries.len() > 1 => {
                self.lost = (self.lost.0 + 1, words(&fault));
                queries.iter().flat_map(|query| self.ask(&[*query])).collect()
            }
            Err(fault) => vec![match fault.kind {
                FaultKind::Hung { .. } => Response::plain(OutsideAnswer::TimedOut),
                _ => Response::failed(words(&fault)),
            }],
        }
    }

    fn ask_at_once<Q: AskedQuery>(&mut self, queries: &[&Q]) -> Result<Vec<Response>, Fault> {
        let name = self.introduction.name.clone();
        let channel = match &mut self.channel {
            Some(channel) => channel,
            closed => closed.insert(open(&self.launch)?.0),
        };
        let n = queries.len();
        let request = Request::Ask { queries: queries.iter().map(|query| query.message()).collect() };
        let start = Instant::now();
        let reply = channel.ask::<Answers>("ask", &request, self.limit);
        let wall = start.elapsed().as_secs_f64() / n as f64;
        let garbage = |why: String| Fault {
            engine: name.clone(),
            asked: "ask",
            kind: FaultKind::Garbage { start: String::new(), why },
            last_words: Vec::new(),
        };
        let told = match reply {
            Ok(Answers { answers }) if answers.len() == n => answers,
            Ok(Answers { answers }) => {
                self.channel = None;
                return Err(garbage(format!("{} answers to {n} queries", answers.len())));
            }
            Err(fault) => {
                // After a refusal the process goes on.
                if !matches!(fault.kind, FaultKind::Refused { .. }) {
                    self.channel = None;
                }
                return Err(fault);
            }
        };
        let response = |told: AnswerMessage| {
            let AnswerMessage { answer: word, t_safe, t_hit, seconds, why } = told;
            let answer =
                answer(&word, t_safe, t_hit, why).ok_or_else(|| garbage(format!("`answer` is {word:?}")))?;
            let seconds = seconds.filter(|seconds| *seconds >= 0.0 && seconds.is_finite());
            Ok(Response { answer, seconds, wall: Some(wall) })
        };
        told.into_iter().map(response).collect()
    }
}

fn words(fault: &Fault) -> String {
    let last = fault.last_words.last().map(|line| format!("; its last words: {line}")).unwrap_or_default();
    format!("{}{last}", fault.kind)
}

/// Starts a process and lets it introduce itself.
fn open(launch: &Launch) -> Result<(Channel, Introduction), Fault> {
    let name = launch.program.display().to_string();
    let mut channel = Channel::start(&name, launch)?;
    let hello = Request::Hello { protocol: PROTOCOL };
    let introduction: Introduction = channel.ask("hello", &hello, START_LIMIT)?;
    if introduction.protocol != PROTOCOL {
        let kind = FaultKind::Version { theirs: introduction.protocol, ours: PROTOCOL };
        return Err(channel.fault("hello", kind));
    }
    if let Some(word) = introduction.unknown_word() {
        let why = format!("it names {word:?}, which is neither a kind nor a class of motion");
        return Err(channel.fault("hello", FaultKind::Garbage { start: word, why }));
    }
    Ok((channel, introduction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_ccd_test::{Family, generate};

    fn introduced(text: &str) -> Introduction {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn only_what_it_can_answer_is_asked() {
        let it = introduced(
            r#"{"protocol":1,"name":"n","version":"1","rigid":["edge-edge"],"motions":["fixed-axis-short"]}"#,
        );
        let edges = generate::rigid(Family::Transversal, 1, 3).query.with_d_min(0.0);
        let turning = |theta: [Vec3; 2]| {
            let motion = RigidMotion::between([Vec3::zeros(); 2], theta);
            RigidQuery::new(Kind::EdgeEdge, [motion; 2], edges.points_local, 0.0)
        };
        let short = turning([Vec3::zeros(), Vec3::z()]);
        assert!(it.can_answer(&short) && !it.can_answer(&short.with_d_min(0.5)));
        assert!(!it.can_answer(&turning([Vec3::x(), Vec3::z()])));
        assert!(!it.can_answer(&generate::linear(Family::Transversal, 1, 3).query.with_d_min(0.0)));
        assert_eq!(it.unknown_word(), None);
        let it = introduced(r#"{"protocol":1,"name":"n","version":"1","linear":["edges"]}"#);
        assert_eq!(it.unknown_word().as_deref(), Some("edges"));
    }

    #[test]
    fn words_are_answers() {
        assert_eq!(answer("free", None, None, None), Some(OutsideAnswer::Free));
        let Some(OutsideAnswer::Hit { t_safe, .. }) = answer("hit", None, None, None) else { panic!() };
        assert!(t_safe.is_nan());
        assert_eq!(answer("maybe", None, None, None), None);
    }

    #[test]
    fn messages_have_every_bit() {
        let case = generate::rigid(Family::Spinning, 1, 3).query;
        let message: Value = serde_json::from_str(&case.message().to_string()).unwrap();
        let x = message["motion_a"]["theta"][1][2].as_f64().unwrap();
        assert_eq!(x.to_bits(), case.motion_a.theta_t1.z.to_bits());
        assert_eq!(message["points"].as_array().unwrap().len(), 4);
        assert_eq!(RigidQuery::of_message(&message), Some(case));
        assert_eq!(LinearQuery::of_message(&message), None);
        let linear = generate::linear(Family::Needle, 1, 2).query;
        assert_eq!(LinearQuery::of_message(&linear.message()), Some(linear));
    }
}
