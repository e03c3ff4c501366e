// SPDX-License-Identifier: Apache-2.0

/// Turns the host's actions into one plugin's and back; belongs to one instance, used in the drain.
///
/// Only its functions require a `PluginAction`: what the type itself required would be looked up among all loaded images for
/// each plugin.
@usableFromInline
final class ActionCoding<Action: Sendable> {
    /// Told about payloads that do not decode, and about outputs that do not encode.
    @usableFromInline let report: (AnyAction, CodingFailure) -> Void
    /// False where another reader of the same instance tells already what does not decode.
    @usableFromInline let reportsDecoding: Bool
    /// The types of actions without payload that have been decoded: they are the same each time.
    @usableFromInline var bareTypes: [UInt64] = []
    /// What was decoded for each of `bareTypes`.
    @usableFromInline var bareActions: [Action] = []
    /// The type of each name the plugin has emitted.
    @usableFromInline var types: [String: ActionType] = [:]

    /// Nothing decoded or encoded so far.
    @usableFromInline
    init(report: @escaping (AnyAction, CodingFailure) -> Void, reportsDecoding: Bool) {
        self.report = report
        self.reportsDecoding = reportsDecoding
    }
}

extension ActionCoding where Action: PluginAction {
    /// The plugin's form of an action, nil when it does not decode.
    @inlinable
    func decode(_ action: AnyAction) -> Action? {
        if let everything = action as? Action { return everything }
        guard let content = action.content else { return decodeBare(action) }
        switch content.action(Action.self, named: action.type) {
        case .success(let decoded): return decoded
        case .failure(let failure):
            if reportsDecoding { report(action, failure) }
            return nil
        }
    }

    /// The plugin's form of an action without payload.
    @inlinable
    func decodeBare(_ action: AnyAction) -> Action? {
        let id = action.type.id
        for index in bareTypes.indices where bareTypes[index] == id { return bareActions[index] }
        do {
            let decoded = try Action(name: action.type.name, payload: nil)
            bareTypes.append(id)
            bareActions.append(decoded)
            return decoded
        } catch {
            if reportsDecoding { report(action, CodingFailure(error)) }
            return nil
        }
    }

    /// The host's form of an action; the payload stays as it is until somebody of another type reads it.
    ///
    /// A name that cannot be told gives an action of the empty type, which the host refuses.
    @inlinable
    func encode(_ action: Action) -> AnyAction {
        if let everything = action as? AnyAction { return everything }
        do {
            let name = try action.encodedName()
            let type = types[name] ?? ActionType(name)
            types[name] = type
            return AnyAction(type: type, typed: action)
        } catch {
            let action = AnyAction(ActionType(""))
            report(action, CodingFailure(error))
            return action
        }
    }
}
