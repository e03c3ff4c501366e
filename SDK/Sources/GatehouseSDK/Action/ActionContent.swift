// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Payload and meta of an action, and what has been decoded from them; shared by all copies of the action.
///
/// Callable from any thread.
///
/// `@unchecked Sendable`: what is not under the lock changes in `refill` alone, whose caller holds the only reference. Whoever
/// had one before has let it go, and `isKnownUniquelyReferenced` comes after that in the order of memory.
@usableFromInline
final class ActionContent: @unchecked Sendable {
    /// The forms a payload has before anybody reads it.
    enum Payload {
        /// A part of the tape onto which the line was read.
        case tape(TapeView)
        /// A value that somebody built in memory.
        case value(Value)
        /// As the plugin emitted it, under its local name; encoded only for readers of other types or names.
        case typed(any PluginAction, name: ActionType)
    }

    /// A payload that did not arrive.
    private enum Made {
        /// A value that somebody built in memory.
        case value(Value)
        /// As the plugin emitted it, under its local name.
        case typed(any PluginAction, name: ActionType)
        /// As it arrived in a line too long to be read before somebody asks for it.
        case text(CheckedText)
    }

    /// Where the member `meta` of the wire form is.
    private enum Meta {
        /// The action has no such member.
        case absent
        /// At an index of `arrived`.
        case taped(Int)
        /// On a tape of its own.
        case apart(TapeView)
        /// The value in memory.
        case value(Value)
        /// As it arrived in a long line; read at each call.
        case text(CheckedText)
    }

    /// What has been made of the payload.
    private struct Decoded {
        /// The payload as a value.
        var value: Result<Value?, CodingFailure>?
        /// The tape of a payload that did not arrive on one.
        var tape: Tape?
    }

    /// A number that no other content of this process has, nor this one before it was filled again.
    ///
    /// Whoever remembers what an action was compares this number, and need not hold the content.
    @usableFromInline private(set) var serial: UInt64
    /// Keeps the name of an action whose type may be forgotten; nil for the usual types.
    private(set) var name: ActionName?
    /// The index on `arrived` of a payload that arrived.
    private var tapeIndex: Int?
    /// A payload that somebody made; nil when there is none, and when it arrived.
    private let made: Made?
    /// Free information beside it.
    private var metaForm: Meta
    /// What arrived; of a content that was filled again also what arrived before, when it is of no use now.
    private var arrived: Tape?
    /// Whether `decoded` holds anything.
    private let isRead = Atomic<Bool>(false)
    /// What readers left, under a lock that is never held while a plugin's code runs.
    private let decoded = Lock(Decoded())

    /// The next serial number.
    private static let serials = Atomic<UInt64>(1)

    /// So many serial numbers that nobody else gets.
    static func takeSerials(_ count: UInt64) -> Range<UInt64> {
        let first = serials.add(count, ordering: .relaxed).oldValue
        return first..<first + count
    }

    /// A content of parts that are given in any form; nil for none.
    init(_ payload: Payload?, meta: Value? = nil, name: ActionName? = nil) {
        serial = Self.takeSerials(1).lowerBound
        self.name = name
        metaForm = meta.map { .value($0) } ?? .absent
        switch payload {
        case nil: made = nil
        case .tape(let view):
            arrived = view.tape
            tapeIndex = view.index
            made = nil
        case .value(let value): made = .value(value)
        case .typed(let action, let name): made = .typed(action, name: name)
        }
    }

    /// A content whose parts stay where they arrived.
    convenience init(_ payload: TapeView?, meta: TapeView?, name: ActionName?) {
        self.init(payload.map { .tape($0) }, name: name)
        metaForm = meta.map { .apart($0) } ?? .absent
    }

    /// A content whose parts are read when somebody asks for them.
    init(text payload: CheckedText?, meta: CheckedText?, name: ActionName?) {
        serial = Self.takeSerials(1).lowerBound
        self.name = name
        made = payload.map { .text($0) }
        metaForm = meta.map { .text($0) } ?? .absent
    }

    /// The same parts for an action with another name, which nobody has read so far.
    init(_ other: ActionContent, name: ActionName) {
        serial = Self.takeSerials(1).lowerBound
        self.name = name
        tapeIndex = other.tapeIndex
        made = other.made
        metaForm = other.metaForm
        arrived = other.arrived
    }

    /// Puts the parts of another action in the place of these, in the same memory where that can be.
    ///
    /// Only for a content whose parts arrived. The caller must have proved that it holds the only reference.
    ///
    /// - Parameter serial: one that `takeSerials` gave and that was not used so far.
    func refill(_ payload: TapeSource?, meta: TapeSource?, name: ActionName?, serial: UInt64) {
        self.serial = serial
        if name != nil || self.name != nil { self.name = name }
        if isRead.load(ordering: .relaxed) {
            decoded.withLock { $0 = Decoded() }
            isRead.store(false, ordering: .relaxed)
        }
        tapeIndex = payload == nil ? nil : 0
        if let payload, let meta {
            if let both = payload.joined(with: meta) {
                fill(both.source)
                metaForm = .taped(both.distance)
            } else {
                fill(payload)
                metaForm = .apart(Tape.copying(meta).root)
            }
        } else {
            metaForm = meta == nil ? .absent : .taped(0)
            if let source = payload ?? meta { fill(source) }
        }
    }

