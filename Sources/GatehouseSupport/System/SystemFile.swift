// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Reads small files, and their status.
package enum SystemFile {
    /// The reason why a small file could not be read whole.
    package enum ReadingError: Error, Equatable, Sendable {
        /// The system refused; its error number.
        case system(code: Int32)
        /// It has more bytes than allowed.
        case tooLarge(limit: Int)
    }

    /// How many bytes are read at a time where it goes on until there are none.
    package static let chunk = 1 << 16

    /// Reads all bytes of a file, a pipe or a device, at most `limit`.
    ///
    /// - Throws: the system's reason, or that there are more.
    package static func bytes(of path: String, limit: Int) throws(ReadingError) -> [UInt8] {
        // A pipe without a writer is empty, instead of blocking this process for ever.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .system(code: errno) }
        defer { close(file) }
        guard fcntl(file, F_SETFL, 0) == 0 else { throw .system(code: errno) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count == -1 {
                let code = errno
                if code == EINTR { continue }
                throw .system(code: code)
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// The status of the file at a path, without following links; nil, with the reason in `errno`, on
    /// failure.
    package static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }

    /// Identifies a file, independent of its name.
    package struct Identity: Hashable {
        /// The number of the device on which the file is.
        package let device: dev_t
        /// The number of the file on its device.
        package let number: ino_t

        /// The identity of the file with this number on a device.
        package init(device: dev_t, number: ino_t) {
            self.device = device
            self.number = number
        }
    }

    /// The identity of the file that a path leads to; nil when there is none.
    package static func identity(_ path: String) -> Identity? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Identity(device: status.st_dev, number: status.st_ino) : nil
    }

    /// The names in an opened folder, in no order; the caller closes it.
    ///
    /// A name that is not UTF-8 is ``shown(_:)``, and leads to nothing.
    package static func names(in folder: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe shown($0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A name as text; if it is not UTF-8, its bytes outside ASCII are written as `\xFF`.
    @unsafe package static func shown(_ name: UnsafePointer<CChar>) -> String {
        if let text = unsafe String(validatingCString: name) { return text }
        return unsafe UnsafeBufferPointer(start: name, count: strlen(name)).map { byte in
            let byte = UInt8(bitPattern: byte)
            return byte < 0x80
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The names in a folder, in no order; empty when it cannot be read.
    package static func names(inFolder path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        return unsafe names(in: folder)
    }

    /// Whether there is a folder at a path, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// The folder of a path and the name in it.
    package static func parts(of path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (
            slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...])
        )
    }

    /// The folder that relative paths start from; the root when that is unknown.
    package static var currentFolder: String {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        return unsafe getcwd(&characters, characters.count).map { unsafe String(cString: $0) } ?? "/"
    }

    /// Whether an owner is root or the user of this process.
    package static func isTrusted(owner: UInt32) -> Bool { owner == 0 || owner == geteuid() }

    /// The environment of this process, one `NAME=value` each.
    package static var environment: [String] {
        var all: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe all.append(String(cString: text))
            unsafe entry += 1
        }
        return all
    }

    /// What `/proc` says of a process after the name of its program, in words: first its state, then its parent; empty for a process that
    /// has gone.
    package static func processStatus(_ process: pid_t) -> [Substring] {
        guard let bytes = try? bytes(of: "/proc/\(process)/stat", limit: 4_096) else { return [] }
        // The name of the program stands in parentheses and may contain anything.
        let rest = String(decoding: bytes, as: UTF8.self).split(separator: ")").last
        return rest?.split(separator: " ") ?? []
    }

    /// The number after a word at the beginning of a line, in files such as `/proc/vmstat`; nil unless a line has both, and nothing else.
    package static func number(after key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == key { return Int(words[1]) }
        }
        return nil
    }

    /// An environment variable; nil when it is not set.
    package static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

extension SystemFile.ReadingError: CustomStringConvertible {
    /// The reason without the path.
    package var description: String {
        switch self {
        case .system(let code): SystemReason.text(of: code)
        case .tooLarge(let limit): "it has more than \(limit) bytes, and no more are read"
        }
    }
}
