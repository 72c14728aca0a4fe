use super::super::file::Scope;
use super::*;
use crate::check::CheckState;
use ccd_protocol::hook::SpoolStatus;

fn settings(scope: Scope, events: &[&str], command: &str) -> Value {
    let found = events
        .iter()
        .map(|event| json!({"event": event, "command": command}));
    let found: Value = found.collect();
    json!({"scope": scope.name(), "path": "/s/settings.json", "exists": true, "found": found})
}

fn survey(settings: Vec<Value>) -> Survey {
    Survey {
        settings,
        plugin: None,
        daemon: Daemon::NotRunning,
        spool: SpoolStatus::default(),
        base: None,
    }
}

/// The states and texts of the checks with this name.
fn of(survey: &Survey, name: &str) -> Vec<(CheckState, String)> {
    let checks = checks(survey).into_iter();
    let of_name = checks.filter(|check| check.name == name);
    of_name.map(|check| (check.state, check.text)).collect()
}

fn own() -> String {
    let own = own_path().unwrap();
    super::super::command::command(own.to_str().unwrap(), &[])
}

#[test]
fn an_installation_is_whole_missing_partial_or_double() {
    let whole = || settings(Scope::User, &DEFAULT_EVENTS, &own());
    let in_project = settings(Scope::Project, &["Stop"], &own());
    for (settings, start) in [
        (vec![whole()], "installed (user)"),
        (vec![settings(Scope::User, &[], "")], "not installed;"),
        (
            vec![settings(Scope::User, &DEFAULT_EVENTS[1..], &own())],
            "not installed for UserPromptSubmit;",
        ),
        (
            vec![whole(), in_project],
            "installed twice, so each runs twice: user, project",
        ),
    ] {
        let found = of(&survey(settings), "hooks");
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with(start), "{found:?}");
        let is_ok = ["installed (user)", "not installed;"].contains(&start);
        assert_eq!(found[0].0 != CheckState::Warning, is_ok, "{found:?}");
    }
    let plugin = |settings| Survey {
        plugin: Some(Plugin {
            id: "ccd@skills-dir".into(),
            folder: None,
        }),
        ..survey(settings)
    };
    let (_, text) = of(&plugin(vec![whole()]), "hooks").remove(0);
    assert!(text.contains("user, plugin"), "{text}");
    let alone = of(&plugin(Vec::new()), "hooks");
    assert_eq!(alone, [(CheckState::Ok, "installed (plugin)".into())]);
}

#[test]
fn what_keeps_hooks_from_running_is_wrong() {
    let mut disabled = settings(Scope::User, &DEFAULT_EVENTS, "/gone/ccctl hook");
    disabled["disable_all_hooks"] = true.into();
    let survey = Survey {
        spool: SpoolStatus {
            files: 2,
            bytes: 2048,
            lost: 1,
        },
        ..survey(vec![disabled])
    };
    assert_eq!(of(&survey, "user")[0].0, CheckState::Wrong);
    assert_eq!(of(&survey, "ccctl")[0].0, CheckState::Wrong);
    let spool = of(&survey, "spool");
    assert!(spool[0].1.starts_with("2 payloads (2.0K)"), "{spool:?}");
    assert_eq!(
        (spool[0].0, spool[1].0),
        (CheckState::Warning, CheckState::Wrong)
    );
}

#[test]
fn another_program_is_told_apart_from_this_one() {
    for (command, state) in [
        (&*own(), CheckState::Ok),
        ("/bin/sh hook", CheckState::Warning),
        ("ccctl hook", CheckState::Warning),
    ] {
        let found = settings(Scope::User, &["Stop"], command);
        assert_eq!(of(&survey(vec![found]), "ccctl")[0].0, state, "{command}");
    }
}

#[test]
fn each_event_has_a_line() {
    let survey = survey(vec![settings(Scope::Project, &["Stop", "Later"], &own())]);
    let events: Vec<&str> = events(&survey).collect();
    assert_eq!(events.len(), DEFAULT_EVENTS.len() + 1);
    let line = |event| event_line(&survey, facts_of(&survey, event)).remove(0);
    assert_eq!(line("Stop").text, "installed (project)");
    assert_eq!(line("PreCompact").text, "not installed");
    let later = facts_of(&survey, "Later");
    assert_eq!(later["installed"], json!(["project"]));
}
