//! The envelope of a policy: its signature in the first line, and the document in the rest.
//!
//! Both arrive in one response, so that no document meets the signature of another. The first line is a comment in
//! TOML, `# signature: BASE64`. The signature is Ed25519 (RFC 8032) over all bytes after that line.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

/// The beginning of the first line.
const MARK: &str = "# signature: ";
/// Bytes of a public key (RFC 8032 §5.1.5).
pub(super) const KEY_BYTES: usize = 32;

/// The document in an envelope that is signed by one of these keys.
pub(super) fn open<'a>(text: &'a str, keys: &[Vec<u8>]) -> Result<&'a str, String> {
    let signed = text.split_once('\n').and_then(|(line, rest)| Some((line.strip_prefix(MARK)?.trim(), rest)));
    let (signature, document) =
        signed.ok_or_else(|| format!("it does not begin with `{}BASE64`: sign it", MARK.trim_start()))?;
    let signature =
        BASE64_STANDARD.decode(signature).map_err(|_| "its signature is not Base64: sign it again")?;
    let is_of = |key: &&Vec<u8>| {
        UnparsedPublicKey::new(&ED25519, key).verify(document.as_bytes(), &signature).is_ok()
    };
    match keys.iter().find(is_of) {
        Some(_) => Ok(document),
        None => Err("its signature is wrong: it was changed, or signed with another key".to_owned()),
    }
}

/// Puts a document into an envelope, and returns it with the public key to which it belongs, in Base64.
///
/// The private key is in PEM (PKCS #8, RFC 8410), as `openssl genpkey -algorithm ed25519` writes it.
///
/// # Errors
///
/// The text is no such key.
pub fn sign(document: &str, private_key: &str) -> Result<(String, String), String> {
    let lines = private_key.lines().map(str::trim);
    let body: zeroize::Zeroizing<String> =
        lines.filter(|line| !line.starts_with("-----")).collect::<String>().into();
    let wrong = "it is no Ed25519 key in PEM: make one with `openssl genpkey -algorithm ed25519`";
    let key = zeroize::Zeroizing::new(BASE64_STANDARD.decode(&*body).map_err(|_| wrong)?);
    // OpenSSL leaves out the public key, which is derived then.
    let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&key).map_err(|_| wrong)?;
    let signature = BASE64_STANDARD.encode(key.sign(document.as_bytes()));
    Ok((format!("{MARK}{signature}\n{document}"), BASE64_STANDARD.encode(key.public_key())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first test vector of RFC 8032 §7.1, in PEM.
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
                       MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
                       -----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    #[test]
    fn what_is_signed_opens_with_its_key_alone() {
        let (signed, public) = sign("version = 1\n", KEY).unwrap();
        assert_eq!(public, PUBLIC);
        let keys = [vec![7; KEY_BYTES], BASE64_STANDARD.decode(PUBLIC).unwrap()];
        assert_eq!(open(&signed, &keys), Ok("version = 1\n"));
        for wrong in [
            signed.replace("= 1", "= 2"),
            signed.replace('\n', "\r\n"),
            format!("{signed} "),
            signed.replacen("# signature: ", "# signature: AA", 1),
            signed.replacen("# signature: ", "# Signature: ", 1),
            "version = 1\n".to_owned(),
            String::new(),
        ] {
            assert!(open(&wrong, &keys).is_err(), "{wrong}");
        }
        assert!(open(&signed, &keys[..1]).is_err() && open(&signed, &[]).is_err());
    }

    #[test]
    fn empty_signature_is_of_no_document() {
        let of_none = sign("", KEY).unwrap().0;
        let keys = [BASE64_STANDARD.decode(PUBLIC).unwrap()];
        // The signature of the empty text is that of the RFC.
        assert!(of_none.starts_with("# signature: 5VZDAMNgrHKQhu"), "{of_none}");
        assert_eq!(open(&of_none, &keys), Ok(""));
        assert!(sign("", PUBLIC).is_err() && sign("", "no key").is_err());
    }
}
