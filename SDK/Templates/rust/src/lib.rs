#![deny(unsafe_code)]

mod gatehouse;

use gatehouse::{Action, Instance, Plugin, Refusal};

/// One use of the plugin.
struct PluginName;

impl Plugin for PluginName {
    fn create(_: Instance, _settings: &str) -> Result<Self, Refusal> {
        Ok(PluginName)
    }

    fn run_after(&mut self, instance: Instance, action: Action) {
        if action.name == "hello" {
            instance.emit("greeted", Some(&greeting(action.payload)));
        }
    }
}

/// The payload of the answer, which holds what came with the hello: JSON in JSON.
fn greeting(name: Option<&str>) -> String {
    format!(r#"{{"text":"Hello!","to":{}}}"#, name.unwrap_or("null"))
}

gatehouse_plugin!(PluginName, include_str!("../plugin.json"));

#[cfg(test)]
mod tests {
    #[test]
    fn a_greeting_holds_what_came_with_the_hello() {
        assert_eq!(super::greeting(Some("1")), r#"{"text":"Hello!","to":1}"#);
        assert_eq!(super::greeting(None), r#"{"text":"Hello!","to":null}"#);
    }
}
