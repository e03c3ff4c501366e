// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Writes what the drain hands over into the blob of one row; used again for the next row, with the memory it has.
///
/// The blob is the header, one group for each batch that was handed over, and a checksum of all of it and of the row's columns. Numbers are written in
/// groups of 7 bits, small ones in one byte; differences where numbers follow each other. A place that has been named once is
/// a number from there on. Only the writer's thread uses one.
struct BatchEncoder {
    /// The first byte: which form the blob has.
    static let form: UInt8 = 4
    /// The form before, which does not name the batch before.
    static let unchainedForm: UInt8 = 3
    /// The form before that, in which an effect is told when it is interrupted, and has no place among others.
    static let toldForm: UInt8 = 2
    /// The form before that, whose checksum does not cover the columns.
    static let plainForm: UInt8 = 1

    /// What stands in the first byte of an entry, above the three bits of the kind of its cause.
    enum Mark {
        /// The action's bytes follow.
        static let hasAction: UInt8 = 1 << 3
        /// The time follows that reducers were told.
        static let hasTime: UInt8 = 1 << 4
        /// The reason follows for which the action could not be encoded.
        static let hasEncodingFailure: UInt8 = 1 << 5
    }

    /// What is written so far.
    private(set) var bytes: [UInt8] = []
    /// The checksum at the end of the blob that was ended last.
    private(set) var checksum: UInt32 = 0
    /// How many entries are in it.
    var count: Int { progress.count }
    /// The places that have numbers in this blob, without their lines.
    private var origins: [ActionSource] = []
    /// The numbers of places beyond the first few.
    private var farOrigins: [ActionSource: Int] = [:]
    /// How far it is.
    private var progress = Progress()

    /// How far a blob is: what the next entry is told by.
    private struct Progress {
        /// How many entries are in it.
        var count = 0
        /// The line of the place before.
        var line: UInt = 0
        /// The number that the next input has when it follows the one before.
        var input: UInt64 = 0
        /// The same of the input that a cause names.
        var causingInput: UInt64 = 0
    }

    /// How many places are found by looking at all of them.
    private static let nearOrigins = 8

    /// Begins the blob of a row; the header's count is not known yet, and not looked at.
    ///
    /// - Parameter previous: the checksum of the batch before; 0 for none.
    mutating func begin(_ header: BatchHeader, epoch: Int, generation: Int, after previous: UInt32) {
        bytes.removeAll(keepingCapacity: true)
        origins.removeAll(keepingCapacity: true)
        farOrigins.removeAll(keepingCapacity: true)
        progress = Progress()
        bytes.append(Self.form)
        write(UInt64(header.id))
        write(header.first)
        write(UInt64(header.id - header.open))
        write(UInt64(epoch))
        write(UInt64(generation))
        write(header.time)
        bytes.append(littleEndian: previous)
    }

    /// Appends a batch.
    ///
    /// - Parameters:
    ///   - latestInput: the greatest number of an input so far, those of the batch included.
    ///   - isOpen: whether an input is there and not done, so that an entry can refer to it.
    mutating func append(
        _ batch: borrowing JournalBatch, latestInput: UInt64, isOpen: (UInt64) -> Bool
    ) {
        write(UInt64(batch.inputs.count))
        for input in batch.inputs { write(input) }
        write(UInt64(batch.entries.count))
        var sequence = batch.firstSequence
        var line = 0
        for entry in batch.entries {
            let end = min(line + entry.lineLength, batch.lines.count)
            write(entry, batch.lines[line..<end], sequence, latestInput: latestInput, isOpen: isOpen)
            line = end
            sequence += 1
        }
        progress.count += batch.entries.count
        writeRuns(batch.done)
        let running = batch.running
        write(UInt64(running.count))
        for effect in running {
            write(effect.number)
            write(effect.instance)
            write(effect.sequence)
            write(effect.key)
            write(UInt64(effect.ordinal))
            write(UInt64(effect.attempt))
            write(effect.input)
            bytes.append(effect.recovery.number)
        }
        writeRuns(batch.ended)
    }

    /// Ends the blob with the checksum.
    ///
    /// - Parameter header: the row's columns as they are written.
    mutating func finish(_ header: BatchHeader) {
        checksum = Checksum.of(header.columns, after: Checksum.of(bytes))
        bytes.append(littleEndian: checksum)
    }

    // MARK: Parts

    /// Writes an input.
    private mutating func write(_ input: JournalInput) {
        writeDifference(input.number, progress.input)
        progress.input = input.number &+ 1
        write(input.source)
        var encodingFailure: CodingFailure?
        let mark = bytes.count
        bytes.append(input.id == nil ? 0 : 1)
        if let id = input.id { write(id) }
        switch input.content {
        case .line(let line):
            write(UInt64(line.count))
            bytes.append(contentsOf: line)
        case .action(let action): encodingFailure = writeAction(action)
        }
        if let encodingFailure {
            bytes[mark] |= 2
            write(
                "\(encodingFailure.pointer): expected \(encodingFailure.expected), found \(encodingFailure.found)"
            )
        }
    }

