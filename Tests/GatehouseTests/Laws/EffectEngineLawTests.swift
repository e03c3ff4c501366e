// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

/// What an effect middleware does with its effects, against a model that fits on one screen.
@Suite(.timeLimit(.minutes(10)))
struct EffectEngineLawTests {
    /// One step of a run; numbers pick among the effects started so far.
    private enum Step: CustomStringConvertible {
        case start(token: Int?)
        case cancel(token: Int)
        case send(Int)
        case finish(Int)
        case letGo(Int)
        case cancelAll

        static func random(_ random: inout SeededGenerator) -> Step {
            switch random.number(0...9) {
            case 0...3: .start(token: random.number(0...3) == 0 ? nil : random.number(0...2))
            case 4: .cancel(token: random.number(0...2))
            case 5, 6: .send(random.number(0...99))
            case 7: .finish(random.number(0...99))
            case 8: .letGo(random.number(0...99))
            default: random.number(0...3) == 0 ? .cancelAll : .send(random.number(0...99))
            }
        }

        var description: String {
            switch self {
            case .start(let token): "start \(token.map { "\($0)" } ?? "nameless")"
            case .cancel(let token): "cancel \(token)"
            case .send(let index): "send \(index)"
            case .finish(let index): "finish \(index)"
            case .letGo(let index): "let go \(index)"
            case .cancelAll: "cancel all"
            }
        }
    }

    /// What has to happen: effects by number in order of their start, and who holds which token.
    private struct Model {
        var lines: [String] = []
        var started = 0
        var running: [Int] = []
        var tokens: [Int: Int] = [:]

        mutating func stop(_ effect: Int) {
            lines.append("stop \(effect)")
            forget(effect)
        }

        mutating func forget(_ effect: Int) {
            running.removeAll { $0 == effect }
            for (token, holder) in tokens where holder == effect { tokens[token] = nil }
        }

        mutating func run(_ step: Step) {
            switch step {
            case .start(let token):
                if let token, let before = tokens[token] { stop(before) }
                lines.append("start \(started)")
                running.append(started)
                if let token { tokens[token] = started }
                started += 1
            case .cancel(let token):
                if let holder = tokens[token] { stop(holder) }
            case .send(let index) where started > 0:
                if running.contains(index % started) { lines.append("emit \(index % started)") }
            case .finish(let index) where started > 0, .letGo(let index) where started > 0:
                forget(index % started)
            case .cancelAll:
                for effect in running.sorted() { stop(effect) }
            case .send, .finish, .letGo: break
            }
            lines.append("running \(running.count)")
        }
    }

    /// The real thing, driven by the same steps.
    private static func run(_ steps: [Step]) -> [String] {
        let trace = Trace()
        let outputs = UnsafeShare(Outputs())
        let middleware = UnsafeShare(
            EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                guard action >= 0 else { return .doNothing }
                let step = outputs.value.step
                if case .cancel(let token) = step { return .cancel(token) }
                guard case .start(let token) = step else { return .doNothing }
                return .start(token: token) { _, output in
                    let number = outputs.value.all.count
                    trace.add("start \(number)")
                    outputs.value.all.append(output)
                    output.onCancel { trace.add("stop \(number)") }
                }
            })
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, _ in if action < 0 { trace.add("emit \(-action - 1)") } },
            middleware: Forward(middleware))
        for step in steps {
            let count = outputs.value.all.count
            outputs.value.step = step
            switch step {
            case .start, .cancel: store.dispatch(0)
            case .send(let index) where count > 0:
                outputs.value.all[index % count]?.send(-(index % count) - 1)
            case .finish(let index) where count > 0: outputs.value.all[index % count]?.finish()
            case .letGo(let index) where count > 0: outputs.value.all[index % count] = nil
            case .cancelAll: middleware.value.cancelEffects()
            case .send, .finish, .letGo: break
            }
            trace.add("running \(middleware.value.runningEffects)")
        }
        return trace.lines
    }

    /// What the effects under test emit to.
    private final class Outputs {
        var step = Step.cancelAll
        var all: [EffectOutput<Int>?] = []
    }

    @Test func `tokens replace and cancel, ends are forgotten, whatever the order`() {
        forAll(cases: 400) { random in
            let steps = (0..<random.number(1...30)).map { _ in Step.random(&random) }
            var model = Model()
            for step in steps { model.run(step) }
            // Cancelling everything has no order among effects.
            return (Self.normal(Self.run(steps), steps), Self.normal(model.lines, steps))
        }
    }

    /// The lines with runs of stops sorted, and the steps they came from.
    private static func normal(_ lines: [String], _ steps: [Step]) -> [String] {
        var result = ["\(steps)"]
        var stops: [String] = []
        for line in lines {
            if line.hasPrefix("stop") {
                stops.append(line)
            } else {
                result += stops.sorted() + [line]
                stops = []
            }
        }
        return result + stops.sorted()
    }
}
