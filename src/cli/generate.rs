//! `tandem generate`: generates the manual pages and completions for packages from the command line's definition.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap_complete::Shell;

use super::terminal::exact;

/// Generate the manual pages or shell completions
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Write a manual page for the program and for each command into a folder
    Man {
        /// The folder, which is created if it is missing
        folder: PathBuf,
    },
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Generates the requested output from the definition of the command line.
pub(super) fn run(arguments: &Arguments, mut program: clap::Command) -> anyhow::Result<ExitCode> {
    match &arguments.what {
        What::Man { folder } => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            program.build();
            pages(&program, folder)?;
        }
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut program, "tandem", &mut text);
            exact(&String::from_utf8(text)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual pages of a command and its subcommands: `tandem.1`, `tandem-edit.1`.
fn pages(command: &clap::Command, folder: &Path) -> anyhow::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    let mut file =
        std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(&text).with_context(|| format!("cannot write {}", path.display()))?;
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help");
    shown.into_iter().try_for_each(|it| pages(it, folder))
}
