// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InterceptorLawTests {
    typealias Interceptor = AnyInterceptor<Int, Int>

    /// What a random interceptor does with an action, by its remainder.
    private struct Plan: CustomStringConvertible {
        let name: String
        let decisions: [Guard.Decision]
        let wanted: [Bool]
        /// Whether it calls a kept `next` when it sees the next action.
        let isDelaying: Bool

        /// - Parameter isPrompt: whether it calls each `next` at most once, and at once.
        static func random(_ random: inout SeededGenerator, name: String, isPrompt: Bool) -> Plan {
            Plan(
                name: name,
                decisions: (0..<4).map { _ in
                    switch random.number(0...5) {
                    case 0: .stop
                    case 1, 2: .change(random.number(0...7))
                    case 3: isPrompt ? .pass : .twice(random.number(0...7))
                    default: .pass
                    }
                }, wanted: (0..<3).map { _ in random.number(0...3) > 0 },
                isDelaying: random.number(0...2) == 0 && !isPrompt)
        }

        func build(_ trace: Trace) -> Interceptor {
            let kept = Kept<Next<Int>>()
            let guarded = Guard(
                name: name, trace: trace, wants: { wanted[$0 % 3] }, decide: { decisions[$0 % 4] })
            guard isDelaying else { return guarded.eraseToAnyInterceptor() }
            let delaying = Interceptor { action, _, state, _, next in
                trace.add("\(name) delays \(action) (\(state()))")
                kept.value?()
                kept.value = action % 2 == 0 ? next : nil
                if action % 2 == 1 { next() }
            }
            return delaying
        }

        var description: String { "\(name): \(decisions) \(wanted) \(isDelaying)" }
    }

    /// Checks that two ways to make an interceptor of the same parts agree, calls, states and all.
    private func forAllInterceptors(
        _ count: Int, isPrompt: Bool = false, _ one: @escaping ([Interceptor]) -> [Interceptor],
        equals other: @escaping ([Interceptor]) -> [Interceptor]
    ) {
        forAll { random in
            let plans = (0..<count).map {
                Plan.random(&random, name: ["a", "b", "c"][$0], isPrompt: isPrompt)
            }
            let actions = (0..<random.number(1...5)).map { _ in random.number(0...7) }
            let run = { (make: ([Interceptor]) -> [Interceptor]) -> [String] in
                let trace = Trace()
                let store = Guard.store(
                    make(plans.map { $0.build(trace) }), middleware: [Probe(name: "m", trace: trace)],
                    trace: trace, limits: DrainLimits(chain: 20))
                for action in actions { store.dispatch(action) }
                return trace.lines + ["state \(store.state)"]
            }
            return (run(one), run(other))
        }
    }

    /// Half of an even number; odd numbers are not for the part.
    private static func half(_ action: Int) -> Int? { action % 2 == 0 ? action / 2 : nil }

    /// Lifts actions and state.
    private static func lift(_ interceptor: Interceptor) -> Interceptor {
        interceptor.lift(inputAction: half, outputAction: { $0 * 2 }, state: { (state: Int) in state &* 100 })
    }

    /// The same interceptor, not known to be a composition or an identity.
    private static func opaque(_ interceptor: Interceptor) -> Interceptor {
        Interceptor(
            concerns: { interceptor.concerns($0) }, enter: { interceptor.enter($0) },
            gateChanged: { interceptor.gateChanged(to: $0) })
    }

    @Test func `identity is neutral on both sides`() {
        forAllInterceptors(1) {
            [.identity <> $0[0]]
        } equals: {
            [$0[0]]
        }
        forAllInterceptors(1) {
            [$0[0] <> .identity]
        } equals: {
            [$0[0]]
        }
        forAllInterceptors(1) {
            [Self.opaque(.identity) <> $0[0]]
        } equals: {
            [$0[0]]
        }
    }

    @Test func `composition is associative`() {
        forAllInterceptors(3) {
            [($0[0] <> $0[1]) <> $0[2]]
        } equals: {
            [$0[0] <> ($0[1] <> $0[2])]
        }
    }

    @Test func `a store composes its interceptors in order`() {
        forAllInterceptors(3) {
            $0
        } equals: {
            [$0[0] <> $0[1] <> $0[2]]
        }
    }

    @Test func `lifting keeps composition`() {
        forAllInterceptors(2) {
            [Self.lift($0[0] <> $0[1])]
        } equals: {
            [Self.lift($0[0]) <> Self.lift($0[1])]
        }
    }

    @Test func `lifting keeps identity`() {
        #expect(Self.lift(.identity).isIdentity)
    }

    @Test func `lifting by identity maps changes nothing`() {
        forAllInterceptors(1) {
            [$0[0].lift(inputAction: { $0 }, outputAction: { $0 }, state: { (state: Int) in state })]
        } equals: {
            [$0[0]]
        }
    }

    @Test func `lifting twice equals lifting by the composed maps`() {
        forAllInterceptors(1) {
            [Self.lift(Self.lift($0[0]))]
        } equals: {
            [
                $0[0].lift(
                    inputAction: { Self.half($0).flatMap(Self.half) }, outputAction: { $0 * 4 },
                    state: { (state: Int) in state &* 10_000 })
            ]
        }
    }

    @Test func `forwarding by the functions of the protocol changes nothing`() {
        forAllInterceptors(2, isPrompt: true) {
            [AnyInterceptor(Forwarded(inner: $0[0])) <> $0[1]]
        } equals: {
            [$0[0] <> $0[1]]
        }
    }

    @Test func `a gate that is open for ever changes nothing`() {
        forAllInterceptors(1) {
            [$0[0].gated(behind: Gate { _ in .active })]
        } equals: {
            [$0[0]]
        }
    }

    @Test func `a gate that is closed for ever is an identity`() {
        forAllInterceptors(2) {
            [
                $0[0].gated(
                    behind: Gate(
                        controlAction: { _ in Bool?.none }, turnOn: true, turnOff: false, default: .bypass))
                    <> $0[1]
            ]
        } equals: {
            [$0[1]]
        }
    }
}

/// Forwards to an interceptor by the functions of the protocol.
private struct Forwarded: InterceptorProtocol {
    let inner: AnyInterceptor<Int, Int>

    func concerns(_ action: Int) -> Bool { inner.concerns(action) }

    func intercept(
        action: Int, from dispatcher: ActionSource, state: OwnState<Int, Int>, output: AnyActionHandler<Int>,
        next: Next<Int>
    ) {
        inner.intercept(action: action, from: dispatcher, state: state, output: output, next: next)
    }

    func gateChanged(to gate: GateState) { inner.gateChanged(to: gate) }
}
