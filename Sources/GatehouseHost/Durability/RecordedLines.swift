// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Turns actions that were written down back into actions; belongs to one thread.
struct RecordedLines: ~Copyable {
    /// Reads each of them.
    private var parser = ActionParser()
    /// The line in hand, with what the parser wants behind it.
    private var line: [UInt8] = []

    /// A reader of lines.
    init() {}

    /// The action in a line; nil for a line that is none.
    mutating func action(_ bytes: [UInt8]) -> AnyAction? {
        unsafe bytes.withUnsafeBytes { unsafe action($0) }
    }

    /// The same, of bytes that are there during the call.
    mutating func action(_ bytes: UnsafeRawBufferPointer) -> AnyAction? {
        line.removeAll(keepingCapacity: true)
        unsafe line.append(contentsOf: bytes)
        line.append(contentsOf: repeatElement(0, count: LineReader.padding))
        return unsafe line.withUnsafeBytes { all in
            let text = unsafe UnsafeRawBufferPointer(rebasing: all[..<bytes.count])
            return switch parser.parse(unsafe InputLine(bytes: text, number: 1)) {
            case .action(let action), .hostAction(let action): action
            case .blank, .rejected: nil
            }
        }
    }
}
