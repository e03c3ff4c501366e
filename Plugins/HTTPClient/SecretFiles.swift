// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
internal import Glibc

/// Secrets in files, read anew for each request, so that a new one counts as soon as it is there.
///
/// What a file holds is never told to anybody but the service.
struct SecretFiles: Sendable {
    /// The files, by the names of the secrets; a relative one is looked for in `$CREDENTIALS_DIRECTORY`, then in the current folder.
    let paths: [String: String]

    /// The largest file that is read, in bytes.
    private static let largest = 65_536

    /// Reads the secrets with these names; a line break at the end of a file does not count.
    ///
    /// - Throws: which of them cannot be read, and why.
    func read(_ names: some Sequence<String>) throws(RequestRefusal) -> [String: String] {
        var secrets: [String: String] = [:]
        for name in names {
            guard let path = paths[name] else {
                throw Self.refusal(name, "the settings name no file for it in \"secrets\"")
            }
            secrets[name] = try read(name, path)
        }
        return secrets
    }

    /// Reads one file.
    private func read(_ name: String, _ path: String) throws(RequestRefusal) -> String {
        var whole = path
        if !path.hasPrefix("/"),
            let folder = unsafe getenv("CREDENTIALS_DIRECTORY").map({ unsafe String(cString: $0) }),
            unsafe access("\(folder)/\(path)", F_OK) == 0
        {
            whole = "\(folder)/\(path)"
        }
        let file = unsafe open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw Self.refusal(name, "\(whole): \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) == 0 else {
            throw Self.refusal(
                name, "\(whole): others may read or write it; take that from them with chmod 600")
        }
        var bytes = [UInt8](repeating: 0, count: Self.largest + 1)
        var count = 0
        while count < bytes.count {
            let read = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else {
                throw Self.refusal(name, "\(whole): \(unsafe String(cString: strerror(errno)))")
            }
            if read == 0 { break }
            count += read
        }
        var text = String(decoding: bytes[..<count], as: UTF8.self)
        while let last = text.unicodeScalars.last, last == "\n" || last == "\r" {
            text.unicodeScalars.removeLast()
        }
        guard count <= Self.largest, !text.isEmpty, HeaderTemplate.isSafe(text) else {
            throw Self.refusal(
                name, "\(whole): expected one line of at most \(Self.largest) bytes, found something else")
        }
        return text
    }

    /// Why a secret cannot be had.
    private static func refusal(_ name: String, _ words: String) -> RequestRefusal {
        RequestRefusal(reason: .secret, message: "the secret \(name) cannot be read: \(words)")
    }
}
