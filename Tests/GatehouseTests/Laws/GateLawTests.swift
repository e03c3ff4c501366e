// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GateLawTests {
    typealias Middleware = AnyMiddleware<Int, Int, Int>

    /// Picks the part's actions.
    private static func input(_ action: Int) -> Int? { action % 3 == 0 ? nil : action - 1 }
    /// Maps the part's outputs.
    private static func output(_ action: Int) -> Int { action + 1 }
    /// Maps the whole's state to the part's.
    private static func part(_ state: Int) -> Int { state &* 3 }
    /// Whether a gate by state is open.
    private static func isOpen(_ state: Int) -> Bool { state % 2 == 0 }
    /// What a control action says, nil for ordinary actions.
    private static func control(_ action: Int) -> Bool? { action == 1 ? true : action == 4 ? false : nil }

    private static func lifted<M: MiddlewareProtocol<Int, Int, Int>>(_ middleware: M) -> Middleware {
        middleware.lift(inputAction: input, outputAction: output, state: part).eraseToAnyMiddleware()
    }

    @Test func `by state, gating then lifting equals lifting then gating by the mapped state`() {
        forAllMiddlewares(1) { parts in
            Self.lifted(parts[0].gated(stateMap: Self.isOpen))
        } equals: { parts in
            Self.lifted(parts[0]).gated(stateMap: { Self.isOpen(Self.part($0)) }).eraseToAnyMiddleware()
        }
    }

    @Test(arguments: [GateState.active, .bypass])
    func `by action, gating then lifting equals lifting then gating by the mapped action`(start: GateState) {
        forAllMiddlewares(1) { parts in
            Self.lifted(parts[0].gated(controlActionMap: Self.control, default: start))
        } equals: { parts in
            Self.lifted(parts[0]).gated(
                controlActionMap: { Self.input($0).flatMap(Self.control) }, default: start
            ).eraseToAnyMiddleware()
        }
    }

    @Test(arguments: [GateState.active, .bypass])
    func `a gate that no action moves is for ever what it starts as`(start: GateState) {
        forAllMiddlewares(2) { parts in
            (parts[0].gated(controlActionMap: { _ in Bool?.none }, default: start) <> parts[1])
                .eraseToAnyMiddleware()
        } equals: { parts in
            start == .active ? (parts[0] <> parts[1]).eraseToAnyMiddleware() : parts[1]
        }
    }

    @Test func `two gates by state are one that is open when both are`() {
        forAllMiddlewares(1) { parts in
            parts[0].gated(stateMap: Self.isOpen).gated(stateMap: { $0 % 3 == 0 }).eraseToAnyMiddleware()
        } equals: { parts in
            parts[0].gated(stateMap: { Self.isOpen($0) && $0 % 3 == 0 }).eraseToAnyMiddleware()
        }
    }

    @Test func `the same gate twice is that gate`() {
        forAllMiddlewares(1) { parts in
            parts[0].gated(controlActionMap: Self.control, default: .active)
                .gated(controlActionMap: Self.control, default: .active).eraseToAnyMiddleware()
        } equals: { parts in
            parts[0].gated(controlActionMap: Self.control, default: .active).eraseToAnyMiddleware()
        }
    }

    @Test func `a gated identity is an identity`() {
        forAllMiddlewares(1) { parts in
            let identity = IdentityMiddleware<Int, Int, Int>()
            return (identity.gated(controlActionMap: Self.control, default: .bypass) <> parts[0])
                .eraseToAnyMiddleware()
        } equals: {
            $0[0]
        }
    }

    @Test func `reducers never feel a gate`() {
        forAll { random in
            let actions = (0..<random.number(1...6)).map { _ in random.number(0...7) }
            func run(_ middleware: @escaping () -> Middleware) -> [String] {
                Observed.run(actions) { _ in middleware() }.lines
            }
            let quiet = { Middleware { _, _, _ in .pure() } }
            return (run { quiet().gated(stateMap: Self.isOpen).eraseToAnyMiddleware() }, run(quiet))
        }
    }
}
