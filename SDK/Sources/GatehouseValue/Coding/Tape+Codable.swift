// SPDX-License-Identifier: Apache-2.0

extension Tape: Codable {
    /// Decodes from any format; from another tape by copying the value.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self = decoder.view.detached()
        } else {
            self = Tape.make(try Value(from: decoder))
        }
    }

    /// Encodes the document as a value.
    public func encode(to encoder: any Encoder) throws { try root.value.encode(to: encoder) }
}
