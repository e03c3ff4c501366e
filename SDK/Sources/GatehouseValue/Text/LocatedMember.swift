// SPDX-License-Identifier: Apache-2.0

/// A member of a located object.
public struct LocatedMember: Sendable {
    /// The name, unescaped.
    public let key: String
    /// Where the name's opening quote is.
    public let keyPosition: TextPosition
    /// What stands behind the colon.
    public let value: LocatedValue

    /// Takes all three as they are.
    public init(key: String, keyPosition: TextPosition, value: LocatedValue) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}
