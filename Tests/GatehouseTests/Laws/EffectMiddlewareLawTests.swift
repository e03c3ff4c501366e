// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EffectMiddlewareLawTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>
    typealias Reader = MiddlewareReader<Trace, EffectMiddleware<Int, Int, Int, Trace>>

    /// What one random middleware answers.
    private struct Plan {
        let name: String
        let above: Int
        let steps: [Int]

        init(_ random: inout SeededGenerator, _ name: String) {
            self.name = name
            above = random.number(1...4)
            steps = random.numbers(1...3, upTo: 2)
        }

        /// Answers actions above `above` with smaller ones.
        func answer<Dependencies>(_ action: Int) -> Effect<Dependencies, Int> {
            .sequence(steps.filter { _ in action > above }.map { action - $0 }, from: .named(name))
        }

        func build(_ trace: Trace) -> Middleware {
            .onAction { action, state, context in
                trace.add("\(name) \(action) (\(state())) from \(context.dispatcher.file)")
                return answer(action)
            }
        }

        var reader: Reader {
            EffectMiddleware.onAction { action, state, context in
                context.dependencies.add("\(name) \(action) (\(state()))")
                return answer(action)
            }
        }
    }

    /// Compares two middlewares made of random effect middlewares.
    private func forAllEffectMiddlewares(
        _ one: @escaping ([Middleware]) -> Middleware, equals other: @escaping ([Middleware]) -> Middleware
    ) {
        forAll { random in
            let plans = ["a", "b", "c"].map { Plan(&random, $0) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            return (
                Observed.run(actions) { trace in one(plans.map { $0.build(trace) }).eraseToAnyMiddleware() },
                Observed.run(actions) { trace in other(plans.map { $0.build(trace) }).eraseToAnyMiddleware() }
            )
        }
    }

    /// Compares two readers made of random ones.
    private func forAllReaders(
        _ one: @escaping ([Reader]) -> Reader, equals other: @escaping ([Reader]) -> Reader
    ) {
        forAll { random in
            let readers = ["a", "b", "c"].map { Plan(&random, $0).reader }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            return (
                Observed.run(actions) { one(readers).inject($0).eraseToAnyMiddleware() },
                Observed.run(actions) { other(readers).inject($0).eraseToAnyMiddleware() }
            )
        }
    }

    /// Lifts along all axes.
    private static func lifted(_ middleware: Middleware) -> Middleware {
        middleware.lift(
            inputAction: { (action: Int) in action % 3 == 0 ? nil : action - 1 }, outputAction: { $0 + 1 },
            state: { (state: Int) in -state })
    }

    @Test func `joining is associative`() {
        forAllEffectMiddlewares { all in
            (all[0] <> all[1]) <> all[2]
        } equals: { all in
            all[0] <> (all[1] <> all[2])
        }
    }

    @Test func `identity is neutral on both sides`() {
        forAllEffectMiddlewares { all in
            .identity <> all[0]
        } equals: {
            $0[0]
        }
        forAllEffectMiddlewares { all in
            all[0] <> .identity
        } equals: {
            $0[0]
        }
    }

    @Test func `joining equals composing the erased`() {
        forAll { random in
            let plans = ["a", "b", "c"].map { Plan(&random, $0) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            return (
                Observed.run(actions) { trace in
                    let all = plans.map { $0.build(trace) }
                    let join: Middleware = all[0] <> all[1] <> all[2]
                    return join.eraseToAnyMiddleware()
                },
                Observed.run(actions) { trace in
                    ComposedMiddleware(plans.map { $0.build(trace).eraseToAnyMiddleware() })
                        .eraseToAnyMiddleware()
                }
            )
        }
    }

    @Test func `lifting keeps joining and identity`() {
        forAllEffectMiddlewares { all in
            Self.lifted(all[0] <> all[1])
        } equals: { all in
            Self.lifted(all[0]) <> Self.lifted(all[1])
        }
        forAllEffectMiddlewares { all in
            Self.lifted(.identity) <> all[0]
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting by identity maps changes nothing`() {
        forAllEffectMiddlewares { all in
            all[0].lift(inputAction: { $0 }, outputAction: { $0 }, state: { (state: Int) in state })
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting twice equals lifting by the composed maps`() {
        forAllEffectMiddlewares { all in
            Self.lifted(Self.lifted(all[0]))
        } equals: { all in
            all[0].lift(
                inputAction: { (action: Int) in action % 3 == 0 || action % 3 == 1 ? nil : action - 2 },
                outputAction: { $0 + 2 }, state: { (state: Int) in state })
        }
    }

    @Test func `lifting by key paths equals lifting by closures`() {
        forAllEffectMiddlewares { all in
            all[0].lift(action: \Int.asOption, state: \Int.negated)
        } equals: { all in
            all[0].lift(inputAction: { $0 }, outputAction: { $0 }, state: { (state: Int) in -state })
        }
    }

    @Test func `readers of effect middlewares are a semigroup`() {
        forAllReaders { all in
            (all[0] <> all[1]) <> all[2]
        } equals: { all in
            all[0] <> (all[1] <> all[2])
        }
    }

    @Test func `a join of readers gives the join of what they give`() {
        forAllReaders { all in
            all[0] <> all[1]
        } equals: { all in
            Reader { trace in all[0].inject(trace) <> all[1].inject(trace) }
        }
    }
}

extension Int {
    /// The whole as a part that is always there.
    fileprivate var asOption: Int? {
        get { self }
        set { if let newValue { self = newValue } }
    }

    fileprivate var negated: Int { -self }
}
