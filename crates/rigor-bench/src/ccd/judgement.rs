//! Rulings on answers from outside, by family, kind and class of motion.

use rigor_ccd::{Labelled, Truth};
use rigor_ccd_test::ruling::{Lateness, OutsideAnswer, Ruling, Verdict, rule};
use rigor_ccd_test::{Family, MotionClass};
use serde_json::{Map, Value, json};

use super::guest::{AskedQuery, Response};

/// One query, its answer, and the ruling on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// `linear` or `rigid`.
    pub of: &'static str,
    /// The label of the query.
    pub label: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its family, if its label begins with one.
    pub family: Option<Family>,
    /// Its class of motion.
    pub class: MotionClass,
    /// The truth.
    pub truth: Truth,
    /// The answer.
    pub response: Response,
    /// The ruling.
    pub ruling: Ruling,
}

/// Rules on answers to `queries`; those without an answer are left out.
pub fn judge<Q: AskedQuery>(queries: &[Labelled<Q>], answers: Vec<Option<Response>>) -> Vec<Judged> {
    let pairs = queries.iter().zip(answers).filter_map(|(query, answer)| Some((query, answer?)));
    let judged = |(labelled, response): (&Labelled<Q>, Response)| {
        let Labelled { query, truth, label } = labelled;
        Judged {
            of: Q::TYPE,
            label: label.clone(),
            kind: query.kind().name(),
            family: label.split(' ').next().and_then(Family::named),
            class: query.motion_class(),
            truth: *truth,
            ruling: rule(query, truth, &response.answer),
            response,
        }
    };
    pairs.map(judged).collect()
}

/// What a group of answers is judged by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counts {
    /// Number of answers, without skipped queries.
    pub queries: usize,
    /// Number of queries that are known to meet, of these.
    pub hits: usize,
    /// Number of queries that are known to stay apart, of these.
    pub free: usize,
    /// Number of answers with each verdict, in the order of [`Verdict::ALL`].
    verdicts: [usize; Verdict::ALL.len()],
    /// t_safe/t_true, in rising order.
    ratios: Vec<f64>,
    /// CPU time (s) of each answer, in rising order.
    seconds: Vec<f64>,
    /// Time from request to reply (s), in rising order.
    wall: Vec<f64>,
    /// The largest depth in units of d_min, of answers late beyond rounding.
    pub deepest: f64,
    /// The largest overrun in units of the size, of answers late beyond rounding.
    pub farthest: f64,
}

impl Counts {
    /// Counts these answers.
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged>) -> Self {
        let mut counts = Self::default();
        for one in judged {
            counts.add(one);
        }
        for numbers in [&mut counts.ratios, &mut counts.seconds, &mut counts.wall] {
            numbers.sort_by(f64::total_cmp);
        }
        counts
    }

    fn add(&mut self, Judged { truth, response, ruling, .. }: &Judged) {
        let Ruling { verdict, lateness, ratio } = *ruling;
        self.verdicts[verdict as usize] += 1;
        if verdict == Verdict::Skipped {
            return;
        }
        self.queries += 1;
        match truth {
            Truth::First { .. } | Truth::Hit => self.hits += 1,
            Truth::Free => self.free += 1,
            Truth::Unknown { .. } => (),
        }
        self.ratios.extend(ratio);
        self.seconds.extend(response.seconds);
        self.wall.extend(response.wall);
        if let Some(Lateness { depth_relative, overrun_relative, .. }) =
            lateness.filter(|_| verdict.is_late())
        {
            self.deepest = self.deepest.max(depth_relative);
            self.farthest = self.farthest.max(overrun_relative);
        }
    }

    /// Number of answers with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.verdicts[verdict as usize]
    }

    /// Number of answers that are late beyond rounding.
    pub fn late(&self) -> usize {
        self.count(Verdict::Late) + self.count(Verdict::Miss)
    }

    /// Number of [faults](Verdict::is_fault).
    pub fn faults(&self) -> usize {
        Verdict::ALL.into_iter().filter(|verdict| verdict.is_fault()).map(|verdict| self.count(verdict)).sum()
    }

    /// The largest t_safe/t_true that all but a share of the answers to hits reach.
    pub fn ratio(&self, share: f64) -> Option<f64> {
        quantile(&self.ratios, share)
    }

    /// CPU time (s) that a share of the answers do not exceed.
    pub fn seconds(&self, share: f64) -> Option<f64> {
        quantile(&self.seconds, share)
    }

    /// Time (s) from request to reply that a share of the answers do not exceed.
    pub fn wall(&self, share: f64) -> Option<f64> {
        quantile(&self.wall, share)
    }

    /// The counts as an object.
    pub fn to_json(&self) -> Value {
        let verdicts = Verdict::ALL.map(|verdict| (verdict.name().to_owned(), json!(self.count(verdict))));
        json!({
            "queries": self.queries, "hits": self.hits, "free": self.free,
            "verdicts": Map::from_iter(verdicts),
            "late_beyond_rounding": self.late(),
            "deepest_in_d_min": self.deepest, "farthest_in_size": self.farthest,
            "ratio_p1": self.ratio(0.01), "ratio_median": self.ratio(0.5),
            "seconds_median": self.seconds(0.5), "seconds_p99.9": self.seconds(0.999),
            "wall_median": self.wall(0.5), "wall_p99.9": self.wall(0.999),
        })
    }
}

