// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Payload and meta of an action, with their decoded forms; shared by all copies of the action.
///
/// Callable from any thread.
///
/// `@unchecked Sendable`: everything outside the lock changes only in `refill`, whose caller holds the only reference.
/// Earlier holders have released theirs, and `isKnownUniquelyReferenced` is ordered after those releases.
@usableFromInline
final class ActionContent: @unchecked Sendable {
    /// A payload that did not arrive on a tape.
    enum Made {
        /// A value built in memory.
        case value(Value)
        /// The action as the plugin emitted it, under its local name; encoded only for readers of other types or names.
        case typed(any PluginAction, name: ActionType)
        /// Text from a line too long to be read before a reader needs it.
        case text(CheckedText)
    }

    /// The place of the wire form's member `meta`.
    enum Meta {
        /// The action has no such member.
        case absent
        /// At an index of `arrived`.
        case taped(Int)
        /// On its own tape.
        case apart(TapeView)
        /// A value in memory.
        case value(Value)
        /// Text from a long line; read at each call.
        case text(CheckedText)
    }

    /// Forms of the payload made for readers.
    private struct Decoded {
        /// The payload as a value.
        var value: Result<Value?, CodingFailure>?
        /// The tape for a payload that did not arrive on one.
        var tape: Tape?
    }

    /// A number unique in this process, also across refills of the same content.
    ///
    /// Compare this number to recognize a payload seen before without holding the content.
    @safe @exclusivity(unchecked) @usableFromInline private(set) var serial: UInt64
    /// Keeps the name of a type that may be forgotten; nil for the usual types.
    @safe @exclusivity(unchecked) private(set) var name: ActionName?
    /// The index on `arrived` of the payload; nil unless it arrived.
    @safe @exclusivity(unchecked) private var tapeIndex: Int?
    /// A payload that did not arrive on a tape; nil for none and for one that did.
    private let made: Made?
    /// The form of the free information beside the payload.
    @safe @exclusivity(unchecked) private var metaForm: Meta
    /// The tape that arrived. A refilled content may still hold the previous one, unused.
    @safe @exclusivity(unchecked) private var arrived: Tape?
    /// Whether `decoded` holds anything.
    private let isRead = Atomic<Bool>(false)
    /// Forms left by readers, under a lock that is never held while a plugin's code runs.
    private let decoded = Lock(Decoded())

    /// The next serial number.
    private static let serials = Atomic<UInt64>(1)

    /// Reserves a range of serial numbers.
    static func takeSerials(_ count: UInt64) -> Range<UInt64> {
        let first = serials.add(count, ordering: .relaxed).oldValue
        return first..<first + count
    }

    /// Creates a content from a payload that was made or arrived, nil for none, and a meta.
    init(_ made: Made? = nil, arrived: TapeView? = nil, meta: Meta? = nil, name: ActionName? = nil) {
        serial = Self.takeSerials(1).lowerBound
        self.name = name
        self.made = made
        self.arrived = arrived?.tape
        tapeIndex = arrived?.index
        metaForm = meta ?? .absent
    }

    /// Copies the parts for an action with another name, with nothing read so far.
    init(_ other: ActionContent, name: ActionName) {
        serial = Self.takeSerials(1).lowerBound
        self.name = name
        tapeIndex = other.tapeIndex
        made = other.made
        metaForm = other.metaForm
        arrived = other.arrived
    }

    /// Replaces the parts by those of another action, in the same memory where possible.
    ///
    /// Only for a content whose parts arrived. The caller must have proved that it holds the only reference.
    ///
    /// - Parameter serial: an unused number from `takeSerials`.
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

    /// Copies a source onto the tape of this content, in place where nobody else holds it.
    private func fill(_ source: TapeSource) {
        if arrived?.refill(source) == nil { arrived = Tape.copying(source) }
    }

    /// The payload where it arrived; nil for none and for one built in memory.
    @usableFromInline var arrivedPayload: TapeView? {
        guard let tapeIndex, let arrived else { return nil }
        return TapeView(tape: arrived, index: tapeIndex)
    }

    /// The payload on a tape, which this reads from text if necessary; nil for any other form.
    var readPayload: TapeView? {
        if let arrivedPayload { return arrivedPayload }
        guard case .text(let text) = made else { return nil }
        return read(text)
    }

    /// Reads a payload onto a tape, once.
    private func read(_ text: CheckedText) -> TapeView {
        if let tape = decoded.withLock({ $0.tape }) { return tape.root }
        let tape = Tape.make(text)
        change { $0.tape = tape }
        return tape.root
    }

    /// Returns about how many bytes payload and meta take as JSON; see `AnyAction.size(upTo:)`.
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

    /// The wire form's member `meta`, nil for none; made at each call.
    var meta: Value? {
        if case .value(let value) = metaForm { return value }
        return metaTape?.value
    }

    /// The member `meta` where it arrived; nil for none and for one built in memory.
    var metaTape: TapeView? {
        switch metaForm {
        case .absent, .value: nil
        case .text(let text): Tape.make(text).root
        case .taped(let index): arrived.map { TapeView(tape: $0, index: index) }
        case .apart(let view): view
        }
    }

    /// The payload as a value; made once, by the plugin's `encode(to:)` for a typed one.
    var value: Result<Value?, CodingFailure> {
        if tapeIndex == nil {
            switch made {
            case nil: return .success(nil)
            case .value(let value): return .success(value)
            case .typed, .text: break
            }
        }
        if let known = decoded.withLock({ $0.value }) { return known }
        let read: Result<Value?, CodingFailure> =
            if case .typed(let action, _) = made {
                Result { try action.encoded().payload }.mapError { CodingFailure($0) }
            } else {
                .success(readPayload?.value)
            }
        change { $0.value = read }
        return read
    }

    /// Returns the payload as an action of this type: as emitted, if in this image, or else decoded.
    @inlinable
    func action<Action: PluginAction>(
        _ type: Action.Type, as name: ActionType
    ) -> Result<Action, CodingFailure> {
        // In two steps: casting nothing costs as much as casting something.
        if let emitted = emitted(as: name), let action = emitted as? Action { return .success(action) }
        return Result { try Action(type: name, payload: try tape()) }.mapError { CodingFailure($0) }
    }

    /// Returns the payload as the plugin emitted it, if under this local name.
    @usableFromInline
    func emitted(as name: ActionType) -> (any PluginAction)? {
        // Looking at `made` costs as much as copying it.
        guard tapeIndex == nil, case .typed(let action, let emitted) = made, emitted == name else {
            return nil
        }
        return action
    }

    /// Changes the forms left by readers.
    private func change(_ body: (inout Decoded) -> Void) {
        decoded.withLock {
            body(&$0)
            isRead.store(true, ordering: .relaxed)
        }
    }

    /// Returns the payload on a tape, or nil for none; takes a lock only when it did not arrive on one.
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
