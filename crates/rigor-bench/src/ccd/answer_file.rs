//! Files of answers: CSV with one row for each query.
//!
//! docs/ccd-protocol.md describes the format.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rigor_ccd::{Labelled, LinearQuery, RigidQuery};
use rigor_ccd_test::ruling::OutsideAnswer;

use super::AnsweredQuery;
use super::guest::{self, AskedQuery, Response};
use super::rational::beginning;

/// The columns of a file that this program writes.
pub const COLUMNS: [&str; 8] = ["type", "label", "answer", "t_safe", "t_hit", "seconds", "wall", "why"];

/// The words for answers.
const WORDS: &str = "free, hit, undecided, timed out, failed or skipped";

/// A file that holds no answers, or not those to the queries: the place and the mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{what}")]
pub struct AnswerFileError {
    place: String,
    what: String,
}

/// Answers by the type and the label of their query.
#[derive(Debug, Clone, Default)]
pub struct AnswerFile {
    /// Type (empty if the file does not tell), label and answer.
    rows: Vec<(String, String, Response)>,
}

/// Returns the row of `response` to a query with this label.
pub fn record<Q: AskedQuery>(label: &str, response: &Response) -> [String; COLUMNS.len()] {
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
    let (word, t_safe, t_hit, why) = match &response.answer {
        OutsideAnswer::Free => ("free", None, None, ""),
        OutsideAnswer::Hit { t_safe, t_hit } => ("hit", Some(*t_safe), *t_hit, ""),
        OutsideAnswer::Undecided { t_safe } => ("undecided", Some(*t_safe), None, ""),
        OutsideAnswer::TimedOut => ("timed out", None, None, ""),
        OutsideAnswer::Failed { why } => ("failed", None, None, why.as_str()),
        OutsideAnswer::Skipped => ("skipped", None, None, ""),
    };
    [
        Q::TYPE.to_owned(),
        label.to_owned(),
        word.to_owned(),
        number(t_safe),
        number(t_hit),
        number(response.seconds),
        number(response.wall),
        why.to_owned(),
    ]
}

impl AnswerFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The first row that is no answer, with its line.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, AnswerFileError> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(bytes);
        let wrong =
            |line: u64, what: String| AnswerFileError { place: format!("{}:{line}: ", path.display()), what };
        let head = reader.headers().map_err(|why| wrong(1, why.to_string()))?.clone();
        let column = |name: &str| head.iter().position(|cell| cell == name);
        let need = |name: &str| column(name).ok_or_else(|| wrong(1, format!("there is no column `{name}`")));
        let (label, word) = (need("label")?, need("answer")?);
        let again = |i: &usize| head.iter().take(*i).any(|name| Some(name) == head.get(*i));
        if let Some(name) = (0..head.len()).find(again).and_then(|i| head.get(i)) {
            return Err(wrong(1, format!("there are two columns `{}`", beginning(name))));
        }
        let known = |name: &&str| COLUMNS.contains(name);
        if let Some(stranger) = head.iter().find(|name| !known(name)) {
            let what = format!("the column `{}` is none of {}", beginning(stranger), COLUMNS.join(", "));
            return Err(wrong(1, what));
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record
                .map_err(|why| wrong(why.position().map_or(0, csv::Position::line), why.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() > head.len() {
                return Err(wrong(line, format!("{} cells, and {} columns", record.len(), head.len())));
            }
            let cell = |i: Option<usize>| i.and_then(|i| record.get(i)).unwrap_or_default();
            let number = |name: &str| match cell(column(name)) {
                "" => Ok(None),
                text => text.parse::<f64>().map(Some).map_err(|_| {
                    wrong(line, format!("`{name}` must be a number, not `{}`", beginning(text)))
                }),
            };
            let why = Some(cell(column("why")).to_owned());
            let text = cell(Some(word));
            let answer = guest::answer(text, number("t_safe")?, number("t_hit")?, why)
                .ok_or_else(|| wrong(line, format!("`answer` must be {WORDS}, not `{}`", beginning(text))))?;
            let response = Response { answer, seconds: number("seconds")?, wall: number("wall")? };
            rows.push((cell(column("type")).to_owned(), cell(Some(label)).to_owned(), response));
        }
        Ok(Self { rows })
    }

    /// Number of answers.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the labels of answers to none of these queries.
    pub fn strangers(&self, linear: &[String], rigid: &[String]) -> Vec<&str> {
        let has = |labels: &HashSet<&String>, label: &String| labels.contains(label);
        let (linear, rigid): (HashSet<&String>, HashSet<&String>) =
            (linear.iter().collect(), rigid.iter().collect());
        let is_known = |of: &str, label: &String| match of {
            LinearQuery::TYPE => has(&linear, label),
            RigidQuery::TYPE => has(&rigid, label),
            "" => has(&linear, label) || has(&rigid, label),
            _ => false,
        };
        let rows = self.rows.iter().filter(|(of, label, _)| !is_known(of, label));
        rows.map(|(_, label, _)| label.as_str()).collect()
    }

    /// Returns the answers to `queries` in their order, `None` where there is none.
    ///
    /// # Errors
    /// A label that two queries, or two answers, have.
    pub fn answers_to<Q: AskedQuery>(
        &self,
        queries: &[Labelled<Q>],
    ) -> Result<Vec<Option<Response>>, AnswerFileError> {
        let mut by_label: HashMap<&str, &Response> = HashMap::new();
        for (of, label, response) in &self.rows {
            if (of.is_empty() || of == Q::TYPE) && by_label.insert(label, response).is_some() {
                return Err(twice("answers", Q::TYPE, label));
            }
        }
        let mut seen: HashMap<&str, ()> = HashMap::new();
        let answer =
            |query: &Labelled<Q>| by_label.get(query.label.as_str()).map(|response| (*response).clone());
        for query in queries {
            if seen.insert(query.label.as_str(), ()).is_some() {
                return Err(twice("queries", Q::TYPE, &query.label));
            }
        }
        Ok(queries.iter().map(answer).collect())
    }
}

