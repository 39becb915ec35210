//! Progress of one run: a bar on a terminal, lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rigor_report::number::quantity;
use rigor_run::live::Live;
use serde_json::{Value, json};

use super::progress::Log;

/// Minimum time between two lines of text.
const PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of lines of a run.
const LINES: u64 = 20;

/// Progress of a run of so many steps.
pub struct Steps {
    bar: ProgressBar,
    log: Log,
    /// When the last line was printed, or the run began.
    last: Instant,
}

impl Steps {
    /// Starts to show the progress of `steps` steps.
    pub fn new(steps: u64, log: Log) -> Self {
        let is_bar = log == Log::Text && std::io::stderr().is_terminal();
        let bar = if is_bar { ProgressBar::new(steps) } else { ProgressBar::hidden() };
        let style =
            ProgressStyle::with_template("{bar:20.cyan/dim} {pos}/{len} steps  {eta} left  {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self { bar, log, last: Instant::now() }
    }

    /// Shows a step: in the bar, or in a line after each twentieth of the run, as text at most every 5 s.
    #[allow(clippy::print_stderr, reason = "progress goes to standard error")]
    pub fn show(&mut self, live: &Live) {
        if !self.bar.is_hidden() {
            self.bar.set_position(live.state.step);
            self.bar.set_message(told(live));
            return;
        }
        let is_due = live.state.step.is_multiple_of(live.steps.div_ceil(LINES).max(1))
            || live.state.step == live.steps;
        match self.log {
            Log::Json if is_due => eprintln!("{}", as_json(live)),
            Log::Text if is_due && self.last.elapsed() > PAUSE => {
                self.last = Instant::now();
                eprintln!("[{}/{}] {}", live.state.step, live.steps, told(live));
            }
            _ => {}
        }
    }

    /// Ends the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn as_json(live: &Live) -> Value {
    let Live { state, report, energy, seconds, steps } = live;
    json!({
        "step": state.step, "of": steps, "time": state.time, "iterations": report.iterations,
        "contacts": report.contacts.len() + report.particle_contacts.len(), "energy": energy,
        "residual": report.residual, "gap": report.min_distance, "seconds_per_step": seconds,
    })
}

/// Returns the status line of a run, with the quantities that the method reports.
///
/// Example: "2 iterations  16 contacts  12.3 J  residual 2e-9  gap 9.9e-4 m  0 cuts  κ 1.4e6  3.1e-3 s/step".
fn told(live: &Live) -> String {
    let Live { report, energy, seconds, .. } = live;
    let mut words = vec![
        format!("{} iterations", report.iterations),
        format!("{} contacts", report.contacts.len() + report.particle_contacts.len()),
        quantity(*energy, "J"),
    ];
    words.extend(report.residual.map(|residual| format!("residual {residual:.1e}")));
    words.extend(report.min_distance.map(|distance| format!("gap {distance:.1e} m")));
    words.extend(report.quantity("joint_error").map(|error| format!("joints {error:.1e} m")));
    words.extend(
        report.quantity("bond_error").filter(|error| *error > 0.0).map(|error| format!("bonds {error:.1e}")),
    );
    words.extend(report.quantity("cuts").map(|cuts| format!("{cuts} cuts")));
    words.extend(report.quantity("kappa").map(|kappa| format!("κ {kappa:.1e}")));
    words.push(format!("{seconds:.1e} s/step"));
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Quantity, State, StepReport};

    use super::*;

    #[test]
    fn the_line_tells_what_the_method_tells() {
        let state = State::default();
        let line = |report: &StepReport| {
            told(&Live { state: &state, report, energy: 12.34, seconds: 0.5, steps: 10 })
        };
        let mut report = StepReport { iterations: 3, ..StepReport::default() };
        assert_eq!(line(&report), "3 iterations  0 contacts  12.3 J  5.0e-1 s/step");
        (report.min_distance, report.residual) = (Some(1e-3), Some(2e-9));
        let quantity = |name, value| Quantity { name, unit: "1", value };
        report.quantities = vec![
            quantity("joint_error", 1e-6),
            quantity("bond_error", 2e-3),
            quantity("cuts", 2.0),
            quantity("kappa", 1.5e6),
        ];
        let all = "3 iterations  0 contacts  12.3 J  residual 2.0e-9  gap 1.0e-3 m  joints 1.0e-6 m  bonds 2.0e-3  2 cuts  \
                   κ 1.5e6  5.0e-1 s/step";
        assert_eq!(line(&report), all);
    }
}
