// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseManifest

@Suite(.timeLimit(.minutes(10))) struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                + "mnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `the published examples give the published digests`(text: String, digest: String) {
        #expect(SHA256.digest(Array(text.utf8)).hex == digest)
    }

    @Test func `a million letters give the published digest`() {
        var hash = SHA256()
        let chunk = [UInt8](repeating: 0x61, count: 1_000)
        for _ in 0..<1_000 { hash.update(chunk) }
        #expect(
            hash.finish().description == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `pieces of any size give the digest of the whole`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for length in 0...200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            var hash = SHA256()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 0...rest.count, using: &random))
                hash.update(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(hash.finish() == SHA256.digest(bytes), "seed \(seed), length \(length)")
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `the processor's instructions and plain code agree`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in 0..<20 {
            let blocks = (0..<count * 64 + 1).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            var fast = SIMD8<UInt32>.random(in: .min ... .max, using: &random)
            var plain = fast
            unsafe blocks.withUnsafeBytes { bytes in
                unsafe SHA256.compress(bytes, into: &fast)
                unsafe SHA256.compress(bytes, into: &plain, portably: true)
            }
            #expect(fast == plain, "seed \(seed), \(count) blocks")
        }
    }

    @Test func `a text in two parts has the digest of the whole`() {
        let header = Array("head".utf8)
        let body = Array("body".utf8)
        var hash = SHA256()
        hash.update(header)
        hash.update(body)
        let digest = hash.finish()
        #expect(digest == SHA256.digest(header + body))
    }

    @Test func `finishing does not end a computation`() {
        var hash = SHA256()
        hash.update(Array("ab".utf8))
        let first = hash.finish()
        hash.update(Array("c".utf8))
        #expect(first == SHA256.digest(Array("ab".utf8)))
        #expect(hash.finish() == SHA256.digest(Array("abc".utf8)))
    }

    @Test func `a digest has thirty-two bytes`() {
        let digest = SHA256.digest(Array("abc".utf8))
        #expect(digest.bytes.count == 32)
        #expect(digest.bytes.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
    }
}