/// The smallest of the `sorted` numbers that a `share` of them do not exceed.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Splits answers by what `key` says of them, in the order in which `keys` has it.
pub fn groups<K: PartialEq>(
    judged: &[Judged],
    keys: impl IntoIterator<Item = K>,
    key: impl Fn(&Judged) -> Option<K>,
) -> Vec<(K, Counts)> {
    let counted = |k: K| {
        let counts = Counts::of(judged.iter().filter(|one| key(one).as_ref() == Some(&k)));
        (k, counts)
    };
    let all: Vec<(K, Counts)> = keys.into_iter().map(counted).collect();
    all.into_iter().filter(|(_, counts): &(K, Counts)| counts.queries > 0).collect()
}

/// Columns of the file of faults.
pub const FAULT_COLUMNS: [&str; 16] = [
    "type",
    "label",
    "kind",
    "class",
    "verdict",
    "answer",
    "t_safe",
    "t_hit",
    "t_lo",
    "t_true",
    "delay",
    "overrun [m]",
    "overrun [size]",
    "depth [m]",
    "depth [d_min]",
    "why",
];

/// The row of an answer in the file of faults.
pub fn fault_record(judged: &Judged) -> [String; FAULT_COLUMNS.len()] {
    let Judged { of, label, kind, class, truth, response, ruling, .. } = judged;
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
    let (word, t_hit, why) = match &response.answer {
        OutsideAnswer::Free => ("free", None, ""),
        OutsideAnswer::Hit { t_hit, .. } => ("hit", *t_hit, ""),
        OutsideAnswer::Undecided { .. } => ("undecided", None, ""),
        OutsideAnswer::TimedOut => ("timed out", None, ""),
        OutsideAnswer::Failed { why } => ("failed", None, why.as_str()),
        OutsideAnswer::Skipped => ("skipped", None, ""),
    };
    let (lo, hi) = match *truth {
        Truth::First { lo, hi } => (Some(lo), Some(hi)),
        Truth::Unknown { lo } => (Some(lo), None),
        Truth::Free | Truth::Hit => (None, None),
    };
    let late = |of: fn(&Lateness) -> f64| number(ruling.lateness.as_ref().map(of));
    [
        (*of).to_owned(),
        label.clone(),
        (*kind).to_owned(),
        class.name().to_owned(),
        ruling.verdict.name().to_owned(),
        word.to_owned(),
        number(response.answer.t_safe()),
        number(t_hit),
        number(lo),
        number(hi),
        late(|l| l.delay),
        late(|l| l.overrun),
        late(|l| l.overrun_relative),
        late(|l| l.depth),
        late(|l| l.depth_relative),
        why.to_owned(),
    ]
}

/// A fault in one line.
pub fn fault_line(judged: &Judged) -> String {
    let Judged { of, label, kind, class, truth, response, ruling, .. } = judged;
    let truth = match *truth {
        Truth::Free => "they stay apart".to_owned(),
        Truth::First { hi, .. } => format!("contact by t = {hi:e}"),
        Truth::Hit => "they meet".to_owned(),
        Truth::Unknown { .. } => "truth unknown".to_owned(),
    };
    let answer = match &response.answer {
        OutsideAnswer::Failed { why } => format!("failed: {why}"),
        other => other.t_safe().map_or("no answer".to_owned(), |t| format!("t_safe = {t:e}")),
    };
    let late = ruling.lateness.map_or(String::new(), |l| {
        let depth =
            if l.depth > 0.0 { format!(", {:.3e} of d_min deep", l.depth_relative) } else { String::new() };
        format!("; {:.3e} of the step late, {:.3e} of the size{depth}", l.delay, l.overrun_relative)
    });
    format!(
        "{}  {of} {label} ({kind}, {class}): {answer}; {truth}{late}",
        ruling.verdict.name().to_uppercase()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::kept;
    use rigor_ccd::RigidQuery;

    fn answered(answer: impl Fn(&Labelled<RigidQuery>) -> OutsideAnswer) -> Vec<Judged> {
        let queries = kept::kept().unwrap().every(std::num::NonZeroUsize::new(7).unwrap()).rigid;
        let response = |query| Some(Response { answer: answer(query), seconds: Some(1e-6), wall: None });
        judge(&queries, queries.iter().map(response).collect())
    }

    #[test]
    fn every_answer_is_counted_once_in_each_table() {
        let judged = answered(|_| OutsideAnswer::Free);
        let all = Counts::of(judged.iter());
        assert_eq!(all.queries, judged.len());
        assert_eq!(all.count(Verdict::Right), all.free);
        assert_eq!(all.late() + all.count(Verdict::LateByRounding), all.hits);
        let classes = groups(&judged, MotionClass::ALL, |one| Some(one.class));
        assert_eq!(classes.iter().map(|(_, counts)| counts.queries).sum::<usize>(), all.queries);
        let families = groups(&judged, Family::ALL, |one| one.family);
        assert_eq!(families.iter().map(|(_, counts)| counts.queries).sum::<usize>(), all.queries);
        // A miss passes through: as deep as d_min where it is positive.
        assert!(all.deepest > 0.0 && all.deepest <= 1.0 && all.farthest > 0.1);
        assert_eq!((all.seconds(0.5), all.wall(0.5)), (Some(1e-6), None));
    }

    #[test]
    fn a_fault_is_told_with_its_numbers() {
        let judged = answered(|_| OutsideAnswer::Free);
        let miss = judged.iter().find(|one| one.ruling.verdict == Verdict::Miss).unwrap();
        let line = fault_line(miss);
        assert!(line.starts_with("MISS  rigid ") && line.contains("of the step late"), "{line}");
        assert_eq!(fault_record(miss)[4], "miss");
    }

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let numbers: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!(
            [0.0, 0.01, 0.5, 0.999, 1.0].map(|s| quantile(&numbers, s).unwrap()),
            [1.0, 10.0, 500.0, 999.0, 1000.0]
        );
        assert_eq!(quantile(&[], 0.5), None);
    }
}
