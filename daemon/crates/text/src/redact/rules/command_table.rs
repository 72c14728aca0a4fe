//! The commands that take a password as an argument, and how.

/// How a password follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `-u user:password`, with this separator.
    After(u8),
    /// `-ppassword`; the next word is something else.
    Attached,
    /// `-k password`
    Apart,
    /// `-ppassword` and `-p password`; the next word may be another option.
    Either,
    /// The same, but the next word is always the password, even if it starts with `-`.
    Required,
    /// `-x user:password@host`
    Userinfo,
    /// `TOKEN secret`, if the first argument is the name of a secret.
    Named,
    /// `add_user name password`: the argument with this index after the word.
    Nth(usize),
    /// `login TOKEN`, but not `login role=…`.
    Token,
    /// `-b file name password`: the last argument, if one of the flags is `b`.
    LastOfBatch,
    /// `name/password@host`
    Login,
    /// `//host/share password`, `\\host\share password`
    AfterShare,
}

use Form::{
    After, AfterShare, Apart, Attached, Either, LastOfBatch, Login, Named, Nth, Required, Token,
    Userinfo,
};

/// Makes [`COMMANDS`] and [`FORMS`] of one table.
macro_rules! commands {
    ($($($name:literal)|+ => $options:expr;)*) => {
        /// The names of the commands.
        pub(super) const COMMANDS: &[&str] = &[$($($name,)+)*];
        /// The options of each command. An empty option stands for the arguments.
        pub(super) const FORMS: &[(&str, &[(&str, Form)])] = &[$($(($name, $options),)+)*];
    };
}

commands! {
    "curl " => &[
        ("-u", After(b':')), ("--user", After(b':')), ("-U", After(b':')), ("--proxy-user", After(b':')),
        ("-E", After(b':')), ("--cert", After(b':')), ("--pass", Apart), ("--proxy-pass", Apart),
        ("-x", Userinfo), ("--proxy", Userinfo), ("--preproxy", Userinfo), ("--oauth2-bearer", Apart),
        ("-b", After(b'=')), ("--cookie", After(b'=')),
    ];
    "http " | "https " | "httpie " | "xh " => &[("-a", After(b':')), ("--auth", After(b':'))];
    "lftp " => &[("-u", After(b','))];
    "ncftp " | "ncftpget " | "ncftpput " | "ncftpls " => &[("-p", Apart)];
    "addauth " => &[("digest", After(b':'))];

    "mysql " | "mysqldump " | "mysqlimport " | "mysqlshow " | "mysqlcheck " | "mysqlsh " | "mysqlslap "
        | "mariadb " | "mariadb-dump " => &[("-p", Attached)];
    "mysqladmin " | "mariadb-admin " => &[("-p", Attached), ("password", Apart)];
    "redis-cli " | "valkey-cli " | "keydb-cli " => &[
        ("-a", Required), ("--pass", Apart), ("auth", Apart), ("AUTH", Apart),
    ];
    "mongo " | "mongosh " | "mongodump " | "mongorestore " | "mongoexport " | "mongoimport " | "mongostat "
        | "cqlsh " => &[("-p", Either)];
    "sqlcmd " | "bcp " | "osql " | "tsql " => &[("-P", Either)];
    "sqlplus " | "expdp " | "impdp " | "sqlldr " | "rman target " => &[("", Login)];
    "ldapsearch " | "ldapadd " | "ldapmodify " | "ldapdelete " | "ldapwhoami " | "ldapcompare " | "ldapmodrdn "
        => &[("-w", Required)];
    "ldappasswd " => &[("-w", Required), ("-s", Required), ("-a", Required)];
    "rabbitmqctl " => &[("add_user", Nth(1)), ("change_password", Nth(1)), ("authenticate_user", Nth(1))];
    "mosquitto_pub " | "mosquitto_sub " | "mosquitto_rr " => &[("-P", Required)];
    "mycli " | "cypher-shell " | "rabbitmqadmin " => &[("-p", Required)];
    "etcdctl " => &[("--user", After(b':'))];

    "docker login " | "podman login " | "nerdctl login " | "buildah login " | "skopeo login "
        | "helm registry login " | "crane auth login " | "oc login " | "az login " | "cf login " | "twine "
        => &[("-p", Required)];
    "vault login " | "vault unseal " | "vault operator unseal " | "cargo login " => &[("", Token)];
    "glab auth login " | "doctl auth init " => &[("-t", Required)];
    "bw unlock " => &[("", Nth(0))];
    "bw login " => &[("", Nth(1))];
    "aws " => &[("aws_secret_access_key", Apart), ("aws_session_token", Apart)];
    "ansible-vault encrypt_string " => &[("", Nth(0))];

    "setenv " | "setx " | "set -x " | "set -gx " | "set -ux " | "git config " | "npm config set "
        | "yarn config set " | "poetry config " | "aws configure set " => &[("", Named)];

    "sshpass " | "hydra " | "medusa " | "nxc " | "netexec " | "crackmapexec " | "evil-winrm "
        => &[("-p", Required)];
    "plink " | "pscp " | "psftp " | "kadmin " => &[("-pw", Apart), ("-w", Apart)];
    "smbclient " => &[("-U", After(b'%')), ("--user", After(b'%')), ("", AfterShare)];
    "smbget " | "smbcacls " | "smbtree " | "rpcclient " | "net ads " | "net rpc "
        => &[("-U", After(b'%')), ("--user", After(b'%'))];
    "wbinfo " => &[("-a", After(b'%')), ("--authenticate", After(b'%'))];
    "net user " => &[("", Nth(1))];
    "net use " => &[("", AfterShare)];
    "cmdkey " => &[("/pass:", Attached)];
    "schtasks " => &[("/rp", Apart)];
    "ncat " => &[("--proxy-auth", After(b':'))];
    "xfreerdp " | "wlfreerdp " => &[("/p:", Attached)];
    "rdesktop " => &[("-p", Either)];
    "ipmitool " => &[("-P", Required)];
    "snmpget " | "snmpset " | "snmpwalk " | "snmpbulkwalk " => &[("-A", Required), ("-X", Required)];
    "nmcli " => &[("password", Apart), ("wifi-sec.psk", Apart), ("802-11-wireless-security.psk", Apart)];
    "wpa_passphrase " => &[("", Nth(1))];
    "useradd " | "usermod " => &[("-p", Apart)];
    "security " => &[("-w", Apart), ("unlock-keychain -p", Apart)];

    "qpdf " => &[("--encrypt", Nth(0)), ("--encrypt", Nth(1))];
    "rclone " => &[("obscure", Apart)];
    "quote " => &[("PASS", Apart), ("pass", Apart)];
    "zip " | "unzip " | "zipcloak " => &[("-P", Required)];
    "7z " | "7za " | "7zr " | "7zz " | "unrar " => &[("-p", Attached)];
    "rar " => &[("-p", Attached), ("-hp", Attached)];
    "openssl passwd " => &[("", Nth(0))];
    "openssl " => &[("-k", Apart), ("-K", Apart), ("-hmac", Apart)];
    "keytool " | "jarsigner " => &[
        ("-storepass", Apart), ("-keypass", Apart), ("-srcstorepass", Apart), ("-deststorepass", Apart),
        ("-srckeypass", Apart), ("-destkeypass", Apart), ("-new", Apart),
    ];
    "pdftk " => &[("user_pw", Apart), ("owner_pw", Apart), ("input_pw", Apart)];
    "htpasswd " | "mosquitto_passwd " => &[("", LastOfBatch)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once() {
        let mut names = COMMANDS.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
