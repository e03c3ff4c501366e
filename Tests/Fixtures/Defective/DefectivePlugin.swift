// SPDX-License-Identifier: Apache-2.0

import CDefective
import Dispatch
import GatehouseSDK
import Synchronization

/// Has the defect that the environment names, and is sound without one.
struct Defective: MigratingPlugin {
    enum Action: PluginAction {
        /// What most defects wait for.
        case act(amount: Int, label: String)
        /// Takes any JSON as payload.
        case note(Value?)
        /// Has a payload that is decoded by hand.
        case weigh(Weight)
        /// May lead to itself.
        case again
        /// The answer to `act`.
        case done(amount: Double)
        /// An action that the manifest does not declare.
        case secret
    }

    /// A payload with a decoder of its own.
    struct Weight: Codable, Sendable {
        var grams: Double
        var label: String

        enum CodingKeys: CodingKey { case grams, label }

        /// Any key there is.
        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if has("payload/null"), try decoder.singleValueContainer().decodeNil() { fatalError("a null") }
            let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            if has("payload/members"), keys.contains("label") {
                precondition(keys.contains("grams"), "nothing to weigh")
            }
            if has("payload/further"), keys.count > 2 {
                throw CodingFailure(at: [], expected: "no other members", found: "one")
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if has("payload/kinds"), (try? container.decode(Bool.self, forKey: .grams)) != nil {
                fatalError("a weight that is true or false")
            }
            grams = try container.decode(Double.self, forKey: .grams)
            label = try container.decode(String.self, forKey: .label)
            if has("payload/unknown"), label != "sesame" {
                throw CodingFailure(at: [], expected: "the right word", found: "another one")
            }
        }
    }

    struct Settings: PluginSettings {
        var rate = 1
        var mode = "fast"

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            rate = try container.decode(Int.self, forKey: .rate)
            mode = try container.decode(String.self, forKey: .mode)
            if has("settings/trap") { precondition(rate >= 0, "a negative rate") }
            if has("settings/range"), rate > 100 {
                throw CodingFailure(
                    at: decoder.codingPath + [CodingKeys.rate], expected: "at most 100", found: "more")
            }
            if has("settings/default"), mode == "fast" {
                throw CodingFailure(
                    at: decoder.codingPath + [CodingKeys.mode], expected: "quick or slow", found: "\"fast\"")
            }
        }
    }

    struct State: Codable, Sendable {
        var count = 0
        var token = 0

        enum CodingKeys: CodingKey { case count, token }

        init() {
            if has("state/first") { token = .random(in: 1...1_000_000_000) }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.decode(Int.self, forKey: .count)
            token = try container.decode(Int.self, forKey: .token)
            if has("state/lossy") { count = 0 }
            if has("state/refused"), count > 0 {
                throw CodingFailure(at: decoder.codingPath, expected: "no count", found: "\(count)")
            }
            if has("state/trap") { precondition(count >= 0, "a negative count") }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .count)
            try container.encode(token, forKey: .token)
        }
    }

    static var stateVersion: Int { has("version") ? 0 : has("migrate/trap") || has("migrate/refuse") ? 2 : 1 }

    static func migrate(_ state: Value, from version: Int) throws -> Value {
        if has("migrate/trap") { fatalError("no way from \(version)") }
        throw CodingFailure(pointer: .whole, expected: "nothing", found: state.kindName)
    }

    static func initialState(_ settings: Settings) -> State { State() }

    /// What all instances count together.
    private static let shared = Mutex(0)

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .done = action { return }
            state.count += 1
            if has("state/random") { state.token = .random(in: 1...1_000_000_000) }
            if has("state/shared") {
                state.token = shared.withLock {
                    $0 += 1; return $0
                }
            }
        }
    }

    static func middleware() -> Reader {
        unsafe defective_do("make")
        return MiddlewareReader { context in
            let effects = EffectMiddleware<Action, Action, State, Context>(dependencies: context) {
                action, _, _ in effect(of: action)
            }
            return (AnyMiddleware(Doer(context: context)) <> AnyMiddleware(effects)).eraseToAnyMiddleware()
        }
    }

    /// The outputs that are kept, so that their effects never end.
    private static let kept = Mutex<[EffectOutput<Action>]>([])

    /// What an action leads to.
    private static func effect(of action: Action) -> Effect<Context, Action> {
        switch action {
        case .act(let amount, let label):
            if has("effect/trap"), label.isEmpty {
                return .run { _ in
                    try? await Task.sleep(for: .milliseconds(20))
                    fatalError("no label")
                }
            }
            if defective_is_in_worker() {
                if has("worker/answers") { return .just(.done(amount: -1)) }
                if has("worker/trap") { fatalError("a worker") }
            }
            if has("effect/undeclared") { return .just(.secret) }
            if has("effect/nan") { return .just(.done(amount: .nan)) }
            if has("effect/endless") { return .just(.again) }
            if has("effect/random") { return .just(.done(amount: .random(in: 0...1))) }
            if has("effect/stubborn") {
                return .run { _ in defective_wait() }
            }
            if has("effect/blocking") {
                return .run { _ in defective_wait_for_news() }
            }
            if has("effect/queue") {
                return .start { _, output in
                    DispatchQueue.global().async {
                        defective_wait_for_news()
                        output.send(.done(amount: 0))
                    }
                }
            }
            if has("effect/unfinished") {
                return .start { _, output in kept.withLock { $0.append(output) } }.finishing
            }
            return .just(.done(amount: Double(amount)))
        case .again: return has("effect/endless") ? .just(.again) : .doNothing
        case .note, .weigh, .done, .secret: return .doNothing
        }
    }
}

