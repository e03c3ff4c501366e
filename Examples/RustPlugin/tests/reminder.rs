// SPDX-License-Identifier: Apache-2.0

//! The plugin without a host: its settings and its state. `Scripts/check-foreign` runs it in one.

use reminder::gatehouse::{Action, Instance, Kind, Plugin};
use reminder::Reminder;
use std::ffi::c_void;

extern "C" {
    /// The entry of the plugin.
    fn gatehouse_foreign_v1(host: *const c_void) -> *const c_void;
}

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

#[test]
fn a_host_that_is_older_than_a_function_is_not_asked_for_it() {
    // The table of a host that ends after `replace`, and the two numbers before it.
    static TABLE: [usize; 15] = [120 | 1 << 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert!(!Instance::NONE.begin_when_kept("", Kind::Foreground, "1"));
    unsafe { gatehouse_foreign_v1(TABLE.as_ptr() as *const c_void) };
    assert!(!Instance::NONE.begin_when_kept("", Kind::Foreground, "1"));
}
