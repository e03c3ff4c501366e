// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A file that this side needs to be let in: a password, a key, certificates.
///
/// It is read anew for each connection, so that what was written last counts. What is secret in it is never told to anybody but the
/// engine.
public struct AccessFile: Equatable, Sendable {
    /// The path as the operator wrote it.
    public let name: String
    /// The folder in which a relative path is looked for.
    private let base: String

    /// Where a service manager names the folder with the secrets of a service.
    private static let credentials = "CREDENTIALS_DIRECTORY"
    /// A longer password is none.
    private static let longest = 4_096

    /// What is wrong with a file.
    public struct Problem: Error, Equatable, Sendable {
        /// Whether it may still come from elsewhere, as the service manager may give it to a service alone.
        public let mayBeElsewhere: Bool
        /// The sentence for the operator; it names the file, and nothing that is in it.
        public let sentence: String
    }

    /// A file; a relative path is looked for in `$CREDENTIALS_DIRECTORY`, where a service manager puts secrets, and then in the
    /// folder.
    public init(_ name: String, from base: String) {
        self.name = name
        self.base = base
    }

    /// Where it is; if it is nowhere, where it would be expected at last.
    public var path: String {
        if name.hasPrefix("/") { return name }
        if let folder = unsafe getenv(Self.credentials).map({ unsafe String(cString: $0) }) {
            let path = "\(folder)/\(name)"
            if unsafe access(path, F_OK) == 0 { return path }
        }
        return base == "." ? name : base == "/" ? "/\(name)" : "\(base)/\(name)"
    }

    /// Looks whether the file can be used.
    ///
    /// - Parameter isSecret: whether nobody else may read it.
    public func judge(isSecret: Bool) throws(Problem) { close(try open(path, isSecret: isSecret)) }

    /// The password in the file, without a line break at its end.
    func password() throws(Problem) -> [UInt8] {
        let path = path
        let file = try open(path, isSecret: true)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count >= 0 else { throw problem("\(path): \(Self.words(errno))") }
        bytes.removeLast(bytes.count - count)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard !bytes.isEmpty, count <= Self.longest, !bytes.contains(UInt8(ascii: "\n")) else {
            throw problem(
                "\(path): expected a password in one line of at most \(Self.longest) bytes, found something else; write it there"
            )
        }
        return bytes
    }

    /// Opens the file, if it may be used.
    private func open(_ path: String, isSecret: Bool) throws(Problem) -> Int32 {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            let error = errno
            let mayBeElsewhere =
                unsafe error == ENOENT && !name.hasPrefix("/") && getenv(Self.credentials) == nil
            let exception = mayBeElsewhere ? ", or let a service manager give it in $\(Self.credentials)" : ""
            throw problem(
                "\(path): it cannot be read: \(Self.words(error)); write it there, and let this user read it\(exception)",
                mayBeElsewhere: mayBeElsewhere)
        }
        var status = stat()
        let isFile = unsafe fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let isSafe = !isSecret || status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) == 0
        if isFile, isSafe { return file }
        close(file)
        throw problem(
            isFile
                ? "\(path): others may read or write it; take that from them with chmod 600"
                : "\(path): expected a file, found something else; name a file")
    }

    /// What is wrong.
    private func problem(_ sentence: String, mayBeElsewhere: Bool = false) -> Problem {
        Problem(mayBeElsewhere: mayBeElsewhere, sentence: sentence)
    }

    /// What the system says about an error.
    private static func words(_ error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
