// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EffectMapTests {
    typealias Work = Effect<Void, Int>

    /// What running an effect emits, with sources, and how many effects are left.
    private static func outcome<Dependencies>(
        _ effect: @escaping () -> Effect<Dependencies, Int>, dependencies: Dependencies
    ) -> [String] {
        let trace = Trace()
        let middleware = EffectMiddleware<Int, Int, Int, Dependencies>(dependencies: dependencies) {
            _, _, _ in
            effect()
        }
        middleware.handle(action: 1, from: .named("in"), state: GetState { 0 })
            .run { trace.add("\($0.action) \($0.dispatcher.file)") }
        return trace.lines + ["\(middleware.runningEffects) running"]
    }

    /// An effect of any kind.
    private static func random(_ random: inout SeededGenerator) -> Work {
        let numbers = random.numbers(0...9, upTo: 3)
        switch random.number(0...5) {
        case 0: return .doNothing
        case 1: return .just(random.number(0...9), from: .named("just"))
        case 2: return .sequence(numbers, from: .named("sequence"))
        case 3: return .cancel("t")
        case 4: return .promise(token: "p", file: "promise") { $0(numbers.first ?? 0) }
        default:
            return .start { context, output in
                for number in numbers {
                    output.send(DispatchedAction(number, dispatcher: context.dispatcher))
                }
                output.finish()
            }
        }
    }

    /// Compares two effects made from a random one.
    private func forAllEffects(_ one: @escaping (Work) -> Work, equals other: @escaping (Work) -> Work) {
        forAll { random in
            let effect = Self.random(&random)
            return (
                Self.outcome({ one(effect) }, dependencies: ()),
                Self.outcome({ other(effect) }, dependencies: ())
            )
        }
    }

    @Test func `mapping by the identity function changes nothing`() {
        forAllEffects {
            $0.map { $0 }
        } equals: {
            $0
        }
    }

    @Test func `mapping twice equals mapping by the composed function`() {
        forAllEffects {
            $0.map { $0 + 1 }.map { $0 * 2 }
        } equals: {
            $0.map { ($0 + 1) * 2 }
        }
    }

    @Test func `ignoring dependencies changes nothing but the type`() {
        forAll { random in
            let effect = Self.random(&random)
            return (
                Self.outcome({ effect.ignoringDependencies() }, dependencies: "any"),
                Self.outcome({ effect }, dependencies: ())
            )
        }
    }

    @Test func `map and ignoring dependencies keep token, background and doing nothing`() {
        let work = Work.start(token: "t") { _, _ in }.inBackground
        #expect(work.map { "\($0)" }.token == EffectToken("t"))
        #expect(work.map { "\($0)" }.kind == .background)
        let free: Effect<String, Int> = work.ignoringDependencies()
        #expect(free.token == EffectToken("t"))
        #expect(free.kind == .background)
        #expect(!Work.doNothing.map { "\($0)" }.doesSomething)
    }

    @Test func `a mapped effect runs until its work is over, and is cancelled by its token`() {
        let (trace, kept) = (Trace(), Kept<EffectOutput<Int>>())
        let middleware = EffectMiddleware<Int, String, Int, Void>.onAction { action, _, context in
            guard action == 1 else { return context.toCancel("t") }
            return Work.start(token: "t") { _, output in
                kept.value = output
                output.onCancel { trace.add("stopped") }
            }.map { "<\($0)>" }
        }
        func dispatch(_ action: Int) {
            middleware.handle(action: action, from: .named("in"), state: GetState { 0 })
                .run { trace.add($0.action) }
        }
        dispatch(1)
        #expect(middleware.runningEffects == 1)
        kept.value?.send(7)
        kept.value = nil
        #expect(middleware.runningEffects == 0, "nobody holds the output")
        dispatch(1)
        dispatch(2)
        kept.value?.send(8)
        #expect(middleware.runningEffects == 0)
        #expect(trace.lines == ["<7>", "stopped"])
    }
}
