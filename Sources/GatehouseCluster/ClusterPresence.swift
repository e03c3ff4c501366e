// SPDX-License-Identifier: Apache-2.0

/// A process that is a member, as the others see it.
public struct ClusterPresence: Equatable, Sendable {
    /// The member's name; of the processes that use it, the one that joined last counts.
    public var name: String
    /// Tells the process from all others that ever used the name; without spaces.
    public var life: String
    /// Of its plugins: members of the same one run the same; without spaces.
    public var digest: String
    /// Of the host.
    public var version: String
    /// Its number in its machine.
    public var process: Int
    /// When it was started, in seconds since 1970.
    public var started: Double

    /// A presence of its parts.
    public init(
        name: String, life: String, digest: String = "", version: String = "", process: Int = 0,
        started: Double = 0
    ) {
        self.name = name
        self.life = life
        self.digest = digest
        self.version = version
        self.process = process
        self.started = started
    }
}
