// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A small file of a test's package, read and written as a whole.
///
/// By the C library alone, because Foundation would be loaded by each host with the SDK.
struct TextFile {
    /// The path of the file.
    let path: String

    /// A file at a path.
    init(_ path: String) { self.path = path }

    /// A file at a path below the package that a source belongs to, which is the nearest folder above it with a `Package.swift`;
    /// nil where there is none.
    init?(_ path: String, inPackageOf source: String) {
        var folders = source.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        while !folders.isEmpty {
            let folder = folders.joined(separator: "/")
            if TextFile(folder + "/Package.swift").exists {
                self.path = folder + "/" + path
                return
            }
            folders.removeLast()
        }
        return nil
    }

    /// Whether there is such a file.
    var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// Its bytes; nil where it cannot be read.
    func read() -> [UInt8]? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&part, 1, part.count, file)
            if count == 0 { return unsafe ferror(file) == 0 ? bytes : nil }
            bytes += part[..<count]
        }
    }

    /// Writes it, and makes the folder that it is in; returns whether that went well.
    func write(_ text: String) -> Bool {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        unsafe mkdir(folder.joined(separator: "/"), 0o777)
        guard let file = unsafe fopen(path, "w") else { return false }
        let bytes = Array(text.utf8)
        let isWritten = unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count
        return unsafe fclose(file) == 0 && isWritten
    }

    /// Whether the environment asks for files to be written in place of being compared.
    static var isRecording: Bool { unsafe getenv("GATEHOUSE_RECORD") != nil }
}
