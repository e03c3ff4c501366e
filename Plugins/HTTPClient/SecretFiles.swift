// SPDX-License-Identifier: Apache-2.0

private import CSecret
import GatehouseSDK
internal import Glibc

/// Secrets in files, read again for each request, so that a new one counts at once.
///
/// The content of a file goes only to the service.
struct SecretFiles: Sendable {
    /// The files, by the names of the secrets; a relative one is looked up in `$CREDENTIALS_DIRECTORY`, then in the current
    /// folder.
    let paths: [String: String]

    /// The largest file, in bytes.
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
        var words = [CChar](repeating: 0, count: Int(gatehouse_secret_words))
        var stamp = gatehouse_secret_stamp()
        let file = unsafe gatehouse_secret_open(whole, true, &stamp, &words)
        guard file >= 0 else { throw Self.refusal(name, whole, words) }
        defer { close(file) }
        var bytes = [CChar](repeating: 0, count: Self.largest + 1)
        let count = unsafe gatehouse_secret_read(file, &bytes, bytes.count, &words)
        guard count >= 0 else { throw Self.refusal(name, whole, words) }
        let text = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard HeaderTemplate.isSafe(text) else {
            throw Self.refusal(
                name, "\(whole): expected one line of at most \(Self.largest) bytes, found something else")
        }
        return text
    }

    /// Returns why a secret cannot be read, in words that end with a zero.
    private static func refusal(_ name: String, _ path: String, _ words: [CChar]) -> RequestRefusal {
        let rest = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return refusal(name, "\(path): \(rest)")
    }

    /// Returns why a secret cannot be read.
    private static func refusal(_ name: String, _ words: String) -> RequestRefusal {
        RequestRefusal(reason: .secret, message: "the secret \(name) cannot be read: \(words)")
    }
}
