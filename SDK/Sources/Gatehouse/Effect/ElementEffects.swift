// SPDX-License-Identifier: Apache-2.0

/// Fits an effect middleware of an element to a collection whose elements are found by id; made by `liftToCollection`.
///
/// Each element has effects of its own: tokens, intervals and the limit of effects count for it alone. When an element has left
/// the collection, its effects are cancelled after the reducers of the next action that comes by. What then answers the action
/// with which it left may still be about the element, such as deleting it elsewhere, and goes on. For all else see
/// `LiftToCollectionMiddleware`.
@usableFromInline
final class ElementEffects<
    Global: MiddlewareProtocol, Input: Sendable, Output: Sendable, Element, Dependencies,
    ID: Hashable & Sendable
>: MiddlewareProtocol {
    @usableFromInline typealias InputActionType = Global.InputActionType
    @usableFromInline typealias OutputActionType = Global.OutputActionType
    @usableFromInline typealias StateType = Global.StateType
    /// The middleware of one element.
    @usableFromInline typealias Part = EffectMiddleware<Input, Output, Element, Dependencies>

    /// What the elements' middlewares are made from; it runs nothing itself.
    private let part: Part
    /// Fits the middleware of one element.
    private let lift: (Part) -> Global
    /// The id of the element that an action is for; nil for an action that is for none.
    private let id: (Global.InputActionType) -> ID?
    /// The ids of all elements.
    private let ids: (Global.StateType) -> Set<ID>
    /// The elements that have been told something and may have effects running.
    private var elements: [ID: (part: Part, whole: Global)] = [:]
    /// The middlewares of elements that have left, whose last effects run.
    private var left: [Part] = []

    /// Lifts `part`, of which each element gets one of its own.
    @usableFromInline
    init(
        _ part: Part, id: @escaping (Global.InputActionType) -> ID?,
        ids: @escaping (Global.StateType) -> Set<ID>, lift: @escaping (Part) -> Global
    ) {
        self.part = part
        self.id = id
        self.ids = ids
        self.lift = lift
    }

    @usableFromInline
    func handle(
        action: Global.InputActionType, from dispatcher: ActionSource, state: GetState<Global.StateType>
    ) -> IO<Global.OutputActionType> {
        let id = id(action)
        let answer = id.map {
            whole(of: $0).handle(action: action, from: dispatcher, state: state)
        }
        if elements.isEmpty, left.isEmpty { return answer ?? .pure() }
        return IO { [self] output in
            letGo(allBut: ids(state()), answering: id)
            answer?.run(output)
        }
    }

    /// The middleware of an element, made when it is first told something.
    private func whole(of id: ID) -> Global {
        if let known = elements[id] { return known.whole }
        let own = part.again()
        let whole = lift(own)
        elements[id] = (own, whole)
        return whole
    }

    /// Cancels the effects of elements that are not there, and forgets those that have none.
    private func letGo(allBut present: Set<ID>, answering id: ID?) {
        left.removeAll { $0.effects.isNothing }
        for (known, element) in elements where !present.contains(known) {
            elements[known] = nil
            element.part.cancelEffects()
            if known == id { left.append(element.part) }
        }
        for (known, element) in elements where known != id && element.part.effects.isNothing {
            elements[known] = nil
        }
    }

    /// All that may have effects running.
    private var parts: [Part] { left + elements.values.map(\.part) }

    /// What all elements have running together.
    @usableFromInline var effects: EffectCount { parts.reduce(EffectCount()) { $0 + $1.effects } }

    @usableFromInline
    func gateChanged(to gate: GateState) {
        for element in elements.values { element.part.gateChanged(to: gate) }
    }

    @usableFromInline
    func cancelEffects() { for part in parts { part.cancelEffects() } }

    @usableFromInline
    func stopEffects() { for part in parts { part.stopEffects() } }
}
