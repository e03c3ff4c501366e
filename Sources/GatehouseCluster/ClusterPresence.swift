// SPDX-License-Identifier: Apache-2.0

/// A member's process, as the others see it.
public struct ClusterPresence: Equatable, Sendable {
    /// The member's name; of the processes that use it, the one that joined last counts.
    public var name: String
    /// Distinguishes the process from all others that ever used the name; without spaces.
    public var life: String
    /// The digest of its plugins: members with the same digest run the same plugins; without spaces.
    public var digest: String
    /// The version of the host.
    public var version: String
    /// The process id on its machine.
    public var process: Int
    /// When it was started, in seconds since 1970.
    public var started: Double

    /// Creates a presence from its parts.
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
