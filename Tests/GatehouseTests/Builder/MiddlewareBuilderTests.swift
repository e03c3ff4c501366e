// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MiddlewareBuilderTests {
    typealias Composition = ComposedMiddleware<Int, Int, Int>
    typealias Identity = IdentityMiddleware<Int, Int, Int>

    private let trace = Trace()

    private func probe(_ name: String) -> Probe { Probe(name: name, trace: trace) }

    /// The names in the order in which the members handle an action.
    private func names(_ composition: Composition) -> [String] {
        let before = trace.lines.count
        _ = composition.handle(action: 1, from: .named("x"), state: GetState { 0 })
        return trace.lines.dropFirst(before).map { String($0.prefix(1)) }
    }

    @Test func `middlewares of different types are composed in written order`() {
        let composition = Composition {
            probe("a")
            probe("b").eraseToAnyMiddleware()
            probe("c").gated(stateMap: { _ in true })
        }
        #expect(names(composition) == ["a", "b", "c"])
    }

    @Test func `the types need not be written`() {
        let composition = ComposedMiddleware {
            probe("a")
            probe("b")
        }
        #expect(names(composition) == ["a", "b"])
    }

    @Test func `compositions are taken apart and identities left out`() {
        let composition = Composition {
            Identity()
            probe("a") <> probe("b")
            Identity().eraseToAnyMiddleware()
            Composition {
                probe("c")
                Identity()
            }
        }
        #expect(composition.members.count == 3)
        #expect(names(composition) == ["a", "b", "c"])
    }

    @Test(arguments: [true, false])
    func `conditions and loops choose`(isOn: Bool) {
        let composition = Composition {
            if isOn { probe("a") }
            if isOn {
                probe("b")
                probe("c")
            } else {
                probe("d")
            }
            for name in ["e", "f"] {
                probe(name)
                if isOn { probe("g") }
            }
            switch isOn {
            case true: probe("h")
            case false: Identity()
            }
        }
        #expect(
            names(composition)
                == (isOn ? ["a", "b", "c", "e", "g", "f", "g", "h"] : ["d", "e", "f"]))
    }

    @Test func `an empty block is the identity`() {
        #expect(Composition {}.members.isEmpty)
    }

    @Test func `a block behaves as its middlewares joined`() {
        forAllMiddlewares(3) { parts in
            Composition {
                parts[0]
                parts[1]
                parts[2]
            }.eraseToAnyMiddleware()
        } equals: { parts in
            (parts[0] <> parts[1] <> parts[2]).eraseToAnyMiddleware()
        }
    }

    @Test func `a block in a block, and a loop, behave as one flat block`() {
        forAllMiddlewares(3) { parts in
            Composition {
                parts[0]
                Composition {
                    parts[1]
                    parts[2]
                }
            }.eraseToAnyMiddleware()
        } equals: { parts in
            Composition { for part in parts { part } }.eraseToAnyMiddleware()
        }
    }
}
