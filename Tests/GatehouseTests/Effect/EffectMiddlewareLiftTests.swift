// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EffectMiddlewareLiftTests {
    /// Names for the types, as the documents have them.
    typealias Part = SimpleEffectMiddleware<Int, Int>

    /// What the whole does.
    struct Action: Sendable, Equatable {
        var number: Int?
        var note = ""
    }

    /// What the whole knows.
    struct State {
        var number = 7
    }

    private let trace = Trace()
    private let kept = Kept<EffectOutput<Int>>()

    /// Answers by ten times the action plus the state; keeps a running effect for 1.
    private var part: Part {
        Part.onAction { [kept] action, state, _ in
            action == 1
                ? .start(token: "t") { _, output in kept.value = output }
                : .just(action * 10 + state(), from: .named("part"))
        }
    }

    /// What a middleware emits.
    private func outputs<Middleware: MiddlewareProtocol>(
        _ middleware: Middleware, _ action: Middleware.InputActionType, _ state: Middleware.StateType
    ) -> [String] {
        let outputs = Trace()
        middleware.handle(action: action, from: .named("x"), state: GetState { state })
            .run { outputs.add("\($0.action) from \($0.dispatcher.file)") }
        return outputs.lines
    }

    @Test func `each of the seven lifts is an effect middleware`() {
        let i = { (text: String) -> Int? in text.count }
        let o = { (number: Int) in "<\(number)>" }
        let s = { (text: String) in text.count }
        let all: EffectMiddleware<String, String, String, Void> = part.lift(
            inputAction: i, outputAction: o, state: s)
        #expect(outputs(all, "ab", "abc") == ["<23> from part"])
        let os: EffectMiddleware<Int, String, String, Void> = part.lift(outputAction: o, state: s)
        #expect(outputs(os, 2, "abc") == ["<23> from part"])
        let inS: EffectMiddleware<String, Int, String, Void> = part.lift(inputAction: i, state: s)
        #expect(outputs(inS, "ab", "abc") == ["23 from part"])
        let io: EffectMiddleware<String, String, Int, Void> = part.lift(inputAction: i, outputAction: o)
        #expect(outputs(io, "ab", 3) == ["<23> from part"])
        let input: EffectMiddleware<String, Int, Int, Void> = part.lift(inputAction: i)
        #expect(outputs(input, "ab", 3) == ["23 from part"])
        let output: EffectMiddleware<Int, String, Int, Void> = part.lift(outputAction: o)
        #expect(outputs(output, 2, 3) == ["<23> from part"])
        let state: EffectMiddleware<Int, Int, String, Void> = part.lift(state: s)
        #expect(outputs(state, 2, "abc") == ["23 from part"])
    }

    @Test func `by key paths an output is the action it answers, with the output written in`() {
        let lifted: EffectMiddleware<Action, Action, State, Void> = part.lift(
            action: \Action.number, state: \State.number)
        #expect(
            outputs(lifted, Action(number: 2, note: "n"), State())
                == ["\(Action(number: 27, note: "n")) from part"])
        #expect(outputs(lifted, Action(number: nil), State()) == [])
    }

    @Test func `the effects of a lift are those of the original`() {
        let original = part
        let lifted = original.lift(action: \Action.number, state: \State.number)
        let twice: EffectMiddleware<Int, Action, State, Void> = lifted.lift(inputAction: {
            (number: Int) in Action(number: number)
        })
        #expect(outputs(twice, 1, State()) == [])
        #expect(original.runningEffects == 1)
        #expect(twice.runningEffects == 1)
        twice.cancelEffects()
        #expect(original.runningEffects == 0)
        #expect(kept.value?.isCancelled == true)
    }

    @Test func `lifts join each other, each once`() {
        let lifted = part.lift(inputAction: { (action: Int) in action + 1 })
        let join: Part = lifted <> part <> lifted
        #expect(outputs(join, 2, 3) == ["33 from part", "23 from part", "33 from part"])
        _ = outputs(join, 1, 0)
        #expect(join.runningEffects == 1)
    }

    @Test func `symmetrical effect middlewares have dependencies`() {
        let named = SymmetricalEffectMiddleware<Int, Int, String>(dependencies: "abc") { _, _, context in
            .just(context.dependencies.count, from: .named("named"))
        }
        #expect(outputs(named.lift(state: { (text: String) in text.count }), 1, "") == ["3 from named"])
    }

    // MARK: - Collections

    /// An element of a collection.
    private struct Item: Identifiable, Sendable {
        let id: String
        var count: Int
    }

    /// What is done to an element.
    private struct ItemAction: Sendable {
        var byID: ElementIDAction<String, Int>?
        var byIndex: ElementIndexAction<Int, Int>?
    }

    private struct Items {
        var items = [Item(id: "a", count: 1), Item(id: "b", count: 2)]
    }

    /// Answers by the action plus the element's count; keeps a running effect for 1.
    private var item: SimpleEffectMiddleware<Int, Item> {
        .onAction { [kept] action, state, _ in
            action == 1
                ? .start(token: state().id) { _, output in kept.value = output }
                : .just(action + state().count)
        }
    }

    @Test func `lifted to a collection by id it is an effect middleware still`() {
        let byClosures: EffectMiddleware<ItemAction, ElementIDAction<String, Int>, Items, Void> =
            item.liftToCollection(
                inputAction: { (action: ItemAction) in action.byID }, outputAction: { $0 },
                stateCollection: { (state: Items) in state.items })
        let answers = Trace()
        byClosures.handle(
            action: ItemAction(byID: ElementIDAction(id: "b", action: 10)), from: .here(),
            state: GetState { Items() }
        ).run { answers.add("\($0.action.id) \($0.action.action)") }
        #expect(answers.lines == ["b 12"])

        let byPaths: EffectMiddleware<ItemAction, ItemAction, Items, Void> =
            item.liftToCollection(action: \ItemAction.byID, stateCollection: \Items.items)
        byPaths.handle(
            action: ItemAction(byID: ElementIDAction(id: "a", action: 1)), from: .here(),
            state: GetState { Items() }
        ).run { _ in }
        #expect(byPaths.runningEffects == 1)
        byPaths.cancelEffects()
        #expect(byPaths.runningEffects == 0)
    }

    @Test func `lifted to a collection by index it is one too`() {
        let byClosures: EffectMiddleware<ItemAction, ElementIndexAction<Int, Int>, Items, Void> =
            item.liftToCollection(
                inputAction: { (action: ItemAction) in action.byIndex }, outputAction: { $0 },
                stateCollection: { (state: Items) in state.items })
        let byPaths: EffectMiddleware<ItemAction, ItemAction, Items, Void> =
            item.liftToCollection(action: \ItemAction.byIndex, stateCollection: \Items.items)
        let answers = Trace()
        let action = ItemAction(byIndex: ElementIndexAction(index: 1, action: 10))
        byClosures.handle(action: action, from: .here(), state: GetState { Items() })
            .run { answers.add("\($0.action.index) \($0.action.action)") }
        byPaths.handle(action: action, from: .here(), state: GetState { Items() })
            .run { answers.add("\($0.action.byIndex?.action ?? 0)") }
        #expect(answers.lines == ["1 12", "12"])
    }
}
