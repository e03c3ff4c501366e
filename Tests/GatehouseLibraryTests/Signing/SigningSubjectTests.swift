// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

/// What can be signed, and why something cannot.
@Suite(.timeLimit(.minutes(10))) struct SigningSubjectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Why a file of the folder cannot be signed; nil where it can.
    private func refusal(_ name: String) -> String? {
        do throws(Diagnostic) {
            _ = try SigningSubject(path: folder(name), serial: 3)
            return nil
        } catch {
            return "\(error)".replacing(folder.path + "/", with: "")
        }
    }

    @Test func `a list of what is withdrawn is signed with the number of the list`() throws {
        let path = try folder.write(#"{"revoked":[]}"#, to: "acme.revoked")
        let subject = try SigningSubject(path: path, serial: 3)
        #expect(subject.comment == .revocations(serial: 3))
        #expect(subject.doubts == [])
        #expect(subject.signaturePath == path + ".minisig")
        #expect(!subject.isSigned)
    }

    @Test func `a list of 16 MiB is read, and no greater one`() throws {
        let text = #"{"revoked":[]}"#
        let room = 16 << 20 - text.utf8.count
        try folder.write(text + String(repeating: " ", count: room), to: "a.revoked")
        try folder.write(text + String(repeating: " ", count: room + 1), to: "b.revoked")
        #expect(refusal("a.revoked") == nil)
        #expect(refusal("b.revoked")?.hasPrefix("b.revoked: ") == true)
    }

    @Test(arguments: ["acme.revoked", "index.json"])
    func `a list that is none is not signed, and why is told`(name: String) throws {
        for text in ["{", "{}", "[]"] {
            try folder.write(text, to: name)
            let told = try #require(refusal(name), "\(text)")
            #expect(told.hasPrefix("\(name): "), "\(told)")
            #expect(told.contains("expected "), "\(told)")
        }
        FileSystem.remove(folder(name))
        #expect(refusal(name)?.hasPrefix("\(name): ") == true)
    }

    @Test(arguments: [
        ("[]", "an array"), ("{}", "an empty object"), (#"{"revoke":[]}"#, #"one with "revoke""#),
        (#"{"revoked":{},"a":1}"#, #"one with "revoked", "a""#),
    ])
    func `a list without what it lists is told with what is there instead`(text: String, found: String) throws
    {
        try folder.write(text, to: "acme.revoked")
        #expect(
            refusal("acme.revoked")
                == #"acme.revoked: the whole value: expected an object with the one member "revoked", an array, found \#(found)"#
        )
    }

    @Test func `a library is signed with its plugin, its version and its bytes`() throws {
        let library = try FixtureLibrary("SilentEntry").bytes
        let path = try folder.write(library, to: "lib.so")
        let subject = try SigningSubject(path: path, serial: 7)
        guard case .plugin(let id, _, let serial, let digest) = subject.comment else {
            Issue.record("\(subject.comment)")
            return
        }
        #expect(serial == 7)
        #expect(!id.isEmpty)
        #expect(digest == SHA256.digest(library).hex)
        try folder.write("no library", to: "text.so")
        #expect(refusal("text.so")?.contains("text.so") == true)
        #expect(refusal("none.so")?.contains("none.so") == true)
    }
}
