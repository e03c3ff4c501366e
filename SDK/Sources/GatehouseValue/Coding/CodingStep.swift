// SPDX-License-Identifier: Apache-2.0

/// One step of a coding path: a member name or an array position.
struct CodingStep: CodingKey {
    /// The name; empty for a position.
    private let name: String
    /// The position; nil for a name.
    let intValue: Int?

    /// The name, or the position in digits, which are made only for errors.
    var stringValue: String { intValue?.description ?? name }

    /// Creates a step to a member; a name of digits remains a name.
    init(stringValue: String) {
        name = stringValue
        intValue = nil
    }

    /// Creates a step to an element.
    init(intValue: Int) {
        name = ""
        self.intValue = intValue
    }

    /// The name for a superclass's part in `superDecoder()` and `superEncoder()`.
    static let superclass = CodingStep(stringValue: "super")
}

extension JSONPointer {
    /// Creates a pointer from a coding path.
    init(_ path: [any CodingKey]) {
        self.init(tokens: path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }
}
