// SPDX-License-Identifier: Apache-2.0

/// A plugin whose state has had other forms before, and that can still read them.
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
/// A host asks it when a library takes the place of an older one, and when it reads a state that an earlier run wrote. A
/// plugin that does not adopt this has version 1.
public protocol MigratingPlugin: Plugin {
    /// The version of the form that `State` has now: 1 or more. It grows with each form that the one before cannot be read as.
    static var stateVersion: Int { get }

    /// Makes the present form of the state out of an older one.
    ///
    /// It is tried first in a process that the host throws away, with a copy of the state.
    ///
    /// - Parameters:
    ///   - state: what an older library has written, or somebody by hand.
    ///   - version: its version: 1 or more, and less than `stateVersion`.
    /// - Throws: anything, when the state cannot be taken over. The library is then refused, and the older one goes on.
    static func migrate(_ state: Value, from version: Int) throws -> Value
}
