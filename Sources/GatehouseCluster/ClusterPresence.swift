// SPDX-License-Identifier: Apache-2.0

/// A member's process, as the others see it.
package struct ClusterPresence: Equatable, Sendable {
    /// The member's name; of the processes that use it, the one that joined last counts.
    package var name: String
    /// Distinguishes the process from all others that ever used the name; without spaces.
    package var life: String
    /// The digest of its plugins: members with the same digest run the same plugins; without spaces.
    package var digest: String
    /// The version of the host.
    package var version: String
    /// The process id on its machine.
    package var process: Int
    /// When it was started, in seconds since 1970.
    package var started: Double

    /// Creates a presence from its parts.
    package init(
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
