// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MiddlewareReaderTests {
    typealias Reader = MiddlewareReader<String, Probe>

    private let trace = Trace()

    /// Writes down each injection.
    private var reader: Reader {
        Reader { [trace] name in
            trace.add("inject \(name)")
            return Probe(name: name, trace: trace)
        }
    }

    @Test func `each inject makes another middleware`() {
        _ = reader.inject("a")
        _ = reader.inject("b")
        #expect(trace.lines == ["inject a", "inject b"])
    }

    @Test func `pure ignores dependencies and gives the same middleware`() {
        let pure = MiddlewareReader<String, Probe>.pure(Probe(name: "p", trace: trace))
        #expect(pure.inject("a").name == "p")
        #expect(pure.inject("b").name == "p")
    }

    @Test func `contramapDependencies extracts, then injects; mapMiddleware transforms after`() {
        let mapped = reader.mapMiddleware { [trace] middleware in
            trace.add("transform")
            return middleware.eraseToAnyMiddleware()
        }.contramapDependencies { [trace] (world: Int) in
            trace.add("extract")
            return "\(world)"
        }
        _ = mapped.inject(7)
        #expect(trace.lines == ["extract", "inject 7", "transform"])
    }

    @Test func `composing injects left first with the same dependencies`() {
        let other = MiddlewareReader<String, AnyMiddleware<Int, Int, Int>> { [trace] name in
            trace.add("other \(name)")
            return Probe(name: name, trace: trace).eraseToAnyMiddleware()
        }
        #expect((reader <> other).inject("x").members.count == 2)
        #expect(trace.lines == ["inject x", "other x"])
    }

    @Test func `lifting dependencies alone does not wrap`() {
        let lifted: MiddlewareReader<Int, Probe> = reader.lift(dependencies: { (world: Int) in "\(world)" })
        #expect(lifted.inject(3).name == "3")
    }

    /// What a lifted reader's middleware hears of "ab", emits and reads of "state", as text.
    private func drive<Middleware: MiddlewareProtocol>(
        _ middleware: Middleware, _ action: Middleware.InputActionType, _ state: Middleware.StateType
    ) -> [String] {
        middleware.handle(action: action, from: .named("x"), state: GetState { state })
            .run { [trace] in trace.add("out \($0.action)") }
        return trace.lines.filter { !$0.hasPrefix("inject") }
    }

    /// The reader whose lifts are under test: answers by ten times the action.
    private var answering: Reader {
        Reader { [trace] name in Probe(name: name, trace: trace) { [$0 * 10] } }
    }

    private func count(_ text: String) -> Int? { text.isEmpty ? nil : text.count }
    private func text(_ number: Int) -> String { "<\(number)>" }
    private func length(_ text: String) -> Int { text.count }
    private func name(_ world: Int) -> String { "w\(world)" }

    @Test func `each of the fifteen lifts fits its axes`() {
        let (i, o, s, d) = (count, text, length, name)
        let plain = ["h 2 (5)", "out 20"], mapped = ["h 2 (5)", "out <20>"]
        func check<M: MiddlewareProtocol>(
            _ m: M, _ a: M.InputActionType, _ st: M.StateType, _ expected: [String]
        ) {
            let fresh = trace.lines.count
            let lines = drive(m, a, st).suffix(3)
            #expect(trace.lines.count - fresh == 3)
            #expect(lines.first?.hasSuffix("handle 2 (5)") == true)
            #expect(lines.last == expected.last)
        }
        check(
            answering.lift(inputAction: i, outputAction: o, state: s, dependencies: d).inject(1), "ab",
            "state", mapped)
        check(answering.lift(inputAction: i, outputAction: o, state: s).inject("x"), "ab", "state", mapped)
        check(answering.lift(inputAction: i, outputAction: o, dependencies: d).inject(1), "ab", 5, mapped)
        check(answering.lift(inputAction: i, state: s, dependencies: d).inject(1), "ab", "state", plain)
        check(answering.lift(outputAction: o, state: s, dependencies: d).inject(1), 2, "state", mapped)
        check(answering.lift(inputAction: i, outputAction: o).inject("x"), "ab", 5, mapped)
        check(answering.lift(inputAction: i, state: s).inject("x"), "ab", "state", plain)
        check(answering.lift(inputAction: i, dependencies: d).inject(1), "ab", 5, plain)
        check(answering.lift(outputAction: o, state: s).inject("x"), 2, "state", mapped)
        check(answering.lift(outputAction: o, dependencies: d).inject(1), 2, 5, mapped)
        check(answering.lift(state: s, dependencies: d).inject(1), 2, "state", plain)
        check(answering.lift(inputAction: i).inject("x"), "ab", 5, plain)
        check(answering.lift(outputAction: o).inject("x"), 2, 5, mapped)
        check(answering.lift(state: s).inject("x"), 2, "state", plain)
        check(answering.lift(dependencies: d).inject(1), 2, 5, plain)
    }
}
