//! Forms in which passwords are typed.

use super::tests::{becomes, stays};
use crate::redact::{redact, redact_line};

#[test]
fn a_token_and_a_command_are_found_after_a_line_end_that_is_not_decoded() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for before in ["x\\n", "x\\\\n", "x\\r\\n", "x\\t"] {
        becomes(&format!("{before}{token}\\ny"), &format!("{before}***\\ny"));
        for (secret, masked) in [
            ("AKIAIOSFODNN7EXAMPLE", "***"),
            ("curl -u me:hunter2 h", "curl -u me:*** h"),
            ("bearer abcd1234", "bearer ***"),
        ] {
            becomes(&format!("{before}{secret}"), &format!("{before}{masked}"));
        }
    }
    stays(&format!("x\\a{token}"));
    stays("C:\\task-1234567890abcdef1234567890");
}

#[test]
fn tokens_of_more_issuers_are_recognised_by_their_form() {
    let key = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3".to_owned(); // 33 characters
    let hex = "0123456789abcdef".repeat(2);
    let discord = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs";
    for secret in [
        format!("hvs.{key}"),
        format!("hvb.{key}{key}"),
        format!("hf_{key}1"),
        format!("SK{hex}"),
        discord.to_owned(),
    ] {
        becomes(&format!("use {secret} now"), "use *** now");
        becomes(&format!("{{\"{secret}\": true}}"), "{\"***\": true}");
    }
    let bot = format!("bot123456789:AA{key}/getMe");
    becomes(&bot, "bot123456789:***/getMe");
    let header = format!("Authorization: Bot {discord}");
    becomes(&header, "Authorization: Bot ***");
    for text in [
        "hvs.example".to_owned(),
        "hf_hub_download".to_owned(),
        format!("TASK{hex}"),
        format!("SK{hex}0"),
        "SKeleton".to_owned(),
        format!("12:AA{key}"),
        format!("123456789:AA{key}x"),
        "aa:bb:cc:AA:BB".to_owned(),
        "MTk4NjIyNDgzNDcxOTI1MjQ4".to_owned(),
        "MTk4NjIyNDgzNDcxOTI1MjQ4.tar.gz".to_owned(),
    ] {
        stays(&text);
    }
}

#[test]
fn long_secrets_end_where_a_character_does() {
    for shift in 0..3 {
        let long = format!("{}{}", "x".repeat(shift), "\u{20ac}".repeat(2000));
        let here = redact(&format!("sudo -S id <<EOF\n{long}\nEOF\n"))
            .text
            .into_owned();
        assert_eq!(here, "sudo -S id <<EOF\n***\nEOF\n");
        let starts = [
            [
                "IDENTIFIED BY ",
                "IDENTIFIED BY '",
                "ALTER ROLE a PASSWORD $$",
                "AUTH ",
            ],
            ["PASS ", "db.auth(\"me\", \"", "mysql -p", "curl -u me:"],
            [
                "machine h login me password ",
                "Cookie: a=",
                "password=",
                "echo ",
            ],
            [
                "https://me:",
                "-passin pass:",
                "sudo -S id <<< ",
                "Authorization: Basic ",
            ],
        ];
        for before in starts.concat() {
            let text = format!("{before}{long}@h | sudo -S id");
            for line in [redact(&text).text, redact_line(text.as_bytes()).into()] {
                let again = redact(&line);
                assert_eq!(again.removed, 0, "{before} {line}");
            }
        }
    }
}
