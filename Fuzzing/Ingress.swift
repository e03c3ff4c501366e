// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseRuntime
import GatehouseSDK
import Glibc

/// Any bytes may arrive as input: each line is an action, blank, or rejected with a place inside the line; and the
/// parser that is made for speed accepts exactly what the strict one accepts, with the same content.
@_cdecl("LLVMFuzzerTestOneInput")
public func readActions(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = ftruncate(input.descriptor, 0)
    _ = pwrite(input.descriptor, start, count, 0)
    _ = lseek(input.descriptor, 0, SEEK_SET)
    var reader = LineReader(
        descriptor: input.descriptor, name: "f", maximumLineBytes: 4_096, bufferBytes: 1 + count % 64)
    while true {
        guard let event = try? reader.next() else { fatalError("a file in memory cannot be read") }
        switch event {
        case .line(let line): input.check(line)
        case .tooLong(_, let bytes): expect(bytes > 4_096, "a line of \(bytes) bytes is too long")
        case .interrupted, .dry: fatalError("nothing wakes the reader, and it waits")
        case .end: return 0
        }
    }
}

/// What is kept from one input to the next.
nonisolated(unsafe) private var input = IngressInput()

/// A file in memory and the parser.
private struct IngressInput: ~Copyable {
    let descriptor = gatehouse_memfd_create("input")
    var parser = ActionParser()

    /// Compares both ways to read a line.
    mutating func check(_ line: InputLine) {
        let text = Array(line.bytes)
        let strict = try? JSONText.parse(text)
        switch parser.parse(line) {
        case .action(let action), .hostAction(let action):
            guard case .object(let members)? = strict else {
                fatalError("the strict parser refuses an action")
            }
            expect(members["type"] == .string(action.type.name), "another type: \(action.type)")
            expect(members["payload"] == action.payload, "another payload")
            expect(members["meta"] == action.meta, "another meta")
            expect((members["error"] ?? false) == .bool(action.isError), "another error")
        case .blank:
            expect(text.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }, "a line with text is blank")
        case .refused: preconditionFailure("a parser refuses nothing")
        case .rejected(let rejection):
            expect((1...text.count + 1).contains(rejection.column), "a column outside the line")
            expect(!rejection.reason.description.isEmpty, "a reason without words")
        }
    }
}
