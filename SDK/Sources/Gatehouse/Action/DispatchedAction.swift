// SPDX-License-Identifier: Apache-2.0

/// An action together with the place that dispatched it.
public struct DispatchedAction<Action> {
    /// The action that was dispatched.
    public let action: Action
    /// The place or instance that dispatched the action.
    public let dispatcher: ActionSource

    /// Pairs an action with a known source.
    @inlinable
    public init(_ action: Action, dispatcher: ActionSource) {
        self.action = action
        self.dispatcher = dispatcher
    }

    /// Pairs an action with the place of this call.
    ///
    /// The file is given as module and file name, such as `Shop/Orders.swift`. In Swift 5 mode, `#file` in your own code is
    /// the whole path instead; pass `file: #file` if you want that.
    @inlinable
    public init(
        _ action: Action, file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) {
        self.init(action, dispatcher: ActionSource(file: file, function: function, line: line, info: info))
    }

    /// Returns the transformed action with the same source.
    @inlinable
    public func map<NewAction>(_ transform: (Action) -> NewAction) -> DispatchedAction<NewAction> {
        DispatchedAction<NewAction>(transform(action), dispatcher: dispatcher)
    }

    /// Returns the transformed action with the same source, or nil if the transform returns nil.
    @inlinable
    public func compactMap<NewAction>(_ transform: (Action) -> NewAction?) -> DispatchedAction<NewAction>? {
        transform(action).map { DispatchedAction<NewAction>($0, dispatcher: dispatcher) }
    }
}

extension DispatchedAction {
    /// Returns another action with the same source, or this one for nil.
    @inlinable
    public func replaced(by action: Action?) -> DispatchedAction {
        action.map { DispatchedAction($0, dispatcher: dispatcher) } ?? self
    }
}

extension DispatchedAction: Sendable where Action: Sendable {}
extension DispatchedAction: Equatable where Action: Equatable {}
extension DispatchedAction: Hashable where Action: Hashable {}
extension DispatchedAction: Encodable where Action: Encodable {}
extension DispatchedAction: Decodable where Action: Decodable {}
