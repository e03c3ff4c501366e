// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import SeededTesting
import Testing

@testable import Gatehouse

/// Effects that are several; the names in front are those of SwiftRex's tests.
@Suite(.timeLimit(.minutes(5)))
struct EffectJoinTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>
    typealias Work = Effect<Void, Int>

    private let trace = Trace()

    /// A store that writes down what it reduces, and answers small actions by the effect.
    private func store(_ effect: @escaping @Sendable (Int) -> Work) -> (
        Store<Int, Int>, UnsafeShare<Middleware>
    ) {
        let trace = trace
        let shared = UnsafeShare(
            Middleware.onAction { action, _, _ in action < 100 ? effect(action) : .doNothing })
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, _ in if action >= 100 { trace.add("\(action)") } },
            middleware: Forward(shared))
        return (store, shared)
    }

    /// An effect that a test keeps open.
    private func open(_ kept: Kept<EffectOutput<Int>>, token: String? = nil) -> Work {
        .start(token: token) { _, output in kept.value = output }
    }

    @Test func `testMergeTwo: two effects emit in order, and go on beside each other`() {
        let (one, other) = (Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>())
        let (store, shared) = store { [self] _ in open(one) <> .just(100) <> open(other) }
        store.dispatch(1)
        #expect(trace.lines == ["100"])
        #expect(shared.value.runningEffects == 2)
        other.value?.send(102)
        one.value?.send(101)
        #expect(trace.lines == ["100", "102", "101"])
        one.value = nil
        other.value = nil
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `testMergeThree: three effects emit in order`() {
        let (store, _) = store { _ in
            .merge(.just(100), .sequence(101, 102), .start { _, output in output.send(103) })
        }
        store.dispatch(1)
        #expect(trace.lines == ["100", "101", "102", "103"])
    }

    @Test func `an effect joined with one that does nothing is the effect itself, with its token`() {
        let effect = Work.start(token: "t") { _, _ in }
        #expect((effect <> .doNothing).token == EffectToken("t"))
        #expect((.doNothing <> effect).token == EffectToken("t"))
        #expect(Work.merge(.doNothing, effect, .doNothing).token == EffectToken("t"))
        #expect((Work.doNothing <> .doNothing).doesSomething == false)
    }

    @Test func `testPrepend: an action comes before what the effect emits`() {
        let (store, _) = store { _ in Work.start { _, output in output.send(102) }.prepend(101).prepend(100) }
        store.dispatch(1)
        #expect(trace.lines == ["100", "101", "102"])
    }

    @Test func `testAppend: an action comes when the effect has ended`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, _) = store { [self] _ in open(kept).append(101).append(102) }
        store.dispatch(1)
        kept.value?.send(100)
        #expect(trace.lines == ["100"])
        kept.value?.finish()
        #expect(trace.lines == ["100", "101", "102"])
        kept.value?.finish()
        #expect(trace.lines == ["100", "101", "102"])
    }

    @Test func `a run is over when what was appended has been processed, not before`() {
        let (trace, kept) = (trace, Kept<EffectOutput<Int>>())
        let (store, _) = store { [self] _ in open(kept).append(101) }
        store.activity.onIdle { trace.add("idle") }
        store.dispatch(1)
        kept.value?.finish()
        #expect(trace.lines == ["101", "idle"])
    }

    @Test func `what is appended to a join comes when the last part has ended, each time anew`() {
        let (one, other) = (Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>())
        let (store, _) = store { [self] _ in (open(one) <> .just(100) <> open(other)).append(101) }
        for _ in 0..<2 {
            store.dispatch(1)
            one.value = nil
            #expect(trace.lines.last == "100")
            other.value = nil
            #expect(trace.lines.last == "101")
        }
        #expect(trace.lines.count == 4)
    }

    @Test func `what is appended inside a join waits for its part only`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, _) = store { [self] _ in (Work.just(100).append(101) <> open(kept)).append(102) }
        store.dispatch(1)
        #expect(trace.lines == ["100", "101"])
        kept.value = nil
        #expect(trace.lines == ["100", "101", "102"])
    }

    @Test func `what is appended inside a join comes ahead of what is appended to the join`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, _) = store { [self] _ in (open(kept).append(101) <> .just(100)).append(102) }
        store.dispatch(1)
        #expect(trace.lines == ["100"])
        kept.value = nil
        #expect(trace.lines == ["100", "101", "102"])
    }

    @Test func `what is appended to nothing is emitted, and to what is cancelled not`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { [self] action in
            switch action {
            case 1: Work.doNothing.append(100)
            case 2: open(kept, token: "t").append(101)
            default: .cancel("t") <> .just(102)
            }
        }
        for action in 1...3 { store.dispatch(action) }
        #expect(trace.lines == ["100", "102"])
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `each part keeps its token`() {
        let (one, other) = (Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>())
        let (store, shared) = store { [self] action in
            action == 1 ? open(one, token: "one") <> open(other, token: "other") : .cancel("one")
        }
        store.dispatch(1)
        store.dispatch(2)
        #expect(shared.value.runningEffects == 1)
        #expect(one.value?.isCancelled == true)
        #expect(other.value?.isCancelled == false)
    }

    @Test func `a join is an effect of a monoid: nothing changes it, and grouping does not matter`() {
        #expect(!(Work.identity <> .doNothing).doesSomething)
        let all: @Sendable () -> [Work] = {
            [.just(100), .doNothing, .sequence(101, 102), .cancel("t"), .just(103)]
        }
        let (store, _) = store { action in
            let parts = all()
            return switch action {
            case 1: parts.reduce(.identity, <>)
            case 2: parts.reversed().reduce(.identity) { $1 <> $0 }
            default: (parts[0] <> parts[1]) <> (parts[2] <> parts[3]) <> parts[4]
            }
        }
        for action in 1...3 { store.dispatch(action) }
        #expect(trace.lines == Array(repeating: ["100", "101", "102", "103"], count: 3).flatMap(\.self))
    }

    @Test func `a join is mapped, freed of dependencies and moved to the background part by part`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { [self] _ in
            (open(kept) <> .just(1)).append(2).map { $0 + 100 }.ignoringDependencies().inBackground
        }
        store.dispatch(1)
        #expect(shared.value.runningEffects == 1)
        kept.value?.send(7)
        kept.value = nil
        #expect(trace.lines == ["101", "107", "102"])
    }

    @Test func `a delayed join waits, and each part is cancelled by its token`() async {
        let clock = ManualClock()
        let (store, shared) = store { action in
            guard action == 1 else { return .cancel("t") }
            let join: Work = .start(token: "t") { _, output in output.send(100) } <> .just(101)
            return join.append(102).delay(for: .seconds(1), clock: clock)
        }
        store.dispatch(1)
        #expect(shared.value.runningEffects == 2)
        store.dispatch(2)
        await clock.sleepers(1)
        let done = Signal()
        store.activity.onIdle { done.fire() }
        clock.advance(by: .seconds(1))
        await done.wait()
        #expect(trace.lines == ["101"])
    }

    @Test func `a part of a join that is debounced waits by itself`() async {
        let clock = ManualClock()
        let (store, _) = store { action in
            .just(100 + action) <> Work.just(110 + action).debounce("d", for: .seconds(1), clock: clock)
        }
        store.dispatch(1)
        store.dispatch(2)
        #expect(trace.lines == ["101", "102"])
        await clock.sleepers(1)
        let done = Signal()
        store.activity.onIdle { done.fire() }
        clock.advance(by: .seconds(1))
        await done.wait()
        #expect(trace.lines == ["101", "102", "112"])
    }

    @Test func `a debounced join is replaced as a whole`() async {
        let clock = ManualClock()
        let (store, _) = store { action in
            (Work.just(100 + action) <> .just(110 + action)).debounce("d", for: .seconds(1), clock: clock)
        }
        store.dispatch(1)
        store.dispatch(2)
        await clock.sleepers(1)
        let done = Signal()
        store.activity.onIdle { done.fire() }
        clock.advance(by: .seconds(1))
        await done.wait()
        #expect(trace.lines == ["102", "112"])
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["from the left", "from the right", "in halves", "by joins of three"])
    func `forty thousand effects may be joined one by one`(_ way: String) {
        let count = 40_000
        func halves(_ range: Range<Int>) -> Work {
            if range.count == 1 { return .just(100 + range.lowerBound) }
            let middle = (range.lowerBound + range.upperBound) / 2
            return halves(range.lowerBound..<middle) <> halves(middle..<range.upperBound)
        }
        let join: Work =
            switch way {
            case "from the left": (0..<count).reduce(.doNothing) { $0 <> .just(100 + $1) }
            case "from the right": (0..<count).reversed().reduce(.doNothing) { .just(100 + $1) <> $0 }
            case "in halves": halves(0..<count)
            default:
                stride(from: 0, to: count, by: 3).reduce(.doNothing) { join, first in
                    join <> .merge((first..<min(first + 3, count)).map { .just(100 + $0) })
                }
            }
        #expect(join.parts.count == count)
        let shared = UnsafeShare(join.inBackground.map(\.self).append(100 + count))
        let (store, _) = store { _ in shared.value }
        store.dispatch(1)
        #expect(trace.lines == (0...count).map { "\(100 + $0)" })
    }

    @Test func `however joins are joined, their parts stay in order and lie in rows of falling size`() {
        forAll { random in
            // Neighbours are joined until one join is left; each effect knows its place.
            var joins = (0..<random.number(2...60)).map { place in Work.just(place, from: .named("\(place)"))
            }
            let count = joins.count
            while joins.count > 1 {
                let place = random.number(1...joins.count - 1)
                joins[place - 1] = joins[place - 1] <> joins.remove(at: place)
            }
            let order = joins[0].parts.compactMap { part -> String? in
                if case .emit(let action) = part.work { action.dispatcher.file } else { nil }
            }
            guard case .all(let rows, then: _) = joins[0].work else { return ([], order) }
            let sizes = rows.map(\.parts.count)
            // A row that is no join stands alone only where all are such.
            let alike = zip(sizes, sizes.dropFirst()).filter { max($0, $1) <= 2 * min($0, $1) }
            if sizes.max() ?? 1 > 1, !alike.isEmpty { return (["rows of \(sizes)"], []) }
            return ((0..<count).map { "\($0)" }, order)
        }
    }

    @Test func `what comes at the end of an effect is queued together, wherever the effect ends`() async {
        for ends in ["in the drain", "elsewhere"] {
            let kept = Kept<EffectOutput<Int>>()
            let answers = Trace()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: .reduce { action, _ in answers.add("\(action)") },
                middleware: Middleware.onAction { action, _, _ in
                    switch action {
                    case 1: .start { _, output in kept.value = output }.append(10).append(20).append(30)
                    case 2: .fireAndForget { _ in kept.value?.finish() }
                    case 10, 20: .just(action + 1)
                    default: .doNothing
                    }
                })
            store.dispatch(1)
            if ends == "in the drain" { store.dispatch(2) } else { kept.value?.finish() }
            #expect(
                answers.lines.filter { $0 != "1" && $0 != "2" } == ["10", "20", "30", "11", "21"], "\(ends)")
        }
    }
}
