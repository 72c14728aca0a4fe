//! Commands that configure the network.

use super::rule::Rule;

/// Programs that do nothing else.
const ALWAYS: &[&str] = &[
    "ifup",
    "ifdown",
    "dhclient",
    "dhcpcd",
    "wg-quick",
    "netplan",
    "ifenslave",
    "vconfig",
    "brctl-add",
];

/// Programs that change something if one of these words is among their arguments.
const WITH: &[(&str, &[&str])] = &[
    (
        "ip",
        &[
            "set", "add", "del", "delete", "flush", "change", "replace", "append", "up", "down",
        ],
    ),
    ("route", &["add", "del", "delete", "flush", "change"]),
    (
        "nmcli",
        &[
            "add",
            "modify",
            "delete",
            "up",
            "down",
            "connect",
            "disconnect",
            "off",
            "on",
            "edit",
            "clone",
            "set",
            "reapply",
        ],
    ),
    ("netsh", &["set", "add", "delete", "reset"]),
    ("tc", &["add", "del", "delete", "replace", "change"]),
    ("brctl", &["addbr", "delbr", "addif", "delif"]),
    ("iw", &["set", "del", "add", "connect", "disconnect"]),
    (
        "ufw",
        &[
            "enable", "disable", "reset", "allow", "deny", "reject", "delete", "insert", "limit",
            "reload",
        ],
    ),
    (
        "nft",
        &[
            "add", "delete", "flush", "insert", "replace", "-f", "destroy", "create",
        ],
    ),
    ("arp", &["-d", "-s"]),
    ("hostnamectl", &["set-hostname", "hostname"]),
    ("resolvectl", &["dns", "domain", "flush-caches", "revert"]),
    ("wg", &["set", "setconf", "syncconf"]),
    ("ethtool", &["-s", "-K", "-G", "-A", "--change"]),
    ("rfkill", &["block", "unblock"]),
];

/// Filters, with what only shows their rules.
const FILTERS: &[&str] = &[
    "iptables",
    "ip6tables",
    "ebtables",
    "arptables",
    "iptables-legacy",
    "iptables-nft",
];
const SHOWING: &[&str] = &[
    "-L",
    "-S",
    "--list",
    "--list-rules",
    "-nL",
    "-vL",
    "-nvL",
    "-Lnv",
    "-Ln",
    "-Lv",
    "-C",
];

pub(super) fn refusal(name: &str, arguments: &[&str]) -> Option<Rule> {
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(word));
    let starts = |prefix: &str| arguments.iter().any(|word| word.starts_with(prefix));
    let is_service = |word: &&str| {
        let word = word.trim_end_matches(".service").to_ascii_lowercase();
        matches!(
            &*word,
            "networking"
                | "network"
                | "networkmanager"
                | "systemd-networkd"
                | "systemd-resolved"
                | "firewalld"
                | "ufw"
        )
    };
    let changes = match name {
        "ifconfig" | "iwconfig" => arguments.len() > 1 && !has(&["-a"]),
        "firewall-cmd" => {
            starts("--add")
                || starts("--remove")
                || starts("--set")
                || has(&["--reload", "--panic-on"])
        }
        "networksetup" => starts("-set") || starts("-create") || starts("-remove"),
        "sysctl" => {
            starts("net.")
                && (has(&["-w", "--write"]) || arguments.iter().any(|word| word.contains('=')))
        }
        "systemctl" => {
            has(&["stop", "restart", "disable", "mask", "start", "reload"])
                && arguments.iter().any(is_service)
        }
        "service" => {
            arguments.first().is_some_and(is_service) && has(&["stop", "restart", "start"])
        }
        "hostname" => arguments.first().is_some_and(|word| !word.starts_with('-')),
        _ if FILTERS.contains(&name) => !arguments.is_empty() && !has(SHOWING),
        "iptables-restore" | "ip6tables-restore" => true,
        _ => {
            ALWAYS.contains(&name)
                || WITH
                    .iter()
                    .any(|(program, words)| *program == name && has(words))
        }
    };
    changes.then_some(Rule::Network)
}
