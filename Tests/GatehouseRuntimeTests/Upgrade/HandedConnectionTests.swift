// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseRuntime

/// How a connection goes from one process to another.
@Suite(.timeLimit(.minutes(10))) struct HandedConnectionTests {
    /// Lines of all kinds under a limit of 5 bytes, the last one without its end.
    private static let text = Array("12345\n123456\r\n\n1234567890\r\nab\r\n1234567".utf8)

    /// The two ends of a connection.
    private func ends() throws -> (writer: Int32, reader: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// A reader of a connection, which goes on where another one has stopped.
    private func reader(of descriptor: Int32, from place: ActionInput.Place) -> LineReader {
        LineReader(
            descriptor: descriptor, name: "in.sock#1", kind: .connection, maximumLineBytes: 5, bufferBytes: 4,
            linesBefore: place.lines, continuing: place.remainder)
    }

    /// Reads all that is there.
    private func take(_ reader: inout LineReader, into records: inout [LineRecord]) throws {
        while true {
            let record = try reader.nextRecord()
            if record == .dry || record == .end { return }
            records.append(record)
        }
    }

    @Test func `wherever the first process stops, the second one reads the same lines`() throws {
        let text = Self.text
        for cut in 0...text.count {
            let (writer, descriptor) = try ends()
            defer {
                close(writer)
                close(descriptor)
            }
            var (records, place) = ([LineRecord](), ActionInput.Place())
            for part in [text[..<cut], text[cut...] + [UInt8(ascii: "\n")]] {
                let part = Array(part)
                #expect(unsafe write(writer, part, part.count) == part.count)
                var reader = reader(of: descriptor, from: place)
                try take(&reader, into: &records)
                place.lines = records.count
                place.remainder = reader.remainder
                let connection = HandedConnection(
                    descriptor: descriptor, socket: "in.sock", number: 0, place: place,
                    answers: Acknowledgement(told: records.count, waiting: Array("{\"ok\":1}\n".utf8)),
                    isRead: false)
                var bytes = (connection.bytes + [1, 2, 3])[...]
                let handed = try #require(
                    HandedConnection(
                        JSONText.parse(Array(connection.value.json().utf8)), &bytes, descriptor: descriptor))
                #expect(handed == connection)
                // Those of the next connection stay.
                #expect(Array(bytes) == [1, 2, 3])
                place = handed.place
            }
            #expect(
                records == [
                    .line("12345", number: 1), .tooLong(line: 2, bytes: 6), .line("", number: 3),
                    .tooLong(line: 4, bytes: 10), .line("ab", number: 5), .tooLong(line: 6, bytes: 7),
                ], "cut at \(cut)")
        }
    }

    @Test(arguments: [
        "{}", "[]",
        #"{"socket":"s","number":0,"lines":1,"blank":0,"rejected":0,"refused":0,"unread":4,"isRead":false}"#,
        #"{"socket":"s","number":-1,"lines":1,"blank":0,"rejected":0,"refused":0,"unread":0,"isRead":false}"#,
        #"{"socket":"s","number":0,"lines":"1","blank":0,"rejected":0,"refused":0,"unread":0,"isRead":false}"#,
        #"{"socket":"s","number":9999999999,"lines":1,"blank":0,"rejected":0,"refused":0,"unread":0,"isRead":false}"#,
        #"{"socket":"s","number":0,"lines":1,"blank":0,"rejected":0,"refused":0,"unread":0,"isRead":false,"told":1,"unsent":4}"#,
    ])
    func `what no process writes is no connection`(text: String) throws {
        var bytes: ArraySlice<UInt8> = [1, 2, 3]
        #expect(try HandedConnection(JSONText.parse(Array(text.utf8)), &bytes, descriptor: -1) == nil)
    }
}
