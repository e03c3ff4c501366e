// SPDX-License-Identifier: Apache-2.0

/// Names a running effect, so that it can be cancelled or replaced.
///
/// Two tokens are the same when their values are equal **and** of the same type: `1` and `1.0` differ.
public struct EffectToken: Hashable, Sendable {
    /// The author's value.
    private let value: any Hashable & Sendable

    /// Creates a token from any value.
    public init(_ value: some Hashable & Sendable) {
        self.value = (value as? EffectToken)?.value ?? value
    }

    public static func == (lhs: EffectToken, rhs: EffectToken) -> Bool {
        type(of: lhs.value) == type(of: rhs.value) && AnyHashable(lhs.value) == AnyHashable(rhs.value)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: value)))
        value.hash(into: &hasher)
    }
}
