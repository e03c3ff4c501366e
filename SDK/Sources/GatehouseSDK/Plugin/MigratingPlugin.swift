// SPDX-License-Identifier: Apache-2.0

/// A plugin that can still read older forms of its state.
///
/// ```swift
/// struct Tally: MigratingPlugin {
///     enum Action: PluginAction { case add(Int) }
///     /// Version 1 had a member `total` in place of `sum`.
///     struct State: Codable, Sendable { var sum = 0 }
///
///     static var stateVersion: Int { 2 }
///
///     static func migrate(_ state: Value, from version: Int) throws -> Value {
///         ["sum": state["total"] ?? 0]
///     }
///
///     static func initialState(_ settings: Settings) -> State { State() }
///     static func reducer(_ settings: Settings) -> Reducer<Action, State> {
///         .reduce { action, state in
///             if case .add(let number) = action { state.sum += number }
///         }
///     }
///     static func middleware() -> Reader { .doNothing() }
/// }
/// ```
///
/// A host asks it when a library replaces an older one, and when it reads a state that an earlier run wrote. A plugin that
/// does not adopt this has version 1.
public protocol MigratingPlugin: Plugin {
    /// The version of the current form of `State`: 1 or more.
    ///
    /// Increase it when the previous form no longer decodes as `State`.
    static var stateVersion: Int { get }

    /// Converts an older form of the state to the current one.
    ///
    /// The host tries it first in a process that it throws away, with a copy of the state.
    ///
    /// - Parameters:
    ///   - state: the output of an older library, possibly written by hand.
    ///   - version: its version: 1 or more, and less than `stateVersion`.
    /// - Throws: anything, when the state cannot be taken over. The host then refuses the library, and the older one
    ///   continues.
    static func migrate(_ state: Value, from version: Int) throws -> Value
}
