// SPDX-License-Identifier: Apache-2.0

/// A moment by two clocks, the engine's and a member's, in seconds since 1970.
///
/// What is known for a time is forgotten when that is over by both of them. So when one clock is wrong, or is set, nothing is forgotten
/// too early, and what is forgotten late is forgotten when the clock is right again.
public struct ClusterTime: Hashable, Sendable {
    /// By the engine's clock.
    public var engine: Int
    /// By the clock of the member that noted it.
    public var member: Int

    /// A moment of its parts.
    public init(engine: Int, member: Int) {
        self.engine = engine
        self.member = member
    }

    /// A moment at which both clocks were the same.
    init(_ seconds: Int) { self.init(engine: seconds, member: seconds) }

    /// A moment that was written down; nil for one so far from all others that differences between them are no numbers.
    init?(known engine: Int, _ member: Int) {
        let known = -(1 << 60)...1 << 60
        guard known.contains(engine), known.contains(member) else { return nil }
        self.init(engine: engine, member: member)
    }

    /// How many seconds of so many are left at another moment; not above zero when they are over.
    func left(of seconds: Int, at now: ClusterTime) -> Int {
        seconds - min(now.engine - engine, now.member - member)
    }
}
