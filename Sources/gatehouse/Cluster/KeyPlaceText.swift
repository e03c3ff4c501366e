// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// Where the actions with a key are: their partition, its owner, and how far that is.
struct KeyPlaceText {
    /// The key.
    private let key: String
    /// The key as members compare it: a long text is shortened.
    private let compared: String
    /// The partition's number.
    let number: Int
    /// The partition.
    let partition: ClusterSurvey.Partition
    /// How many of the actions that wait there have the key.
    private var waiting = 0

    /// Finds the partition of a key among those of a cluster, as members do.
    init(_ key: String, in survey: ClusterSurvey) {
        self.key = key
        compared = AnyAction("key", payload: .string(key)).key(at: .whole) ?? key
        number = PartitionHash.partition(of: compared, in: survey.partitions.count)
        partition = survey.partitions[number]
    }

    /// Counts an action that waits in the partition, if it has the key.
    ///
    /// - Parameter found: the key of the action.
    mutating func count(_ found: String) { if has(found) { waiting += 1 } }

    /// Whether the key of an action is this one.
    func has(_ found: String) -> Bool { found == compared }

    /// The place for programs; missing values are null.
    var value: Value {
        [
            "key": .string(key), "partition": Value(number),
            "owner": partition.title.owner.map(Value.string) ?? .null, "lag": Value(partition.lag),
            "lagOfKey": Value(waiting),
            "waiting": partition.waiting.map { .double($0 / .seconds(1)) } ?? .null,
        ]
    }

    /// A line for each place.
    static func table(_ places: [KeyPlaceText]) -> String {
        TextTable(columns: [
            .text("KEY", most: 30), .number("PARTITION", most: 9), .text("OWNER", most: 27),
            .number("BEHIND", most: 9), .number("OF KEY", most: 9),
        ]).lines(
            places.map {
                [
                    Quotation.bare($0.key), String($0.number), $0.partition.title.owner ?? "nobody",
                    String($0.partition.lag), String($0.waiting),
                ]
            }
        ).map { $0 + "\n" }.joined()
    }
}
