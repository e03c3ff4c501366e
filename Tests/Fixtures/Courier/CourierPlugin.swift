// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Has effects that end when an action says so.
struct Courier: Plugin {
    struct Settings: PluginSettings { var street = "" }

    enum Action: PluginAction {
        /// Says `accepted` on the spot and begins so many parts of a delivery, in the way that is named; says `delivered` when all
        /// of them have arrived, if that is wanted. Cancels a first part of that name before, if that is.
        case send(id: String, parts: Int, way: Way?, tells: Bool?, renews: Bool?)
        case accepted(String)
        /// A part is under way: with the key of its action, and how often that has begun.
        case begun(id: String, part: Int, key: String?, attempt: Int)
        /// Ends a part, which says `arrived` before.
        case arrive(id: String, part: Int)
        case arrived(id: String, part: Int)
        case delivered(String)
        /// Cancels all parts.
        case recall(id: String, parts: Int)
    }

    /// What becomes of a part at the end.
    enum Way: String, Codable, Sendable {
        case finishing, background, telling, forgotten, againInBackground
    }

    /// Where the parts that are under way emit to.
    private final class Desk: Sendable {
        /// By the names of deliveries and their parts.
        private let outputs = Mutex<[String: EffectOutput<Action>]>([:])

        /// Nothing under way.
        init() {}

        /// Puts an output in the place of another; nil to take it away. Gives the one before.
        @discardableResult
        func put(_ output: EffectOutput<Action>?, _ name: String) -> EffectOutput<Action>? {
            // What goes ends its effect, which must not be under the lock.
            outputs.withLock { outputs in
                defer { outputs[name] = output }
                return outputs[name]
            }
        }
    }

    static func middleware() -> Reader {
        let desk = Desk()
        return .onAction { action, _, context in
            switch action {
            case .send(let id, let parts, let way, let tells, let renews):
                var all: Effect<PluginContext<Settings>, Action> =
                    renews == true ? .cancel("\(id)-1") : .doNothing
                for part in 1...parts {
                    all = all <> self.part(part, of: id, way, desk, context.effectKey, context.attempt)
                }
                return tells == true
                    ? all.append(.delivered(id)).prepend(.accepted(id)) : all.prepend(.accepted(id))
            case .arrive(let id, let part):
                let output = desk.put(nil, "\(id)-\(part)")
                output?.send(.arrived(id: id, part: part))
                output?.finish()
                return .doNothing
            case .recall(let id, let parts):
                return .merge((1...parts).map { .cancel("\(id)-\($0)") })
            case .accepted, .begun, .arrived, .delivered: return .doNothing
            }
        }
    }

    /// A part of a delivery, which is under way until it arrives.
    private static func part(
        _ part: Int, of id: String, _ way: Way?, _ desk: Desk, _ key: String?, _ attempt: Int
    ) -> Effect<PluginContext<Settings>, Action> {
        let effect = Effect<PluginContext<Settings>, Action>.start(token: "\(id)-\(part)") { _, output in
            output.onCancel { desk.put(nil, "\(id)-\(part)") }
            desk.put(output, "\(id)-\(part)")
            output.send(.begun(id: id, part: part, key: key, attempt: attempt))
        }
        return switch way {
        case nil: effect
        case .finishing: effect.finishing
        case .background: effect.inBackground
        case .telling: effect.recovering(.tell)
        case .forgotten: effect.recovering(.forget)
        case .againInBackground: effect.inBackground.recovering(.again)
        }
    }
}
