//! Forms in which passwords are typed.

use super::tests::{becomes, stays};

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
