// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// A signature beside a file, as minisign writes it: one over the file, and one over that and a comment.
///
/// The form: <https://jedisct1.github.io/minisign/#signature-format>. Only the one that signs BLAKE2b of the file, which minisign
/// has written since 0.10.
package struct MinisignSignature: Sendable {
    /// What a file with a signature is called: the name of what is signed, and this.
    package static let suffix = ".minisig"
    /// The most bytes that a file may have.
    package static let limit = 16 << 10

    /// The key that has signed, by its own word.
    let keyID: MinisignKey.ID
    /// Signs BLAKE2b of the file.
    private let signature: [UInt8]
    /// What the signer says about the file.
    let comment: String
    /// Signs the signature and the comment.
    private let commentSignature: [UInt8]

    /// Reads the four lines of a file.
    init(_ text: [UInt8]) throws(SignatureError) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count == 4 else { throw .lines(lines.count) }
        // Nobody has signed the first comment, so nothing is read in it.
        _ = try Self.rest(of: lines[0], after: "untrusted comment: ", line: 1)
        let decoded = try Self.decoded(lines[1], line: 2, count: 74)
        if decoded.starts(with: "Ed".utf8) { throw .legacy }
        guard decoded.starts(with: "ED".utf8) else { throw .line(2, expected: "a signature of minisign") }
        keyID = MinisignKey.ID(decoded[2..<10])
        signature = Array(decoded[10...])
        let comment = try Self.rest(of: lines[2], after: "trusted comment: ", line: 3)
        guard let comment = String(validating: comment, as: UTF8.self) else {
            throw .line(3, expected: "text in UTF-8")
        }
        self.comment = comment
        commentSignature = try Self.decoded(lines[3], line: 4, count: 64)
    }

    /// Checks both signatures.
    ///
    /// - Parameter name: what the operator calls the key.
    func check(_ bytes: UnsafeRawBufferPointer, by key: MinisignKey, named name: String)
        throws(SignatureError)
    {
        guard unsafe Sodium.isSigned(Sodium.digest(of: bytes), by: key, signature) else {
            throw .otherBytes(key: name)
        }
        guard Sodium.isSigned(signature + Array(comment.utf8), by: key, commentSignature) else {
            throw .otherComment(key: name)
        }
    }

    /// What follows the words that a line begins with.
    private static func rest(of line: ArraySlice<UInt8>, after words: String, line number: Int)
        throws(SignatureError) -> ArraySlice<UInt8>
    {
        guard line.starts(with: words.utf8) else {
            throw .line(number, expected: Quotation.of(words))
        }
        return line.dropFirst(words.utf8.count)
    }

    /// The bytes of a line in base64.
    private static func decoded(_ line: ArraySlice<UInt8>, line number: Int, count: Int)
        throws(SignatureError) -> [UInt8]
    {
        guard let bytes = Sodium.bytes(ofBase64: Array(line)), bytes.count == count else {
            throw .line(number, expected: "\(count) bytes in base64")
        }
        return bytes
    }
}
