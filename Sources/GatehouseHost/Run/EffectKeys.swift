// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Where instances find a name for what the action in hand starts; settled once the host is there.
final class EffectKeys: Sendable {
    /// Gives the name for an instance; nil before there is a host.
    private let name = Mutex<(@Sendable (String) -> String?)?>(nil)

    /// Begins the names of this run, where no journal has one of its own.
    static let run = String(UInt64.random(in: .min ... .max), radix: 36)

    /// Names of nothing.
    init() {}

    /// Sets who gives the names; called by the host before it starts.
    func settle(_ name: @escaping @Sendable (String) -> String?) { self.name.withLock { $0 = name } }

    /// The name of what the action in hand starts in an instance; nil where none is in hand.
    func key(for instance: String) -> String? { name.withLock { $0 }?(instance) }
}
