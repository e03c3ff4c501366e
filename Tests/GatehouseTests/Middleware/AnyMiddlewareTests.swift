// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnyMiddlewareTests {
    typealias Erased = AnyMiddleware<Int, Int, Int>

    private let trace = Trace()

    @Test func `erasure remembers identities and compositions, however often`() {
        let identity = IdentityMiddleware<Int, Int, Int>().eraseToAnyMiddleware().eraseToAnyMiddleware()
        #expect(identity.isIdentity)
        #expect(identity.composition == nil)
        let pair = (Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace)).eraseToAnyMiddleware()
        #expect(Erased(pair).composition?.members.count == 2)
        #expect(!pair.isIdentity)
    }

    @Test func `a closure is neither identity nor composition`() {
        let closure = Erased { _, _, _ in .pure() }
        #expect(!closure.isIdentity)
        #expect(closure.composition == nil)
    }

    @Test func `erased lifts keep identities and compositions`() {
        let pair = (Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace)).eraseToAnyMiddleware()
        let identity = IdentityMiddleware<Int, Int, Int>().eraseToAnyMiddleware()
        #expect(pair.lift(state: { (state: String) in state.count }).composition?.members.count == 2)
        #expect(pair.lift(outputAction: { "\($0)" }).composition?.members.count == 2)
        #expect(identity.lift(inputAction: { (action: String) in action.count }).isIdentity)
    }

    @Test func `every call is forwarded`() {
        let erased = Probe(name: "a", trace: trace).eraseToAnyMiddleware()
        erased.handle(action: 1, from: .named("x"), state: GetState { 0 }).run { _ in }
        erased.gateChanged(to: .active)
        erased.cancelEffects()
        #expect(erased.start(state: GetState { 0 }).isPure)
        #expect(trace.lines == ["a handle 1 (0)", "a io 1 (0)", "a gate active", "a cancelled"])
    }

    @Test func `erasure keeps a class alive`() {
        var erased: Erased? = EffectMiddleware<Int, Int, Int, Void>.onAction { [trace] _, _, _ in
            trace.add("called")
            return .doNothing
        }.eraseToAnyMiddleware()
        erased?.handle(action: 1, from: .named("x"), state: GetState { 0 }).run { _ in }
        #expect(trace.lines == ["called"])
        erased = nil
    }
}
