//! Forms in which passwords are typed.

use super::tests::{becomes, stays};
use crate::redact::{redact, redact_line};

#[test]
fn a_line_of_a_protocol_is_a_secret_when_it_is_all_that_was_typed() {
    becomes("PASS hunter2\r", "PASS ***\r");
    becomes("AUTH hunter2\n", "AUTH ***\n");
    becomes("auth hunter2", "auth ***");
    becomes("auth default tiger\n", "auth default ***\n");
    becomes("auth me hunter2\n", "auth me ***\n");
    becomes("pass hunter2\r", "pass ***\r");
    becomes("AUTH me hunter2\r\n", "AUTH me ***\r\n");
    becomes("a1 LOGIN me hunter2\r", "a1 LOGIN me ***\r");
    becomes("  PASSWORD 'hunter2';", "  PASSWORD '***';");
    becomes("IDENTIFIED BY tiger;\r", "IDENTIFIED BY ***;\r");
    for text in [
        "PASS src/App.test.js\n",
        "PASS test_login\n",
        "PASS $PASSWORD\n",
        "pass gmail\n",
        "pass work/mail2\n",
        "pass it on 2 me\n",
        "auth default off\nand on",
        "auth was easy\n",
        "auth failed\n",
        "AUTH LOGIN\r",
        "AUTH TLS\r",
        "IDENTIFIED BY RANDOM PASSWORD\n",
    ] {
        stays(text);
    }
}

#[test]
fn passwords_have_more_forms_in_statements_and_commands() {
    for (text, redacted) in [
        (
            "CREATE USER a IDENTIFIED BY tiger REPLACE lion;",
            "CREATE USER a IDENTIFIED BY *** REPLACE ***;",
        ),
        (
            "ALTER ROLE a PASSWORD $$hunter2$$;",
            "ALTER ROLE a PASSWORD $$***$$;",
        ),
        (
            "CREATE USER a PASSWORD $tag$it's$tag$;",
            "CREATE USER a PASSWORD $tag$***$tag$;",
        ),
        (
            "sudo -S id <<EOF\nhunter2\nEOF\n",
            "sudo -S id <<EOF\n***\nEOF\n",
        ),
        (
            "chpasswd <<-'EOF'\r\tme:hunter2\rEOF\r",
            "chpasswd <<-'EOF'\r\tme:***\rEOF\r",
        ),
        (
            "smbclient //srv/share hunter2 -U joe",
            "smbclient //srv/share *** -U joe",
        ),
        (
            "net use Z: \\\\srv\\share hunter2 /user:joe",
            "net use Z: \\\\srv\\share *** /user:joe",
        ),
        (
            "ncat --proxy h:1 --proxy-auth me:hunter2 h 1",
            "ncat --proxy h:1 --proxy-auth me:*** h 1",
        ),
    ] {
        becomes(text, redacted);
    }
    for text in [
        "identified by tiger stripes",
        "ALTER ROLE a PASSWORD $1; SELECT $2",
        "the password $$ is not set",
        "sudo -S id <<EOF\nEOF\n",
        "sudo -S id <<EOF\n$PASSWORD\nEOF\n",
        "sudo cat <<EOF\nhello\nEOF\n",
        "smbclient //srv/share -c ls",
        "smbclient //srv/share -U joe",
        "net use \\\\srv\\share /delete",
        "net use \\\\srv\\share failed with 53",
        "ncat --proxy-auth me h 1",
    ] {
        stays(text);
    }
}

#[test]
fn a_password_that_a_sentence_states_is_a_secret() {
    for (text, redacted) in [
        ("my password is hunter2", "my password is ***"),
        (
            "The password is s3cr3t!x, please log in",
            "The password is ***, please log in",
        ),
        ("my db password is swordfish.", "my db password is ***."),
        (
            "my password is swordfish and it works",
            "my password is *** and it works",
        ),
        (
            "the password is \"correct horse\"",
            "the password is \"***\"",
        ),
        ("the password was: Tr0ub4dor&3", "the password was: ***"),
        ("my passcode is 4711", "my passcode is ***"),
        ("the API key is 9f86d081884c7d659a2f", "the API key is ***"),
        ("the token is `9f86d081884c7d659a2f`", "the token is `***`"),
    ] {
        becomes(text, redacted);
    }
    for text in [
        "the password is wrong",
        "the password is required",
        "The password is incorrect. Try again.",
        "my password is not accepted",
        "my password is expired",
        "my password is too short",
        "my password is in the vault",
        "is the password is set?",
        "the password is stored as base64-encoded text",
        "the password is base64",
        "the password is sha256-hashed",
        "the password is 12 characters long",
        "the password is 1024 bytes",
        "the password is swordfish-like",
        "the password is case-sensitive",
        "the password is read from /etc/x1/passwd",
        "the password is ${DB_PASSWORD}",
        "the password is <your-password>",
        "the password is validate2(input)",
        "the password is \"required\"",
        "the token is expired",
        "the token is valid for 3600 seconds",
        "the token is \"x\" or nothing",
        "password isn't set",
        "password is",
    ] {
        stays(text);
    }
}

