// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import Glibc
import SeededTesting
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

/// Who vouches for a library in a folder, and what follows.
@Suite(.timeLimit(.minutes(10))) struct SigningJudgeTests {
    private static let acme = TestSigner(seed: 1)
    private static let other = TestSigner(seed: 2)
    private let folder: TemporaryFolder
    private let library: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        library = try FixtureLibrary("SilentEntry").bytes
        try folder.write(library, to: "lib.so")
    }

    /// A policy with a key for plugins.
    private static func policy(
        _ signers: [(String, TestSigner, [String])], unsigned: SigningPolicy.Unsigned = .refuse
    ) throws -> SigningPolicy {
        SigningPolicy(
            keys: try signers.map { name, signer, plugins in
                SigningPolicy.Key(
                    name: name, key: try #require(MinisignKey(signer.publicKey)),
                    plugins: try plugins.map { try #require(TypePattern($0)) })
            }, unsigned: unsigned)
    }

    /// A judge of the folder, without problems.
    private func judge(_ policy: SigningPolicy? = nil) throws -> SigningJudge {
        var problems: [String] = []
        let judge = SigningJudge(
            try policy ?? Self.policy([("acme", Self.acme, ["*"])]), folder: folder.path,
            ledger: SigningLedgerFile(beside: folder.path)
        ) { problems.append("\($0)") }
        #expect(problems == [])
        return judge
    }

    /// What there is to say about the lists of the folder.
    private func problems(_ policy: SigningPolicy? = nil) throws -> [String] {
        var problems: [String] = []
        _ = SigningJudge(
            try policy ?? Self.policy([("acme", Self.acme, ["*"])]), folder: folder.path,
            ledger: SigningLedgerFile(beside: folder.path)
        ) { problems.append($0.description.replacing(folder.path, with: "<folder>")) }
        return problems
    }

    /// The library in the folder as a judge sees it.
    private func candidate(_ judge: SigningJudge) -> PluginFolder.Candidate {
        PluginFolder.candidate("lib.so", in: folder.path, trust: FileTrust(isStrict: true), signing: judge)
    }

    /// A signature of the library.
    private func signature(
        by signer: TestSigner = acme, id: String = "broken", version: String = "1.0.0", serial: Int = 5,
        digest: String? = nil
    ) -> String {
        signer.sign(
            library: library, id: id, version: version, serial: serial,
            digest: digest ?? SHA256.digest(library).hex)
    }

    /// What follows for the library with this beside it.
    private func consequence(
        _ signature: String?, _ policy: SigningPolicy? = nil, isPinned: Bool = false
    ) throws -> SigningJudge.Consequence {
        if let signature { try folder.write(signature, to: "lib.so.minisig") }
        let judge = try judge(policy)
        return judge.consequence(of: candidate(judge), isPinned: isPinned)
    }

    /// Writes a signed list.
    private func withdraw(
        _ entries: String, serial: Int = 1, by signer: TestSigner = acme, to name: String = "acme.revoked"
    ) throws {
        let list = #"{"revoked":[\#(entries)]}"#
        try folder.write(list, to: name)
        try folder.write(signer.sign(list: list, serial: serial), to: name + ".minisig")
    }

    // MARK: - Signatures

    @Test func `a library that a key of its scope has signed runs`() throws {
        #expect(try consequence(signature()) == .none)
        let found = candidate(try judge())
        #expect(found.verdict.refusals == [])
        #expect(found.endorsement?.words == "signed by acme, serial 5")
        #expect(found.endorsement?.signature == signature())
    }

    @Test(arguments: [
        ("other bytes", SignatureError.otherBytes(key: "acme")),
        ("id", .otherSubject(field: "plugin", signed: "whole", found: "broken")),
        ("version", .otherSubject(field: "version", signed: "1.0.1", found: "1.0.0")),
        ("digest", .otherSubject(field: "digest", signed: "aa", found: "<digest>")),
        ("comment", .foreignComment("timestamp:1")), ("scope", .outOfScope(key: "acme", plugin: "broken")),
        ("form", .lines(1)),
        ("order", .foreignComment("gatehouse plugin version=1.0.0 id=broken serial=1 sha256=aa")),
    ]) func `a signature by a known key that is about something else refuses the library`(
        defect: String, expected: SignatureError
    ) throws {
        let text =
            switch defect {
            case "other bytes": Self.acme.sign(library + [0], "gatehouse")
            case "id": signature(id: "whole")
            case "version": signature(version: "1.0.1")
            case "digest": signature(digest: "aa")
            case "comment": Self.acme.sign(library, "timestamp:1")
            case "order":
                Self.acme.sign(library, "gatehouse plugin version=1.0.0 id=broken serial=1 sha256=aa")
            case "form": "nothing"
            default: signature()
            }
        try folder.write(text, to: "lib.so.minisig")
        let plugins = defect == "scope" ? ["acme-*"] : ["*"]
        for unsigned in SigningPolicy.Unsigned.allCases {
            let judge = try judge(Self.policy([("acme", Self.acme, plugins)], unsigned: unsigned))
            let found = candidate(judge)
            let refusals = found.verdict.refusals.map {
                "\($0)".replacing(SHA256.digest(library).hex, with: "<digest>")
            }
            #expect(refusals == ["\(expected)"])
            #expect(found.verdict.refusals.map(\.isAboutTrust) == [true])
            #expect(found.file == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a signature that is no plain file refuses the library, and nobody waits for it`(isPipe: Bool) throws
    {
        if isPipe {
            try FileSystem.makePipe(folder("lib.so.minisig"))
        } else {
            _ = try folder.makeFolder("lib.so.minisig")
        }
        // As long as somebody could write into it.
        let writer = unsafe open(folder("lib.so.minisig"), O_RDWR | O_NONBLOCK)
        defer { if writer >= 0 { close(writer) } }
        let found = candidate(try judge())
        #expect(
            found.verdict.refusals.map { "\($0)".replacing(folder.path, with: "<folder>") } == [
                "its signature cannot be read: <folder>/lib.so.minisig: it is not a plain file"
            ])
    }

    @Test(arguments: [
        (SigningPolicy.Unsigned.refuse, SigningJudge.Consequence.refuse(.unsigned(.unsigned))),
        (.worker, .confine),
        (
            .warn,
            .warn(
                "is not signed; have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"
            )
        ),
    ]) func `what nobody has signed is refused, confined or warned about, as the policy says`(
        unsigned: SigningPolicy.Unsigned, expected: SigningJudge.Consequence
    ) throws {
        let policy = try Self.policy([("acme", Self.acme, ["*"])], unsigned: unsigned)
        #expect(try consequence(nil, policy) == expected)
        #expect(try consequence(nil, policy, isPinned: true) == .none)
    }

    @Test func `a key that nobody knows is as good as none, and is named`() throws {
        let signed = signature(by: Self.other)
        #expect(
            try consequence(signed)
                == .refuse(.unsigned(.unknownKey(try #require(MinisignKey.ID(Self.other.id))))))
        #expect(
            "\(Refusal.unsigned(.unknownKey(try #require(MinisignKey.ID(Self.other.id)))))"
                == "is signed by the key 0202020202020202, which \"trust\" does not have; have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"
        )
    }

    @Test func `a stranger's key with the number of a known one signs nothing`() throws {
        let forged = TestSigner(seed: 3, number: 1)
        #expect(forged.id == Self.acme.id)
        try folder.write(signature(by: forged), to: "lib.so.minisig")
        #expect(candidate(try judge()).verdict.refusals == [.signature(.otherBytes(key: "acme"))])
    }

    @Test func `each of several keys signs what its scope has`() throws {
        let policy = try Self.policy([("acme", Self.acme, ["acme-*"]), ("new", Self.other, ["broken"])])
        #expect(try consequence(signature(by: Self.other), policy) == .none)
        try folder.write(signature(), to: "lib.so.minisig")
        #expect(
            candidate(try judge(policy)).verdict.refusals
                == [.signature(.outOfScope(key: "acme", plugin: "broken"))])
    }

    // MARK: - Serials

    @Test func `what is older than what has run is refused unless it is pinned`() throws {
        #expect(try consequence(signature(serial: 7)) == .none)
        var judge = try judge()
        #expect(judge.remember([candidate(judge)]) == nil)
        #expect(
            try consequence(signature(serial: 6))
                == .refuse(.outdated(key: "acme", serial: 6, known: 7)))
        #expect(
            "\(Refusal.outdated(key: "acme", serial: 6, known: 7))"
                == "its signature by \"acme\" has serial 6, and 7 has run here; bring the later one, or go back on purpose: pin these bytes with \"sha256\" in its entry"
        )
        #expect(try consequence(signature(serial: 6), isPinned: true) == .none)
        #expect(try consequence(signature(serial: 7)) == .none)
        // Going back on purpose does not make the older one the newest.
        try folder.write(signature(serial: 6), to: "lib.so.minisig")
        judge = try self.judge()
        #expect(judge.remember([candidate(judge)]) == nil)
        #expect(
            try consequence(signature(serial: 6))
                == .refuse(.outdated(key: "acme", serial: 6, known: 7)))
    }

    @Test func `a key cannot make what another has signed look old`() throws {
        let policy = try Self.policy([("acme", Self.acme, ["*"]), ("new", Self.other, ["*"])])
        #expect(try consequence(signature(serial: .max), policy) == .none)
        let judge = try judge(policy)
        #expect(judge.remember([candidate(judge)]) == nil)
        #expect(try consequence(signature(by: Self.other, serial: 1), policy) == .none)
    }

    @Test func `a damaged record of signatures stops everything, and says where it is`() throws {
        _ = try folder.makeFolder("data")
        _ = try folder.makeFolder("data/host")
        try folder.write(#"{"keys":{"a":1}}"#, to: "data/host/signatures.json")
        #expect(
            try problems() == [
                "<folder>/data/host/signatures.json: this is not a host's record of signatures; put it back from a backup, or remove it to accept what is out of date once more"
            ])
    }

    // MARK: - Lists

    @Test func `what a list names stands with the reason, by its digest or by the key`() throws {
        for subject in [
            #""sha256":"\#(SHA256.digest(library).hex.uppercased())""#, #""key":"\#(Self.acme.id)""#,
        ] {
            try withdraw("{\(subject),\"reason\":\"it leaks\"}")
            #expect(try consequence(signature()) == .withdraw("acme has withdrawn it: it leaks"))
        }
    }

    @Test func `pinning bytes that a list names does not bring them back, unless it names their key`() throws
    {
        try withdraw(#"{"sha256":"\#(SHA256.digest(library).hex)","reason":"it leaks"}"#)
        #expect(try consequence(signature(), isPinned: true) == .withdraw("acme has withdrawn it: it leaks"))
        try withdraw(#"{"key":"\#(Self.acme.id)","reason":"stolen"}"#, serial: 2)
        #expect(try consequence(signature(), isPinned: true) == .none)
    }

    @Test func `a list counts for the plugins of its key only`() throws {
        let list = #"{"sha256":"\#(SHA256.digest(library).hex)","reason":"spite"}"#
        let policy = try Self.policy([("acme", Self.acme, ["*"]), ("new", Self.other, ["new-*"])])
        try withdraw(list, by: Self.other)
        #expect(try consequence(signature(), policy) == .none)
        let wide = try Self.policy([("acme", Self.acme, ["*"]), ("new", Self.other, ["*"])])
        #expect(try consequence(signature(), wide) == .withdraw("new has withdrawn it: spite"))
    }

    @Test func `a list that is gone or older counts as before, and a later one takes its place`() throws {
        try withdraw(#"{"sha256":"\#(SHA256.digest(library).hex)","reason":"it leaks"}"#, serial: 3)
        #expect(try judge().remember([]) == nil)
        FileSystem.remove(folder("acme.revoked"))
        FileSystem.remove(folder("acme.revoked.minisig"))
        #expect(try consequence(signature()) == .withdraw("acme has withdrawn it: it leaks"))
        try withdraw("", serial: 2)
        #expect(
            try problems() == [
                "<folder>/acme.revoked: it has serial 2, and a later list of the same key was seen, which stays in force; bring the later one"
            ])
        try withdraw("", serial: 4)
        #expect(try consequence(signature()) == .none)
    }

    @Test func `a list that is not signed, not a list or of a stranger is not passed over`() throws {
        try folder.write(#"{"revoked":[]}"#, to: "a.revoked")
        try folder.write(#"{"revoked":[{"sha256":"aa","reason":""}]}"#, to: "b.revoked")
        try folder.write(
            Self.acme.sign(list: #"{"revoked":[{"sha256":"aa","reason":""}]}"#, serial: 1),
            to: "b.revoked.minisig")
        try folder.write("{}", to: "c.revoked")
        try folder.write(Self.acme.sign(list: "{ }", serial: 1), to: "c.revoked.minisig")
        try withdraw("", by: Self.other, to: "d.revoked")
        #expect(
            try problems() == [
                "<folder>/a.revoked: its signature cannot be read: <folder>/a.revoked.minisig: there is no such file",
                "<folder>/b.revoked: its signature cannot be read: it is signed, and is no list: /revoked/0: expected \"reason\" with either \"sha256\", 64 hexadecimal digits, or \"key\", the 16 digits of a key, found {\"sha256\":\"aa\",\"reason\":\"\"}; write and sign it again",
                "<folder>/c.revoked: its signature by \"acme\" is for other bytes: one of the two has changed; get both again from whoever signs it, or sign it again with gatehouse sign",
                "<folder>/d.revoked: it is signed by a key that \"trust\" does not have, so it withdraws nothing; add the key, or remove the file",
            ])
    }

    // MARK: - Hostility

    @Test func `what is exchanged after it was judged does not run`() throws {
        try folder.write(signature(), to: "lib.so.minisig")
        let found = candidate(try judge())
        let digest = SHA256.digest(library)
        // The library, then its signature, then both by something that somebody has signed.
        try folder.write([0x7F] + library, to: "lib.so")
        try folder.write(Self.acme.sign([0x7F] + library, "gatehouse"), to: "lib.so.minisig")
        #expect(found.imageDigest == digest)
        let file = try #require(found.file)
        let kept = unsafe try file.withBytes { unsafe SHA256.digest($0) }
        #expect(kept == digest)
        #expect(found.endorsement?.signature == signature())
    }

    /// Changes a byte, adds one, or cuts, outside of a part.
    private static func mutated(
        _ bytes: [UInt8], keeping kept: Range<Int> = 0..<0, _ random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        // What is added before the byte after the part would belong to it.
        let closed = kept.lowerBound..<kept.upperBound + (kept.isEmpty ? 0 : 1)
        let deed = Int.random(in: 0..<4, using: &random)
        var place = 0
        repeat {
            place = Int.random(in: 0..<bytes.count, using: &random)
        } while deed == 1 ? closed.contains(place) : kept.contains(place)
        switch deed {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
        default: bytes[place] ^= .random(in: 1...255, using: &random)
        }
        return bytes
    }

    @Test func `of 10,000 damaged libraries, signatures and lists none is accepted`() throws {
        let key = try #require(MinisignKey(Self.acme.publicKey))
        let (text, comment) = (
            Array(signature().utf8), "untrusted comment: signature from minisign secret key\n"
        )
        let list = Array(#"{"revoked":[{"key":"0101010101010101","reason":"stolen"}]}"#.utf8)
        let listSignature = Array(Self.acme.sign(list: String(decoding: list, as: UTF8.self), serial: 1).utf8)
        func isAccepted(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
            guard let signature = try? MinisignSignature(text), signature.keyID == key.id else {
                return false
            }
            return unsafe bytes.withUnsafeBytes {
                (try? unsafe signature.check($0, by: key, named: "acme")) != nil
            }
        }
        #expect(isAccepted(library, text))
        #expect(isAccepted(list, listSignature))
        var random = SeededGenerator(seed: 30)
        // The words of the first comment are nobody's.
        let free = "untrusted comment: ".utf8.count..<comment.utf8.count - 1
        for number in 0..<10_000 {
            let (bytes, signed) =
                switch number % 4 {
                case 0: (Self.mutated(library, &random), text)
                case 1: (Self.mutated(list, &random), listSignature)
                case 2: (library, Self.mutated(text, keeping: free, &random))
                default: (list, Self.mutated(listSignature, keeping: free, &random))
                }
            // Only the line end after the last line may be missing.
            let isWhole = signed == text.dropLast() || signed == listSignature.dropLast()
            #expect(
                isWhole || !isAccepted(bytes, signed),
                "\(number): \(String(decoding: signed, as: UTF8.self).debugDescription)")
        }
    }
}
