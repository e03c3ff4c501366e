// SPDX-License-Identifier: Apache-2.0

private import CSecret
private import Glibc

/// A file needed for access: a password, a key, certificates.
///
/// It is read again for each connection, so that the latest content counts. Secrets in it are disclosed to nobody but the engine.
package struct AccessFile: Equatable, Sendable {
    /// The path as the operator wrote it.
    package let name: String
    /// The base folder of a relative path.
    private let base: String

    /// The environment variable in which a service manager names the folder with a service's secrets.
    private static let credentials = "CREDENTIALS_DIRECTORY"
    /// The longest password.
    private static let longest = 4_096

    /// A problem with a file.
    package struct Problem: Error, Equatable, Sendable {
        /// Whether it may still come from elsewhere, as the service manager may give it to a service alone.
        package var mayBeElsewhere = false
        /// The sentence for the operator; it contains the file's name, and nothing of its content.
        package let sentence: String
    }

    /// Creates a file reference; a relative path is looked for in `$CREDENTIALS_DIRECTORY`, where a service manager puts
    /// secrets, and then in the folder.
    package init(_ name: String, from base: String) {
        self.name = name
        self.base = base
    }

    /// The location of the file; if it is nowhere, the last place searched.
    package var path: String {
        if name.hasPrefix("/") { return name }
        if let folder = unsafe getenv(Self.credentials).map({ unsafe String(cString: $0) }) {
            let path = "\(folder)/\(name)"
            if unsafe access(path, F_OK) == 0 { return path }
        }
        return base == "." ? name : base == "/" ? "/\(name)" : "\(base)/\(name)"
    }

    /// Checks that the file can be used.
    ///
    /// - Parameter isSecret: whether nobody else may read it.
    package func judge(isSecret: Bool) throws(Problem) { close(try open(path, isSecret: isSecret)) }

    /// Returns the password in the file, without a line break at its end.
    package func password() throws(Problem) -> [UInt8] {
        let path = path
        let file = try open(path, isSecret: true)
        defer { close(file) }
        var words = [CChar](repeating: 0, count: Int(gatehouse_secret_words))
        var bytes = [CChar](repeating: 0, count: Self.longest + 1)
        let count = unsafe gatehouse_secret_read(file, &bytes, bytes.count, &words)
        guard count >= 0 else { throw Problem(sentence: "\(path): \(Self.text(words))") }
        let password = bytes.prefix(count).map { UInt8(bitPattern: $0) }
        guard !password.contains(UInt8(ascii: "\n")) else {
            throw Problem(
                sentence: "\(path): expected a password in one line, found several lines; write it there")
        }
        return password
    }

    /// Opens the file, if it may be used.
    private func open(_ path: String, isSecret: Bool) throws(Problem) -> Int32 {
        var words = [CChar](repeating: 0, count: Int(gatehouse_secret_words))
        var stamp = gatehouse_secret_stamp()
        let file = unsafe gatehouse_secret_open(path, isSecret, &stamp, &words)
        guard file < 0 else { return file }
        let isMissing = Int(file) == Int(gatehouse_secret_missing)
        let mayBeElsewhere = unsafe isMissing && !name.hasPrefix("/") && getenv(Self.credentials) == nil
        let exception = mayBeElsewhere ? ", or let a service manager give it in $\(Self.credentials)" : ""
        throw Problem(
            mayBeElsewhere: mayBeElsewhere, sentence: "\(path): \(Self.text(words))\(exception)")
    }

    /// Decodes a zero-terminated text.
    private static func text(_ words: [CChar]) -> String {
        String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
