// SPDX-License-Identifier: Apache-2.0

/// Fits a middleware of an element to a collection of such elements; made by `liftToCollection`.
///
/// One middleware serves all elements: effects of different elements share its tokens, so a token meant for one element must
/// contain the element's id. An `EffectMiddleware` lifted directly to elements found by id has separate effects for each
/// element instead. The part ignores an action that the input map turns into nil, or whose element does not exist at that
/// moment.
///
/// The part's state getter looks the element up at each read. If the element has been removed meanwhile, it returns the
/// element as it was when the action was handled. Each output is tied to the element that the action was for. The part's
/// `start` and `stopping` are not called: before the first action and after the last one there is no element for them.
public final class LiftToCollectionMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType, Key: Sendable,
    PartMiddleware: MiddlewareProtocol
>: MiddlewareProtocol {
    /// The middleware that was lifted.
    @usableFromInline let part: PartMiddleware
    /// Extracts the part's actions, with the element they are for.
    @usableFromInline let inputAction: (InputActionType) -> (Key, PartMiddleware.InputActionType)?
    /// Maps the part's outputs.
    @usableFromInline let outputAction: (Key, PartMiddleware.OutputActionType) -> OutputActionType
    /// Finds an element; nil if there is none.
    @usableFromInline let element: (StateType, Key) -> PartMiddleware.StateType?

    /// Lifts `part` to a collection whose elements are found by a key.
    @inlinable
    init(
        _ part: PartMiddleware,
        inputAction: @escaping (InputActionType) -> (Key, PartMiddleware.InputActionType)?,
        outputAction: @escaping (Key, PartMiddleware.OutputActionType) -> OutputActionType,
        element: @escaping (StateType, Key) -> PartMiddleware.StateType?
    ) {
        if part.structure.supervises { Self.refuseSupervision() }
        self.part = part
        self.inputAction = inputAction
        self.outputAction = outputAction
        self.element = element
    }

    /// Traps: the part would cancel for one element the effects that it keeps running for another.
    @usableFromInline
    static func refuseSupervision() -> Never {
        trap(
            "a SupervisingMiddleware must be lifted to a collection by id, with inputAction, outputAction and state, before its "
                + "type is hidden or it is composed; lifted otherwise it could not tell the elements' effects apart"
        )
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        guard let (key, local) = inputAction(action), let before = element(state(), key) else {
            return .pure()
        }
        let live = GetState { [element] in element(state(), key) ?? before }
        return part.handle(action: local, from: dispatcher, state: live)
            .map { [outputAction] in outputAction(key, $0) }
    }

    public func gateChanged(to gate: GateState) { part.gateChanged(to: gate) }

    public func cancelEffects() { part.cancelEffects() }

    public func stopEffects() { part.stopEffects() }
}
