// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A folder of a test's own, removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
    /// Where it is, without links on the way.
    public let path: String

    /// A fresh folder that only this user may use.
    public init() throws {
        var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else { throw SystemFailure("mkdtemp") }
        path = unsafe String(cString: made)
    }

    deinit { Self.empty(path) }

    /// The path of something in it.
    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a text file and gives its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try FileSystem.write(Array(text.utf8), to: self(name))
        return self(name)
    }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        try FileSystem.write(bytes, to: self(name))
        return self(name)
    }

    /// Copies a built plugin library and gives the path of the copy.
    @discardableResult
    public func copyLibrary(_ target: String, as name: String? = nil) throws -> String {
        try write(FileSystem.read(BuiltProducts.library(target)), to: name ?? "lib\(target).so")
    }

    /// Makes a folder in it and gives its path.
    public func makeFolder(_ name: String) throws -> String {
        try FileSystem.makeFolder(self(name))
        return self(name)
    }

    /// Removes a folder with all that is in it; links are removed, not followed.
    private static func empty(_ path: String) {
        guard let folder = unsafe opendir(path) else { return }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(path + "/" + name) }
        }
        unsafe closedir(folder)
        for name in names where unsafe unlink(name) != 0 { empty(name) }
        _ = unsafe rmdir(path)
    }
}
