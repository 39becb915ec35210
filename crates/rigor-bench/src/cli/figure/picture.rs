//! Pictures of runs.

use rigor_report::number::quantity;
use rigor_report::paper::sheet;
use rigor_report::paper::tables::file_name;
use rigor_report::render::Image;
use rigor_scene::State;
use rigor_study::album::FrameSequence;

use super::{FigureArgs, Files, NamedRuns};
use crate::cli::CliError;

/// Writes pictures of the start, of the end of each run, and of the times asked for.
pub fn pictures(files: &Files<'_>, named: &NamedRuns<'_>, args: &FigureArgs) -> Result<(), CliError> {
    let scene = &named.album.scene;
    let name = |what: &str| format!("pictures/{}.png", file_name(&format!("{} {what}", named.section.name)));
    files.write(&name("start"), &picture(named, &State::initial(scene), args).png().0)?;
    for (k, (_, folder)) in named.album.runs.iter().enumerate() {
        let run = &named.names[k];
        files
            .write(&name(&format!("{run} end")), &picture(named, &named.album.last[k].state, args).png().0)?;
        for time in &args.time {
            let mut reel = FrameSequence::open(scene, folder)?;
            let picture = picture(named, &reel.at(*time)?.state, args);
            files.write(&name(&format!("{run} at {}", quantity(*time, "s"))), &picture.png().0)?;
        }
    }
    Ok(())
}

/// Writes one picture of all runs at their end: a row per scene, and a column per run.
pub fn sheet(files: &Files<'_>, all: &[NamedRuns<'_>], args: &FigureArgs) -> Result<(), CliError> {
    let columns = all.iter().map(|named| named.names.len()).max().unwrap_or(1);
    let mut pictures = Vec::new();
    for named in all {
        for k in 0..columns {
            let picture = named.names.get(k).map(|name| {
                let title =
                    if all.len() > 1 { format!("{}: {name}", named.section.name) } else { name.clone() };
                (title, picture(named, &named.album.last[k].state, args))
            });
            pictures.push(picture);
        }
    }
    let sheet =
        sheet::sheet(&pictures, columns, args.size).map_err(|error| CliError::new(error.to_string()))?;
    files.write("sheet.png", &sheet.png().0).map(|_| ())
}

/// The picture of a state.
pub fn picture(named: &NamedRuns<'_>, state: &State, args: &FigureArgs) -> Image {
    let (scene, camera) = (&named.album.scene, &named.album.camera);
    if args.transparent {
        Image::on_nothing(scene, state, camera, args.size)
    } else {
        Image::of(scene, state, camera, args.size)
    }
}
