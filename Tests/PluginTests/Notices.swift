// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// What plugins under test have told of themselves, from any thread.
final class Notices: Sendable {
    private let content = Mutex<[PluginStatus.Notice]>([])

    /// All of them, in order.
    var all: [PluginStatus.Notice] { content.withLock { $0 } }

    /// Takes one.
    func add(_ notice: PluginStatus.Notice) { content.withLock { $0.append(notice) } }
}
