// SPDX-License-Identifier: Apache-2.0

//! Does what it is asked, with all that `gatehouse.rs` offers.

#![deny(unsafe_code)]

#[path = "../../../../SDK/Templates/rust/src/gatehouse.rs"]
mod gatehouse;

use gatehouse::{
    Action, Instance, InterceptingPlugin, Interception, Kind, MigratingPlugin, Plugin, Refusal, Replacement, Work,
    WorkNumber,
};
use std::time::{Duration, SystemTime};

/// One use of the plugin.
struct Probe {
    /// The work that goes on until it is cancelled.
    lingering: Option<Work>,
    /// Its number.
    number: Option<WorkNumber>,
}

impl Probe {
    /// Answers with a payload.
    fn tell(instance: Instance, payload: &str) {
        instance.emit("told", Some(payload));
    }

    /// Answers with a text.
    fn tell_text(instance: Instance, text: &str) {
        Self::tell(instance, &format!("{:?}", text));
    }
}

impl Plugin for Probe {
    const STATE_VERSION: u32 = if cfg!(feature = "second") { 2 } else { 1 };

    fn open() -> Result<(), String> {
        match std::env::var("RUST_PROBE_OPENS") {
            Ok(answer) if answer == "panic" => panic!("it was asked to"),
            Ok(answer) => Err(answer),
            Err(_) => Ok(()),
        }
    }

    fn create(instance: Instance, settings: &str) -> Result<Self, Refusal> {
        if instance.id().is_some() || instance.data_directory().is_some() || instance.now().is_some() {
            return Err(Refusal::at("", "the host offers in create what it must not"));
        }
        if settings.contains("\"refuse\"") {
            return Err(Refusal::at("/refuse", "it was asked to"));
        }
        Ok(Probe { lingering: None, number: None })
    }

    fn handle(&mut self, instance: Instance, action: Action) -> bool {
        if action.name == "before" {
            instance.emit("before-told", instance.state().as_deref());
        }
        action.name != "before"
    }

    fn run_after(&mut self, instance: Instance, action: Action) {
        match action.name {
            "id" => Self::tell_text(instance, &instance.id().unwrap_or_default()),
            "now" => match instance.now().map(|time| time.duration_since(SystemTime::UNIX_EPOCH)) {
                Some(Ok(after)) => Self::tell(instance, &after.as_nanos().to_string()),
                Some(Err(before)) => Self::tell(instance, &format!("-{}", before.duration().as_nanos())),
                None => Self::tell(instance, "null"),
            },
            "data" => match instance.data_directory() {
                Some(folder) => {
                    let made = std::fs::create_dir_all(&folder)
                        .and_then(|()| std::fs::write(folder.join("kept"), "1"))
                        .is_ok();
                    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    Self::tell(instance, &format!("{{\"folder\":{:?},\"written\":{}}}", name, made));
                }
                None => Self::tell(instance, "null"),
            },
            "state" => Self::tell(instance, &instance.state().unwrap_or_default()),
            "error" => {
                let sent = instance.send(Action::new("told", action.payload).as_error());
                assert_eq!(sent, Ok(()));
            }
            "no-json" => {
                if let Err(reason) = instance.send(Action::new("told", Some("{"))) {
                    Self::tell_text(instance, &format!("{:?}: {}", reason, reason));
                }
            }
            "fail" => {
                let answer = instance.fail(action, "it was asked to");
                Self::tell_text(instance, &format!("{:?}", answer));
            }
            "long" => {
                let answers = [
                    instance.expect_long(Duration::from_secs(60)),
                    instance.expect_long(Duration::ZERO),
                    Instance::NONE.expect_long(Duration::MAX),
                ];
                Self::tell_text(instance, &format!("{:?}", answers));
            }
            "linger" => {
                self.lingering = instance.begin("linger", Kind::Background);
                self.number = self.lingering.as_ref().map(Work::number);
            }
            "cancel" => Self::tell(instance, &instance.cancel("linger").to_string()),
            "panic" => panic!("it was asked to"),
            _ => {}
        }
    }

    fn initial_state(&self) -> String {
        if cfg!(feature = "second") { "{\"sum\":0}" } else { "0" }.into()
    }

    fn reduce(&self, action: Action, state: &str) -> Option<String> {
        let digits: String = state.chars().filter(char::is_ascii_digit).collect();
        let sum = digits.parse::<u64>().unwrap_or(0) + 1;
        (action.name == "count").then(|| {
            if cfg!(feature = "second") { format!("{{\"sum\":{}}}", sum) } else { sum.to_string() }
        })
    }

    fn cancelled(&mut self, instance: Instance, work: WorkNumber) {
        let is_running = self.lingering.as_ref().map_or(false, Work::is_running);
        let is_known = self.number == Some(work);
        instance.emit("cancelled", Some(&format!("{{\"known\":{},\"running\":{}}}", is_known, is_running)));
    }
}

impl InterceptingPlugin for Probe {
    fn intercept(&mut self, _: Instance, action: Action) -> Interception {
        let replace = |name: &str, payload: &str| {
            Interception::Replace(Replacement {
                name: name.into(), payload: Some(payload.into()), is_error: action.is_error,
            })
        };
        match action.name {
            "stop-me" => Interception::Stop,
            "change-me" => replace("change-me", "\"changed\""),
            "mar-me" => replace("mar-me", "{"),
            "panic-me" => panic!("it was asked to"),
            _ => Interception::Pass,
        }
    }
}

impl MigratingPlugin for Probe {
    fn migrate(_version: u32, state: &str) -> Option<String> {
        assert_ne!(state, "13", "it was asked to panic");
        state.parse::<u64>().ok().map(|sum| format!("{{\"sum\":{}}}", sum))
    }
}

#[cfg(not(feature = "second"))]
gatehouse_plugin!(Probe, include_str!("../first.json"));
#[cfg(feature = "second")]
gatehouse_plugin!(Probe, include_str!("../second.json"));
