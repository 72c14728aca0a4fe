use super::*;

#[track_caller]
pub(super) fn becomes(text: &str, expected: &str) {
    let redacted = redact(text);
    assert_eq!(redacted.text, expected);
    assert!(redacted.removed > 0);
    assert_eq!(redact(expected).text, expected, "not stable");
}

#[track_caller]
pub(super) fn stays(text: &str) {
    let redacted = redact(text);
    assert_eq!(redacted.text, text);
    assert_eq!(redacted.removed, 0);
}

#[test]
fn tokens_of_known_form_go() {
    let alphabet = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2";
    let prefixes = "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- xoxb- xoxp- sk_live_ sk_test_ rk_live_ AIza \
        sk-ant-api03- sk-proj- sk-";
    for prefix in prefixes.split(' ') {
        becomes(&format!("see {prefix}{alphabet}, ok"), "see ***, ok");
        becomes(&format!("\"{prefix}{alphabet}\""), "\"***\"");
        stays(&format!("x{prefix}{alphabet}"));
        stays(&format!("see {prefix}short"));
    }
    let hex = "0123456789abcdef".repeat(4);
    let mixed = "Ab1Cd2Ef3G".repeat(8);
    for token in [
        format!("sq0atp-{}", &mixed[..22]),
        format!("sq0csp-{}", &mixed[..43]),
        format!("lin_api_{}", &mixed[..40]),
        format!("lin_oauth_{hex}"),
        format!("shpss_{}", &hex[..32]),
        format!("figd_{}", &mixed[..40]),
        format!("ntn_{}", &mixed[..43]),
        format!("PMAK-{}-{}", &hex[..24], &hex[..34]),
        format!("sntrys_{mixed}"),
        format!("glsa_{}_{}", &mixed[..32], &hex[..8]),
        format!("nvapi-{}", &mixed[..64]),
        format!("gsk_{}", &mixed[..52]),
        format!("xai-{mixed}"),
        format!("pplx-{}", &mixed[..48]),
        format!("r8_{}", &mixed[..37]),
        format!("sbp_{}", &hex[..40]),
        format!("pul-{}", &hex[..40]),
        format!("NRAK-{}", &mixed.to_ascii_uppercase()[..27]),
        format!("rubygems_{}", &hex[..48]),
        format!("dor_v1_{hex}"),
        format!("dp.pt.{}", &mixed[..43]),
        format!("pat{}.{hex}", &mixed[..14]),
    ] {
        becomes(&format!("see {token}, ok"), "see ***, ok");
        becomes(&format!("/opt/{token} run"), "/opt/*** run");
        stays(&format!("x{token}"));
        stays(&format!("see {}", &token[..12]));
    }
    becomes("id AKIAIOSFODNN7EXAMPLE.", "id ***.");
    let aws = "aws_secret_access_key = wJalr/K7MDENG+bPx";
    becomes(aws, "aws_secret_access_key = ***");
    let aws = r#""SecretAccessKey": "wJalr/K7""#;
    becomes(aws, r#""SecretAccessKey": "***""#);
    becomes("got eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ-_x ok", "got *** ok");
}

#[test]
fn private_keys_go_as_a_whole() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let block = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\nabc=\n-----END RSA PRIVATE KEY-----"
    );
    becomes(&format!("a\n{block}\nb"), "a\n***\nb");
    becomes(&format!("key: {block}\nb"), "key: ***\nb");
    let one_line = format!(r#"{{"k": "{}\n"}}"#, block.replace('\n', "\\n"));
    becomes(&one_line, r#"{"k": "***\n"}"#);
    let start = &line[..30];
    let cut_off = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{line}\n{start}");
    becomes(&format!("{cut_off}\n$ exit\n"), "***\n$ exit\n");
    becomes(&format!("{cut_off} and more"), "*** and more");
    let quoted = format!("> -----BEGIN PRIVATE KEY-----\r\n> {line}\r\n> {line}\r\n> bye\r\n");
    becomes(&quoted, "> ***\r\n> bye\r\n");
    becomes(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----",
        "***",
    );
    stays("-----BEGIN PRIVATE KEY-----\n(your key)\n-----END PRIVATE KEY-----");
    stays("[{ token: \"a\" }, { token: \"b\" }]");
    stays("contains(\"-----BEGIN PRIVATE KEY-----\")");
    stays("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----");
}

mod properties {
    use super::*;
    use crate::test_lines::lines;
    use proptest::prelude::*;

    /// Text that consists mostly of what rules look for.
    fn soup() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(lines("parts_of_secrets"));
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn secret() -> impl Strategy<Value = String> {
        "[A-Za-z0-9]{6}[0-9][a-z][A-Z]:[A-Za-z0-9!^_+]{0,20}Z"
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn any_text_is_redacted_without_a_panic_and_only_once(text in "\\PC*", soup in soup()) {
            for text in [text, soup] {
                let once = redact(&text);
                let twice = redact(&once.text);
                prop_assert_eq!(&once.text, &twice.text, "from {:?}", text);
                prop_assert_eq!(once.removed == 0, once.text == text);
                let secrets = Secrets::new(&text);
                prop_assert_eq!(secrets.places().is_empty(), once.removed == 0);
                let whole = secrets.masked_part(0..text.len());
                prop_assert_eq!(&redact(&whole).text, &whole, "from {:?}", text);
                for place in secrets.places() {
                    prop_assert_eq!(secrets.masked_part(place.clone()), MASK);
                }
            }
        }

        #[test]
        fn planted_secrets_never_come_out(secret in secret(), before in soup(), after in "[ -~]{0,20}") {
            let b64 = secret.replace([':', '!', '^', '_'], "a");
            let line_forms = [
                format!("PASSWORD={secret}"),
                format!("export API_KEY=\"{secret}\""),
                format!("{{\"client_secret\": \"{secret}\"}}"),
                format!("db_password: {secret}"),
                format!("X-Api-Key: {secret}"),
                format!("Authorization: Bearer {b64}"),
                format!("run --token '{secret}'"),
                format!("ghp_{0}{0}", b64.replace('+', "a")),
            ];
            for form in line_forms {
                let text = format!("{before}\n{form}\n{after}");
                let redacted = redact(&text);
                prop_assert!(!redacted.text.contains(&secret), "{} in {:?}", secret, redacted.text);
                prop_assert!(!redacted.text.contains(&b64) || b64 == secret, "{} in {:?}", b64, redacted.text);
            }
        }
    }
}
