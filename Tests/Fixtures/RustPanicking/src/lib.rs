// SPDX-License-Identifier: Apache-2.0

//! A plugin that panics when it is told to; built by Scripts/check-foreign.

#![deny(unsafe_code)]

#[path = "../../../../SDK/Templates/rust/src/gatehouse.rs"]
#[allow(dead_code)]
pub mod gatehouse;

use gatehouse::{Action, Instance, Plugin, Refusal};

/// One use of the plugin.
pub struct Panicking;

impl Plugin for Panicking {
    fn create(_: Instance, _: &str) -> Result<Self, Refusal> {
        Ok(Panicking)
    }

    fn run_after(&mut self, _: Instance, _: Action) {
        panic!("it was told to");
    }
}

gatehouse_plugin!(Panicking, include_str!("../plugin.json"));
