//! The built library in a host of its own: `gatehouse probe` answers each line with one line.

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The library, which cargo builds beside this test.
fn library() -> PathBuf {
    env::current_exe().expect("a test has a path").with_file_name("libplugin_id.so")
}

/// What the plugin does with lines of input, between its start and its end.
fn probe(lines: &str) -> Vec<String> {
    let program = env::var("GATEHOUSE").unwrap_or_else(|_| "gatehouse".into());
    let mut child = Command::new(&program)
        .arg("probe")
        .arg(library())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {}; name the host in GATEHOUSE", program, error));
    child.stdin.take().expect("it is a pipe").write_all(lines.as_bytes()).expect("the host reads");
    let output = child.wait_with_output().expect("the host ends");
    let answers = String::from_utf8(output.stdout).expect("answers are UTF-8");
    assert!(output.status.success(), "{}\n{}", output.status, answers);
    let answers: Vec<String> = answers.lines().map(String::from).collect();
    answers[1..answers.len() - 1].to_vec()
}

#[test]
fn a_hello_is_answered() {
    assert_eq!(
        probe(r#"{"type":"hello","payload":{"name":"Ada"}}"#),
        [r#"{"did":"action","emitted":[{"type":"greeted","payload":{"text":"Hello!","to":{"name":"Ada"}}}]}"#]
    );
}

#[test]
fn behind_a_closed_gate_nobody_answers() {
    assert_eq!(
        probe("{\"gate\":\"bypass\"}\n{\"type\":\"hello\"}\n"),
        [r#"{"did":"gate"}"#, r#"{"did":"action"}"#]
    );
}
