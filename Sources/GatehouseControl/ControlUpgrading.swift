// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
package import GatehouseValue

/// Lets another process go on for the host, for clients; called on the event loop, which must not be blocked.
@EventLoop
package protocol ControlUpgrading: AnyObject, Sendable {
    /// Returns once another process goes on.
    ///
    /// - Parameter program: the path of the program to go on with; nil for the one that is installed where the host's was.
    /// - Returns: its process id, for how many seconds inputs waited, and how many connections it has taken over.
    func upgrade(to program: String?) async throws(ControlError) -> Value
}
