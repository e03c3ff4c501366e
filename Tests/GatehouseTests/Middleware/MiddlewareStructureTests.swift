// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// What lifting keeps: an identity stays one, a composition stays flat.
@Suite(.timeLimit(.minutes(10)))
struct MiddlewareStructureTests {
    typealias Identity = IdentityMiddleware<Int, Int, Int>
    typealias Composition = ComposedMiddleware<Int, Int, Int>

    private let trace = Trace()

    private var pair: Composition { Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace) }

    private func length(_ text: String) -> Int { text.count }
    private func input(_ text: String) -> Int? { text.count }
    private func output(_ number: Int) -> String { "\(number)" }

    @Test func `an identity lifted along any axes is an identity`() {
        let identity = Identity()
        let (i, o, s) = (input, output, length)
        #expect(identity.lift(inputAction: i, outputAction: o, state: s) == IdentityMiddleware())
        #expect(identity.lift(outputAction: o, state: s) == IdentityMiddleware())
        #expect(identity.lift(inputAction: i, state: s) == IdentityMiddleware())
        #expect(identity.lift(inputAction: i, outputAction: o) == IdentityMiddleware())
        #expect(identity.lift(inputAction: i) == IdentityMiddleware<String, Int, Int>())
        #expect(identity.lift(outputAction: o) == IdentityMiddleware<Int, String, Int>())
        #expect(identity.lift(state: s) == IdentityMiddleware<Int, Int, String>())
    }

    @Test func `a composition lifted along any axes is the composition of its lifted members`() {
        let (i, o, s) = (input, output, length)
        let lifts: [Int] = [
            pair.lift(inputAction: i, outputAction: o, state: s).members.count,
            pair.lift(outputAction: o, state: s).members.count,
            pair.lift(inputAction: i, state: s).members.count,
            pair.lift(inputAction: i, outputAction: o).members.count,
            pair.lift(inputAction: i).members.count,
            pair.lift(outputAction: o).members.count,
            pair.lift(state: s).members.count,
        ]
        #expect(lifts == Array(repeating: 2, count: 7))
    }

    @Test func `a lift that a reader made is recognised when it is erased`() {
        let identities = MiddlewareReader<Void, Identity> { Identity() }.lift(state: length)
        #expect(identities.inject(()).eraseToAnyMiddleware().isIdentity)
        let pair = pair
        let compositions = MiddlewareReader<Void, Composition> { pair }.lift(state: length)
        let erased = compositions.inject(()).eraseToAnyMiddleware()
        #expect(erased.composition?.members.count == 2)
        let twice = compositions.lift(inputAction: input).inject(()).eraseToAnyMiddleware()
        #expect(twice.composition?.members.count == 2)
    }

    @Test func `a lift taken apart behaves as the lift`() {
        forAllMiddlewares(2) { parts in
            whole(parts[0] <> parts[1]).eraseToAnyMiddleware()
        } equals: { parts in
            (whole(parts[0]) <> whole(parts[1])).eraseToAnyMiddleware()
        }
    }

    /// The general lift, which does not look at what it lifts.
    private func whole<Middleware: MiddlewareProtocol<Int, Int, Int>>(
        _ middleware: Middleware
    ) -> LiftMiddleware<Int, Int, Int, Middleware> {
        middleware.lift(
            inputAction: { (action: Int) in action % 3 == 0 ? nil : action - 1 }, outputAction: { $0 + 1 },
            state: { (state: Int) in -state })
    }
}
