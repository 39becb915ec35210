//! A video of a scene, with its runs side by side.

use std::path::Path;
use std::process::{Command, Stdio};

use rigor_report::paper::sheet::sheet;
use rigor_report::paper::tables::file_name;
use rigor_report::render::Image;
use rigor_study::StudyError;
use rigor_study::album::FrameSequence;

use super::{FigureArgs, Files, NamedRuns};
use crate::cli::CliError;

/// Runs beside each other in a video.
const COLUMNS: usize = 3;

/// Writes the frames of a video, each the last state of each run that is not later than its time, and lets ffmpeg join them. Without
/// ffmpeg it keeps the frames and prints the command that joins them.
pub fn video(files: &Files<'_>, named: &NamedRuns<'_>, args: &FigureArgs) -> Result<(), CliError> {
    let album = &named.album;
    let open = |(_, folder)| FrameSequence::open(&album.scene, folder);
    let reels =
        album.runs.iter().map(|(k, folder)| open((k, folder))).collect::<Result<Vec<_>, StudyError>>();
    let mut reels = reels?;
    let end = album.last.iter().map(|frame| frame.state.time).fold(0.0, f64::max);
    let frames = (end / args.speed * args.fps).ceil() as u64 + 1;
    let name = files.free(&file_name(&named.section.name));
    let folder = files.out.join("video").join(&name);
    std::fs::create_dir_all(&folder).map_err(|error| CliError::file(&folder, "made", &error))?;
    for k in 0..frames {
        let time = k as f64 * args.speed / args.fps;
        let mut pictures = Vec::new();
        for (reel, run) in reels.iter_mut().zip(&named.names) {
            let state = &reel.at(time)?.state;
            let title = format!("{run}, {:.2} s", state.time);
            pictures.push(Some((title, Image::of(&album.scene, state, &album.camera, args.size))));
        }
        let whole = sheet(&pictures, COLUMNS, args.size).map_err(|error| CliError::new(error.to_string()))?;
        let path = folder.join(format!("{k:05}.png"));
        std::fs::write(&path, whole.png().0).map_err(|error| CliError::file(&path, "written", &error))?;
    }
    let video = files.out.join("video").join(format!("{name}.mp4"));
    let arguments = arguments(&folder, &video, args.fps);
    let made = Command::new("ffmpeg")
        .args(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    match made {
        Ok(made) if made.status.success() => {
            std::fs::remove_dir_all(&folder).map_err(|error| CliError::file(&folder, "removed", &error))?;
            crate::cli::print(&format!("{}\n", video.display()))
        }
        Ok(made) => {
            let said = String::from_utf8_lossy(&made.stderr).lines().last().unwrap_or_default().to_owned();
            Err(CliError::new(format!("ffmpeg failed: {said}"))
                .with_help(format!("the frames are in {}", folder.display())))
        }
        Err(_) => {
            let line =
                arguments.iter().map(|word| rigor_study::shard::quoted(word)).collect::<Vec<_>>().join(" ");
            crate::cli::print(&format!(
                "{}: {frames} frames; to join them: ffmpeg {line}\n",
                folder.display()
            ))
        }
    }
}

/// H.264 that every player knows.
fn arguments(folder: &Path, video: &Path, fps: f64) -> Vec<String> {
    let [frames, video] =
        [folder.join("%05d.png"), video.to_owned()].map(|path| path.to_string_lossy().into_owned());
    let fps = fps.to_string();
    [
        "-y",
        "-loglevel",
        "error",
        "-framerate",
        &fps,
        "-i",
        &frames,
        "-c:v",
        "libx264",
        "-crf",
        "18",
        "-pix_fmt",
        "yuv420p",
        &video,
    ]
    .map(str::to_owned)
    .to_vec()
}
