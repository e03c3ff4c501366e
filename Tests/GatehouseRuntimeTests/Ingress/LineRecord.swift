// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// A `LineEvent` with the line's text copied out, so that tests can compare whole sequences.
enum LineRecord: Equatable {
    case line(String, number: Int)
    case tooLong(line: Int, bytes: Int)
    case interrupted
    case dry
    case end

    /// Copies what the event borrows; must be made before the reader is asked again.
    init(_ event: LineEvent) {
        switch event {
        case .line(let line):
            self = unsafe .line(String(decoding: line.bytes, as: UTF8.self), number: line.number)
        case .tooLong(let line, let bytes): self = .tooLong(line: line, bytes: bytes)
        case .interrupted: self = .interrupted
        case .dry: self = .dry
        case .end: self = .end
        }
    }
}

extension LineReader {
    /// The next event with its text copied.
    mutating func nextRecord() throws -> LineRecord { LineRecord(try next()) }

    /// Expects the next event to be the given one.
    mutating func expect(_ record: LineRecord, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try nextRecord()
        #expect(found == record, sourceLocation: sourceLocation)
    }

    /// Everything up to and including `.end`.
    mutating func remainingRecords() throws -> [LineRecord] {
        var records: [LineRecord] = []
        while records.last != .end { records.append(try nextRecord()) }
        return records
    }
}
