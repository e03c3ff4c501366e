// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The libraries that this process has mapped at one moment.
public struct LoadedLibraries: Sendable {
    /// Their paths as the loader opened them, in the order of loading.
    public let paths: [String]
    /// Their file names: a library of such a name is not searched for again.
    let names: Set<String>
    /// The folders they came from.
    let folders: Set<String>

    /// Those of this process at this moment.
    public static var current: LoadedLibraries {
        /// Collects what the loader tells.
        final class Collection {
            /// The paths so far.
            var paths: [String] = []
        }
        let collection = Collection()
        unsafe gatehouse_visit_libraries(
            { path, context in
                guard let path = unsafe path, let context = unsafe context else { return }
                unsafe Unmanaged<Collection>.fromOpaque(context).takeUnretainedValue()
                    .paths.append(String(cString: path))
            }, Unmanaged.passUnretained(collection).toOpaque())
        return LoadedLibraries(paths: collection.paths.filter { !$0.isEmpty })
    }

    /// Libraries at paths.
    init(paths: [String]) {
        self.paths = paths
        names = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        folders = Set(paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } })
    }

    /// The path of a library by its file name; nil when it is not loaded.
    func path(of name: String) -> String? { paths.first { $0.hasSuffix("/" + name) } }
}
