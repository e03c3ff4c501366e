// SPDX-License-Identifier: Apache-2.0

/// Fits an effect middleware of an element to a collection whose elements are found by id; made by `liftToCollection`.
///
/// Each element has its own effects: tokens, intervals and the limit of effects apply to it alone. When an element has left the
/// collection, its effects are cancelled after the reducers of the next action that comes by. An answer to the action with
/// which it left may still concern the element, such as deleting it elsewhere, and continues. For all else see
/// `LiftToCollectionMiddleware`.
@usableFromInline
final class ElementEffects<
    Global: MiddlewareProtocol, Input: Sendable, Output: Sendable, Element, Dependencies,
    ID: Hashable & Sendable
>: MiddlewareProtocol {
    /// The middleware of one element.
    @usableFromInline typealias Part = EffectMiddleware<Input, Output, Element, Dependencies>

    /// The template of the elements' middlewares; it runs nothing itself.
    private let part: Part
    /// Fits the middleware of one element.
    private let lift: (Part) -> Global
    /// Returns the id of the element that an action is for; nil for none.
    private let id: (Global.InputActionType) -> ID?
    /// Returns the ids of all elements.
    private let ids: (Global.StateType) -> Set<ID>
    /// The elements that have received an action and may have running effects.
    private var elements: [ID: (part: Part, whole: Global)] = [:]
    /// The middlewares of elements that have left, whose last effects run.
    private var left: [Part] = []

    /// Lifts a copy of `part` for each element.
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

    /// Returns the middleware of an element, made at its first action.
    private func whole(of id: ID) -> Global {
        if let known = elements[id] { return known.whole }
        let own = part.again()
        let whole = lift(own)
        elements[id] = (own, whole)
        return whole
    }

    /// Cancels the effects of missing elements, and forgets elements without effects.
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

    /// All middlewares that may have running effects.
    private var parts: [Part] { left + elements.values.map(\.part) }

    /// The running effects of all elements together.
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
