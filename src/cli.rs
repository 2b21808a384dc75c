//! The command line: one file per subcommand.
//!
//! [`exit`] has the exit codes.

mod acp;
mod apply;
mod ask;
mod changes;
mod commit_message;
mod compare;
mod config_file;
mod config_text;
mod context;
mod demo;
mod diff;
mod doctor;
mod edit;
mod environment;
mod exit;
mod fix;
mod generate;
mod instruction;
mod jsonrpc;
#[cfg(feature = "leases")]
mod leases;
mod limits;
mod local_servers;
mod lsp;
mod mcp;
mod model;
mod named_config;
mod plan;
mod policy;
mod profile;
mod project;
mod record;
mod review;
mod settings;
mod setup;
mod simulate;
mod spinner;
mod status;
mod stdio;
mod terminal;
mod usage;
mod write;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

/// Shown in the help below the list of commands.
const AFTER_HELP: &str =
    "To begin: `tandem demo` shows a session, `tandem setup` adds a model, `tandem doctor` checks it all.";

/// A language server for AI completion.
#[derive(Debug, Parser)]
#[command(name = "tandem", version, about, after_help = AFTER_HELP, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the language server for an editor, on standard input and output
    Lsp(lsp::Arguments),
    Demo(demo::Arguments),
    Edit(edit::Arguments),
    Plan(plan::Arguments),
    Review(review::Arguments),
    CommitMessage(commit_message::Arguments),
    Acp(acp::Arguments),
    Mcp(mcp::Arguments),
    Apply(apply::Arguments),
    Ask(ask::Arguments),
    Fix(fix::Arguments),
    Context(context::Arguments),
    Setup(setup::Arguments),
    Model(model::Arguments),
    Profile(profile::Arguments),
    Doctor(doctor::Arguments),
    Record(record::Arguments),
    Status(status::Arguments),
    Usage(usage::Arguments),
    Policy(policy::Arguments),
    #[cfg(feature = "leases")]
    Leases(leases::Arguments),
    Compare(compare::Arguments),
    Simulate(simulate::Args),
    #[command(hide = true)]
    Generate(generate::Arguments),
}

/// Runs the program on its command line.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    // Commands report their own errors, so only servers log warnings by default.
    use Command::{Acp, Lsp, Mcp, Simulate};
    let serves = matches!(arguments.command, Lsp(_) | Acp(_) | Mcp(_) | Simulate(_));
    log_to_stderr(if serves { LevelFilter::WARN } else { LevelFilter::ERROR });
    // Undoes interrupted writes first, so that no command sees a half-written project.
    write::recover();
    let code = run_command(arguments.command);
    match terminal::unprinted() {
        Some(why) => {
            terminal::say(why);
            ExitCode::FAILURE
        }
        None => code,
    }
}

fn run_command(command: Command) -> ExitCode {
    match command {
        Command::Apply(arguments) => apply::run(&arguments),
        Command::Ask(arguments) => block_on(unless_interrupted(ask::run(arguments), "cancelled")),
        Command::Acp(arguments) => block_on(acp::run(arguments)),
        Command::Mcp(arguments) => reported(mcp::run(&arguments)),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Context(arguments) => block_on(context::run(arguments)),
        Command::Setup(arguments) => block_on(unless_interrupted(setup::run(arguments), "cancelled")),
        Command::Model(arguments) => reported(model::run(&arguments)),
        Command::Profile(arguments) => reported(profile::run(&arguments)),
        Command::Record(arguments) => reported(record::run(&arguments)),
        Command::Compare(arguments) => {
            let kept = "cancelled; the answers so far are kept, and the same command continues";
            block_on(unless_interrupted(compare::run(arguments), kept))
        }
        Command::Policy(arguments) => reported(policy::run(&arguments)),
        #[cfg(feature = "leases")]
        Command::Leases(arguments) => block_on(leases::run(arguments)),
        Command::Status(arguments) => block_on(status::run(arguments)),
        Command::Usage(arguments) => block_on(usage::run(arguments)),
        Command::Doctor(arguments) => block_on(unless_interrupted(doctor::run(arguments), "cancelled")),
        Command::Demo(arguments) => block_on(demo::run(arguments)),
        Command::Fix(arguments) => block_on(fix::run(arguments)),
        Command::Edit(arguments) => {
            block_on(unless_interrupted(edit::run(arguments), "cancelled; nothing was changed"))
        }
        Command::Plan(arguments) => block_on(plan::run(arguments)),
        Command::Review(arguments) => block_on(unless_interrupted(review::run(arguments), "cancelled")),
        Command::CommitMessage(arguments) => {
            block_on(unless_interrupted(commit_message::run(arguments), "cancelled"))
        }
        Command::Simulate(arguments) => block_on(simulate::run(arguments)),
        Command::Generate(arguments) => reported(generate::run(&arguments, Arguments::command())),
    }
}

/// Logs to standard error, filtered by `TANDEM_LOG` (`debug`, `tandem::model=trace`), or else at the level
/// `default`.
fn log_to_stderr(default: LevelFilter) {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(default.into())
        .with_env_var("TANDEM_LOG")
        .from_env_lossy();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(terminal::Log::new).with_ansi(false).init();
}

/// Runs a command until an interrupt, which is then acknowledged with a message.
///
/// A write in progress is completed first, since it does not wait for anything.
async fn unless_interrupted(
    command: impl Future<Output = anyhow::Result<ExitCode>>,
    cancelled: &str,
) -> anyhow::Result<ExitCode> {
    tokio::select! {
        biased;
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot wait for an interrupt")?,
        done = command => return done,
    }
    terminal::say(cancelled);
    Ok(ExitCode::from(exit::INTERRUPTED))
}

/// Runs a command to completion and reports its error.
fn block_on(command: impl Future<Output = anyhow::Result<ExitCode>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::cannot_start(&error),
    };
    let done = runtime.block_on(async {
        let done = command.await;
        // Leases are given back, and reports are sent, with all that is counted.
        crate::model::usage::finish().await;
        crate::model::leases::finish().await;
        crate::model::telemetry::finish().await;
        done
    });
    runtime.shutdown_background();
    reported(done)
}

/// The exit code of a finished command, whose error is reported.
fn reported(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        terminal::say(format_args!("{error:#}"));
        ExitCode::FAILURE
    })
}
