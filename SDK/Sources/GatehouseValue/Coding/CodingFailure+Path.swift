// SPDX-License-Identifier: Apache-2.0

extension CodingFailure {
    /// Creates a failure for a hand-written `init(from:)` to throw: `decoder.codingPath` gives the place.
    public init(at path: [any CodingKey], expected: String, found: String) {
        self.init(pointer: JSONPointer(path), expected: expected, found: found)
    }
}
