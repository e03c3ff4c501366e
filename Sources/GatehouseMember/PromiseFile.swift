// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// The file in which a member keeps what the engine has confirmed to it, from one process to the next.
///
/// Nothing forces it to the disk: after a power failure it may promise less than the engine has confirmed, never more.
struct PromiseFile: Sendable {
    /// The number of the form of the file.
    private static let form = 1
    /// The most bytes: those of the largest cluster, and more than enough.
    private static let limit = 4 << 20

    /// The folder of the file.
    private let folder: String
    /// The path.
    let path: String

    /// Names the file of a cluster in the folder for data.
    init(of cluster: String, in folder: String) {
        self.folder = folder
        path = "\(folder)/cluster-\(cluster).promise"
    }

    /// Reads the promise; nil where there is none.
    ///
    /// - Throws: `refused` when the file cannot be used.
    func read() throws(ClusterFailure) -> ClusterPromise? {
        guard SystemFile.status(path) != nil else { return nil }
        do {
            let bytes = try SystemFile.bytes(of: path, limit: Self.limit)
            if let promise = ClusterPromise(try JSONText.parse(bytes), form: Self.form) { return promise }
        } catch {}
        throw .refused(
            "\(path), which has what Redis had confirmed to this member, cannot be read; remove it to join without that"
        )
    }

    /// Replaces the promise.
    ///
    /// - Throws: the call that failed.
    func write(_ promise: ClusterPromise) throws(SystemFailure) {
        try SystemFile.makeFolder(folder)
        var bytes: [UInt8] = []
        promise.value(form: Self.form).writeJSON(to: &bytes)
        try SystemFile.replace(path, with: bytes, isLasting: false)
    }
}

extension ClusterPromise {
    /// The promise as it is written: for each partition the action, the checkpoint and the epoch.
    fileprivate func value(form: Int) -> Value {
        [
            "form": Value(form), "era": era.map(Value.string) ?? .null,
            "floors": .array(
                floors.map { [.string("\($0.entry)"), .string("\($0.checkpoint)"), Value($0.epoch)] }),
        ]
    }

    /// Reads a written promise; nil for anything else.
    fileprivate init?(_ value: Value, form: Int) {
        guard value["form"]?.intValue == form, let written = value["floors"]?.arrayValue else { return nil }
        self.init(partitions: written.count)
        era = value["era"]?.stringValue
        for (partition, floor) in written.enumerated() {
            guard let entry = floor[0]?.stringValue.flatMap({ ClusterOffset($0) }),
                let checkpoint = floor[1]?.stringValue.flatMap({ ClusterOffset($0) }),
                let epoch = floor[2]?.intValue
            else { return nil }
            (floors[partition].entry, floors[partition].checkpoint) = (entry, checkpoint)
            floors[partition].epoch = epoch
        }
    }
}
