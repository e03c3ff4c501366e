// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// How a reload is to be tried on the past before it is done.
public struct HistoryTrial: Equatable, Sendable {
    /// So many actions at most may be asked for.
    static let most = 100_000

    /// How many of the newest recorded actions are gone over.
    public let count: Int
    /// Whether a difference refuses the reload; otherwise only what ends the child does.
    public let isStrict: Bool

    /// A trial on so many actions.
    public init(count: Int, isStrict: Bool) {
        self.count = count
        self.isStrict = isStrict
    }
}

/// Where a child of the host finds what it tries on the past, and the past.
public struct HistorySource: Equatable, Sendable {
    /// The path of the configuration file; where `isFolder` says so, of a folder of plugins without one.
    public let path: String
    /// Whether the path is that of a folder of plugins.
    public let isFolder: Bool
    /// The folder that relative paths of the configuration start from.
    public let base: String
    /// The folder of the journal.
    public let journal: String
    /// Whether files that their group may write to are refused.
    public let isStrict: Bool

    /// The source of a host.
    public init(path: String, isFolder: Bool, base: String, journal: String, isStrict: Bool) {
        self.path = path
        self.isFolder = isFolder
        self.base = base
        self.journal = journal
        self.isStrict = isStrict
    }

    /// The source as a child of the host reads it.
    var value: Value {
        [
            "path": .string(path), "isFolder": .bool(isFolder), "base": .string(base),
            "journal": .string(journal), "isStrict": .bool(isStrict),
        ]
    }

    /// Reads a source; nil for what no host writes.
    init?(_ value: Value) {
        guard let path = value["path"]?.stringValue, case .bool(let isFolder)? = value["isFolder"],
            let base = value["base"]?.stringValue, let journal = value["journal"]?.stringValue,
            case .bool(let isStrict)? = value["isStrict"]
        else { return nil }
        self.init(path: path, isFolder: isFolder, base: base, journal: journal, isStrict: isStrict)
    }
}
