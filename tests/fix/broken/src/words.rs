/// How often each word is in a text.
pub fn count(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(wrod.to_lowercase()).or_insert(0) += 1;
    }
    counts
}
