// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseCluster

/// Files that a member needs to be let in.
@Suite(.timeLimit(.minutes(10))) struct AccessFileTests {
    @Test func `a password that is there and cannot be used is not looked for elsewhere`() throws {
        let folder = try TemporaryFolder()
        for (text, words) in [
            ("user\nsecret", "expected a password in one line, found several lines; write it there"),
            ("", "expected a secret, found an empty or blank file; write one there"),
        ] {
            let path = try folder.write(text, to: "password")
            try FileSystem.setMode(0o600, of: path)
            #expect(throws: AccessFile.Problem(mayBeElsewhere: false, sentence: "\(path): \(words)")) {
                try AccessFile("password", from: folder.path).password()
            }
        }
    }

    @Test func `a relative name is one of the folder, and an absolute one of none`() {
        #expect(AccessFile("/key", from: "/etc").path == "/key")
        #expect(AccessFile("key", from: "/etc").path == "/etc/key")
        #expect(AccessFile("key", from: "/").path == "/key")
        #expect(AccessFile("key", from: ".").path == "key")
    }

    @Test func `a password has at most 4096 bytes, and no line break at its end`() throws {
        let folder = try TemporaryFolder()
        func password(_ text: String) throws -> [UInt8] {
            let path = try folder.write(text, to: "password")
            try FileSystem.setMode(0o600, of: path)
            return try AccessFile("password", from: folder.path).password()
        }
        #expect(try password("secret\n") == Array("secret".utf8))
        #expect(try password("secret") == Array("secret".utf8))
        let longest = String(repeating: "x", count: 4_096)
        #expect(try password(longest) == Array(longest.utf8))
        #expect(throws: AccessFile.Problem.self) { try password(longest + "x") }
    }

    @Test func `a secret is nobody else's to read, and a certificate may be`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("text", to: "file")
        let file = AccessFile("file", from: folder.path)
        try FileSystem.setMode(0o644, of: path)
        try file.judge(isSecret: false)
        #expect(throws: AccessFile.Problem.self) { try file.judge(isSecret: true) }
        #expect(throws: AccessFile.Problem.self) { try file.password() }
        try FileSystem.setMode(0o600, of: path)
        try file.judge(isSecret: true)
    }

    @Test(.enabled(if: unsafe getenv("CREDENTIALS_DIRECTORY") == nil, "a service manager gives secrets"))
    func `a missing file may come from a service manager, unless it has a place of its own`() throws {
        let folder = try TemporaryFolder()
        let relative = #expect(throws: AccessFile.Problem.self) {
            try AccessFile("none", from: folder.path).judge(isSecret: false)
        }
        #expect(relative?.mayBeElsewhere == true)
        #expect(
            relative?.sentence.hasSuffix(", or let a service manager give it in $CREDENTIALS_DIRECTORY")
                == true)
        let absolute = #expect(throws: AccessFile.Problem.self) {
            try AccessFile(folder("none"), from: "/").judge(isSecret: false)
        }
        #expect(absolute?.mayBeElsewhere == false)
        #expect(absolute?.sentence.contains("service manager") == false)
    }
}
