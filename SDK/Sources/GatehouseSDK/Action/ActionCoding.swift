// SPDX-License-Identifier: Apache-2.0

/// Turns the host's actions into one plugin's and back; belongs to one instance, used in the drain.
///
/// All readers of the instance share it: its interceptor, its middlewares and its reducer see one action after the other, so
/// that what was decoded last serves them all.
///
/// Only its functions require a `PluginAction`: what the type itself required would be looked up among all loaded images for
/// each plugin.
@usableFromInline
final class ActionCoding<Action: Sendable> {
    /// Told about payloads that do not decode.
    @usableFromInline let report: (Misfit) -> Void
    /// The type of the action without payload that was decoded last.
    @usableFromInline var bareType: ActionType?
    /// What it was decoded to.
    @usableFromInline var bareAction: Action?
    /// The types of actions without payload that have been decoded: they are the same each time.
    @usableFromInline var bareTypes: [ActionType] = []
    /// What was decoded for each of `bareTypes`.
    @usableFromInline var bareActions: [Action] = []
    /// What the payload in hand was decoded to, by this instance or another of the same plugin.
    @usableFromInline let decoded: DecodedPayload<Action>

    /// A coding that has decoded nothing so far.
    @usableFromInline
    init(report: @escaping (Misfit) -> Void, decoded: DecodedPayload<Action>) {
        self.report = report
        self.decoded = decoded
    }
}

extension ActionCoding where Action: PluginAction {
    /// The plugin's form of an action, nil when it does not decode.
    ///
    /// - Parameter isReporting: whether this reader tells what does not decode; one of them does.
    @inlinable
    func decode(_ action: AnyAction, isReporting: Bool) -> Action? {
        if let everything = action as? Action { return everything }
        // What is done for each action is here, what is done for the first reader or the first action stands apart.
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

    /// The plugin's form of an action with a payload that no reader has seen, or that did not decode.
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

    /// The plugin's form of an action without payload, decoded once for each type; there are as many as cases.
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

    /// The host's form of an action; the payload stays as it is until somebody of another type reads it.
    ///
    /// - Throws: when the action has no name.
    @inlinable
    func encode(_ action: Action) throws(CodingFailure) -> AnyAction {
        if let everything = action as? AnyAction { return everything }
        do {
            return AnyAction(type: try action.encodedType(), typed: action, isError: action.isError)
        } catch {
            throw CodingFailure(error)
        }
    }

    /// Emits an action in the host's form, or tells why it has none.
    @inlinable
    func emit(_ dispatched: DispatchedAction<Action>, to sink: ActionSink<AnyAction>) {
        do throws(CodingFailure) {
            sink.emit(DispatchedAction(try encode(dispatched.action), dispatcher: dispatched.dispatcher))
        } catch {
            report(.unwritable(error))
        }
    }
}
