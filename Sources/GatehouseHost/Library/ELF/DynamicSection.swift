// SPDX-License-Identifier: Apache-2.0

/// What a library tells the dynamic loader: the libraries it needs, its own name and its search paths.
public struct DynamicSection: Hashable, Sendable {
    /// The file names of the libraries this one needs, in search order.
    public internal(set) var needed: [String] = []
    /// The name that other libraries record when they are linked against this one.
    public internal(set) var soname: String?
    /// Search paths that also serve the libraries needed further down; the corresponding tag is `DT_RPATH`.
    public internal(set) var rpath: [String] = []
    /// Search paths for this library's own needs; the corresponding tag is `DT_RUNPATH`.
    public internal(set) var runpath: [String] = []

    /// The folders that count for this library's own needs: a `DT_RUNPATH` puts a `DT_RPATH` out of force.
    var searchPath: [String] { runpath.isEmpty ? rpath : runpath }
}
