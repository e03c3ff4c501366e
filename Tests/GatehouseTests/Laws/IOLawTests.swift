// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct IOLawTests {
    /// Work that emits the numbers, each with its own source.
    private func io(_ numbers: [Int]) -> IO<Int> {
        numbers.isEmpty
            ? .pure()
            : IO { output in for number in numbers { output.dispatch(number, from: .named("\(number)")) } }
    }

    /// What a run emits, with sources.
    private func outputs(_ io: IO<Int>) -> [String] {
        let trace = Trace()
        io.run { trace.add("\($0.action) from \($0.dispatcher.file)") }
        return trace.lines
    }

    /// Compares what two works made of three random ones emit.
    private func forAllIOs(
        _ one: @escaping ([IO<Int>]) -> IO<Int>, equals other: @escaping ([IO<Int>]) -> IO<Int>
    ) {
        forAll { random in
            let all = (0..<3).map { _ in io(random.numbers(0...9, upTo: 3)) }
            return (outputs(one(all)), outputs(other(all)))
        }
    }

    /// Each number twice, odd numbers swallowed.
    private func twice(_ action: DispatchedAction<Int>) -> IO<Int> {
        io(action.action % 2 == 0 ? [action.action, action.action] : [])
    }

    @Test func `identity is neutral on both sides`() {
        forAllIOs {
            .identity <> $0[0]
        } equals: {
            $0[0]
        }
        forAllIOs {
            $0[0] <> .identity
        } equals: {
            $0[0]
        }
    }

    @Test func `joining is associative`() {
        forAllIOs {
            ($0[0] <> $0[1]) <> $0[2]
        } equals: {
            $0[0] <> ($0[1] <> $0[2])
        }
    }

    @Test func `map keeps identity and composition`() {
        forAllIOs {
            $0[0].map { $0 }
        } equals: {
            $0[0]
        }
        forAllIOs {
            $0[0].map { $0 + 1 }.map { $0 * 2 }
        } equals: {
            $0[0].map { ($0 + 1) * 2 }
        }
    }

    @Test func `map distributes over joining`() {
        forAllIOs {
            ($0[0] <> $0[1]).map { -$0 }
        } equals: {
            $0[0].map { -$0 } <> $0[1].map { -$0 }
        }
    }

    @Test func `flatMap is associative and neutral for work that re-emits`() {
        forAllIOs { all in
            all[0].flatMap(twice).flatMap(twice)
        } equals: { all in
            all[0].flatMap { twice($0).flatMap(twice) }
        }
        forAllIOs { all in
            all[0].flatMap { action in IO { $0.dispatch(action) } }
        } equals: {
            $0[0]
        }
    }
}