#[test]
fn a_password_after_a_colon_is_a_secret_in_a_sentence_too() {
    for (text, redacted) in [
        (
            "Use the db password: swordfish for staging",
            "Use the db password: *** for staging",
        ),
        (
            "using password: swordfish then wait",
            "using password: *** then wait",
        ),
        ("T1 password: hunter2 (mine)", "T1 password: *** (mine)"),
        ("try password: s3cret! first", "try password: *** first"),
        ("**API key**: abcd1234efgh", "**API key**: ***"),
        ("use password: **hunter2**", "use password: ***"),
        ("'token = 'abc''", "'token = '***''"),
        ("a\\npassword: ab\\ncd ef", "a\\npassword: *** ef"),
    ] {
        becomes(text, redacted);
    }
    for text in [
        "Fix password: icons on the login page",
        "Fix password: icons for admins and users",
        "log in with password: field on the page",
        "log in with password: test on staging",
        "with token: refresh on expiry",
        "the password: swordfish on a plate",
        "password: sha256 of the salt",
        "password: T012 and T013",
        "${PASSWORD:?not set}",
        "password: **required**",
        "- **Token**: JWT",
        "password: string\\nuser: string",
        "Password:\\nsorry",
        "\"token=\"+t",
        "\"password:\" is not there, \"x\"",
    ] {
        stays(text);
    }
}

#[test]
fn the_address_of_a_database_goes_after_a_line_end_that_is_not_decoded() {
    becomes("x\\npostgres://me:pw@h/db\\ny", "x\\npostgres://***\\ny");
    becomes("\\nmongodb+srv://me:pw@h/db", "\\nmongodb+srv://***");
    stays("x\\npostgres://h/db\\ny");
}

#[test]
fn a_token_and_a_command_are_found_after_a_line_end_that_is_not_decoded() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for before in ["x\\n", "x\\\\n", "x\\r\\n", "x\\t"] {
        becomes(&format!("{before}{token}\\ny"), &format!("{before}***\\ny"));
        becomes(
            &format!("{before}AKIAIOSFODNN7EXAMPLE"),
            &format!("{before}***"),
        );
        becomes(
            &format!("{before}curl -u me:hunter2 h"),
            &format!("{before}curl -u me:*** h"),
        );
        becomes(
            &format!("{before}bearer abcd1234"),
            &format!("{before}bearer ***"),
        );
    }
    stays(&format!("x\\a{token}"));
    stays("C:\\task-1234567890abcdef1234567890");
}

#[test]
fn a_netrc_entry_is_a_secret_in_the_middle_of_a_line() {
    becomes(
        "machine h login u password p",
        "machine h login u password ***",
    );
    becomes(
        "put machine github login bob password s3cr3t into it",
        "put machine github login bob password *** into it",
    );
    stays("a machine learning login page password policy");
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
    becomes(
        &format!("bot123456789:AA{key}/getMe"),
        "bot123456789:***/getMe",
    );
    becomes(
        &format!("Authorization: Bot {discord}"),
        "Authorization: Bot ***",
    );
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
        for before in [
            "IDENTIFIED BY ",
            "IDENTIFIED BY '",
            "ALTER ROLE a PASSWORD $$",
            "AUTH ",
            "PASS ",
            "db.auth(\"me\", \"",
            "mysql -p",
            "curl -u me:",
            "machine h login me password ",
            "Cookie: a=",
            "password=",
            "echo ",
            "https://me:",
            "-passin pass:",
            "sudo -S id <<< ",
            "Authorization: Basic ",
        ] {
            let text = format!("{before}{long}@h | sudo -S id");
            for line in [redact(&text).text, redact_line(text.as_bytes()).into()] {
                let again = redact(&line);
                assert_eq!(again.removed, 0, "{before} {line}");
            }
        }
    }
}