    /// Copies what arrived onto the tape of this content, in place where nobody else holds it.
    private func fill(_ source: TapeSource) {
        if arrived?.refill(source) == nil { arrived = Tape.copying(source) }
    }

    /// The payload where it arrived, nil for none and for one that somebody built.
    @usableFromInline var arrivedPayload: TapeView? {
        guard let tapeIndex, let arrived else { return nil }
        return TapeView(tape: arrived, index: tapeIndex)
    }

    /// The payload on a tape where it arrived as text, and so is read at the latest now; nil for any other.
    var readPayload: TapeView? {
        if let arrivedPayload { return arrivedPayload }
        guard case .text(let text) = made else { return nil }
        return read(text)
    }

    /// Lays a payload out on a tape, once.
    private func read(_ text: CheckedText) -> TapeView {
        if let tape = decoded.withLock({ $0.tape }) { return tape.root }
        let tape = Tape.make(text)
        change { $0.tape = tape }
        return tape.root
    }

    /// The payload in the form it has had from the start, or where that is text, on a tape; nil for none.
    var payload: Payload? {
        switch made {
        case nil: arrivedPayload.map { .tape($0) }
        case .text(let text): .tape(read(text))
        case .value(let value): .value(value)
        case .typed(let action, let name): .typed(action, name: name)
        }
    }

    /// About how many bytes payload and meta take as JSON; see `AnyAction.size(upTo:)`.
    func size(upTo limit: Int) -> Int {
        var size = arrived?.size ?? 0
        switch made {
        case nil, .typed: break
        case .value(let value): size += value.size(upTo: limit - size)
        case .text(let text): size += text.size
        }
        switch metaForm {
        case .absent, .taped: break
        case .value(let value): size += value.size(upTo: limit - size)
        case .apart(let view): size += view.tape.size
        case .text(let text): size += text.size
        }
        return min(size, limit)
    }

    /// Whether there is a member `meta`.
    var hasMeta: Bool {
        if case .absent = metaForm { false } else { true }
    }

    /// The member `meta` of the wire form, nil for none; made at each call.
    var meta: Value? {
        if case .value(let value) = metaForm { return value }
        return metaTape?.value
    }

    /// The member `meta` where it arrived; nil when there is none, and when somebody built it.
    var metaTape: TapeView? {
        switch metaForm {
        case .absent, .value: nil
        case .text(let text): Tape.make(text).root
        case .taped(let index): arrived.map { TapeView(tape: $0, index: index) }
        case .apart(let view): view
        }
    }

    /// The payload as a value; made once.
    var value: Result<Value?, CodingFailure> {
        if tapeIndex == nil {
            switch made {
            case nil: return .success(nil)
            case .value(let value): return .success(value)
            case .typed, .text: break
            }
        }
        if let known = decoded.withLock({ $0.value }) { return known }
        let made = makeValue()
        change { $0.value = made }
        return made
    }

    /// The payload as a typed action of the given local type: as it was emitted in this image, or else decoded.
    @inlinable
    func action<Action: PluginAction>(
        _ type: Action.Type, as name: ActionType
    ) -> Result<Action, CodingFailure> {
        // In two steps: casting nothing costs as much as casting something.
        if let emitted = emitted(as: name), let action = emitted as? Action { return .success(action) }
        return Result { try Action(type: name, payload: try tape()) }.mapError { CodingFailure($0) }
    }

    /// The payload as the plugin emitted it, when it did so under this local name.
    @usableFromInline
    func emitted(as name: ActionType) -> (any PluginAction)? {
        // A look at `made` costs as much as copying it.
        guard tapeIndex == nil, case .typed(let action, let emitted) = made, emitted == name else {
            return nil
        }
        return action
    }

    /// Changes what readers left.
    private func change(_ body: (inout Decoded) -> Void) {
        decoded.withLock {
            body(&$0)
            isRead.store(true, ordering: .relaxed)
        }
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

    /// The payload on a tape, nil when there is none; takes a lock only when it did not arrive on one.
    @usableFromInline
    func tape() throws(CodingFailure) -> TapeView? {
        if let arrivedPayload { return arrivedPayload }
        if case .text(let text) = made { return read(text) }
        if let tape = decoded.withLock({ $0.tape }) { return tape.root }
        guard let value = try value.get() else { return nil }
        let tape = Tape.make(value)
        change { $0.tape = tape }
        return tape.root
    }
}
