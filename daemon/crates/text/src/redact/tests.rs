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
fn secrets_in_shell_form_go() {
    becomes("API_KEY=abc123", "API_KEY=***");
    becomes(
        "export DB_PASSWORD='a b:c' X=1",
        "export DB_PASSWORD='***' X=1",
    );
    becomes("PASSWORD=\"it's\" run", "PASSWORD=\"***\" run");
    becomes("PASSWORD='it'\"'\"'s' run", "PASSWORD=*** run");
    becomes("password=a:b:c next", "password=*** next");
    becomes("password=a\"b'c next", "password=*** next");
    becomes("password = hunter2", "password = ***");
    becomes(
        "mysql --password hunter2 -u me",
        "mysql --password *** -u me",
    );
    becomes(
        "x --api-key=abc --token \"a b\"",
        "x --api-key=*** --token \"***\"",
    );
    becomes("PGPASSWORD=geheim psql", "PGPASSWORD=*** psql");
    becomes("TOKEN=abc;echo; SECRET=x&", "TOKEN=***;echo; SECRET=***&");
    becomes(
        "curl 'http://h/?token=abc&x=1'",
        "curl 'http://h/?token=***&x=1'",
    );
    becomes("curl -d \"password=abc\" h", "curl -d \"password=***\" h");
    becomes("MYSQL_PWD=abc", "MYSQL_PWD=***");
    becomes("DB_PASS=abc", "DB_PASS=***");
    becomes("password='unfinished\nnext", "password='***\nnext");
    becomes(
        "login(user=me, password=abc, x=1)",
        "login(user=me, password=***, x=1)",
    );
    becomes("login(password=abc,user=me)", "login(password=***,user=me)");
    becomes("PASSWORD=f(x", "PASSWORD=***");
    becomes("password=geheimß€", "password=***");
    becomes("${PASSWORD:-hunter2}", "${PASSWORD:-***}");
    becomes("password := \"abc\"", "password := \"***\"");
    becomes("if password == 'abc'", "if password == '***'");
}

