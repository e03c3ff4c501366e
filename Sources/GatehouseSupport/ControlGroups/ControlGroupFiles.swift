// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The calls by which control groups are found, made, changed and removed: folders, and files of one line each.
///
/// Tests put a folder of their own in the kernel's place.
struct ControlGroupFiles: Sendable {
    /// Where control groups of version 2 are mounted.
    var mount: String
    /// Reads a file; nil for a missing one.
    var read: @Sendable (String) -> String?
    /// Writes a text to a file that exists.
    var write: @Sendable (String, String) throws(SystemFailure) -> Void
    /// Makes a folder that does not exist.
    var make: @Sendable (String) throws(SystemFailure) -> Void
    /// Removes a folder, with the files that the kernel has put there.
    var remove: @Sendable (String) throws(SystemFailure) -> Void
    /// Whether this process may write to a file or a folder; changes nothing.
    var mayWrite: @Sendable (String) -> Bool

    /// Those of the kernel.
    static let system = ControlGroupFiles(
        mount: "/sys/fs/cgroup",
        read: { path in
            (try? SystemFile.bytes(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        },
        write: { path, text throws(SystemFailure) in
            let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard file != -1 else { throw .last }
            defer { close(file) }
            guard SystemFile.write(Array(text.utf8), to: file) else { throw .last }
        },
        make: { path throws(SystemFailure) in
            guard unsafe mkdir(path, 0o755) == 0 else { throw .last }
        },
        remove: { path throws(SystemFailure) in
            guard unsafe rmdir(path) == 0 else { throw .last }
        },
        mayWrite: { path in unsafe access(path, W_OK) == 0 })

    /// The words of a file; none for a missing one.
    func words(_ path: String) -> [Substring] {
        (read(path) ?? "").split { $0 == " " || $0 == "\n" }
    }

    /// The number that is the whole content of a file; nil for a missing file, and for a word such as `max`.
    func number(_ path: String) -> Int? {
        let words = words(path)
        return words.count == 1 ? Int(words[0]) : nil
    }

    /// The number that follows a word at the beginning of a line of a file.
    func number(after key: String, in path: String) -> Int? {
        read(path).flatMap { SystemFile.number(after: key, in: $0) }
    }
}
