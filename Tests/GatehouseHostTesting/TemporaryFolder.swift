// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A test's own folder, removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
    /// Its path, without links.
    public let path: String

    /// Creates a folder that only this user may use.
    public init() throws {
        var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else { throw SystemFailure("mkdtemp") }
        path = unsafe String(cString: made)
    }

    deinit { FileSystem.removeFolder(path) }

    /// The path of something in it.
    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a text file and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try FileSystem.write(Array(text.utf8), to: self(name))
        return self(name)
    }

    /// Writes a script that can be run at once, and returns its path.
    ///
    /// Another process writes it: a child of some other test that has inherited a descriptor for writing, and has not run its program yet,
    /// would keep the system from running this one.
    public func writeProgram(_ text: String, to name: String) throws -> String {
        let draft = try write(text, to: name + ".draft")
        try FileSystem.setMode(0o755, of: draft)
        let copy = try ChildProcess.run("/bin/cp", arguments: ["--preserve=mode", draft, self(name)])
        guard copy.exitCode == 0 else { throw SystemFailure("cp \(draft)") }
        return self(name)
    }

    /// The text of a file in the folder.
    public func read(_ name: String) throws -> String {
        String(decoding: try FileSystem.read(self(name)), as: UTF8.self)
    }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        try FileSystem.write(bytes, to: self(name))
        return self(name)
    }

    /// Copies a built plugin library and returns the path of the copy.
    @discardableResult
    public func copyLibrary(_ target: String, as name: String? = nil) throws -> String {
        try write(FileSystem.read(BuiltProducts.library(target)), to: name ?? "lib\(target).so")
    }

    /// Makes a folder in it and returns its path.
    public func makeFolder(_ name: String) throws -> String {
        try FileSystem.makeFolder(self(name))
        return self(name)
    }
}
