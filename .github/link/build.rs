//! Links a release so that the functions which a session uses lie side by side.
//!
//! Linux maps a program in pieces of 64 KiB around each page that is used. The functions of a session lay
//! scattered over all of it, so that half of it was resident: with no file open 18.8 MB, which are 11.9 MB now
//! (`cargo bench --bench overhead -- --only memory`). `functions.ld` lists them, and `order` makes that list
//! anew. A name in it that the program does not have does no harm, so it need not follow each change.

use std::env;
use std::path::Path;

/// Where the list is, from the root of the package.
const FUNCTIONS: &str = ".github/link/functions.ld";

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
    }
}
