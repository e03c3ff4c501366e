// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A small file of a test's package, read and written as a whole.
///
/// Uses only the C library, because each host would load Foundation with the SDK.
struct TextFile {
    /// The path of the file.
    let path: String

    /// Creates a file at a path.
    init(_ path: String) { self.path = path }

    /// Creates a file at a path below the package of a source, which is the nearest folder above it with a `Package.swift`.
    ///
    /// Returns nil if there is none.
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

    /// Whether the file exists.
    var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// Returns its bytes; nil if it cannot be read.
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

    /// Writes it, creating its folder if necessary; returns whether that succeeded.
    func write(_ text: String) -> Bool {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        unsafe mkdir(folder.joined(separator: "/"), 0o777)
        guard let file = unsafe fopen(path, "w") else { return false }
        let bytes = Array(text.utf8)
        let isWritten = unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count
        return unsafe fclose(file) == 0 && isWritten
    }

    /// Whether the environment asks to write files instead of comparing them.
    static var isRecording: Bool { unsafe getenv("GATEHOUSE_RECORD") != nil }
}
