// SPDX-License-Identifier: Apache-2.0

/// The system calls of a program that make files survive a power failure, in order.
public struct DiskLog {
    /// One recorded call.
    private enum Call: Equatable {
        /// The contents of a file or a folder are on the disk.
        case sync(String)
        /// A folder was made.
        case folder(String)
        /// A file has from here on a name that another file may have had.
        case name(String, from: String)
    }

    /// The calls, in order.
    private let calls: [Call]

    /// The environment variables that make a program write a log to a file.
    public static func environment(to file: String) -> [String: String] {
        ["LD_PRELOAD": PowerLoss.library, "SYNCED_LOG": file]
    }

    /// Reads the log of programs from a file.
    public init(in file: String) throws {
        let lines = String(decoding: try FileSystem.read(file), as: UTF8.self).split(separator: "\n")
        calls = lines.compactMap { line in
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 3 else { return nil }
            switch words[0] {
            case "sync": return .sync(words[1])
            case "folder": return .folder(words[1])
            case "name": return .name(words[1], from: words[2])
            default: return nil
            }
        }
    }

    /// The reasons why a file may be missing or incomplete after a power failure; empty when it cannot be.
    public func doubts(about path: String) -> [String] {
        var doubts: [String] = []
        let naming = calls.lastIndex { if case .name(path, _) = $0 { true } else { false } }
        if let naming, case .name(_, let from) = calls[naming] {
            if !calls[..<naming].contains(.sync(from)) {
                doubts.append("\(from) was not synced before it got the name \(path)")
            }
            if !calls[naming...].contains(.sync(Self.folder(of: path))) {
                doubts.append("\(Self.folder(of: path)) was not synced after \(path) had got its name")
            }
        } else {
            for missing in [path, Self.folder(of: path)] where !calls.contains(.sync(missing)) {
                doubts.append("\(missing) was not synced")
            }
        }
        var folder = Self.folder(of: path)
        while folder.count > 1 {
            if let making = calls.lastIndex(of: .folder(folder)),
                !calls[making...].contains(.sync(Self.folder(of: folder)))
            {
                doubts.append("\(Self.folder(of: folder)) was not synced after \(folder) was made")
            }
            folder = Self.folder(of: folder)
        }
        return doubts
    }

    /// The path of the folder that contains an entry.
    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
