//! Tests that any text is read, with limits.
use super::parse;
use ccd_text::pattern::Compiled;
#[test]
fn show() {
    let lib = Compiled::built_in();
    let mut files: Vec<_> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/help"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
    files.sort();
    let only = std::env::var("ONLY").ok();
    for f in files {
        let name = f.file_stem().unwrap().to_string_lossy().into_owned();
        if let Some(only) = &only {
            if name != *only {
                continue;
            }
        }
        let text = std::fs::read_to_string(&f).unwrap();
        let h = parse(&text, &lib);
        println!(
            "{name}: {:?} usage={} options={} commands={}",
            h.shape,
            h.usage.len(),
            h.options.len(),
            h.commands.len()
        );
        if only.is_some() {
            println!("{:#?}", h.usage);
            for o in &h.options {
                println!("{:?} {:?} | {}", o.flags, o.value, o.description);
            }
            for c in &h.commands {
                println!(
                    "{} {:?} [{}] | {}",
                    c.name, c.aliases, c.arguments, c.description
                );
            }
        }
    }
}
