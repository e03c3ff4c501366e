// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct IOTests {
    private let trace = Trace()

    /// Work that writes down that it runs and emits a number.
    private func io(_ number: Int) -> IO<Int> {
        IO { [trace] output in
            trace.add("run \(number)")
            output.dispatch(number, from: .named("io"))
        }
    }

    /// Runs, writing down what is emitted.
    private func run(_ io: IO<Int>) {
        io.run { [trace] in trace.add("out \($0.action) from \($0.dispatcher.file)") }
    }

    @Test func `nothing happens until it is run, and running twice does the work twice`() {
        let work = io(1)
        #expect(trace.lines == [])
        run(work)
        run(work)
        #expect(trace.lines == ["run 1", "out 1 from io", "run 1", "out 1 from io"])
    }

    @Test func `pure runs nothing, mapped or joined`() {
        #expect(IO<Int>.pure().isPure)
        #expect(IO<Int>.pure().map { $0 + 1 }.isPure)
        #expect(IO<Int>.pure().flatMap { _ in io(1) }.isPure)
        #expect((IO<Int>.pure() <> IO<Int>.identity).isPure)
        #expect(!io(1).isPure)
    }

    @Test func `joining runs left first`() {
        run(io(1) <> io(2))
        #expect(trace.lines == ["run 1", "out 1 from io", "run 2", "out 2 from io"])
    }

    @Test func `map transforms late emissions too and keeps sources`() {
        let kept = Kept<AnyActionHandler<Int>>()
        run(IO { kept.value = $0 }.map { (value: Int) in value * 10 })
        kept.value?.dispatch(4, from: .named("late"))
        #expect(trace.lines == ["out 40 from late"])
    }

    @Test func `flatMap runs the work for each emission at once, pure swallows it`() {
        run(io(1).flatMap { [self] action in io(action.action + 1) } <> io(5).flatMap { _ in .pure() })
        #expect(trace.lines == ["run 1", "run 2", "out 2 from io", "run 5"])
    }

    @Test func `a stack runs last to first and survives being run twice`() {
        let stack = IOStack<Int>()
        for number in 1...3 { stack.push(io(number)) }
        run(stack.io)
        run(stack.io)
        #expect(
            trace.lines.filter { $0.hasPrefix("run") } == [
                "run 3", "run 2", "run 1", "run 3", "run 2", "run 1",
            ])
    }

    @Test func `an empty stack is pure, a stack of one is that one`() {
        var stack = IOStack<Int>()
        stack.push(.pure())
        #expect(stack.io.isPure)
        stack.push(io(1))
        let alone = stack.io
        _ = IOStack.reuse(&stack)
        run(alone)
        #expect(trace.lines == ["run 1", "out 1 from io"])
    }
}
