//! `tandem lsp`: runs the language server on standard input and output, or a window of one that windows share.

#[cfg(unix)]
mod host;
#[cfg(unix)]
mod shared;

use std::path::PathBuf;
use std::process::ExitCode;

use super::exit::cannot_start;
use super::limits::BLOCKING_THREADS;
use super::{stdio, terminal};
use crate::{config, lsp, model};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::new_or_existing())]
    config: Option<PathBuf>,
    /// Accepted and without effect: the server always talks over standard input and output
    #[arg(long, hide = true)]
    stdio: bool,
    /// Share one server with your other windows: it starts with the first one and ends with the last one
    #[arg(long)]
    shared: bool,
    /// Serve windows on this socket, as one of them has started it
    #[cfg(unix)]
    #[arg(long, hide = true, value_name = "SOCKET")]
    host: Option<PathBuf>,
    /// Start the server for this socket in the background
    #[cfg(unix)]
    #[arg(long, hide = true, value_name = "SOCKET")]
    start_host: Option<PathBuf>,
}

/// Serves on a single thread, so that no other thread has to wake up between an editor's request and the frame to
/// the model, or between the model's answer and that to the editor. Work that takes longer than microseconds runs on
/// the blocking pool.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    #[cfg(unix)]
    if let Some(socket) = &arguments.start_host {
        let started = host::start_detached(socket, arguments.config.as_deref());
        return started.map_or_else(|error| cannot_start(&error), |()| ExitCode::SUCCESS);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !arguments.shared {
        restart_with_one_arena();
    }
    terminal::say_if_started_by_hand("language server", "editor");
    if let Some(named) = arguments.config.as_deref().filter(|path| matches!(path.try_exists(), Ok(false)))
        && std::env::var_os("TANDEM_CONFIG").is_none_or(|it| !it.is_empty())
    {
        // The server must not exit for a missing file; it is read once it exists.
        terminal::say(format_args!("{}: there is no such file; no settings are read", named.display()));
    }
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = match builder.max_blocking_threads(BLOCKING_THREADS).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return cannot_start(&error),
    };
    let ended = runtime.block_on(async {
        let ended = serve(arguments, start(arguments)).await;
        model::leases::finish().await;
        model::telemetry::finish().await;
        ended
    });
    // A thread may be blocked reading standard input; do not wait for it.
    runtime.shutdown_background();
    match ended {
        Ok(lsp::Ended::Exit) => ExitCode::SUCCESS,
        // LSP 3.18, "Exit Notification": `exit` without `shutdown` is an error.
        Ok(lsp::Ended::Abandoned) => ExitCode::FAILURE,
        Err(error) => cannot_start(&error),
    }
}

/// The environment of the server.
fn start(arguments: &Arguments) -> lsp::Start {
    let state = model::usage::default_folder();
    lsp::Start {
        policy: Some(config::policy::PolicyFiles::of_system(state.clone())),
        config: arguments.config.clone().or_else(config::default_path),
        state,
        cache: crate::disk::cache_folder(),
        ..lsp::Start::default()
    }
}

/// Serves in the way that the arguments name.
#[cfg(unix)]
async fn serve(arguments: &Arguments, start: lsp::Start) -> std::io::Result<lsp::Ended> {
    if let Some(socket) = &arguments.host {
        return host::serve_windows(socket, &start).await.map(|()| lsp::Ended::Exit);
    }
    let (input, output) = stdio::open();
    if arguments.shared {
        return Ok(lsp::serve_window(input, output, shared::SharedServer::new(start)).await);
    }
    Ok(lsp::serve(input, output, start).await)
}

/// Serves in the way that the arguments name.
#[cfg(not(unix))]
async fn serve(arguments: &Arguments, start: lsp::Start) -> std::io::Result<lsp::Ended> {
    if arguments.shared {
        terminal::say("windows cannot share a server on this system; this window runs its own");
    }
    let (input, output) = stdio::open();
    Ok(lsp::serve(input, output, start).await)
}

/// Replaces this process by the same program with a single heap arena, unless the environment sets their number.
///
/// glibc gives each thread an arena that keeps the memory freed in it, so that what the blocking pool needed once stays
/// with the process. It reads the number of arenas when a process starts; setting it later takes unsafe code.
/// If the program cannot be started again, it serves as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn restart_with_one_arena() {
    use std::os::unix::process::CommandExt as _;

    const ARENAS: &str = "MALLOC_ARENA_MAX";
    if std::env::var_os(ARENAS).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into());
    let error = std::process::Command::new(program).arg0(name).args(arguments).env(ARENAS, "1").exec();
    terminal::say(format_args!(
        "the server uses more memory than it needs, as it cannot restart itself: {error}"
    ));
}
