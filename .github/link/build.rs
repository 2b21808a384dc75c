//! Links a release so that the functions which a session uses lie side by side.
//!
//! Linux maps a program in pieces of 64 KiB around each page that is used. The functions of a session lay
//! scattered over all of it, so that half of it was resident: with no file open 18.8 MB, which are 11.1 MB now
//! (`cargo bench --bench overhead -- --only memory`). `functions.ld` lists them, and `order` makes that list
//! anew. A name in it that the program does not have does no harm, so it need not follow each change.
//!
//! The addresses that Linux fills in when the program starts are listed packed where the C library can read such a
//! list: it is 16 KiB then in place of 1 MiB, all of which is read at each start and stays resident.

use std::env;
use std::path::Path;
use std::process::Command;

/// Where the list is, from the root of the package.
const FUNCTIONS: &str = ".github/link/functions.ld";
/// The first glibc that reads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed={FUNCTIONS}");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let has = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    // The linker that Rust brings for this system takes such a script, as GNU's does. Another one may not.
    let is_usual_linker = env::var_os("RUSTC_LINKER").is_none()
        && !env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    let is_release = has("TARGET", "x86_64-unknown-linux-gnu") && has("PROFILE", "release");
    if is_usual_linker && is_release {
        let root = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo::rustc-link-arg-bin=tandem=-T{}", Path::new(&root).join(FUNCTIONS).display());
        if has("HOST", "x86_64-unknown-linux-gnu") && glibc().is_some_and(|it| it >= PACKED_SINCE) {
            println!("cargo::rustc-link-arg-bin=tandem=-Wl,-z,pack-relative-relocs");
        }
    }
}

/// The version of this machine's glibc, if that is its C library.
///
/// A program asks for a glibc that is about as new as the one it is built with, so that a release for others is built
/// with an old one.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
