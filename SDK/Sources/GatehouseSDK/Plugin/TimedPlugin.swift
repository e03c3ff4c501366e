// SPDX-License-Identifier: Apache-2.0

/// A plugin whose reducer needs to know when an action came.
///
/// ```swift
/// struct LastSeen: TimedPlugin {
///     enum Action: PluginAction { case seen(String) }
///     struct State: Codable, Sendable { var times: [String: Double] = [:] }
///
///     static func initialState(_ settings: Settings) -> State { State() }
///     static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
///         .reduce { action, state in
///             if case .seen(let name) = action { state.times[name] = now() }
///         }
///     }
///     static func middleware() -> Reader { .doNothing() }
/// }
/// ```
///
/// The time is part of the event, like the action: it is read once for each action, so that all callers get the same, and a
/// replay can supply the original time. Hence a reducer never looks at a clock.
public protocol TimedPlugin: Plugin {
    /// Changes the state; replaces `reducer(_:)`, under the same rules.
    ///
    /// - Parameters:
    ///   - settings: the operator's settings for the instance.
    ///   - now: the time of the action in hand; call it inside the reducer only.
    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State>
}

extension TimedPlugin {
    /// Returns the reducer with no time.
    @inlinable
    public static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        reducer(settings, now: ActionTime())
    }

    /// Returns the reducer with the time, and the middlewares.
    @inlinable
    public static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context> {
        PluginLogic(reducer: reducer(settings, now: now), readers: readers())
    }
}

/// When the action in hand came: `now()` returns seconds since 1970-01-01 00:00 UTC.
///
/// Nil where the configuration does not grant `clock`. Used in the drain.
public final class ActionTime {
    /// Reads the time from the host; nil without one.
    @safe @exclusivity(unchecked) private var read: (() -> Double)?

    /// Creates a time from a closure, which returns the same for one action; for tests without a host.
    public init(_ read: (() -> Double)? = nil) { self.read = read }

    /// The time of the action in hand.
    public func callAsFunction() -> Double? { read?() }

    /// Sets the source of the time from here on; called by a host before the first action.
    public func ask(_ read: @escaping () -> Double) { self.read = read }
}
