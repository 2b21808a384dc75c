//! The environment variables that the user's command receives.
//!
//! They are an allowlist, since any other variable may contain a key.

use std::ffi::OsString;

use crate::config::Verify;

/// Variables that builds need: of the session, of Windows, then by toolchain.
const PASSED: [&str; 9] = [
    // The session.
    "COLORTERM HOME LANG LANGUAGE LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT \
     LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME LOGNAME NO_COLOR PATH SHELL TERM \
     TMPDIR TZ USER XDG_CONFIG_DIRS XDG_DATA_DIRS",
    // Windows.
    "ALLUSERSPROFILE APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT \
     PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE \
     SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR",
    // Compilers and linkers.
    "AR AS CC CFLAGS CMAKE_GENERATOR CMAKE_PREFIX_PATH CPATH CPPFLAGS CXX CXXFLAGS C_INCLUDE_PATH \
     CPLUS_INCLUDE_PATH DEVELOPER_DIR DYLD_LIBRARY_PATH INCLUDE LD LDFLAGS LD_LIBRARY_PATH LIB \
     LIBRARY_PATH MACOSX_DEPLOYMENT_TARGET MAKEFLAGS NM PKG_CONFIG_PATH RANLIB SDKROOT",
    // Rust.
    "CARGO_BUILD_JOBS CARGO_HOME RUSTC_WRAPPER RUSTDOCFLAGS RUSTFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN",
    // Go.
    "CGO_ENABLED GOARCH GOBIN GOFLAGS GOMODCACHE GOOS GOPATH GOROOT GOTOOLCHAIN",
    // Java and related languages.
    "ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME GRADLE_USER_HOME JAVA_HOME JDK_HOME KOTLIN_HOME M2_HOME \
     MAVEN_HOME SDKMAN_DIR",
    // JavaScript.
    "BUN_INSTALL COREPACK_HOME DENO_DIR FNM_DIR NODE_ENV NODE_PATH NVM_BIN NVM_DIR PNPM_HOME VOLTA_HOME",
    // Python.
    "CONDA_PREFIX PIPX_HOME PYENV_ROOT PYENV_VERSION PYTHONHOME PYTHONPATH UV_CACHE_DIR VIRTUAL_ENV",
    // Others.
    "ASDF_DATA_DIR ASDF_DIR BUNDLE_PATH CABAL_DIR COMPOSER_HOME DOTNET_ROOT ELAN_HOME GEM_HOME GEM_PATH \
     GHCUP_INSTALL_BASE_PREFIX JULIA_DEPOT_PATH MISE_DATA_DIR MIX_HOME NIX_PATH NIX_PROFILES \
     NIX_SSL_CERT_FILE NUGET_PACKAGES OPAMROOT PERL5LIB PUB_CACHE RBENV_ROOT RUBYLIB SSL_CERT_DIR \
     SSL_CERT_FILE STACK_ROOT",
];

/// The variables that are passed, with their values.
pub(super) fn values(verify: &Verify) -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(|name| is_passed(verify, name)))
}

fn is_passed(verify: &Verify, name: &str) -> bool {
    // Names are case-insensitive on Windows.
    let upper = name.to_ascii_uppercase();
    let usual = if cfg!(windows) { upper.as_str() } else { name };
    PASSED.iter().any(|group| group.split(' ').any(|it| it == usual))
        || verify.variables.iter().any(|it| it == name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::properties::config())]
        #[test]
        fn variable_that_may_hold_a_key_is_passed_only_if_it_is_named(
            name in "([A-Z]{1,9}_){0,3}(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PAT|AUTH|CREDENTIALS)(_[A-Z]{1,9}){0,2}",
        ) {
            let mut verify = Verify::new(Vec::new(), Duration::ZERO);
            prop_assert!(!is_passed(&verify, &name));
            verify.variables.push(name.clone());
            let longer = format!("{name}_2");
            prop_assert!(is_passed(&verify, &name) && !is_passed(&verify, &longer));
        }
    }

    #[test]
    fn what_builds_need_is_passed() {
        let verify = Verify::new(Vec::new(), Duration::ZERO);
        for name in ["PATH", "HOME", "LC_ALL", "CARGO_HOME", "VIRTUAL_ENV"] {
            assert!(is_passed(&verify, name), "{name}");
        }
        for name in ["OPENAI_API_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "HTTPS_PROXY", "DATABASE_URL", ""] {
            assert!(!is_passed(&verify, name), "{name}");
        }
    }
}
