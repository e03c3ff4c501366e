// SPDX-License-Identifier: Apache-2.0

extension Tape {
    /// Decodes a plain value at an index, for callers without a decoder: making one for each member would retain the tape.
    ///
    /// `origin` is the first word of the value at which paths in errors start.
    @inlinable
    func decode<Plain: PlainValue>(_ type: Plain.Type, at index: Int, origin: UInt32) throws -> Plain {
        guard let value = Plain(plain: self, at: index) else {
            throw TapeDecoder(tape: self, index: index, origin: origin).misfit(type)
        }
        return value
    }
}
