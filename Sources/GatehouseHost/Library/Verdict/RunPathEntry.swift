// SPDX-License-Identifier: Apache-2.0

/// One folder where a library asks the loader to look for what it needs, and what to think of it.
///
/// Whoever may write to such a folder can put code into the host.
public struct RunPathEntry: Equatable, Sendable {
    /// What was found out about the folder.
    public enum Finding: Equatable, Sendable {
        /// The system's, or one that this process was itself loaded from.
        case trusted
        /// Relative to the library's file, and below the place of a copy in memory, where no libraries are.
        case origin
        /// Below the folder that the process happens to be in.
        case relative
        /// Somebody else could put libraries there; `path` is the folder to blame, the entry's own or one above it.
        case writable(path: String)
        /// Any other: most likely a folder of the machine that built the library.
        case elsewhere
    }

    /// The folder as written.
    public let text: String
    /// What was found out.
    public let finding: Finding

    /// Looks at a folder.
    ///
    /// - Parameter loaded: what this process has mapped.
    init(_ text: String, loaded: LoadedLibraries) {
        self.text = text
        finding = Self.finding(about: text, loaded)
    }

    /// What there is to say about a folder.
    private static func finding(about text: String, _ loaded: LoadedLibraries) -> Finding {
        guard let path = systemPath(of: text) else { return behindOrigin(text) == nil ? .relative : .origin }
        let parts = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        guard !parts.isEmpty else { return .elsewhere }
        let plain = "/" + parts.joined(separator: "/")
        if loaded.folders.contains(plain) || LibrarySearch.systemFolders.contains(plain) { return .trusted }
        // From the root downwards: the first folder that others may write to lets them put in all below it.
        var folder = ""
        for depth in 0...parts.count {
            if depth > 0 { folder += "/" + parts[depth - 1] }
            let place = folder.isEmpty ? "/" : folder
            guard let status = SystemFile.folder(place) else { break }
            // With the sticky bit others cannot replace what is there, only add what is not.
            let isComplete = depth < parts.count && SystemFile.folder(folder + "/" + parts[depth]) != nil
            let isOpen = status.mode & 0o022 != 0 && (status.mode & 0o1000 == 0 || !isComplete)
            if isOpen || !SystemFile.isTrusted(owner: status.owner) { return .writable(path: place) }
        }
        return .elsewhere
    }

    /// The folder that the loader will look into; nil for one that is relative, or below the place of a copy in memory.
    ///
    /// That place is `/proc/self/fd`. The system follows the link `/proc/self`, so that three steps up lead to the root.
    static func systemPath(of text: String) -> String? {
        guard let rest = behindOrigin(text) else { return text.hasPrefix("/") ? text : nil }
        var place = ["proc", "self", "fd"]
        for part in rest.split(separator: "/") where part != "." {
            if part == ".." { place = place.dropLast() } else { place.append(String(part)) }
        }
        return place.first == "proc" ? nil : "/" + place.joined(separator: "/")
    }

    /// What stands behind the word for the library's own folder; nil for a path that does not begin with it.
    private static func behindOrigin(_ text: String) -> Substring? {
        for word in ["$ORIGIN", "${ORIGIN}"] where text.hasPrefix(word) {
            let rest = text.dropFirst(word.count)
            if rest.isEmpty || rest.hasPrefix("/") { return rest }
        }
        return nil
    }
}
