// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InterceptorLiftTests {
    /// The action of a program with several parts; `mapped` tells whether a map made it.
    struct Global: Sendable, Equatable {
        var part: String
        var value: Int
        var isMapped = false
    }

    private let trace = Trace()
    private let kept = Kept<Next<Int>>()

    /// A store whose interceptor is the guard, lifted to the actions of part `p`.
    private func store(
        _ guarded: Guard, hooks: StoreHooks<Global> = StoreHooks()
    ) -> Store<Global, [Int]> {
        let trace = trace
        return Store(
            initialState: [0],
            reducer: .reduce { action, state in
                trace.add("reduce \(action.part)\(action.value)\(action.isMapped ? " mapped" : "")")
                state[0] += action.value
            },
            middleware: IdentityMiddleware<Global, Global, [Int]>(),
            interceptors: [
                guarded.lift(
                    inputAction: { $0.part == "p" ? $0.value : nil },
                    outputAction: { Global(part: "p", value: $0, isMapped: true) }, state: { $0[0] })
            ], hooks: hooks)
    }

    @Test func `an action that maps to nil passes by untouched`() {
        let store = store(Guard(name: "a", trace: trace, decide: { _ in .stop }))
        store.dispatch(Global(part: "q", value: 3))
        #expect(trace.lines == ["reduce q3"])
    }

    @Test func `an action passed on as it came is not mapped back`() {
        let store = store(Guard(name: "a", trace: trace))
        store.dispatch(Global(part: "p", value: 3))
        #expect(trace.lines == ["a before 3 (0)", "reduce p3", "a after 3 (3)"])
    }

    @Test func `a changed action and outputs are mapped`() {
        let store = store(
            Guard(
                name: "a", trace: trace, emits: { $0 == 3 ? [8] : [] },
                decide: { $0 == 3 ? .change(4) : .pass }))
        store.dispatch(Global(part: "p", value: 3))
        #expect(
            trace.lines == [
                "a before 3 (0)", "reduce p4 mapped", "a after 3 (4)", "a before 8 (4)", "reduce p8 mapped",
                "a after 8 (12)",
            ])
    }

    @Test func `an action passed on late is mapped only if it was changed`() {
        let store = store(Guard(name: "a", trace: trace, kept: kept, decide: { _ in .keep }))
        store.dispatch(Global(part: "p", value: 3))
        kept.value?()
        kept.value?(5)
        #expect(Array(trace.lines.dropFirst(2)) == ["reduce p3", "reduce p5 mapped"])
    }

    @Test func `after the store is gone the action is reported in the program's form`() {
        let late = Kept<DispatchedAction<Global>>()
        var store: Store<Global, [Int]>? = store(
            Guard(name: "a", trace: trace, kept: kept, decide: { _ in .keep }),
            hooks: StoreHooks(onLateAction: { late.value = $0 }))
        store?.dispatch(Global(part: "p", value: 3))
        store = nil
        kept.value?()
        #expect(late.value?.action == Global(part: "p", value: 3))
        kept.value?(5)
        #expect(late.value?.action == Global(part: "p", value: 5, isMapped: true))
    }

    @Test func `a lifted interceptor is concerned with what the map lets through and it wants to see`() {
        let lifted = Guard(name: "a", trace: Trace(), wants: { $0 > 5 }).lift(
            inputAction: { (action: Int) in action.isMultiple(of: 2) ? action : nil }, outputAction: \.self)
        #expect([4, 6, 7].map(lifted.concerns) == [false, true, false])
    }
}
