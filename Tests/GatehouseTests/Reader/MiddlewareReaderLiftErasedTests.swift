// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Reader lifts keep identity and composition recognisable.
@Suite(.timeLimit(.minutes(10)))
struct MiddlewareReaderLiftErasedTests {
    typealias Erased = AnyMiddleware<Int, Int, Int>
    typealias Reader = MiddlewareReader<Int, Erased>

    /// All lifts of a reader of an erased middleware, one for each subset of the axes.
    private static func lifts(_ reader: Reader) -> [Reader] {
        let input: (Int) -> Int? = { $0 }
        let output: (Int) -> Int = { $0 }
        let state: (Int) -> Int = { $0 }
        let world: (Int) -> Int = { $0 }
        return [
            reader.lift(inputAction: input, outputAction: output, state: state, dependencies: world),
            reader.lift(inputAction: input, outputAction: output, dependencies: world),
            reader.lift(inputAction: input, state: state, dependencies: world),
            reader.lift(outputAction: output, state: state, dependencies: world),
            reader.lift(inputAction: input, dependencies: world),
            reader.lift(outputAction: output, dependencies: world),
            reader.lift(state: state, dependencies: world),
            reader.lift(dependencies: world),
            reader.lift(inputAction: input, outputAction: output, state: state),
            reader.lift(inputAction: input, outputAction: output),
            reader.lift(inputAction: input, state: state),
            reader.lift(outputAction: output, state: state),
            reader.lift(inputAction: input),
            reader.lift(outputAction: output),
            reader.lift(state: state),
        ]
    }

    @Test func `a reader of an erased identity, lifted, gives an identity`() {
        let reader = Reader { _ in IdentityMiddleware().eraseToAnyMiddleware() }
        for (index, lifted) in Self.lifts(reader).enumerated() {
            #expect(lifted.inject(1).isIdentity, "lift \(index)")
        }
    }

    @Test func `a reader of an erased composition, lifted, gives a composition that is flattened`() {
        let reader = Reader { _ in
            (Probe(name: "a", trace: Trace()) <> Probe(name: "b", trace: Trace())).eraseToAnyMiddleware()
        }
        for (index, lifted) in Self.lifts(reader).enumerated() {
            #expect(lifted.inject(1).composition?.members.count == 2, "lift \(index)")
            #expect((lifted <> reader).inject(1).members.count == 4, "lift \(index)")
        }
    }

    @Test func `without a type in sight, the lift of a reader of an erased middleware is one again`() {
        let reader = Reader { _ in IdentityMiddleware().eraseToAnyMiddleware() }
        let lifted = reader.lift(state: { (state: String) in state.count })
        #expect(lifted.inject(1).isIdentity)
    }

    @Test func `the documented result type can be asked for`() {
        let reader = Reader { _ in IdentityMiddleware().eraseToAnyMiddleware() }
        let lifted: MiddlewareReader<Int, LiftMiddleware<Int, Int, String, Erased>> =
            reader.lift(state: { (state: String) in state.count })
        #expect(lifted.inject(1).handle(action: 1, from: .named("x"), state: GetState { "" }).isPure)
    }
}
