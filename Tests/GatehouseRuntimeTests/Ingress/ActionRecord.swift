// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

@testable import GatehouseRuntime

/// An `ActionLineOutcome` with everything copied out, so that tests can compare whole values.
enum ActionRecord: Equatable {
    case action(type: String, payload: Value?, error: Bool, meta: Value?)
    case blank
    case rejected(String)

    /// Copies what came out, and keeps none of it.
    init(_ outcome: ActionLineOutcome) {
        switch outcome {
        case .action(let action), .hostAction(let action):
            self = .action(
                type: action.type.name, payload: action.payload, error: action.isError, meta: action.meta)
        case .blank: self = .blank
        case .refused: preconditionFailure("a parser refuses nothing")
        case .rejected(let rejection): self = .rejected(rejection.description)
        }
    }

    /// An action without error mark and meta.
    static func plain(_ type: String, _ payload: Value? = nil) -> ActionRecord {
        .action(type: type, payload: payload, error: false, meta: nil)
    }

    /// Whether this is an action.
    var isAction: Bool {
        if case .action = self { true } else { false }
    }
}

extension ActionParser {
    /// What becomes of a line with these bytes; the padding is filled with a byte that would change the
    /// meaning.
    mutating func record(_ bytes: [UInt8], line: Int = 1) -> ActionRecord {
        let padded = bytes + Array(repeating: UInt8(ascii: "9"), count: LineReader.padding)
        return unsafe padded.withUnsafeBytes { padded in
            let text = unsafe UnsafeRawBufferPointer(rebasing: padded[..<bytes.count])
            return unsafe ActionRecord(parse(InputLine(bytes: text, number: line)))
        }
    }

    /// What becomes of a line with this text.
    mutating func record(_ text: String, line: Int = 1) -> ActionRecord {
        record(Array(text.utf8), line: line)
    }
}
