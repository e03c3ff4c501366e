// SPDX-License-Identifier: Apache-2.0

/// What a new plugin begins with; the texts are in `Templates`, in the folder of the SDK.
package enum PluginTemplate: String, CaseIterable, Sendable {
    /// It answers an action with another one.
    case effect
    /// It keeps a state.
    case reducer
    /// It stops actions.
    case interceptor
    /// It hears everything and emits nothing.
    case observer
    /// It answers an action, in C.
    case c
    /// It answers an action, in Rust.
    case rust

    /// What it is for, without a period.
    package var summary: String {
        switch self {
        case .effect: "it answers actions (default)"
        case .reducer: "it keeps a state"
        case .interceptor: "it stops, changes or delays actions"
        case .observer: "it hears everything and emits nothing"
        case .c: "it answers actions, in C"
        case .rust: "it answers actions, in Rust"
        }
    }

    /// The folders whose files it consists of; where two have the same one, the later counts.
    var folders: [String] { ["common", self == .c || self == .rust ? "foreign" : "swift", rawValue] }

    /// What is worth printing when its sample runs.
    package var printed: String { self == .reducer ? "state" : "actions" }

    /// The Debian packages that a machine with Swift needs besides.
    var packages: String {
        switch self {
        case .effect, .reducer, .interceptor, .observer: "make"
        case .c: "gcc make"
        case .rust: "cargo make"
        }
    }
}
