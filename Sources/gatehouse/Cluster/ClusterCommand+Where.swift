// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseRuntime

extension ClusterCommand {
    /// The most actions read at a time.
    private static let mostAtOnce = 1_000

    /// Finds the places of keys, and counts how many actions of each wait there.
    ///
    /// Each partition is read once, from its last checkpoint to its end.
    func places(
        of keys: ArraySlice<String>, _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer,
        _ shape: ClusterShape
    ) throws(ClusterFailure) -> [KeyPlaceText] {
        let engine = try maintainer.engine(of: shape)
        let survey = try engine.survey()
        var places = keys.map { KeyPlaceText($0, in: survey) }
        let actions = ClusterKeys(cluster, partitions: shape.partitions)
        for number in Set(places.map(\.number)).sorted() {
            let processed = survey.partitions[number].offset
            try engine.readRest(of: number, after: processed, atMost: Self.mostAtOnce) { entry in
                guard let key = actions.key(ofWritten: unsafe Array(entry.action)) else { return }
                for index in places.indices where places[index].number == number {
                    places[index].count(key)
                }
            }
        }
        return places
    }
}
