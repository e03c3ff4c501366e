// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Runtime

/// Keeps the call stack of its reducer.
struct Traced: Plugin {
    enum Action: PluginAction {
        /// Starts an effect that emits `answer`.
        case ask
        case answer
    }

    struct Settings: PluginSettings {
        /// The action whose stack is kept. One, because the second stack that a process symbolicates lacks the names of libraries.
        var of = ""
    }

    /// Innermost call first.
    struct State: Codable, Sendable { var frames: [Frame] = [] }

    struct Frame: Codable, Sendable {
        /// Demangled.
        var function: String
        /// Where the source file was when it was compiled; empty without debug information.
        var file: String
        /// Whether the compiler made the function.
        var isThunk: Bool
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            guard case .ask = action else { return .doNothing }
            return .task { .answer }
        }
    }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .ask where settings.of == "ask", .answer where settings.of == "answer":
                state.frames = frames()
            case .ask, .answer: break
            }
        }
    }

    private static func frames() -> [Frame] {
        guard let stack = try? Backtrace.capture(limit: nil).symbolicated() else { return [] }
        return stack.frames.map { frame in
            Frame(
                function: frame.symbol?.name ?? "", file: frame.symbol?.sourceLocation?.path ?? "",
                isThunk: frame.isSwiftThunk)
        }
    }
}
