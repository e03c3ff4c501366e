// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Reads the blob of a batch from its beginning to its end. No bytes make it trap.
struct BatchReader {
    /// What is wrong with a blob.
    struct Mistake: Error, Equatable, CustomStringConvertible {
        /// Where, in bytes from the beginning.
        let offset: Int
        /// What should be there.
        let expected: String

        /// The sentence without its subject.
        var description: String { "expected \(expected) at byte \(offset) of its content" }
    }

    /// The blob.
    private let bytes: [UInt8]
    /// The end of what is read; the checksum comes after it.
    private let end: Int
    /// The form of the blob.
    private let form: UInt8
    /// The byte that is read next.
    private(set) var offset = 0
    /// The line of the place before.
    private var line: UInt = 0
    /// The number that the next input has as a rule.
    private var input: UInt64 = 0
    /// The input that the next cause names as a rule.
    private var causingInput: UInt64 = 0

    /// Begins to read a blob whose checksum is right and whose form is known.
    ///
    /// - Parameter header: what the row's columns say.
    init(_ bytes: [UInt8], of header: BatchHeader) throws(Mistake) {
        self.bytes = bytes
        end = bytes.count - 4
        guard end >= 1 else { throw Mistake(offset: 0, expected: "a checksum") }
        var written: UInt32 = 0
        for place in 0..<4 { written |= UInt32(bytes[end + place]) << (8 * place) }
        var checksum = Checksum.of(bytes[..<end])
        form = bytes[0]
        if form != BatchEncoder.plainForm { checksum = Checksum.of(header.columns, after: checksum) }
        guard checksum == written else { throw Mistake(offset: end, expected: "another checksum") }
        guard try byte() <= BatchEncoder.form, form > 0 else {
            throw Mistake(offset: 0, expected: "form \(BatchEncoder.form)")
        }
    }

    /// Whether all is read.
    var isAtEnd: Bool { offset == end }

    /// Reads a byte.
    mutating func byte() throws(Mistake) -> UInt8 {
        guard offset < end else { throw Mistake(offset: offset, expected: "more bytes") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a number in groups of 7 bits.
    mutating func number() throws(Mistake) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return number }
            shift += 7
            guard shift < 64 else { throw Mistake(offset: offset, expected: "a number") }
        }
    }

    /// Reads the checksum of the batch before; nil in forms that do not have it.
    mutating func previous() throws(Mistake) -> UInt32? {
        guard form > BatchEncoder.unchainedForm else { return nil }
        var checksum: UInt32 = 0
        for place in 0..<4 { checksum |= UInt32(try byte()) << (8 * place) }
        return checksum
    }

    /// Reads a number of 64 bits as it is.
    mutating func double() throws(Mistake) -> Double {
        var bits: UInt64 = 0
        for place in 0..<8 { bits |= UInt64(try byte()) << (8 * place) }
        return Double(bitPattern: bits)
    }

    /// Reads a number that counts something.
    mutating func count(of subject: String) throws(Mistake) -> Int {
        guard let count = Int(exactly: try number()) else { throw Mistake(offset: offset, expected: subject) }
        return count
    }

    /// Reads how many elements follow, each of which takes at least a byte.
    mutating func elementCount() throws(Mistake) -> Int {
        let count = try number()
        guard count <= UInt64(end - offset) else { throw Mistake(offset: offset, expected: "fewer elements") }
        return Int(count)
    }

    /// Reads a length, and gives the place of so many bytes, which are passed over.
    mutating func span() throws(Mistake) -> Range<Int> {
        let length = try number()
        guard length <= UInt64(end - offset) else { throw Mistake(offset: offset, expected: "more bytes") }
        defer { offset += Int(length) }
        return offset..<offset + Int(length)
    }

    /// Reads a text.
    mutating func text() throws(Mistake) -> String { String(decoding: bytes[try span()], as: UTF8.self) }

    /// Reads an effect that was begun.
    mutating func effect() throws(Mistake) -> JournalEffect {
        var effect = JournalEffect(
            number: try number(), instance: try text(), sequence: try number(), key: try text())
        guard max(effect.number, effect.sequence) <= JournalNumbers.limit else {
            throw Mistake(offset: offset, expected: "an effect's number")
        }
        guard form > BatchEncoder.toldForm else { return effect }
        effect.ordinal = UInt32(clamping: try number())
        effect.attempt = UInt32(clamping: try number())
        effect.input = try number()
        guard let recovery = EffectRecovery(number: try byte()) else {
            throw Mistake(offset: offset - 1, expected: "a known recovery")
        }
        effect.recovery = recovery
        return effect
    }

    /// Reads how far a number is from an expected one.
    private mutating func number(near expected: UInt64) throws(Mistake) -> UInt64 {
        let folded = try number()
        return expected &+ (folded >> 1 ^ (0 &- (folded & 1)))
    }

    /// Reads the number of an input.
    mutating func nearInput() throws(Mistake) -> UInt64 {
        let number = try number(near: input)
        guard number <= JournalNumbers.limit else {
            throw Mistake(offset: offset, expected: "an input's number")
        }
        input = number + 1
        return number
    }

    /// Reads the line of a place.
    mutating func nearLine() throws(Mistake) -> UInt {
        line = UInt(truncatingIfNeeded: try number(near: UInt64(line)))
        return line
    }

    /// Reads the cause of an entry.
    ///
    /// - Parameter kind: the number of its kind.
    mutating func cause(_ kind: UInt8, of sequence: UInt64) throws(Mistake) -> JournalCause {
        switch kind {
        case 0: return .unknown
        case 1:
            let number = try number(near: causingInput)
            causingInput = number &+ 1
            return .input(number)
        case 2: return .output(of: try earlier(than: sequence))
        case 3: return .effect(of: try earlier(than: sequence))
        case 4: return .own(of: try earlier(than: sequence))
        case 5:
            let number = try number(near: causingInput)
            return .interception(of: number == 0 ? nil : number)
        default: throw Mistake(offset: offset - 1, expected: "a known cause")
        }
    }

    /// Reads the sequence of an action that led to another.
    private mutating func earlier(than sequence: UInt64) throws(Mistake) -> UInt64? {
        let distance = try number()
        guard distance != 0 else { return nil }
        guard distance <= sequence else { throw Mistake(offset: offset, expected: "an earlier action") }
        return sequence - distance + 1
    }

    /// Reads runs of numbers.
    mutating func readRuns(into runs: inout [ClosedRange<UInt64>]) throws(Mistake) {
        var expected: UInt64 = 0
        for _ in 0..<(try elementCount()) {
            let first = try number(near: expected)
            let length = try number()
            let (end, isTooLong) = first.addingReportingOverflow(length)
            guard length > 0, !isTooLong, end <= JournalNumbers.limit else {
                throw Mistake(offset: offset, expected: "a run of numbers")
            }
            runs.append(first...end - 1)
            expected = end
        }
    }
}
