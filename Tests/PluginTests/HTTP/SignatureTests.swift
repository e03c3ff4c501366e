// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import HTTPPlugin

/// Signatures, and the files of their secrets.
@Suite(.timeLimit(.minutes(10))) struct SignatureTests {
    private let secret = Array("It's a Secret to Everybody".utf8)
    private let body = Array("Hello, World!".utf8)
    /// What GitHub's documentation gives for the two.
    private let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    private func isValid(_ field: String, _ change: (inout Hook) -> Void = { _ in }) -> Bool {
        var hook = Hook(.github, secretFiles: [])
        change(&hook)
        return Signature.isValid(field, of: body, for: hook, secrets: [Array("other".utf8), secret])
    }

    @Test func `the example of the documentation of GitHub is signed as it says`() {
        #expect(String(decoding: Signature.hex(Signature.of(body, with: secret)), as: UTF8.self) == digits)
        #expect(isValid("sha256=" + digits))
        #expect(isValid("sha256=" + digits.uppercased()))
    }

    @Test(arguments: ["", "sha256=", "757107ea", "sha1=757107ea", "sha256=é"])
    func `another text is no signature`(field: String) {
        #expect(!isValid(field))
    }

    @Test func `a signature that differs in one digit, or is cut, is wrong`() {
        for place in 0..<digits.utf8.count {
            var wrong = Array(digits.utf8)
            wrong[place] = wrong[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(!isValid("sha256=" + String(decoding: wrong, as: UTF8.self)))
        }
        #expect(!isValid("sha256=" + digits.dropLast()))
        #expect(!isValid("sha256=" + digits + "0"))
    }

    @Test func `a signature may be in base 64, or the secret itself`() {
        #expect(
            isValid("dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=") {
                $0.signaturePrefix = ""
                $0.signatureEncoding = .base64
            })
        #expect(
            isValid("It's a Secret to Everybody") {
                $0.signaturePrefix = ""
                $0.signatureEncoding = .plain
            })
        #expect(
            !isValid("It's a Secret") {
                $0.signaturePrefix = ""
                $0.signatureEncoding = .plain
            })
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `base 64 is written as RFC 4648 has it`(plain: String, encoded: String) {
        #expect(String(decoding: Signature.base64(Array(plain.utf8)), as: UTF8.self) == encoded)
        #expect(Signature.bytes(ofBase64: encoded.utf8) == Array(plain.utf8))
        #expect(
            Signature.bytes(ofBase64: encoded.utf8.filter { $0 != UInt8(ascii: "=") }) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zh", "Zm9=v", "Zm9v====", "Zm9_", "Zm 9v", "Zg==\n"])
    func `another text is no base 64`(text: String) {
        #expect(Signature.bytes(ofBase64: text.utf8) == nil)
    }

    // MARK: - Files

    private func file(_ bytes: [UInt8], mode: UInt32 = 0o600) throws -> (SecretFile, TemporaryFolder) {
        let folder = try TemporaryFolder()
        _ = try folder.write(bytes, to: "secret")
        try FileSystem.setMode(mode, of: folder("secret"))
        return (SecretFile(try #require(SecretPath(folder("secret")))), folder)
    }

    @Test func `a secret is what its file has, without a line break, also when that changes`() throws {
        let (secret, folder) = try file(Array("one\r\n".utf8))
        #expect(try secret.bytes() == Array("one".utf8))
        _ = try folder.write(Array("another".utf8), to: "secret")
        #expect(try secret.bytes() == Array("another".utf8))
    }

    @Test func `a secret that is exchanged for one of its size and age is read anew`() throws {
        let (secret, folder) = try file(Array("one".utf8))
        try FileSystem.setAge(days: 3, of: folder("secret"))
        #expect(try secret.bytes() == Array("one".utf8))
        try FileSystem.write(Array("two".utf8), to: folder("secret"))
        try FileSystem.setAge(days: 3, of: folder("secret"))
        #expect(try secret.bytes() == Array("two".utf8))
    }

    /// What is said of a file, without its path.
    private func words(of secret: SecretFile, at path: String) -> String? {
        let failure = #expect(throws: SecretFile.Failure.self) { try secret.bytes() }
        return failure?.sentence.replacing("the secret \(path): ", with: "")
    }

    @Test(arguments: [" ", "\t \n", "\n\n"]) func `blanks are no secret`(text: String) throws {
        let (secret, folder) = try file(Array(text.utf8))
        #expect(
            words(of: secret, at: folder("secret"))
                == "expected a secret, found an empty or blank file; write one there")
    }

    @Test func `a single character is no secret`() throws {
        let (secret, folder) = try file(Array("x\n".utf8))
        #expect(
            words(of: secret, at: folder("secret"))
                == "expected a secret, found a single character, which anybody guesses; write a longer one there"
        )
    }

    @Test(.enabled(if: Stranger.canOwn, "only root can give files away"))
    func `a secret that others can change or exchange is none`() throws {
        let (secret, folder) = try file(Array("secret".utf8))
        let path = folder("secret")
        try FileSystem.setOwner(Stranger.identifier, of: path)
        #expect(
            words(of: secret, at: path)
                == "it belongs to the user \(Stranger.identifier), who can read and change it; let it belong to this user or to root"
        )
        try FileSystem.setOwner(0, of: path)
        #expect(try secret.bytes() == Array("secret".utf8))
        // His folder, through which a link of ours leads to our file.
        let home = try folder.makeFolder("home")
        try FileSystem.rename(path, to: home + "/secret")
        try FileSystem.setOwner(Stranger.identifier, of: home)
        try FileSystem.link(path, to: home + "/secret")
        #expect(
            words(of: secret, at: path)
                == "others can exchange it, because \(home) belongs to somebody else; keep it in a folder that only this user or root may write to"
        )
        try FileSystem.setOwner(0, of: home)
        try FileSystem.setMode(0o777, of: home)
        #expect(
            words(of: secret, at: path)
                == "others can exchange it, because \(home) is open to everybody; keep it in a folder that only this user or root may write to"
        )
        try FileSystem.setMode(0o1777, of: home)
        #expect(try secret.bytes() == Array("secret".utf8))
    }

    @Test func `a file without a secret, or with one that others read, is told by its name alone`() throws {
        let (empty, one) = try file(Array("\n".utf8))
        #expect(
            throws: SecretFile.Failure(
                sentence:
                    "the secret \(one("secret")): expected a secret, found an empty or blank file; write one there"
            )
        ) {
            try empty.bytes()
        }
        let (open, two) = try file(Array("x".utf8), mode: 0o644)
        #expect(
            throws: SecretFile.Failure(
                sentence:
                    "the secret \(two("secret")): others may read or write it; take that from them with chmod 600"
            )
        ) {
            try open.bytes()
        }
        let (long, three) = try file([UInt8](repeating: 120, count: 5_000))
        #expect(
            throws: SecretFile.Failure(
                sentence:
                    "the secret \(three("secret")): expected a secret of at most 4096 bytes, found a longer one; shorten it"
            )
        ) {
            try long.bytes()
        }
        let none = SecretFile(try #require(SecretPath(three("none"))))
        #expect(
            throws: SecretFile.Failure(
                sentence:
                    "the secret \(three("none")): it cannot be read: No such file or directory; write it there, and let this user read it"
            )
        ) {
            try none.bytes()
        }
        let folder = SecretFile(try #require(SecretPath(three.path)))
        #expect(
            throws: SecretFile.Failure(
                sentence: "the secret \(three.path): expected a file, found something else; name a file")
        ) {
            try folder.bytes()
        }
    }

    @Test func `a secret has at most 4096 bytes`() throws {
        for (count, isRead) in [(4_096, true), (4_097, false)] {
            let (secret, folder) = try file([UInt8](repeating: 120, count: count))
            #expect((try? secret.bytes().count) == (isRead ? count : nil))
            withExtendedLifetime(folder) {}
        }
    }

    @Test func `texts are equal byte by byte, and each of several secrets is tried`() {
        #expect(Signature.areEqual([1, 2], [1, 2]))
        #expect(!Signature.areEqual([1, 2], [1, 3]))
        #expect(!Signature.areEqual([1, 2], [1]))
        #expect(Signature.areEqual([], []))
        let cases: [([[UInt8]], Bool)] = [
            ([[1]], true), ([[2]], true), ([[3]], false), ([[3], [2]], true), ([], false),
        ]
        for (given, isFound) in cases {
            #expect(Signature.isAny(given, expectedOf: [[1], [2]], { $0 }) == isFound)
        }
        #expect(!Signature.isAny([[1]], expectedOf: [], { $0 }))
        #expect(
            String(decoding: Signature.hex(Signature.digest(of: Array("abc".utf8))), as: UTF8.self)
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: ["Zg=", "Zm8", "Zg", "+/+/"])
    func `base 64 is read without all of its padding`(text: String) {
        #expect(Signature.bytes(ofBase64: text.utf8) != nil)
    }

    @Test(arguments: ["Zg===", "Zm9", "Zx==", "====", "Zm9vY"])
    func `unused bits that are not zero, and padding alone, are no base 64`(text: String) {
        #expect(Signature.bytes(ofBase64: text.utf8) == nil)
    }
}
