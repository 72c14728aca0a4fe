//! What programs on another host inherit: from the login there, and nothing from here.

use crate::support::client::Installation;
use crate::support::executable::write_script;
use crate::support::sshd::OtherHost;
use std::fs;

/// What a program prints of itself.
const SHOW: &str = "echo $(umask) $(ulimit -Sn)";

#[test]
fn mask_and_limits_are_those_of_the_login_there() {
    let installation = Installation::new();
    // The login there, as far as `ccctl dial` is concerned.
    let bin = installation.bin();
    let (real, ccctl) = (bin.join("real"), bin.join("ccctl"));
    fs::create_dir(&real).unwrap();
    fs::copy(&ccctl, real.join("ccctl")).unwrap();
    let daemon = fs::read_link(installation.bin().join("ccd")).unwrap();
    std::os::unix::fs::symlink(daemon, real.join("ccd")).unwrap();
    let real = real.join("ccctl");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let login = |umask: &str, files: &str| {
        let real = real.display();
        let script = format!("#!/bin/sh\numask {umask}; ulimit -Sn {files}; exec {real} \"$@\"\n");
        write_script(&ccctl, &script);
    };
    login("022", "200");
    let Some(host) = OtherHost::with_path(installation, &path) else {
        return;
    };
    // The daemon there was started by another login.
    host.ok(&["daemon", "start"]);
    login("007", "123");
    let here = |args: &[&str]| {
        let mut command = std::process::Command::new("sh");
        let ccctl = host.ccctl(args);
        let variables = ccctl.get_envs();
        let variables = variables.filter_map(|(name, value)| Some((name, value?)));
        command
            .args(["-c", "umask 077; ulimit -Sn 99; exec \"$@\"", "sh"])
            .arg(&real)
            .args(args)
            .env_clear()
            .envs(variables)
            .current_dir(ccctl.get_current_dir().unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).replace('\r', "")
    };
    let before = host.connections();
    assert_eq!(here(&["run", "--", "sh", "-c", SHOW]).trim(), "0007 123");
    assert!(host.connections() - before <= 2);
    here(&["session", "create", "--name", "a", "--", "sh", "-c", SHOW]);
    here(&["session", "wait", "a", "--exit"]);
    assert_eq!(here(&["session", "read", "a"]).trim(), "0007 123");
}
