// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// What a host sends to a worker, in the order in which it is to be done.
///
/// Each is one frame; the raw values stand in it.
package enum WorkerOrder: UInt8 {
    /// Carry out so many orders one by one.
    case careful = 1
    /// Take over a state, or refuse it.
    case restore
    /// Start, and begin effects that had not ended.
    case start
    /// Know where the actions that follow come from.
    case source
    /// Hear an action.
    case hear
    /// Show an action to the middleware alone whose effects had not ended, for those at some places to begin; at none for all of them, where
    /// it was not answered.
    case show
    /// Show an action to the reducer alone, which it has missed in quarantine.
    case reduce
    /// Do nothing: the order that stood there has ended too many workers.
    case skip
    /// Tell the state as it is at this point.
    case copy
    /// The gate has moved.
    case gate
    /// Cancel all effects, which have not ended by that.
    case cancelEffects
    /// Cancel those that are not finishing; somebody begins again what they leave, or nobody.
    case stopEffects
    /// Do what is to be done at the end.
    case stopping
    /// Cancel all effects, which end by that: the gate has closed.
    case endEffects

    /// Whether the run of the host waits until it is carried out.
    var isAwaited: Bool { [.start, .hear, .show, .stopping].contains(self) }
}

/// What a worker tells its host.
enum WorkerNews: UInt8 {
    /// The instance is there.
    case ready = 1
    /// It cannot be made, for these reasons.
    case refused
    /// It does not take its settings.
    case misfit
    /// A state is taken over, or was refused.
    case restored
    /// The state at an order to copy it.
    case copy
    /// Where the outputs that follow come from.
    case source
    /// It has emitted something.
    case output
    /// All up to some order is done, and this is what has become of it.
    case checkpoint
    /// Something that is told to people.
    case report
}

extension FrameWriter {
    /// Appends whether something is so; `Frame.flag` reads it.
    package mutating func put(_ flag: Bool) { put((flag ? 1 : 0) as UInt8) }

    /// Adds a text that may be missing.
    mutating func put(optional text: String?) {
        put(text != nil)
        if let text { put(text) }
    }

    /// Adds a value.
    mutating func put(_ value: Value) {
        var json: [UInt8] = []
        value.writeJSON(to: &json)
        put(json)
    }

    /// Adds why something does not fit.
    mutating func put(_ failure: CodingFailure) {
        put("\(failure.pointer)")
        put(failure.expected)
        put(failure.found)
    }

    /// Adds a state.
    package mutating func put(_ state: VersionedState) {
        put(UInt64(state.version))
        put(state.value)
    }

    /// Adds an action under its local type, with the line of its source.
    ///
    /// - Parameter json: its JSON, which may have another type.
    mutating func put(_ action: AnyAction, from source: ActionSource, as json: [UInt8]) {
        put(UInt64(source.line))
        put(action.type.name)
        put(json)
    }

    /// Adds where actions come from, but for the line.
    mutating func put(_ source: ActionSource) {
        put(source.file)
        put(source.function)
        put(optional: source.info)
        put(optional: source.emitter)
    }
}

extension Frame {
    /// Takes a truth value.
    mutating func flag() throws(FrameFailure) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .badNumber("a flag")
        }
    }

    /// Takes a text that may be missing.
    mutating func optionalText() throws(FrameFailure) -> String? { try flag() ? text() : nil }

    /// Takes a value.
    package mutating func value() throws(FrameFailure) -> Value {
        do {
            return try JSONText.parse(Array(bytes()))
        } catch let failure as FrameFailure {
            throw failure
        } catch {
            throw .badText(kind: kind)
        }
    }

    /// Takes why something does not fit.
    mutating func failure() throws(FrameFailure) -> CodingFailure {
        let (pointer, expected, found) = (try text(), try text(), try text())
        return CodingFailure(
            pointer: (try? JSONPointer(pointer)) ?? .whole, expected: expected, found: found)
    }

    /// Takes an action, under whatever type its JSON has, with its local type and the line of its source.
    ///
    /// - Throws: also that there is none.
    mutating func action(by lines: inout RecordedLines) throws(FrameFailure) -> (
        action: AnyAction, type: ArraySlice<UInt8>, line: UInt
    ) {
        let line = UInt(try number(UInt64.self))
        let type = try bytes()
        guard let action = lines.action(try bytes()) else { throw .badNumber("an action") }
        return (action, type, line)
    }

    /// Takes where actions come from.
    mutating func source() throws(FrameFailure) -> ActionSource {
        let (file, function, info) = (try text(), try text(), try optionalText())
        let source = ActionSource(file: file, function: function, line: 0, info: info)
        return try optionalText().map { source.emitted(by: $0) } ?? source
    }
}
