// SPDX-License-Identifier: Apache-2.0

/// What the payload in hand was decoded to, for all instances of one plugin in one host; used in its drain.
@usableFromInline
final class DecodedPayload<Action: Sendable> {
    /// The serial number of the content that was decoded last, which need not be there any more; no content has 0.
    @usableFromInline var serial: UInt64 = 0
    /// The local type that it was decoded under.
    @usableFromInline var type: ActionType?
    /// What it was decoded to; nil before the first.
    @usableFromInline var result: Result<Action, CodingFailure>?

    /// A memory in which nothing was decoded so far.
    @usableFromInline
    init() {}
}
