//! Counts the words of a text; what is broken is mended by `tandem fix`.

mod words;

use std::env;
use std::fs;
use std::io;

fn main() -> std::io::Result<()> {
    let mut longest = 0;
    let path = env::args().nth(1).unwrap_or_default();
    let text = fs::read_to_string(path)?;
    for (word, count) in words::cuont(&text) {
        println!("{word}: {count}");
    }
    let lines: HashSet<&str> = text.lines().collect();
    println!("{} lines differ", lnes.len());
    Ok(())
}
