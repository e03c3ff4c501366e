// SPDX-License-Identifier: Apache-2.0

//! A plugin that waits on a thread of its own, and counts in its state how often it has spoken.

#![deny(unsafe_code)]

pub mod gatehouse;

use gatehouse::{Action, Instance, Kind, Level, Plugin, Refusal, Work};
use std::{thread, time::Duration};

/// One use of the plugin.
pub struct Reminder {
    /// How long it waits.
    pause: Duration,
}

impl Plugin for Reminder {
    // The state is a number: how often a time was up.
    const STATE_VERSION: u32 = 1;

    fn create(_: Instance, settings: &str) -> Result<Self, Refusal> {
        // The host has compared the settings with the schema. A plugin with more of them brings a reader of JSON.
        let text = settings.split("\"milliseconds\":").nth(1).unwrap_or("100");
        let text = text.split(|next| next == ',' || next == '}').next().unwrap_or(text);
        // Every way to write an integer in JSON, such as 1e2, is a number of Rust.
        let milliseconds: f64 = text.trim().parse().map_err(|_| Refusal::at("/milliseconds", "a number"))?;
        Ok(Reminder { pause: Duration::from_millis(milliseconds as u64) })
    }

    fn run_after(&mut self, instance: Instance, action: Action) {
        if action.name != "remind" {
            return;
        }
        // In a cluster it waits for the next checkpoint, so that nobody is reminded of what may be forgotten.
        if !instance.begin_when_kept("", Kind::Foreground, action.payload.unwrap_or("")) {
            instance.log(Level::Warning, "it cannot remind of anything more now");
        }
    }

    fn perform(&mut self, _: Instance, work: Work, _key: Option<&str>, memo: &str) {
        let (pause, payload) = (self.pause, String::from(memo));
        thread::spawn(move || {
            thread::sleep(pause);
            // What is emitted on behalf of the work is dropped when that was cancelled meanwhile.
            work.emit("due", Some(&*payload).filter(|payload| !payload.is_empty()));
        });
    }

    fn initial_state(&self) -> String {
        "0".into()
    }

    fn reduce(&self, action: Action, state: &str) -> Option<String> {
        // A state may have been written by hand.
        let count: u64 = state.parse().unwrap_or(0);
        (action.name == "due").then(|| count.saturating_add(1).to_string())
    }
}

gatehouse_plugin!(Reminder, include_str!("../plugin.json"));
