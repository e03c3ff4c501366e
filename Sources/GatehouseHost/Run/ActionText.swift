// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The line of input that the action in hand was read from, to say in which column a payload is wrong.
///
/// Marked safe because holding one does nothing; looking a column up is sound until the reader is asked for the next line.
@safe
struct ActionText {
    /// The line without its ending, borrowed from the reader.
    let bytes: UnsafeRawBufferPointer

    /// The column of the value of the payload that does not fit, from 1, or of the innermost one around it that is there.
    ///
    /// Reads the line once more; nil for a line that is no JSON.
    func column(of failure: CodingFailure) -> Int? {
        guard var value = unsafe try? JSONText.parseLocated([UInt8](bytes)) else { return nil }
        for token in ["payload"] + failure.pointer.tokens {
            guard let next = value.child(token) else { break }
            value = next
        }
        return value.position.column
    }
}

extension LocatedValue {
    /// The member or element that a pointer token names.
    fileprivate func child(_ token: String) -> LocatedValue? {
        switch content {
        case .object(let members): return members.last { $0.key == token }?.value
        case .array(let elements):
            guard let index = Int(token), elements.indices.contains(index) else { return nil }
            return elements[index]
        default: return nil
        }
    }
}
