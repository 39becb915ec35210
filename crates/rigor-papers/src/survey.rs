//! Which claims of a figure notice that its scenes were changed.

use std::sync::atomic::{AtomicBool, Ordering};

use rigor_audit::Verdict;
use rigor_report::{MethodRow, SceneSection};

use crate::attempt::{Attempt, AttemptError, attempt};
use crate::form::Form;
use crate::mutation::Mutation;
use crate::paper::{Paper, PaperFigure};
use crate::request::Request;
use crate::study::{StudyResults, Trend};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It held.
    Held,
    /// It failed.
    Failed,
    /// It was not judged: nothing measured it, or a run did not reach its end.
    NotJudged,
}

/// A claim of a figure under all changes of its scenes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// The claim, such as `friction/slope: motion.drop of box ≤ 0.1`.
    pub claim: String,
    /// What became of it without a change.
    pub unchanged: Fate,
    /// The changes under which it failed.
    pub noticed: Vec<Mutation>,
    /// The changes under which it was not judged.
    pub not_judged: Vec<Mutation>,
    /// Why no change can break it, as the file of the paper says; empty if it does not say so.
    pub because: String,
}

impl Surveyed {
    /// Whether nothing is known of it: it did not hold without a change, or it failed under none and nothing says why it should
    /// not.
    pub fn is_idle(&self) -> bool {
        self.unchanged != Fate::Held || self.noticed.is_empty() && self.because.is_empty()
    }
}

/// The claims of a figure under all changes of its scenes.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The figure.
    pub figure: PaperFigure,
    /// Its claims. Those about time, and those of tables across methods, are not among them.
    pub claims: Vec<Surveyed>,
    /// The changes that could not be made, with the reason.
    pub refused: Vec<(Mutation, String)>,
    /// Whether all changes were tried.
    pub is_whole: bool,
}

impl Survey {
    /// Returns the number of claims that say nothing: they notice no change, were not judged, or do not hold as it is.
    pub fn idle(&self) -> usize {
        self.claims.iter().filter(|claim| claim.is_idle()).count()
    }
}

/// Runs a figure as here without a change, then with each change of [`Mutation::ALL`], and compares what became of its claims.
///
/// A scene that a change leaves as it is keeps its run. A figure whose run is interrupted has the changes that were tried.
///
/// # Errors
/// A case cannot be loaded without a change.
pub fn survey(
    paper: &Paper,
    figure: &PaperFigure,
    request: Request,
    stop: &AtomicBool,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Survey, AttemptError> {
    let forms = &[Form::Here];
    // Tables across methods take no changes.
    let figure = PaperFigure { across: Vec::new(), ..figure.clone() };
    let made = |change: Option<Mutation>| {
        attempt(paper, &figure, Request { forms, change, ..request }, stop, &|_| {})
            .map(|made| fates(&made, &paper.method))
    };
    let mut claims: Vec<Surveyed> = made(None)?
        .into_iter()
        .map(|(claim, unchanged)| {
            let known =
                figure.unmoved.iter().chain(&paper.unmoved).find(|one| claim.contains(one.claim.as_str()));
            let because = known.map_or(String::new(), |one| one.because.clone());
            Surveyed { claim, unchanged, noticed: vec![], not_judged: vec![], because }
        })
        .collect();
    let mut refused = Vec::new();
    for change in Mutation::ALL {
        if stop.load(Ordering::Relaxed) || claims.is_empty() {
            break;
        }
        done(change.words());
        match made(Some(change)) {
            Ok(found) => {
                for claim in &mut claims {
                    let fate = found.iter().find(|(name, _)| *name == claim.claim).map(|(_, fate)| *fate);
                    match fate.unwrap_or(Fate::NotJudged) {
                        Fate::Held => {}
                        Fate::Failed => claim.noticed.push(change),
                        Fate::NotJudged => claim.not_judged.push(change),
                    }
                }
            }
            Err(error) => refused.push((change, error.to_string())),
        }
    }
    let is_whole = !stop.load(Ordering::Relaxed);
    Ok(Survey { figure, claims, refused, is_whole })
}

/// Returns the claims of the scenes and of the studies, with what became of them.
fn fates(made: &Attempt, method: &str) -> Vec<(String, Fate)> {
    let of_scenes = made
        .sections
        .iter()
        .flat_map(|section| section.rows.iter().flat_map(|row| of_row(section, row, method)));
    of_scenes.chain(made.studies.iter().filter_map(of_study)).collect()
}

fn of_row(section: &SceneSection, row: &MethodRow, method: &str) -> Vec<(String, Fate)> {
    let is_whole = row.ending == rigor_report::Ending::Completed;
    let fate = |verdict: &Verdict| match verdict {
        Verdict::Failed(_) => Fate::Failed,
        Verdict::Held(_) if is_whole => Fate::Held,
        Verdict::Held(_) | Verdict::NotMeasured => Fate::NotJudged,
    };
    let claim = |(expectation, verdict): &(rigor_scene::Expectation, Verdict)| {
        let whose = expectation.body.map_or(String::new(), |body| format!(" of {}", section.body_name(body)));
        let text = format!("{}: {}{whose} {}", section.name, expectation.figure, expectation.bound);
        (text, fate(verdict))
    };
    row.expectations.iter().filter(|(expectation, _)| expectation.is_claimed_by(method)).map(claim).collect()
}

/// `None` for a study without a claim, or with one about time.
fn of_study(made: &StudyResults) -> Option<(String, Fate)> {
    let study = &made.study;
    if study.claim == Trend::Told || study.measure.is_time() {
        return None;
    }
    let column = made.columns.first()?;
    let fate = match &column.complaints[..] {
        _ if column.values.iter().any(Result::is_err) => Fate::NotJudged,
        [] => Fate::Held,
        _ => Fate::Failed,
    };
    Some((format!("study: {}", study.title), fate))
}