/// Whether the environment names this defect.
private func has(_ defect: String) -> Bool { unsafe defective_has(defect) }

/// Does things where only a middleware is called.
private final class Doer: MiddlewareProtocol {
    private let context: Defective.Context
    /// How often the gate has moved.
    private var moves = 0

    init(context: Defective.Context) { self.context = context }

    /// Whether one was started in this process.
    private static let started = Mutex(false)

    func start(state: GetState<Defective.State>) -> IO<Defective.Action> {
        unsafe defective_do("start")
        let isSecond = Self.started.withLock { started in
            defer { started = true }
            return started
        }
        if isSecond, has("again") { context.health(.failing("the port is taken")) }
        return .pure()
    }

    func stopping(state: GetState<Defective.State>) -> IO<Defective.Action> {
        unsafe defective_do("stopping")
        return .pure()
    }

    func gateChanged(to position: GateState) {
        moves += 1
        unsafe defective_do("gate")
        if has("gates"), moves > 20 { fatalError("so many gates") }
    }

    func handle(
        action: Defective.Action, from dispatcher: ActionSource, state: GetState<Defective.State>
    ) -> IO<Defective.Action> {
        switch action {
        case .act(let amount, let label):
            unsafe defective_do("act")
            if has("payload/numbers") { precondition(amount.magnitude < 1 << 40, "a large amount") }
            if has("payload/texts") { precondition(!label.isEmpty, "no label") }
            if has("payload/large") { precondition(label.utf8.count < 100_000, "a long label") }
            if has("late") {
                return IO { output in
                    Task.detached {
                        // Until the process ends.
                        while !has("nothing") {
                            try? await Task.sleep(for: .milliseconds(10))
                            output.dispatch(.done(amount: 1))
                        }
                    }
                }
            }
        case .note(let value):
            if has("payload/deep") { Self.look(into: value ?? .null, depth: 0) }
            if has("payload/random"), value?["member0"] != nil { fatalError("a member0") }
        case .weigh, .again, .done, .secret: break
        }
        return .pure()
    }

    /// Goes into containers, but not far.
    private static func look(into value: Value, depth: Int) {
        precondition(depth < 100, "so deep")
        if case .array(let elements) = value {
            for element in elements { look(into: element, depth: depth + 1) }
        }
    }
}
