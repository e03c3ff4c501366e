// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// A request to a child to check a plugin.
struct ValidationRequest: Sendable, ChildMessage {
    /// The name of the check.
    var check = ""
    /// The path at which the loader finds the library.
    let path: String
    /// The library's name in messages.
    let name: String
    /// The library's note, as JSON.
    let note: Value
    /// The seed of random payloads.
    let seed: UInt64
    /// The known actions that the plugin accepts.
    var examples: [ExampleAction] = []
    /// The actions that the author recorded, under the plugin's local names.
    var input: [ExampleAction] = []
    /// Names of fields and cases in the library; names of members of payloads are among them.
    var words: [String] = []
    /// States that earlier versions wrote.
    var states: [VersionedState] = []
    /// The settings of instances, an object, unless a check tries others.
    var settings = Value.object(Members())
    /// Whether to wait for each action's effects, so that a crash can be attributed to an action.
    var isPatient = false
}
