// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Parses recorded actions; belongs to one thread.
package struct RecordedLines: ~Copyable {
    /// Parses each line.
    private var parser = ActionParser()
    /// The current line, with the padding the parser needs.
    private var line: [UInt8] = []

    /// That padding.
    private static let padding = [UInt8](repeating: 0, count: LineReader.padding)

    /// Creates a parser of recorded actions.
    package init() {}

    /// Returns the action in a line; nil for any other line.
    package mutating func action(_ bytes: [UInt8]) -> AnyAction? {
        unsafe bytes.withUnsafeBytes { unsafe action($0) }
    }

    /// Returns the action in a line among others; nil for any other line.
    package mutating func action(_ bytes: ArraySlice<UInt8>) -> AnyAction? {
        unsafe bytes.withUnsafeBytes { unsafe action($0) }
    }

    /// Returns the action in bytes that are valid during the call.
    package mutating func action(_ bytes: UnsafeRawBufferPointer) -> AnyAction? {
        switch unsafe outcome(bytes, number: 1) {
        case .action(let action), .hostAction(let action): action
        case .blank, .rejected, .refused: nil
        }
    }

    /// Parses a line that need not be a recorded one, and says why it is no action where it is none.
    ///
    /// - Parameter number: the number of the line among others, for that reason.
    package mutating func outcome(_ bytes: [UInt8], number: Int) -> ActionLineOutcome {
        unsafe bytes.withUnsafeBytes { unsafe outcome($0, number: number) }
    }

    /// Parses bytes that are valid during the call, with the padding after them.
    private mutating func outcome(_ bytes: UnsafeRawBufferPointer, number: Int) -> ActionLineOutcome {
        line.removeAll(keepingCapacity: true)
        unsafe line.append(contentsOf: bytes)
        line += Self.padding
        return unsafe line.withUnsafeBytes { all in
            let text = unsafe UnsafeRawBufferPointer(rebasing: all[..<bytes.count])
            return unsafe parser.parse(InputLine(bytes: text, number: number))
        }
    }
}
