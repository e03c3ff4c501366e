// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

@Suite struct MinisignSignatureTests {
    /// What minisign 0.11 has printed and written for the bytes `Gatehouse\n`.
    private static let key = "RWRbEACPB1pr7eCT6VRV40GN+mY4Wz2sXr4NiZTYwKUavHwj3ApmPqoj"
    private static let text = """
        untrusted comment: signature from minisign secret key
        RURbEACPB1pr7dXzmBE571sN60QmocBRmBcUHszCD486T8TKM+y5RMvxMg4H5n0vbrKpf7hSzHWgaDcrcG3dgNZf5UE6DjD60ws=
        trusted comment: gatehouse revocations serial=7
        21/uZzAytx7MfIrEPi6ij687jcgpdwdmI0NMTyy2L95p59CYdw2b2vZhYhVMvqs2JLLFPOK4BJBSbxx+oXlSBg==

        """

    /// Why a signature does not speak for bytes; nil where it does.
    private func error(
        _ text: String, for bytes: String = "Gatehouse\n", key: String = key
    ) throws -> SignatureError? {
        let key = try #require(MinisignKey(key))
        let bytes = Array(bytes.utf8)
        do throws(SignatureError) {
            let signature = try MinisignSignature(Array(text.utf8))
            try unsafe bytes.withUnsafeBytes { bytes in
                Result { () throws(SignatureError) in try unsafe signature.check(bytes, by: key, named: "k") }
            }.get()
            return nil
        } catch {
            return error
        }
    }

    /// The text with one line, counted from 1, in place of another.
    private func text(line: Int, _ other: String) -> String {
        var lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[line - 1] = other
        return lines.joined(separator: "\n")
    }

    @Test func `what minisign has signed is signed`() throws {
        #expect(try error(Self.text) == nil)
        let signature = try MinisignSignature(Array(Self.text.utf8))
        let key = try #require(MinisignKey(Self.key))
        #expect(signature.keyID == key.id)
        #expect(key.id.description == "ED6B5A078F00105B")
        #expect(MinisignKey.ID("ed6b5a078f00105b") == key.id)
        #expect(SignedComment(signature.comment) == .revocations(serial: 7))
    }

    @Test func `other bytes, another comment and another key are not`() throws {
        #expect(try error(Self.text, for: "Gatehouse") == .otherBytes(key: "k"))
        #expect(
            try error(text(line: 3, "trusted comment: gatehouse revocations serial=8"))
                == .otherComment(key: "k"))
        #expect(try error(Self.text, key: TestSigner(seed: 1).publicKey) == .otherBytes(key: "k"))
    }

    @Test func `nobody has signed the first comment, and it decides nothing`() throws {
        #expect(try error(text(line: 1, "untrusted comment: anything")) == nil)
    }

    @Test func `whatever is not four lines as minisign writes them is refused, and says where`() throws {
        let lines = Self.text.split(separator: "\n").map(String.init)
        let cases: [(String, SignatureError)] = [
            ("", .lines(0)), ("\n\n", .lines(2)), (Self.text + "\n", .lines(5)),
            (text(line: 1, "comment"), .line(1, expected: #""untrusted comment: ""#)),
            (text(line: 3, "Trusted comment: a"), .line(3, expected: #""trusted comment: ""#)),
            (text(line: 2, lines[3]), .line(2, expected: "74 bytes in base64")),
            (text(line: 4, lines[1]), .line(4, expected: "64 bytes in base64")),
            (text(line: 4, lines[3] + "\r"), .line(4, expected: "64 bytes in base64")),
            (text(line: 2, "R" + "T" + lines[1].dropFirst(2)), .line(2, expected: "a signature of minisign")),
            (text(line: 2, "RW" + lines[1].dropFirst(2)), .legacy),
            // libsodium would take it for a slash.
            (text(line: 4, lines[3].replacing("/", with: "é")), .line(4, expected: "64 bytes in base64")),
        ]
        for (text, expected) in cases { #expect(try error(text) == expected, "\(text)") }
        #expect(throws: SignatureError.line(3, expected: "text in UTF-8")) {
            try MinisignSignature(
                Array(text(line: 3, "trusted comment: ").utf8.dropLast(lines[3].utf8.count + 2)) + [0xFF]
                    + Array(("\n" + lines[3] + "\n").utf8))
        }
    }

    @Test func `a byte that libsodium takes for a slash is none`() {
        let changed = Self.text.utf8.map { $0 == UInt8(ascii: "/") ? 0xFF : $0 }
        #expect(throws: SignatureError.line(4, expected: "64 bytes in base64")) {
            try MinisignSignature(changed)
        }
    }

    @Test func `only the line of a public key is a key`() throws {
        #expect(MinisignKey(Self.key)?.text == Self.key)
        let own = try #require(MinisignKey(TestSigner(seed: 9).publicKey))
        #expect(own.id.description == "0909090909090909")
        for text in [
            "", "RW", Self.key + "=", Self.key + "\n", String(Self.key.dropLast()),
            "RU" + Self.key.dropFirst(2),
        ] {
            #expect(MinisignKey(text) == nil, "\(text)")
        }
    }

    @Test func `each error says what to do`() {
        let cases: [(SignatureError, String)] = [
            (.unreadable("busy"), "its signature cannot be read: busy"),
            (
                .lines(1),
                "its signature has 1 line, expected 4; get both again from whoever signs it, or sign it again with gatehouse sign"
            ),
            (
                .line(2, expected: "74 bytes in base64"),
                "its signature, line 2: expected 74 bytes in base64, found something else; get both again from whoever signs it, or sign it again with gatehouse sign"
            ),
            (
                .legacy,
                "its signature has the form that minisign wrote before version 0.10; sign it again with a newer one"
            ),
            (
                .otherBytes(key: "acme"),
                "its signature by \"acme\" is for other bytes: one of the two has changed; get both again from whoever signs it, or sign it again with gatehouse sign"
            ),
            (
                .otherComment(key: "acme"),
                "the comment of its signature by \"acme\" has changed since it was signed; get both again from whoever signs it, or sign it again with gatehouse sign"
            ),
            (
                .foreignComment("a\u{1B}"),
                "its signature says \"a\\u001b\", which is not how a host wants it; sign it with gatehouse sign"
            ),
            (
                .otherSubject(field: "version", signed: "1.0.0", found: "1.0.1"),
                "its signature is for the version 1.0.0, found 1.0.1; sign this one"
            ),
            (
                .outOfScope(key: "acme", plugin: "till"),
                "\"trust\" does not let the key \"acme\" sign the plugin till; add \"till\" to the key's \"plugins\", or have another key sign it"
            ),
        ]
        for (error, sentence) in cases { #expect(error.description == sentence) }
    }
}