#[test]
fn secrets_in_json_go() {
    becomes(
        r#"{"password": "a\"b:c", "x": 1}"#,
        r#"{"password": "***", "x": 1}"#,
    );
    becomes(r#"{"token":"abc"}"#, r#"{"token":"***"}"#);
    becomes(r#"{'apiKey': 'abc'}"#, r#"{'apiKey': '***'}"#);
    becomes(
        r#""{\"client_secret\": \"abc\", \"x\": 1}""#,
        r#""{\"client_secret\": \"***\", \"x\": 1}""#,
    );
    becomes(
        r#"{"cmd":"PASSWORD=abc","x":1}"#,
        r#"{"cmd":"PASSWORD=***","x":1}"#,
    );
    becomes(
        r#"{"cmd":"run --token abc"}"#,
        r#"{"cmd":"run --token ***"}"#,
    );
    becomes(
        r#"{"password": 123456, "x": 1}"#,
        r#"{"password": ***, "x": 1}"#,
    );
    becomes("$c['password'] = 'abc';", "$c['password'] = '***';");
    becomes("{password: abc, user: me}", "{password: ***, user: me}");
    becomes("{password:abc,user:me}", "{password:***,user:me}");
}

#[test]
fn secrets_in_yaml_and_output_go() {
    becomes(
        "db:\n  password: hunter2\n  port: 1",
        "db:\n  password: ***\n  port: 1",
    );
    becomes("token: abc # mine", "token: *** # mine");
    becomes("- api_key: a:b\r\n", "- api_key: ***\r\n");
    becomes("password: 'a # b'", "password: '***'");
    becomes("passphrase: correct horse battery\nx", "passphrase: ***\nx");
    becomes("db_password: two words \nx", "db_password: *** \nx");
    becomes("Enter password: hunter2\n", "Enter password: ***\n");
    becomes(
        "your token: abcd1234efgh, keep it",
        "your token: ***, keep it",
    );
    becomes("API key: abc123", "API key: ***");
    becomes(
        "password: swordfish on port 3001",
        "password: *** on port 3001",
    );
    becomes(
        "- db_passwd: tiger for staging",
        "- db_passwd: *** for staging",
    );
    becomes("<password>abc</password>", "<password>***</password>");
}

#[test]
fn secrets_in_headers_go() {
    becomes("Authorization: Bearer abc", "Authorization: Bearer ***");
    becomes(
        "Authorization: Basic dXNlcjpwYXNz\r\nX: y",
        "Authorization: Basic ***\r\nX: y",
    );
    becomes("authorization: abc", "authorization: ***");
    becomes(
        "Authorization: Digest username=\"me\", response=\"abc\"\nX: y",
        "Authorization: Digest ***\nX: y",
    );
    becomes(
        r#"{"Authorization": "Token abc", "x": 1}"#,
        r#"{"Authorization": "Token ***", "x": 1}"#,
    );
    becomes("curl -H 'x-api-key: abc' h", "curl -H 'x-api-key: ***' h");
    becomes(
        "curl -H \"Authorization: Bearer a.b-c\" h",
        "curl -H \"Authorization: Bearer ***\" h",
    );
    becomes("X-Auth-Token: abc", "X-Auth-Token: ***");
    becomes("sent bearer abc.def-123 today", "sent bearer *** today");
}

#[test]
fn connection_strings_and_addresses_lose_their_password() {
    becomes(
        "Server=h;Uid=me;Pwd=abc;Port=1",
        "Server=h;Uid=me;Pwd=***;Port=1",
    );
    becomes("Data Source=h;Password=a:b;", "Data Source=h;Password=***;");
    becomes(
        "AccountName=n;AccountKey=abc==;X=y",
        "AccountName=n;AccountKey=***;X=y",
    );
    becomes("postgres://me:pa:ss@h:5432/db", "postgres://***");
    becomes(
        "(mysql+pymysql://me:pw@h/db?x=1&y=2), then",
        "(mysql+pymysql://***), then",
    );
    becomes(
        "url = \"mongodb+srv://u:p@h1,h2/x\";",
        "url = \"mongodb+srv://***\";",
    );
    becomes("to Postgres://me:pw@h/db.", "to Postgres://***.");
    becomes("https://me:p@ss@h/", "https://me:***@h/");
    becomes("redis://:abc@h", "redis://:***@h");
}

#[test]
fn tokens_of_known_form_go() {
    let alphabet = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2";
    for prefix in [
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "sk_live_",
        "sk_test_",
        "rk_live_",
        "AIza",
        "sk-ant-api03-",
        "sk-proj-",
        "sk-",
    ] {
        becomes(&format!("see {prefix}{alphabet}, ok"), "see ***, ok");
        becomes(&format!("\"{prefix}{alphabet}\""), "\"***\"");
        stays(&format!("x{prefix}{alphabet}"));
        stays(&format!("see {prefix}short"));
    }
    becomes("id AKIAIOSFODNN7EXAMPLE.", "id ***.");
    becomes(
        "aws_secret_access_key = wJalr/K7MDENG+bPx",
        "aws_secret_access_key = ***",
    );
    becomes(
        "\"SecretAccessKey\": \"wJalr/K7\"",
        "\"SecretAccessKey\": \"***\"",
    );
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
    let one_line = block.replace('\n', "\\n");
    becomes(
        &format!("{{\"k\": \"{one_line}\\n\"}}"),
        "{\"k\": \"***\\n\"}",
    );
    let cut_off = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{line}\n{}",
        &line[..30]
    );
    becomes(&format!("{cut_off}\n$ exit\n"), "***\n$ exit\n");
    becomes(&format!("{cut_off} and more"), "*** and more");
    let quoted = format!("> -----BEGIN PRIVATE KEY-----\r\n> {line}\r\n> {line}\r\n> bye\r\n");
    becomes(&quoted, "> ***\r\n> bye\r\n");
    becomes(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----",
        "***",
    );
    stays("-----BEGIN PRIVATE KEY-----\n(your key)\n-----END PRIVATE KEY-----");
    stays("contains(\"-----BEGIN PRIVATE KEY-----\")");
    stays("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----");
}

#[test]
fn innocent_text_stays_to_the_letter() {
    for text in [
        "a token bucket limits the rate",
        "order 1234567812345678 has shipped",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "the password field is empty",
        "ask the secretary: she knows",
        "the token: see docs",
        "unexpected token: foo",
        "error: invalid token",
        "password: string for the login",
        "password: required on Windows",
        "password: field on the login page",
        "password: changed at login",
        "password: hash('x') for tests",
        "Password: Must be long",
        "the password: swordfish on a plate",
        "see postgres://h:5432/db",
        "postgres://me:$PASSWORD@h/db",
        "tokens: 512",
        "max_tokens=4096",
        "\"token_count\": 17",
        "\"token\": 17",
        "\"token\": null",
        "password = getpass()",
        "password = os.environ[\"X\"]",
        "login(password=self.password)",
        "login(password=password)",
        "let token = parser;",
        "token: CancellationToken,",
        "password: Option<String>,",
        "fn f(token: &str)",
        "fn f(token: Option<&str>, password: core::ffi::CStr)",
        "let token = Literal::u8_suffixed(0);",
        "let brace_token = braced!(content in input);",
        "for_token: node.for_token,",
        "self.token = token",
        "self.token = next_one",
        "def f(password=None):",
        "const A: EXPR_TOKEN = 3i32;",
        "const ERROR_SECRET: WIN32_ERROR = 1786u32;",
        "{\"pattern\": \"password:\", \"response\": \"x\"}",
        "prompt('Enter password: ', stream=None)",
        "print(\"raw token=\" + repr(x))",
        "headers = {'Authorization': auth, 'x': y}",
        "password: String = x",
        "Token::new(1)",
        "PASSWORD=$PASSWORD",
        "PASSWORD=${PASSWORD:-}",
        "PASSWORD=$(cat f)",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "password: <your password>",
        "password: ********",
        "Password: ",
        "[sudo] password for me: ",
        "--password PASSWORD  the password",
        "--password string   the password",
        "--token is required",
        "PWD=/home/me",
        "OLDPWD=/home/me",
        "GOOGLE_APPLICATION_CREDENTIALS=/k.json",
        "PASSWORD_FILE=/run/x",
        "the bearer of bad news",
        "Authorization: required",
        "http://host:8080/a@b",
        "https://me@host/",
        "ssh://git@host:22/x",
        "task-1234567890abcdef1234567890",
        "sk-fading-circle-container-animated",
        "eyJ is how JSON begins",
        "usage: login <user> <password> <host>",
        "pass: 12, fail: 3",
        "first_pass = 3",
        "Secret: a list of santas",
        "key: value",
        "monkey=banana",
        "ASIA and AKIA",
        "",
    ] {
        stays(text);
    }
}

#[test]
fn a_command_ends_with_the_quotes_around_it() {
    stays("sh -c 'zip -r a.zip b' -P x");
    stays("sh -c \"docker login h\" -p 80");
    becomes("sh -c 'zip -P \"a b\" c'", "sh -c 'zip -P \"***\" c'");
    becomes("zip -P ' x' c", "zip -P '***' c");
    becomes(
        "qpdf --encrypt hunter2 hunter3 256 -- a b",
        "qpdf --encrypt *** *** 256 -- a b",
    );
    becomes("rclone obscure hunter2", "rclone obscure ***");
    becomes("quote PASS hunter2", "quote PASS ***");
    // Echoed, and printed.
    becomes(
        "x\nPASS hunter2\r\nPASS hunter2\r\n+OK\r\n",
        "x\nPASS ***\r\nPASS ***\r\n+OK\r\n",
    );
    stays("x\nPASS hunter2\r\nPASS hunter2\r\nwell\r\n");
    becomes(
        "{\"cmd\": \"curl -s \\\"h\\\" -u \\\"me:pw\\\"\"}",
        "{\"cmd\": \"curl -s \\\"h\\\" -u \\\"me:***\\\"\"}",
    );
    becomes("curl -H 'X: y' -u me:pw h", "curl -H 'X: y' -u me:*** h");
    becomes("docker login -p'pw' h", "docker login -p'***' h");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Text that consists mostly of what rules look for.
    fn soup() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "my password is ",
            "the token was: ",
            "log in with ",
            " on port 1",
            " and ",
            "\\n",
            "**",
            "swordfish",
            "123456789:AA",
            "password",
            "token",
            "API_KEY",
            "secret",
            "Authorization",
            "pwd",
            "=",
            ":",
            ": ",
            " = ",
            "\"",
            "'",
            "\\\"",
            "`",
            "--",
            "Bearer ",
            "Basic ",
            "***",
            "echo ",
            " | sudo -S",
            "<<<",
            "identified by ",
            "create user me ",
            "PASS ",
            "AUTH ",
            "curl -su ",
            "pass:",
            "ghp_",
            "a1b2c3d4e5f6a7b8c9d0e1f2",
            "sk-",
            "eyJhbGciOi.",
            "://",
            "https://me:",
            "@",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "\n",
            "\r\n",
            " ",
            ",",
            "{",
            "}",
            "(",
            ")",
            "[",
            "<",
            ">",
            "</",
            ";",
            "&",
            "\\",
            "x",
            "Hunter",
            "é",
            "$",
            "12",
            "#",
        ]);
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
                let secrets = Secrets::of(&text);
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
