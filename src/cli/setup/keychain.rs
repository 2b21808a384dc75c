//! The system's secret store, accessed through its command-line program.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::config::Secret;

/// A secret store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keychain {
    /// `security` of macOS.
    Security,
    /// `secret-tool` of the Secret Service (GNOME Keyring, KWallet, KeePassXC).
    SecretTool,
}

impl Keychain {
    /// Finds the store of this machine. `path` is the search path for programs.
    pub(super) fn find(path: &OsStr) -> Option<Self> {
        let has = |program: &str| std::env::split_paths(path).any(|folder| folder.join(program).is_file());
        let (program, keychain) = match std::env::consts::OS {
            "macos" => ("security", Self::Security),
            _ => ("secret-tool", Self::SecretTool),
        };
        has(program).then_some(keychain)
    }

    /// The command that stores a key, and its standard input. The key is never an argument, since other users can see
    /// arguments.
    pub(super) fn store(self, provider: &str, key: &Secret) -> (Vec<String>, Secret) {
        match self {
            Self::Security => {
                // `security -i` reads commands, in which the key must be quoted.
                let quoted = key.expose().replace('\\', "\\\\").replace('"', "\\\"");
                let line = format!("add-generic-password -U -s tandem -a {provider} -w \"{quoted}\"\n");
                (["security", "-i"].map(str::to_owned).to_vec(), Secret::new(line))
            }
            Self::SecretTool => {
                let label = format!("--label=Tandem: {provider}");
                let command = ["secret-tool", "store", &label, "service", "tandem", "provider", provider];
                (command.map(str::to_owned).to_vec(), key.clone())
            }
        }
    }

    /// Stores a key under a provider's name, replacing an earlier one. The error is a clause without the key. The
    /// store may be locked or not running.
    pub(super) fn keep(self, provider: &str, key: &Secret) -> Result<(), String> {
        let (command, input) = self.store(provider, key);
        let (program, arguments) = command.split_first().ok_or("there is no command")?;
        let failed = |what: String| format!("`{program}` {what}");
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(format!("cannot be run ({})", error.kind())))?;
        if let Some(mut stdin) = child.stdin.take()
            && let Err(error) = stdin.write_all(input.expose().as_bytes())
        {
            // The program exited without reading the key; its status is checked below.
            tracing::debug!(%error, "the store does not read");
        }
        let status =
            child.wait().map_err(|error| failed(format!("cannot be waited for ({})", error.kind())))?;
        if status.success() { Ok(()) } else { Err(failed(format!("failed ({status})"))) }
    }

    /// The command that prints the key.
    pub(super) fn lookup(self, provider: &str) -> Vec<String> {
        let command: &[&str] = match self {
            Self::Security => &["security", "find-generic-password", "-s", "tandem", "-a", provider, "-w"],
            Self::SecretTool => &["secret-tool", "lookup", "service", "tandem", "provider", provider],
        };
        command.iter().map(|it| (*it).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_never_an_argument() {
        let key = Secret::new("sk-\"canary".to_owned());
        for keychain in [Keychain::Security, Keychain::SecretTool] {
            let (command, input) = keychain.store("openai", &key);
            assert!(!command.join(" ").contains("canary"));
            assert!(input.expose().contains("canary"));
            assert_eq!(keychain.lookup("openai")[0], command[0]);
        }
    }
}