    /// Writes an entry.
    ///
    /// - Parameter line: the line that it came as; empty for one that did not.
    private mutating func write(
        _ entry: JournalEntry, _ line: ArraySlice<UInt8>, _ sequence: UInt64, latestInput: UInt64,
        isOpen: (UInt64) -> Bool
    ) {
        let cause = entry.source.cause
        let mark = bytes.count
        bytes.append(UInt8(truncatingIfNeeded: cause.kind.rawValue))
        var isKnown = false
        switch cause.kind {
        case .unknown: break
        case .input:
            let number = cause.number(notAbove: latestInput) ?? 0
            isKnown = entry.action == nil && line.isEmpty && isOpen(number)
            writeDifference(number, progress.causingInput)
            progress.causingInput = number &+ 1
        case .interception:
            writeDifference(cause.number(notAbove: latestInput) ?? 0, progress.causingInput)
        case .output, .effect, .own:
            write(cause.number(notAbove: sequence).map { sequence - $0 + 1 } ?? 0)
        }
        write(entry.source)
        if let time = entry.time {
            bytes[mark] |= Mark.hasTime
            write(time)
        }
        if !line.isEmpty {
            bytes[mark] |= Mark.hasAction
            write(UInt64(line.count))
            bytes.append(contentsOf: line)
        } else if let action = entry.action {
            bytes[mark] |= Mark.hasAction
            if let encodingFailure = writeAction(action) {
                bytes[mark] |= Mark.hasEncodingFailure
                write(
                    "\(encodingFailure.pointer): expected \(encodingFailure.expected), found \(encodingFailure.found)"
                )
            }
        } else if !isKnown {
            bytes[mark] |= Mark.hasAction | Mark.hasEncodingFailure
            write(UInt64(0))
            write("the input that it was is not known")
        }
    }

    /// Writes the wire form of an action with its length in front; the type alone, and why, where it has none.
    private mutating func writeAction(_ action: AnyAction) -> CodingFailure? {
        // The length has four groups of 7 bits whatever it is, because it is known afterwards only.
        let start = bytes.count
        bytes.append(littleEndian: UInt32())
        var encodingFailure: CodingFailure?
        do throws(CodingFailure) {
            try action.writeWireForm(to: &bytes)
        } catch {
            encodingFailure = error
            let name = Value.object(["type": .string(action.type.name)]).json()
            bytes.append(contentsOf: name.utf8)
        }
        let length = bytes.count - start - 4
        for place in 0..<4 {
            bytes[start + place] =
                UInt8(truncatingIfNeeded: length >> (7 * place)) & 0x7F | (place < 3 ? 0x80 : 0)
        }
        return encodingFailure
    }

    /// Writes a place: the number of its origin, which is described when it is new, and its line.
    private mutating func write(_ source: ActionSource) {
        if let known = number(of: source) {
            write(UInt64(known))
        } else {
            let number = origins.count
            write(UInt64(number))
            origins.append(source)
            if number >= Self.nearOrigins { farOrigins[source.at(line: 0)] = number }
            write(source.file)
            bytes.append(source.instance == nil ? 0 : 1)
            if let instance = source.instance { write(instance) }
        }
        writeDifference(UInt64(source.line), UInt64(progress.line))
        progress.line = source.line
    }

    /// The number of a place's origin; nil for one that is new.
    private func number(of source: ActionSource) -> Int? {
        for number in 0..<min(origins.count, Self.nearOrigins)
        where origins[number].hasSameOrigin(as: source) { return number }
        return origins.count > Self.nearOrigins ? farOrigins[source.at(line: 0)] : nil
    }

    // MARK: Numbers and texts

    /// Writes a number in groups of 7 bits, the lowest first; the highest bit of a byte says that another follows.
    private mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes how far a number is from an expected one, in either direction.
    private mutating func writeDifference(_ number: UInt64, _ expected: UInt64) {
        let difference = Int64(bitPattern: number &- expected)
        write(UInt64(bitPattern: difference << 1 ^ difference >> 63))
    }

    /// Writes numbers as runs of such that follow each other.
    private mutating func writeRuns(_ numbers: [UInt64]) {
        var runs: UInt64 = 0
        for index in numbers.indices where index == 0 || numbers[index] != numbers[index - 1] &+ 1 {
            runs += 1
        }
        write(runs)
        var expected: UInt64 = 0
        var index = 0
        while index < numbers.count {
            var end = index + 1
            while end < numbers.count, numbers[end] == numbers[end - 1] &+ 1 { end += 1 }
            writeDifference(numbers[index], expected)
            write(UInt64(end - index))
            expected = numbers[end - 1] &+ 1
            index = end
        }
    }

    /// Writes a number of 64 bits as it is.
    private mutating func write(_ number: Double) {
        unsafe withUnsafeBytes(of: number.bitPattern.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a text with its length in front.
    private mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

extension EffectRecovery {
    /// The number that stands for it in a blob.
    fileprivate var number: UInt8 {
        switch self {
        case .tell: 0
        case .again: 1
        case .forget: 2
        }
    }

    /// What a number in a blob stands for; nil for nothing.
    package init?(number: UInt8) {
        guard let found = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = found
    }
}
