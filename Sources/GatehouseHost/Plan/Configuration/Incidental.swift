// SPDX-License-Identifier: Apache-2.0

/// A property that never makes two values differ.
///
/// An entry that only moved in its file is the same entry, and a reload leaves it running.
@propertyWrapper
public struct Incidental<Wrapped: Sendable>: Equatable, Sendable {
    /// The property's value.
    public var wrappedValue: Wrapped

    /// Takes the property's first value.
    public init(wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }

    /// Always true.
    public static func == (_: Incidental, _: Incidental) -> Bool { true }
}
