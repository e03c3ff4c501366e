// SPDX-License-Identifier: Apache-2.0

/// A moment by two clocks, the engine's and a member's, in seconds since 1970.
///
/// Data with a lifetime expires once both clocks say so. So when one clock is wrong, or is set, nothing expires too early, and late
/// data expires when the clock is right again.
struct ClusterTime: Hashable, Sendable {
    /// By the engine's clock.
    var engine: Int
    /// By the clock of the member that noted it.
    var member: Int

    /// Returns how many of `seconds` are left at another moment; not above zero when they have passed.
    func left(of seconds: Int, at now: ClusterTime) -> Int {
        seconds - min(now.engine - engine, now.member - member)
    }
}

extension ClusterTime {
    /// Creates a moment at which both clocks agree.
    init(_ seconds: Int) { self.init(engine: seconds, member: seconds) }

    /// Reads a recorded moment; nil for one so distant that differences would overflow.
    init?(known engine: Int, _ member: Int) {
        let known = -(1 << 60)...1 << 60
        guard known.contains(engine), known.contains(member) else { return nil }
        self.init(engine: engine, member: member)
    }
}
