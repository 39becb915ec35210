//! Studies: a plan of scenes × methods × values of keys, carried out run by run, each run a record on disk.
//!
//! A run that is found by its identity is not made again, so a study that was killed goes on where it stopped, and several
//! processes may fill one folder.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use rigor_study::{Contender, Options, Plan, conduct, results};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let mut plan = Plan { method: vec![Contender::new("xpbd"), Contender::new("rapier")], ..Plan::default() };
//! plan.study.scenes = vec!["bouncing/ball".into()];
//! plan.study.duration = Some(0.05);
//! let options = Options::new(folder.path());
//! let results = conduct(&plan, &options, &AtomicBool::new(false), &|_, _| {})?;
//! assert_eq!(results.rows.len(), 2);
//! println!("{}", results::csv(&results::table(&results.rows, &[])));
//! # Ok(())
//! # }
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | [`plan`] | the plan of a study, from TOML |
//! | [`axis`] | the values that keys take: lists, ranges, samples |
//! | [`axis_fault`] | what is wrong with such values |
//! | [`task`] | the runs of a plan |
//! | [`driver`] | runs made, found, locked and shared between processes |
//! | [`reference`](mod@reference) | runs to compare with, and deviations of trajectories |
//! | [`mod@deviation`] | the deviation of a trajectory from that of a reference run |
//! | [`instant`] | instants at which all runs of a scene keep a frame |
//! | [`synchrony`] | the common instants of the runs of a plan |
//! | [`bisect`] | the search for critical values |
//! | [`conduct`](mod@conduct) | from the plan to the results |
//! | [`quantity`] | quantities of a run by name |
//! | [`row`] | a run with its results |
//! | [`results`] | the tidy table, as CSV and JSON |
//! | [`tables`] | all tables of a study |
//! | [`parquet`](mod@parquet) | the table as a Parquet file |
//! | [`order`] | the trend of an error over Δt |
//! | [`convergence`] | orders of convergence, one per combination of the other keys |
//! | [`aggregate`] | mean, interval, median and quartiles over seeds, samples or scenes |
//! | [`profile`] | performance profiles |
//! | [`critical`] | critical values as a table, as rows and as plots |
//! | [`unfinished`] | what the conclusions lack: runs and references that did not end |
//! | [`point`] | the values of keys that vary, in words |
//! | [`frame_reader`] | the newest frames of a run that goes on |
//! | [`found`](mod@found) | runs and studies that are there |
//! | [`album`] | states of all runs of a scene, for pictures |
//! | [`contacts`] | contacts of a run, for the player |
//! | [`naming`] | names of scenes that no other has |
//! | [`report`] | the page |
//! | [`engines`](mod@engines) | what the engines on the page mean by their numbers |
//! | [`reported`] | series of a run that still goes on |
//! | [`shard`] | parts of a study for several machines |
//! | [`error`] | what is wrong with a plan or a run |

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod aggregate;
pub mod album;
pub mod axis;
pub mod axis_fault;
pub mod bisect;
pub mod conduct;
pub mod contacts;
pub mod convergence;
pub mod critical;
pub mod deviation;
pub mod driver;
pub mod engines;
pub mod error;
pub mod found;
pub mod frame_reader;
pub mod instant;
pub mod naming;
pub mod order;
pub mod parquet;
pub mod plan;
pub mod point;
pub mod profile;
pub mod quantity;
pub mod reference;
pub mod report;
pub mod reported;
pub mod results;
pub mod row;
pub mod shard;
pub mod synchrony;
pub mod tables;
pub mod task;
pub mod unfinished;

pub use conduct::{Results, conduct};
pub use driver::{Options, Rerun, Shard};
pub use error::{PlanError, StudyError};
pub use plan::{Contender, Plan};
pub use row::Row;
pub use task::Task;
