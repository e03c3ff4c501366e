// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReaderLawTests {
    /// Readers of what the plans say; the dependency is where the middlewares write.
    typealias Erased = MiddlewareReader<Trace, AnyMiddleware<Int, Int, Int>>
    /// Readers of compositions, which are a monoid.
    typealias Composed = MiddlewareReader<Trace, ComposedMiddleware<Int, Int, Int>>

    /// Compares two readers made from random ones.
    private func forAllReaders(
        _ count: Int, _ one: @escaping ([Erased]) -> Erased, equals other: @escaping ([Erased]) -> Erased
    ) {
        forAll { random in
            let plans = (0..<count).map { MiddlewarePlan.random(&random, name: ["a", "b", "c"][$0]) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            let readers = plans.map { plan in Erased { plan.build($0) } }
            return (
                Observed.run(actions) { one(readers).inject($0) },
                Observed.run(actions) { other(readers).inject($0) }
            )
        }
    }

    @Test func `the identity reader is neutral on both sides`() {
        forAllReaders(1) { readers in
            let identity: MiddlewareReader<Trace, IdentityMiddleware<Int, Int, Int>> = Erased.identity
            return (identity <> readers[0]).eraseMiddleware()
        } equals: {
            $0[0]
        }
        forAllReaders(1) { readers in
            let identity: MiddlewareReader<Trace, IdentityMiddleware<Int, Int, Int>> = Erased.identity
            return (readers[0] <> identity).eraseMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `composing readers is associative`() {
        forAllReaders(3) {
            (($0[0] <> $0[1]) <> $0[2]).eraseMiddleware()
        } equals: {
            ($0[0] <> ($0[1] <> $0[2])).eraseMiddleware()
        }
    }

    @Test func `a reader of a composition composes the injected middlewares`() {
        forAllReaders(2) {
            ($0[0] <> $0[1]).eraseMiddleware()
        } equals: { readers in
            Erased { (readers[0].inject($0) <> readers[1].inject($0)).eraseToAnyMiddleware() }
        }
    }

    @Test func `readers of a monoid are a monoid`() {
        forAllReaders(2) { readers in
            let composed = readers.map { reader in Composed { ComposedMiddleware([reader.inject($0)]) } }
            let identity: Composed = .identity
            let joined: Composed = identity <> composed[0] <> identity <> composed[1] <> identity
            return joined.eraseMiddleware()
        } equals: {
            ($0[0] <> $0[1]).eraseMiddleware()
        }
    }

    @Test func `a list of readers folded from identity injects in list order into one flat composition`() {
        let trace = Trace()
        let readers = ["a", "b", "c"].map { name in
            Erased { trace in
                trace.add("inject \(name)")
                return Probe(name: name, trace: trace).eraseToAnyMiddleware()
            }
        }
        let identity: Composed = .identity
        let folded: Composed = readers.reduce(identity) { $0 <> $1 }
        #expect(folded.inject(trace).members.count == 3)
        #expect(trace.lines == ["inject a", "inject b", "inject c"])
    }

    @Test func `lifting a reader is lifting what it gives`() {
        forAllReaders(1) { readers in
            readers[0].lift(
                inputAction: { (action: Int) in action - 1 }, outputAction: { $0 + 1 },
                state: { (state: Int) in -state },
                dependencies: { (trace: Trace) in trace }
            ).eraseMiddleware()
        } equals: { readers in
            Erased {
                readers[0].inject($0).lift(
                    inputAction: { (action: Int) in action - 1 }, outputAction: { $0 + 1 },
                    state: { (state: Int) in -state })
            }
        }
    }

    @Test func `lifting a reader one axis at a time equals lifting at once`() {
        forAllReaders(1) { readers in
            readers[0].lift(
                inputAction: { (action: Int) in action - 1 }, outputAction: { $0 + 1 },
                state: { (state: Int) in -state },
                dependencies: { (trace: Trace) in trace }
            ).eraseMiddleware()
        } equals: { readers in
            readers[0].lift(dependencies: { (trace: Trace) in trace })
                .lift(state: { (state: Int) in -state }).lift(outputAction: { $0 + 1 })
                .lift(inputAction: { (action: Int) in action - 1 }).eraseMiddleware()
        }
    }

    @Test func `both forms of joining readers agree`() {
        forAllReaders(2) { readers in
            let composed = readers.map { reader in Composed { ComposedMiddleware([reader.inject($0)]) } }
            let general: Composed = composed[0].mapMiddleware { $0 } <> readers[1]
            return general.eraseMiddleware()
        } equals: { readers in
            let composed = readers.map { reader in Composed { ComposedMiddleware([reader.inject($0)]) } }
            let semigroup: Composed = composed[0] <> composed[1]
            return semigroup.eraseMiddleware()
        }
    }

    @Test func `both forms of the identity reader agree`() {
        forAllReaders(1) { readers in
            let general: MiddlewareReader<Trace, IdentityMiddleware<Int, Int, Int>> = Composed.identity
            return (general <> readers[0]).eraseMiddleware()
        } equals: { readers in
            let monoid: Composed = .identity
            return (monoid <> readers[0]).eraseMiddleware()
        }
    }

    @Test func `lifting a reader by identity maps changes nothing`() {
        forAllReaders(1) { readers in
            readers[0].lift(
                inputAction: { (action: Int) in action }, outputAction: { $0 },
                state: { (state: Int) in state }, dependencies: { (trace: Trace) in trace }
            ).eraseMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting a reader twice equals lifting by the composed maps`() {
        func half(_ action: Int) -> Int? { action % 2 == 0 ? action / 2 : nil }
        forAllReaders(1) { readers in
            readers[0].lift(inputAction: half, outputAction: { $0 * 2 }, state: { (state: Int) in -state })
                .lift(
                    inputAction: { (action: Int) in action + 1 }, outputAction: { $0 - 1 },
                    state: { (state: Int) in state &* 3 }
                ).eraseMiddleware()
        } equals: { readers in
            readers[0].lift(
                inputAction: { (action: Int) in half(action + 1) }, outputAction: { $0 * 2 - 1 },
                state: { (state: Int) in -(state &* 3) }
            ).eraseMiddleware()
        }
    }

    @Test func `lifting readers keeps joining`() {
        func lifted<M: MiddlewareProtocol<Int, Int, Int>>(_ reader: MiddlewareReader<Trace, M>) -> Erased {
            reader.lift(inputAction: { (action: Int) in action - 1 }, state: { (state: Int) in -state })
                .eraseMiddleware()
        }
        forAllReaders(2) { readers in
            lifted(readers[0] <> readers[1])
        } equals: { readers in
            (lifted(readers[0]) <> lifted(readers[1])).eraseMiddleware()
        }
    }
}
