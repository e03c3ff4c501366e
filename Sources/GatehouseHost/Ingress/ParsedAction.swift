// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One action as it came in: a Flux Standard Action whose line has been validated completely.
///
/// Payload and meta are documents of their own and may be kept; the type name is borrowed. Marked safe
/// because only reading through `typeName` is an unsafe step, sound until the parser that made this is used
/// again or ends.
@safe public struct ParsedAction {
    /// The action's type as UTF-8, never empty, borrowed from the parser.
    public let typeName: UnsafeBufferPointer<UInt8>

    /// The payload of any kind, an explicit null included; nil when the member is absent.
    public let payload: TapeView?

    /// Whether the action reports an error; false when the member is absent.
    public let error: Bool

    /// The meta object; nil when the member is absent.
    public let meta: TapeView?

    /// The action's type as a string of its own; allocates above 15 bytes.
    public var type: String { unsafe String(decoding: typeName, as: UTF8.self) }
}
