// SPDX-License-Identifier: Apache-2.0

/// One step of a coding path: a member name or an array position.
struct CodingStep: CodingKey {
    /// The name; empty for a position.
    private let name: String
    /// The position; nil for a name.
    let intValue: Int?

    /// The name, or the position in digits, which are made only when an error asks for them.
    var stringValue: String { intValue?.description ?? name }

    /// A step to a member; also one named by digits is a name.
    init(stringValue: String) {
        name = stringValue
        intValue = nil
    }

    /// A step to an element.
    init(intValue: Int) {
        name = ""
        self.intValue = intValue
    }

    /// The name under which `superDecoder()` and `superEncoder()` keep a superclass's part.
    static let superclass = CodingStep(stringValue: "super")
}

extension JSONPointer {
    /// The place that a coding path leads to.
    init(_ path: [any CodingKey]) {
        self.init(tokens: path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }
}
