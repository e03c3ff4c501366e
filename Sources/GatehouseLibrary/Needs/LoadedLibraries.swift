// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport

/// The libraries that a process has mapped at one moment.
package struct LoadedLibraries: Sendable {
    /// Their paths as the loader opened them, in the order of loading.
    package let paths: [String]
    /// Their file names and their own names: a library with such a name is not searched for again.
    package let names: Set<String>
    /// The folders they came from.
    package let folders: Set<String>
    /// The files they came from: a mapped file is not mapped again under another name.
    private let files: Set<SystemFile.Identity>

    /// Those of this process before it loaded its first plugin, since a verdict comes before.
    ///
    /// Libraries of plugins are not the host's: a later plugin must not depend on an earlier one.
    package static let host: LoadedLibraries = {
        /// Collects what the loader reports.
        final class Collection {
            /// The paths so far.
            var paths: [String] = []
            /// The libraries' own names so far.
            var names: [String] = []
        }
        let collection = Collection()
        unsafe gatehouse_visit_libraries(
            { path, name, context in
                guard let path = unsafe path, let name = unsafe name, let context = unsafe context else {
                    return
                }
                let collection = unsafe Unmanaged<Collection>.fromOpaque(context).takeUnretainedValue()
                unsafe collection.paths.append(String(cString: path))
                unsafe collection.names.append(String(cString: name))
            }, Unmanaged.passUnretained(collection).toOpaque())
        return LoadedLibraries(paths: collection.paths, names: collection.names)
    }()

    /// Libraries at paths, and their own names; empty texts mean none.
    private init(paths: [String], names: [String]) {
        self.paths = paths.filter { !$0.isEmpty }
        self.names = Set(names + paths.compactMap { $0.split(separator: "/").last.map(String.init) })
            .subtracting([""])
        folders = Set(paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } })
        files = Set(paths.compactMap(SystemFile.identity))
    }

    /// The path of a library by its file name; nil when it is not loaded.
    package func path(of name: String) -> String? { paths.first { $0.hasSuffix("/" + name) } }

    /// Whether a file is one of these libraries.
    package func holds(_ path: String) -> Bool { SystemFile.identity(path).map(files.contains) ?? false }
}
