// SPDX-License-Identifier: Apache-2.0

/// How far a process of a worker is before its instances run, as it tells its host in lines.
enum WorkerStep: Equatable {
    /// It makes the instance of a member, by its index.
    case making(Int)
    /// It has made the last one.
    case made

    /// Told once the memory is mapped, before any instance is made.
    static let mapped = "mapped"
    /// What stands before the index.
    private static let prefix = "making "

    /// The line that tells it.
    var line: String {
        switch self {
        case .making(let index): "\(Self.prefix)\(index)"
        case .made: "made"
        }
    }

    /// Reads a line; nil for one that tells something else.
    init?(_ line: Substring) {
        if line == WorkerStep.made.line {
            self = .made
            return
        }
        guard line.hasPrefix(Self.prefix), let index = Int(line.dropFirst(Self.prefix.count)) else {
            return nil
        }
        self = .making(index)
    }
}
