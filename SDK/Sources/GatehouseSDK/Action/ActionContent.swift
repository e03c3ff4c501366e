// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Payload and meta of an action, and what has been decoded from them; shared by all copies of the action.
///
/// Callable from any thread.
@usableFromInline
final class ActionContent: Sendable {
    /// The forms a payload has before anybody reads it.
    enum Payload: Sendable {
        /// As it arrived.
        case tape(TapeView)
        /// As somebody built it.
        case value(Value)
        /// As the plugin emitted it, under its local name; encoded only for readers of other types or names.
        case typed(any PluginAction, name: ActionType)
    }

    /// What has been made of the payload.
    private struct Decoded {
        /// The payload as a value.
        var value: Result<Value?, CodingFailure>?
        /// The tape of a payload that did not arrive on one.
        var tape: Tape?
        /// Typed forms, by type and local name. Few: one for each kind of receiver.
        var typed:
            [(type: ObjectIdentifier, name: ActionType, action: Result<any PluginAction, CodingFailure>)] = []
    }

    /// The payload in the form it has had from the start, nil for none.
    let payload: Payload?
    /// The member `meta` of the wire form, nil for none.
    let meta: Value?
    /// What readers left, under a lock that is never held while a plugin's code runs.
    private let decoded = Lock(Decoded())

    /// A payload that nobody has read.
    init(_ payload: Payload?, meta: Value? = nil) {
        self.payload = payload
        self.meta = meta
    }

    /// The payload as a value; made once.
    var value: Result<Value?, CodingFailure> {
        switch payload {
        case nil: return .success(nil)
        case .value(let value): return .success(value)
        case .tape, .typed: break
        }
        if let known = decoded.withLock({ $0.value }) { return known }
        let made = makeValue()
        decoded.withLock { $0.value = made }
        return made
    }

    /// The payload as a typed action of the given name; decoded once for each type and name.
    @inlinable
    func action<Action: PluginAction>(_ type: Action.Type, named name: ActionType) -> Result<
        Action, CodingFailure
    > {
        switch known(ObjectIdentifier(type), named: name) {
        case .success(let action)?:
            if let action = action as? Action { return .success(action) }
        case .failure(let failure)?:
            return .failure(failure)
        case nil:
            break
        }
        let made = Result { try Action(name: name.name, payload: try tape()) }.mapError { CodingFailure($0) }
        remember(made.map { $0 as any PluginAction }, as: ObjectIdentifier(type), named: name)
        return made
    }

    /// What was emitted or decoded under a type and name.
    @usableFromInline
    func known(_ type: ObjectIdentifier, named name: ActionType) -> Result<any PluginAction, CodingFailure>? {
        if case .typed(let action, let emitted) = payload, emitted == name,
            ObjectIdentifier(Swift.type(of: action)) == type
        {
            return .success(action)
        }
        return decoded.withLock { decoded in
            decoded.typed.first { $0.type == type && $0.name == name }?.action
        }
    }

    /// Keeps what was decoded.
    @usableFromInline
    func remember(
        _ action: Result<any PluginAction, CodingFailure>, as type: ObjectIdentifier, named name: ActionType
    ) {
        decoded.withLock { $0.typed.append((type, name, action)) }
    }

    /// Turns any form of the payload into a value; runs the plugin's `encode(to:)` for a typed one.
    private func makeValue() -> Result<Value?, CodingFailure> {
        switch payload {
        case nil: return .success(nil)
        case .value(let value): return .success(value)
        case .tape(let view): return .success(view.value)
        case .typed(let action, _):
            return Result { try action.encoded().payload }.mapError { CodingFailure($0) }
        }
    }

    /// The payload on a tape, nil when there is none.
    @usableFromInline
    func tape() throws(CodingFailure) -> TapeView? {
        if case .tape(let view) = payload { return view }
        if let tape = decoded.withLock({ $0.tape }) { return tape.root }
        guard let value = try value.get() else { return nil }
        let tape = Tape.make(value)
        decoded.withLock { $0.tape = tape }
        return tape.root
    }
}
