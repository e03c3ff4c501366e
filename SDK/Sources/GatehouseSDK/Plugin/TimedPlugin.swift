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
/// The time is part of what happened, as the action is: it is read once for each action, so that all who ask are told the same,
/// and who runs an old action again can say when it came. Hence a reducer never looks at a clock.
public protocol TimedPlugin: Plugin {
    /// Changes the state; in place of `reducer(_:)`, and under its rules.
    ///
    /// - Parameters:
    ///   - settings: what the operator has set for the instance.
    ///   - now: the time of the action in hand, to be asked inside the reducer only.
    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State>
}

extension TimedPlugin {
    /// The same reducer where there is no time.
    @inlinable
    public static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        reducer(settings, now: ActionTime())
    }

    /// The reducer with the time, and the middlewares.
    @inlinable
    public static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context> {
        PluginLogic(reducer: reducer(settings, now: now), readers: readers())
    }
}

/// When the action in hand came: `now()` gives seconds since 1970-01-01 00:00 UTC.
///
/// Nil where the configuration does not grant `clock`. Used in the drain.
public final class ActionTime {
    /// Asks the host; nil for nobody to ask.
    private var read: (() -> Double)?

    /// A time that a closure knows, and says the same of for one action; for tests without a host.
    public init(_ read: (() -> Double)? = nil) { self.read = read }

    /// The time of the action in hand.
    public func callAsFunction() -> Double? { read?() }

    /// Says whom to ask from here on; called by a host before the first action.
    public func ask(_ read: @escaping () -> Double) { self.read = read }
}
