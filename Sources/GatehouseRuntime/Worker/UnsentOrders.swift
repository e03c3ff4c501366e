// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The links of a store that have orders to send, because the thread that reads the input has more lines at hand and promises to have
/// the orders sent when it has none, or because they came in mail, after which a job has them sent.
///
/// `@unchecked Sendable`: the array is touched in the drain only.
final class UnsentOrders: @unchecked Sendable {
    /// In no particular order.
    @safe @exclusivity(unchecked) private var links: [WorkerLink] = []
    /// How many orders wait in all of them.
    private let orders = Atomic(0)

    /// How many orders wait; callable from any thread, and only the thread that dispatches has to see the latest number.
    var count: Int { orders.load(ordering: .relaxed) }

    /// Takes note of so many more orders of a link; called in the drain.
    ///
    /// - Parameter isFirst: whether the link had none before.
    func add(_ count: Int, of link: WorkerLink, isFirst: Bool) {
        if isFirst { links.append(link) }
        orders.wrappingAdd(count, ordering: .relaxed)
    }

    /// Takes note that so many orders of a link are sent; called in the drain.
    func remove(_ count: Int, of link: WorkerLink) {
        orders.wrappingSubtract(count, ordering: .relaxed)
        links.removeAll { $0 === link }
    }

    /// Has all orders sent; called in the drain.
    func send() {
        while let link = links.last { link.send() }
    }
}
