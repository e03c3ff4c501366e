// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Does what a test of the host asks for.
struct Probe: Plugin {
    /// What it hears and emits.
    enum Action: PluginAction {
        /// Is answered with `pong`.
        case ping(number: Int)
        /// The answer to `ping`.
        case pong(number: Int)
        /// Asks for `echoed` after a detour over another thread.
        case later(text: String)
        /// The answer to `later`.
        case echoed(text: String)
        /// Starts an effect that only a cancellation ends.
        case hold
        /// Is answered with `secret`.
        case stray
        /// Not declared in the manifest.
        case secret
        /// Is answered with itself, without end.
        case spin
        /// Asks for so many `drop`, from a task that never suspends.
        case flood(count: Int)
        /// One of the actions that `flood` asks for.
        case drop
        /// Starts an effect that ends at the next `free`.
        case wait
        /// Ends the effects of `wait`, and those that begin later at once.
        case free
        /// Has a payload with places to get wrong.
        case fill(cups: [Cup])
        /// Keeps the state from being written as JSON.
        case spoil
        /// Asks for `ratio` with no number that JSON can hold.
        case tilt
        /// What `tilt` asks for.
        case ratio(value: Double)
        /// Brings an action of this type as an input does, and then asks for `echoed` with what came of it.
        case bring(type: String)
    }

    /// A part of a payload.
    struct Cup: Codable, Sendable {
        /// The size of something, a whole number.
        var size: Int
    }

    /// The slice of the plugin.
    struct State: Codable, Sendable {
        /// How many actions it heard.
        var heard = 0
        /// The last text that was echoed.
        var echo: String?
        /// No number that JSON can hold; nil before it is spoiled.
        var ratio: Double?
    }

    static func initialState(_ settings: NoSettings) -> State { State() }

    static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
        .reduce { action, state in
            state.heard += 1
            if case .echoed(let text) = action { state.echo = text }
            if case .spoil = action { state.ratio = .nan }
        }
    }

    /// Keeps effects running until it ends.
    private final class Waiting: Sendable {
        /// The outputs of those that run, nil when nothing need wait any more.
        private let outputs = Mutex<[EffectOutput<Action>]?>([])

        /// Keeps an effect, unless nothing need wait.
        func add(_ output: EffectOutput<Action>) { outputs.withLock { $0?.append(output) } }

        /// Ends what was kept.
        func end() {
            let all = outputs.withLock { outputs in
                let all = outputs
                outputs = nil
                return all
            }
            for output in all ?? [] { output.finish() }
        }
    }

    private static let waiting = Waiting()

    /// What came of an action that was brought.
    private static func bring(_ type: String, to ingress: HostIngress?) async -> String {
        guard let ingress else { return "not granted" }
        do throws(HostIngress.Failure) {
            try await ingress.dispatch(AnyAction(ActionType(type), payload: ["number": 7]))
            return "processed"
        } catch {
            return "\(error)"
        }
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            switch action {
            case .ping(let number): .just(.pong(number: number))
            case .later(let text):
                .task {
                    await Task.yield()
                    return .echoed(text: text)
                }
            case .hold: .start(token: "hold") { _, output in output.onCancel { _ = output } }
            case .stray: .just(.secret)
            case .spin: .just(.spin)
            case .tilt: .just(.ratio(value: .nan))
            case .flood(let count): .run { output in for _ in 0..<count { output.send(.drop) } }
            case .wait: .start { _, output in waiting.add(output) }
            case .free: .fireAndForget { _ in waiting.end() }
            case .bring(let type):
                .task { [ingress = context.ingress] in .echoed(text: await bring(type, to: ingress)) }
            case .pong, .echoed, .secret, .drop, .fill, .spoil, .ratio: .doNothing
            }
        }
    }
}