fn twice(what: &str, of: &str, label: &str) -> AnswerFileError {
    let what = format!(
        "two {what} of the type {of} have the label {:?}; answers are matched by label, and a column `type` tells linear \
         from rigid queries",
        beginning(label)
    );
    AnswerFileError { place: String::new(), what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::kept;
    use proptest::prelude::*;
    use rigor_study::results::text;

    fn read(text: &str) -> Result<AnswerFile, AnswerFileError> {
        AnswerFile::read(Path::new("a.csv"), text.as_bytes())
    }

    #[test]
    fn what_is_written_is_read() {
        let queries = kept::kept().unwrap().linear[..6].to_vec();
        let answers = [
            OutsideAnswer::Free,
            OutsideAnswer::Hit { t_safe: 0.1, t_hit: Some(0.3) },
            OutsideAnswer::Hit { t_safe: 1e-17, t_hit: None },
            OutsideAnswer::Undecided { t_safe: 0.5 },
            OutsideAnswer::TimedOut,
            OutsideAnswer::Failed { why: "it said \"no, never\"".into() },
        ];
        let responses: Vec<_> =
            answers.map(|answer| Response { answer, seconds: Some(1e-6), wall: None }).into_iter().collect();
        let rows = queries.iter().zip(&responses).map(|(q, r)| record::<LinearQuery>(&q.label, r));
        let file = read(&text(&COLUMNS, rows)).unwrap();
        let again: Vec<_> = file.answers_to(&queries).unwrap().into_iter().flatten().collect();
        assert_eq!(again, responses);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let told = |text: &str| read(text).unwrap_err().to_string();
        assert!(told("label,t_safe\na,1").contains("`answer`"));
        assert!(told("label,answer\nb,free\na,maybe").contains("a.csv:3: `answer` must be free"));
        assert!(told("label,answer,t_safe\na,hit,soon").contains("`t_safe` must be a number"));
        assert!(told("label,answer,t_sage\n").contains("`t_sage`"));
        assert!(told("label,answer\na,free,1").contains("3 cells"));
        assert!(told("label,answer,answer\na,free,hit").contains("two columns `answer`"));
        let queries = &kept::kept().unwrap().linear[..1];
        let label = &queries[0].label;
        let twice = read(&format!("label,answer\n{label},free\n{label},free")).unwrap();
        assert!(twice.answers_to(queries).unwrap_err().to_string().contains("the label"));
        let other = read(&format!("type,label,answer\nrigid,{label},free\n")).unwrap();
        assert_eq!(other.answers_to(queries).unwrap(), [None]);
        let labels = std::slice::from_ref(label);
        assert_eq!(other.strangers(labels, &[]), [label.as_str()]);
        assert!(other.strangers(&[], labels).is_empty() && twice.strangers(labels, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..60usize) {
            let good = b"label,answer,t_safe,t_hit,seconds\na,hit,0.5,0.6,1e-6\nb,free,,,\n";
            let _ = AnswerFile::read(Path::new("a.csv"), &bytes);
            let mut mixed = good[..cut].to_vec();
            mixed.extend(bytes);
            if let Ok(file) = AnswerFile::read(Path::new("a.csv"), &mixed) {
                let _ = file.answers_to(&kept::kept().unwrap().linear[..2]);
            }
        }
    }
}
