// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Logs each action with the state before and after it, several lines each.
///
/// ```swift
/// let store = Suas.createStore(reducer: Number(), middleware: LoggerMiddleware(debugOnly: false))
/// store.dispatch(action: Add(1))
/// ```
///
/// writes
///
///     ┌ Add
///     │ before  Int: 0
///     │ action  +1
///     │ after   Int: 1
///     └ 12 µs
///
/// The time is that of everything after it: the middlewares, the reducers and the listeners. An action that a later middleware
/// swallows is logged too, with equal states.
public struct LoggerMiddleware: Middleware {
    /// Formats a value; called in the store's turn.
    public typealias Transformer<Value> = (_ value: Value) -> String

    /// Returns whether an action is logged.
    private let predicate: (_ state: State, _ action: any Action) -> Bool
    /// Formats the first line.
    private let title: Transformer<any Action>
    /// Formats a state.
    private let state: Transformer<State>
    /// Formats an action.
    private let action: Transformer<any Action>
    /// Whether the time is logged.
    private let showDuration: Bool
    /// The maximum number of characters in a line; nil for no limit.
    private let lineLength: Int?
    /// Takes the lines of one action.
    private let logger: (String) -> Void
    /// Whether anything is logged.
    private let isOn: Bool

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - showDuration: whether the last line shows the time.
    ///   - lineLength: longer lines are continued on the next, indented; nil for lines of any length.
    ///   - debugOnly: whether a release build logs nothing.
    ///   - predicate: returns whether an action is logged, given the state before it.
    ///   - title: formats the first line; by default the type of the action.
    ///   - state: formats a state.
    ///   - action: formats an action.
    ///   - logger: takes the lines of one action, as one text without a line break at its end; by default standard error.
    public init(
        showDuration: Bool = true, lineLength: Int? = nil, debugOnly: Bool = true,
        predicate: @escaping (_ state: State, _ action: any Action) -> Bool = { _, _ in true },
        title: @escaping Transformer<any Action> = { "\(type(of: $0))" },
        state: @escaping Transformer<State> = { $0.description },
        action: @escaping Transformer<any Action> = { "\($0)" },
        logger: @escaping (String) -> Void = { LoggerMiddleware.write($0) }
    ) {
        self.predicate = predicate
        self.title = title
        self.state = state
        self.action = action
        self.showDuration = showDuration
        self.lineLength = lineLength
        self.logger = logger
        #if DEBUG
            isOn = true
        #else
            isOn = !debugOnly
        #endif
    }

    public func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        let before = getState()
        guard isOn, predicate(before, action) else { return next(action) }
        let clock = ContinuousClock()
        let duration = clock.measure { next(action) }
        var lines = ["┌ " + title(action)]
        lines += told("before", state(before)) + told("action", self.action(action))
        lines += told("after", state(getState()))
        lines.append(showDuration ? "└ \(Int(duration / .microseconds(1))) µs" : "└")
        logger(lines.joined(separator: "\n"))
    }

    /// Returns a value after its name, on as many lines as necessary.
    private func told(_ name: String, _ text: String) -> [String] {
        let indent = 8
        let room = lineLength.map { max(1, $0 - indent - 2) } ?? .max
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var rest = line[...]
            repeat {
                lines.append(String(rest.prefix(room)))
                rest = rest.dropFirst(room)
            } while !rest.isEmpty
        }
        return lines.enumerated().map { index, line in
            let label = index == 0 ? name : ""
            return "│ " + label + String(repeating: " ", count: indent - label.count) + line
        }
    }

    /// Writes to standard error, in one piece.
    public static func write(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
