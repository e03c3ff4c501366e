// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting

/// A random middleware as data, so that the same one can be built as often as a law needs it.
indirect enum MiddlewarePlan: CustomStringConvertible {
    /// The middleware that does nothing.
    case identity
    /// Writes down what it sees; answers actions above `above` with ones that are smaller by each of `steps`.
    case probe(name: String, above: Int, steps: [Int])
    /// The same as an effect middleware.
    case effect(name: String, above: Int, steps: [Int])
    /// Several in a row.
    case row([MiddlewarePlan])
    /// Hears actions that are multiples, divided; its outputs are multiplied again.
    case lifted(MiddlewarePlan, factor: Int)
    /// Behind a gate that closes at actions equal to `closing` and opens again at those equal to `opening`.
    case gated(MiddlewarePlan, opening: Int, closing: Int)

    /// A plan no deeper than `depth`; `name` starts the names of everything in it.
    static func random(_ random: inout SeededGenerator, name: String, depth: Int = 2) -> MiddlewarePlan {
        switch random.number(0...(depth > 0 ? 8 : 4)) {
        case 0: .identity
        case 1...3: .probe(name: name, above: random.number(1...4), steps: random.numbers(1...3, upTo: 2))
        case 4: .effect(name: name, above: random.number(1...4), steps: random.numbers(1...3, upTo: 2))
        case 5, 6:
            .row((0..<random.number(0...3)).map { .random(&random, name: "\(name)\($0)", depth: depth - 1) })
        case 7: .lifted(.random(&random, name: "\(name)l", depth: depth - 1), factor: random.number(1...2))
        default:
            .gated(
                .random(&random, name: "\(name)g", depth: depth - 1), opening: random.number(0...5),
                closing: random.number(0...5))
        }
    }

    /// The middleware, writing to the trace.
    func build(_ trace: Trace) -> AnyMiddleware<Int, Int, Int> {
        switch self {
        case .identity:
            return IdentityMiddleware().eraseToAnyMiddleware()
        case .probe(let name, let above, let steps):
            return SourceProbe(name: name, trace: trace, above: above, steps: steps).eraseToAnyMiddleware()
        case .effect(let name, let above, let steps):
            return EffectMiddleware<Int, Int, Int, Void>.onAction { action, state, context in
                trace.add("\(name) effect \(action) (\(state())) from \(context.dispatcher.file)")
                return .sequence(steps.filter { _ in action > above }.map { action - $0 }, from: .named(name))
            }.eraseToAnyMiddleware()
        case .row(let plans):
            return ComposedMiddleware(plans.map { $0.build(trace) }).eraseToAnyMiddleware()
        case .lifted(let plan, let factor):
            return plan.build(trace).lift(
                inputAction: { (action: Int) in action % factor == 0 ? action / factor : nil },
                outputAction: { $0 * factor }, state: { (state: Int) in state &+ factor })
        case .gated(let plan, let opening, let closing):
            return plan.build(trace).gated(
                controlActionMap: { $0 == opening || $0 == closing ? $0 : nil }, turnOn: opening,
                turnOff: closing, default: .active
            ).eraseToAnyMiddleware()
        }
    }

    var description: String {
        switch self {
        case .identity: "identity"
        case .probe(let name, let above, let steps): "\(name)(>\(above) \(steps))"
        case .effect(let name, let above, let steps): "effect \(name)(>\(above) \(steps))"
        case .row(let plans): "\(plans)"
        case .lifted(let plan, let factor): "lift(\(plan), \(factor))"
        case .gated(let plan, let opening, let closing): "gate(\(plan), \(opening), \(closing))"
        }
    }
}

/// Writes down what it sees, with the source of each action.
private struct SourceProbe: MiddlewareProtocol {
    let name: String
    let trace: Trace
    let above: Int
    let steps: [Int]

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
        trace.add("\(name) handle \(action) (\(state())) from \(dispatcher.file)")
        return IO { [self] output in
            trace.add("\(name) io \(action) (\(state()))")
            guard action > above else { return }
            for step in steps { output.dispatch(action - step, from: .named(name)) }
        }
    }
}
