// SPDX-License-Identifier: Apache-2.0

/// The payload decoded last, for all instances of one plugin in one host; used in its drain.
@usableFromInline
final class DecodedPayload<Action: Sendable> {
    /// The serial number of the content decoded last, which may be gone by now; no content has 0.
    @safe @exclusivity(unchecked) @usableFromInline var serial: UInt64 = 0
    /// The local type that it was decoded under.
    @safe @exclusivity(unchecked) @usableFromInline var type: ActionType?
    /// The decoded action; nil before the first.
    @safe @exclusivity(unchecked) @usableFromInline var result: Result<Action, CodingFailure>?

    /// Creates a memory in which nothing is decoded.
    @usableFromInline
    init() {}
}
