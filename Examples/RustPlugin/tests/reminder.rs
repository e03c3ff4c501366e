// SPDX-License-Identifier: Apache-2.0

//! The plugin without a host: its settings and its state. `Scripts/check-foreign` runs it in one.

use reminder::gatehouse::{Action, Plugin};
use reminder::Reminder;

/// An instance with settings as the host hands them over; the number of the instance is that of none.
fn made(settings: &str) -> bool {
    Reminder::create(reminder::gatehouse::Instance::NONE, settings).is_ok()
}

#[test]
fn settings_may_be_left_out_and_must_fit() {
    assert!(made("{}"));
    assert!(made("{\"milliseconds\":0}"));
    assert!(made("{\"milliseconds\":-0.0}"));
    assert!(made("{\"milliseconds\":1e2}"));
    assert!(!made("{\"milliseconds\":soon}"));
}

#[test]
fn the_state_counts_what_was_due() {
    let reminder = Reminder::create(reminder::gatehouse::Instance::NONE, "{}").ok().expect("it takes the defaults");
    let due = Action { name: "due", payload: None, is_error: false };
    let remind = Action { name: "remind", payload: Some("1"), is_error: false };
    assert_eq!(reminder.initial_state(), "0");
    assert_eq!(reminder.reduce(due, "0").as_deref(), Some("1"));
    assert_eq!(reminder.reduce(remind, "1"), None);
    assert_eq!(reminder.reduce(due, "\"by hand\"").as_deref(), Some("1"));
}
