// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// Where the actions with a key are: their partition, its owner, and how far that is.
struct KeyPlaceText {
    /// The key.
    private let key: String
    /// The partition's number.
    private let number: Int
    /// The partition.
    private let partition: ClusterSurvey.Partition

    /// Finds the partition of a key among those of a cluster, as members do.
    init(_ key: String, in survey: ClusterSurvey) {
        self.key = key
        // A long text is shortened where it is a key.
        let found = AnyAction("key", payload: .string(key)).key(at: .whole) ?? key
        number = PartitionHash.partition(of: found, in: survey.partitions.count)
        partition = survey.partitions[number]
    }

    /// The place for programs; missing values are null.
    var value: Value {
        [
            "key": .string(key), "partition": Value(number),
            "owner": partition.title.owner.map(Value.string) ?? .null, "lag": Value(partition.lag),
            "waiting": partition.waiting.map { .double($0 / .seconds(1)) } ?? .null,
        ]
    }

    /// A line for each place.
    static func table(_ places: [KeyPlaceText]) -> String {
        TextTable(columns: [
            .text("KEY", most: 30), .number("PARTITION", most: 9), .text("OWNER", most: 27),
            .number("BEHIND", most: 9),
        ]).lines(
            places.map {
                [
                    Quotation.bare($0.key), String($0.number), $0.partition.title.owner ?? "nobody",
                    String($0.partition.lag),
                ]
            }
        ).map { $0 + "\n" }.joined()
    }
}
