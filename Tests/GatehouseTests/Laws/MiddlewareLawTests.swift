// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MiddlewareLawTests {
    typealias Composition = ComposedMiddleware<Int, Int, Int>
    typealias Identity = IdentityMiddleware<Int, Int, Int>

    @Test func `identity on the left changes nothing`() {
        forAllMiddlewares(1) {
            ($0[0] <> Identity()).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `identity on the right changes nothing`() {
        forAllMiddlewares(1) {
            (Identity() <> $0[0]).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `the empty composition is neutral on both sides`() {
        forAllMiddlewares(1) {
            (Composition.identity <> Composition([$0[0]]) <> Composition.identity).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `composition is associative`() {
        forAllMiddlewares(3) {
            (($0[0] <> $0[1]) <> $0[2]).eraseToAnyMiddleware()
        } equals: {
            ($0[0] <> ($0[1] <> $0[2])).eraseToAnyMiddleware()
        }
    }

    @Test func `joining compositions is associative`() {
        forAllMiddlewares(3) { parts in
            let all = parts.map { Composition([$0]) }
            return ((all[0] <> all[1]) <> all[2]).eraseToAnyMiddleware()
        } equals: { parts in
            let all = parts.map { Composition([$0]) }
            return (all[0] <> (all[1] <> all[2])).eraseToAnyMiddleware()
        }
    }

    @Test func `nesting without flattening keeps the order`() {
        forAllMiddlewares(3) {
            ($0[0] <> $0[1] <> $0[2]).eraseToAnyMiddleware()
        } equals: { parts in
            let inner = parts[1] <> parts[2]
            return (parts[0] <> Opaque(inner: inner.eraseToAnyMiddleware())).eraseToAnyMiddleware()
        }
    }

    @Test func `erasure changes nothing`() {
        forAllMiddlewares(2) { parts in
            (Opaque(inner: parts[0]) <> Opaque(inner: parts[1])).eraseToAnyMiddleware()
        } equals: { parts in
            (Opaque(inner: parts[0]).eraseToAnyMiddleware() <> Opaque(inner: parts[1]).eraseToAnyMiddleware())
                .eraseToAnyMiddleware().eraseToAnyMiddleware()
        }
    }

    @Test func `lifting keeps composition`() {
        forAllMiddlewares(2) {
            lift($0[0] <> $0[1]).eraseToAnyMiddleware()
        } equals: {
            (lift($0[0]) <> lift($0[1])).eraseToAnyMiddleware()
        }
    }

    @Test func `lifting an erased composition behaves as lifting it whole`() {
        forAllMiddlewares(2) {
            lift(($0[0] <> $0[1]).eraseToAnyMiddleware() as AnyMiddleware<Int, Int, Int>)
                .eraseToAnyMiddleware()
        } equals: {
            erasedLift(($0[0] <> $0[1]).eraseToAnyMiddleware())
        }
    }

    @Test func `lifting keeps identity`() {
        forAllMiddlewares(1) {
            (lift(Identity()) <> $0[0]).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
        #expect(erasedLift(Identity().eraseToAnyMiddleware()).isIdentity)
    }

    @Test func `lifting by identity maps changes nothing`() {
        forAllMiddlewares(1) {
            LiftMiddleware<Int, Int, Int, AnyMiddleware<Int, Int, Int>>.identityLift($0[0])
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting one axis at a time equals lifting at once`() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            forAllMiddlewares(1) {
                erasedLift($0[0])
            } equals: { parts in
                order.reduce(parts[0]) { middleware, axis in
                    switch axis {
                    case 0: Opaque(inner: middleware).lift(inputAction: half).eraseToAnyMiddleware()
                    case 1: Opaque(inner: middleware).lift(outputAction: double).eraseToAnyMiddleware()
                    default: Opaque(inner: middleware).lift(state: hundred).eraseToAnyMiddleware()
                    }
                }
            }
        }
    }

    @Test func `lifting two axes then one equals lifting at once`() {
        forAllMiddlewares(1) {
            erasedLift($0[0])
        } equals: {
            Opaque(inner: $0[0]).lift(inputAction: half, outputAction: double).lift(state: hundred)
                .eraseToAnyMiddleware()
        }
        forAllMiddlewares(1) {
            erasedLift($0[0])
        } equals: {
            Opaque(inner: $0[0]).lift(inputAction: half, state: hundred).lift(outputAction: double)
                .eraseToAnyMiddleware()
        }
        forAllMiddlewares(1) {
            erasedLift($0[0])
        } equals: {
            Opaque(inner: $0[0]).lift(outputAction: double, state: hundred).lift(inputAction: half)
                .eraseToAnyMiddleware()
        }
    }

    @Test func `lifting twice equals lifting by the composed maps`() {
        forAllMiddlewares(1) {
            erasedLift(erasedLift($0[0]))
        } equals: {
            $0[0].lift(
                inputAction: { half($0).flatMap(half) }, outputAction: { double(double($0)) },
                state: { hundred(hundred($0)) })
        }
    }

    @Test func `a gate that is active for ever changes nothing`() {
        forAllMiddlewares(1) {
            $0[0].gated(stateMap: { _ in GateState.active }).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
        forAllMiddlewares(1) {
            $0[0].gated(controlActionMap: { _ in Bool?.none }, default: .active).eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `a gate that is closed for ever is an identity`() {
        forAllMiddlewares(2) {
            ($0[0].gated(stateMap: { _ in false }) <> $0[1]).eraseToAnyMiddleware()
        } equals: {
            $0[1]
        }
    }

    @Test func `a gate around a composition behaves as gates around its members`() {
        forAllMiddlewares(2) { parts in
            (parts[0] <> parts[1]).gated(stateMap: { $0 % 3 != 0 }).eraseToAnyMiddleware()
        } equals: { parts in
            (parts[0].gated(stateMap: { $0 % 3 != 0 }) <> parts[1].gated(stateMap: { $0 % 3 != 0 }))
                .eraseToAnyMiddleware()
        }
    }
}

/// Hides from composing and lifting what is inside.
private struct Opaque: MiddlewareProtocol {
    let inner: AnyMiddleware<Int, Int, Int>

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
        inner.handle(action: action, from: dispatcher, state: state)
    }
}

/// Half of an even number; odd numbers are not for the part.
private func half(_ action: Int) -> Int? { action % 2 == 0 ? action / 2 : nil }

/// Maps an output back, as `half` maps the input.
private func double(_ action: Int) -> Int { action * 2 }

/// Maps the whole's state to the part's.
private func hundred(_ state: Int) -> Int { state &* 100 }

/// Lifts along all axes, hiding nothing.
private func lift<Middleware: MiddlewareProtocol<Int, Int, Int>>(
    _ middleware: Middleware
) -> LiftMiddleware<Int, Int, Int, Middleware> {
    middleware.lift(inputAction: half, outputAction: double, state: hundred)
}

/// Lifts along all axes, member by member when there are some.
private func erasedLift(_ middleware: AnyMiddleware<Int, Int, Int>) -> AnyMiddleware<Int, Int, Int> {
    middleware.lift(inputAction: half, outputAction: double, state: hundred)
}

extension LiftMiddleware
where InputActionType == Int, OutputActionType == Int, StateType == Int {
    /// A lift whose maps change nothing.
    fileprivate static func identityLift(_ middleware: AnyMiddleware<Int, Int, Int>) -> AnyMiddleware<
        Int, Int, Int
    > {
        Opaque(inner: middleware).lift(
            inputAction: { $0 }, outputAction: { $0 }, state: { (state: Int) in state }
        )
        .eraseToAnyMiddleware()
    }
}
