// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
package import GatehouseSDK

/// Appends actions to the partitions of a cluster; the few that are for the store itself are dispatched there.
package final class PartitionedAdmission: Admission {
    /// Appends to the partitions.
    private let router: ClusterRouter
    package let recorder: ActionRecorder?
    package let elsewhere: (any OutputRoute)?
    /// The actions that wait to be appended.
    private var taken = AcceptedActions()

    /// Creates the admission of a member's own store, or of a partition's.
    ///
    /// - Parameters:
    ///   - elsewhere: takes the outputs that are for partitions.
    ///   - recorder: records what the store reduces; nil for a member's own store, which keeps nothing.
    package init(
        _ router: ClusterRouter, elsewhere: any OutputRoute, recorder: ActionRecorder? = nil
    ) {
        self.router = router
        self.elsewhere = elsewhere
        self.recorder = recorder
    }

    package var keepsFirst: Bool { true }
    package var servesOthers: Bool { true }
    package var isFull: Bool { taken.isFull() }

    package func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        taken.add(action, text, from: source, id: nil)
        return true
    }

    package func dispatchTaken(to store: HostStore) throws(IngressError) {
        guard !taken.isEmpty else { return }
        do { try router.append(&taken) { store.dispatch($0, from: $1) } } catch { throw .cluster(error) }
    }

    package func finish() throws(IngressError) {
        do { try router.finish() } catch { throw .cluster(error) }
    }
}
