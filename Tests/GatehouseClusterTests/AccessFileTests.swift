// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
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
}
