// SPDX-License-Identifier: Apache-2.0

/// Converts the host's actions to one plugin's and back; belongs to one instance, used in the drain.
///
/// All readers of the instance share it: its interceptor, middlewares and reducer see one action after the other, so
/// that one decoded action serves them all.
///
/// Only its functions require a `PluginAction`: a requirement of the type itself would be looked up in all loaded
/// images for each plugin.
@usableFromInline
final class ActionCoding<Action: Sendable> {
    /// Receives each failure to decode or encode.
    @usableFromInline let report: (Misfit) -> Void
    /// The type of the payload-free action decoded last.
    @safe @exclusivity(unchecked) @usableFromInline var bareType: ActionType?
    /// The decoded form of that action.
    @safe @exclusivity(unchecked) @usableFromInline var bareAction: Action?
    /// The types of the payload-free actions decoded so far; each always decodes to the same action.
    @safe @exclusivity(unchecked) @usableFromInline var bareTypes: [ActionType] = []
    /// The decoded action for each of `bareTypes`.
    @safe @exclusivity(unchecked) @usableFromInline var bareActions: [Action] = []
    /// The decoded form of the payload in hand, from this instance or another of the same plugin.
    @usableFromInline let decoded: DecodedPayload<Action>

    /// Creates a coding that has decoded nothing.
    @usableFromInline
    init(report: @escaping (Misfit) -> Void, decoded: DecodedPayload<Action>) {
        self.report = report
        self.decoded = decoded
    }
}

extension ActionCoding where Action: PluginAction {
    /// Returns the plugin's form of an action, or nil when it does not decode.
    ///
    /// - Parameter isReporting: whether this reader reports decoding failures; one of them does.
    @inlinable
    func decode(_ action: AnyAction, isReporting: Bool) -> Action? {
        if let everything = action as? Action { return everything }
        // Only the work for every action is here; that for the first reader or the first action is split off.
        guard let content = action.content else {
            if action.type == bareType, let bareAction { return bareAction }
            return decodeBare(action, isReporting: isReporting)
        }
        if content.serial == decoded.serial, action.type == decoded.type,
            case .success(let known) = decoded.result
        {
            return known
        }
        return decode(content, of: action, isReporting: isReporting)
    }

    /// Decodes an action whose payload no reader has seen, or did not decode.
    @inlinable
    @inline(never)
    func decode(_ content: ActionContent, of action: AnyAction, isReporting: Bool) -> Action? {
        if content.serial != decoded.serial || action.type != decoded.type {
            decoded.result = content.action(Action.self, as: action.type)
            decoded.serial = content.serial
            decoded.type = action.type
        }
        switch decoded.result {
        case .success(let action): return action
        case .failure(let failure):
            if isReporting { report(.unreadable(action, failure)) }
            return nil
        case nil: return nil
        }
    }

    /// Decodes an action without payload, once for each type; there are as many types as cases.
    @inlinable
    @inline(never)
    func decodeBare(_ action: AnyAction, isReporting: Bool) -> Action? {
        do {
            let decoded: Action
            if let index = bareTypes.firstIndex(of: action.type) {
                decoded = bareActions[index]
            } else {
                decoded = try Action(type: action.type, payload: nil)
                bareTypes.append(action.type)
                bareActions.append(decoded)
            }
            bareType = action.type
            bareAction = decoded
            return decoded
        } catch {
            if isReporting { report(.unreadable(action, CodingFailure(error))) }
            return nil
        }
    }

    /// Returns the host's form of an action; the payload stays as it is until a reader of another type needs it.
    ///
    /// - Throws: when the action has no name.
    @inlinable
    func encode(_ action: Action) throws(CodingFailure) -> AnyAction {
        if let everything = action as? AnyAction { return everything }
        let type = try CodingFailure.catching { try action.encodedType() }
        return AnyAction(type: type, typed: action, isError: action.isError)
    }

    /// Returns the host's form of an action; nil after reporting why it has none.
    @inlinable
    func written(_ action: Action) -> AnyAction? {
        do throws(CodingFailure) {
            return try encode(action)
        } catch {
            report(.unwritable(error))
            return nil
        }
    }

    /// Emits an action in the host's form, or reports why it has none.
    @inlinable
    func emit(_ dispatched: DispatchedAction<Action>, to sink: ActionSink<AnyAction>) {
        if let written = dispatched.compactMap(written) { sink.emit(written) }
    }
}
