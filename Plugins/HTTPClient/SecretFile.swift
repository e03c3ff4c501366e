// SPDX-License-Identifier: Apache-2.0

private import CSecret
import GatehouseSDK
internal import Glibc

/// A secret in a file, read again for each request, so that a new one counts at once.
///
/// The content of the file goes only to the service.
enum SecretFile {
    /// The largest file, in bytes.
    private static let largest = 65_536

    /// Reads the secret of a name; a line break at the end of the file does not count.
    ///
    /// - Parameter path: the file; a relative one is looked up in `$CREDENTIALS_DIRECTORY`, then in the current folder.
    /// - Throws: why it cannot be read.
    static func read(_ name: String, _ path: String) throws(RequestRefusal) -> String {
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
        guard file >= 0 else { throw refusal(name, whole, words) }
        defer { close(file) }
        var bytes = [CChar](repeating: 0, count: largest + 1)
        let count = unsafe gatehouse_secret_read(file, &bytes, bytes.count, &words)
        guard count >= 0 else { throw refusal(name, whole, words) }
        let text = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard HeaderTemplate.isSafe(text) else {
            throw refusal(
                name, "\(whole): expected one line of at most \(largest) bytes, found something else")
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
