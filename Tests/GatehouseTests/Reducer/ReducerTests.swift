// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReducerTests {
    /// A state with a part.
    struct Whole: Equatable {
        var part = 0
        var writes = 0
    }

    /// An action with a part.
    struct Action {
        var number: Int?
    }

    @Test func `left first, the right sees its result`() {
        let twice = Reducer<Int, Int>.reduce { _, state in state *= 2 }
        var state = 1
        (Reducer<Int, Int>.adding <> twice).reduce(3, &state)
        #expect(state == 8)
    }

    @Test func `a join has changed if either has`() {
        let changed = Reducer<Int, Int>.reduce { _, _ in }
        let unchanged = Reducer<Int, Int>.reducing { _, _ in .unchanged }
        var state = 0
        #expect((changed <> unchanged).apply(1, &state) == .changed)
        #expect((unchanged <> changed).apply(1, &state) == .changed)
        #expect((unchanged <> unchanged).apply(1, &state) == .unchanged)
        #expect(Reducer<Int, Int>.identity.apply(1, &state) == .unchanged)
    }

    @Test func `an action without the part skips the reducer and is unchanged`() {
        let lifted = Reducer<Int, Int>.adding.lift(action: \Action.number, state: \Whole.part)
        var whole = Whole()
        #expect(lifted.apply(Action(number: nil), &whole) == .unchanged)
        #expect(lifted.apply(Action(number: 4), &whole) == .changed)
        #expect(whole == Whole(part: 4))
    }

    @Test func `lifts along one axis`() {
        var whole = Whole()
        _ = Reducer<Int, Int>.adding.lift(state: \Whole.part).apply(2, &whole)
        #expect(whole.part == 2)
        var number = 1
        #expect(
            Reducer<Int, Int>.adding.lift(action: \Action.number).apply(Action(number: nil), &number)
                == .unchanged)
        _ = Reducer<Int, Int>.adding.lift(action: \Action.number).apply(Action(number: 2), &number)
        #expect(number == 3)
    }

    @Test func `the closure form writes back only what changed`() {
        let part = Reducer<Int, Int>.reducing { action, state in
            guard action > 0 else { return .unchanged }
            state += action
            return .changed
        }
        let lifted = part.lift(
            actionGetter: { (action: Action) in action.number },
            stateGetter: { (whole: Whole) in whole.part },
            stateSetter: { whole, part in
                whole.part = part
                whole.writes += 1
            })
        var whole = Whole()
        for number in [nil, 0, 5] { _ = lifted.apply(Action(number: number), &whole) }
        #expect(whole == Whole(part: 5, writes: 1))
    }

    @Test func `the key path form reduces in place`() {
        struct Holder { var list = Array(1...3) }
        var holder = Holder()
        let address = unsafe holder.list.withUnsafeBufferPointer { $0.baseAddress }
        _ = Reducer<Int, [Int]>.reduce { action, list in list[0] = action }
            .lift(state: \Holder.list).apply(9, &holder)
        #expect(holder.list == [9, 2, 3])
        let after = unsafe holder.list.withUnsafeBufferPointer { $0.baseAddress }
        #expect(unsafe address == after)
    }
}
