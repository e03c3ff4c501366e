// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@Suite(.timeLimit(.minutes(10))) struct SemanticVersionTests {
    @Test(arguments: [
        "0.0.0", "1.2.3", "10.20.30", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0.3.7", "1.0.0-x-y.z-",
        "1.0.0+build", "1.0.0+001", "1.0.0-rc.1+20.sha-5114f85", "9223372036854775807.0.0",
    ])
    func `a version is printed as it was read`(text: String) {
        #expect(SemanticVersion(text)?.description == text)
    }

    @Test(arguments: [
        "", "1", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "1.00.0", "1.0.-1", "1.0.0-", "1.0.0+", "1.0.0-a..b",
        "1.0.0-01", "1.0.0-ä", "1.0.0 ", " 1.0.0", "1.0.x", "1.0.0+a+b", "1.0.0-a_b", "٣.0.0",
        "9223372036854775808.0.0", "+1.0.0", "1..0",
    ])
    func `text that is no version is refused`(text: String) {
        #expect(SemanticVersion(text) == nil)
    }

    @Test func `versions are ordered by precedence`() throws {
        let texts = [
            "0.9.9", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
            "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0+a", "1.0.0+b",
            "1.0.1",
            "1.1.0", "2.0.0",
        ]
        let versions = try texts.map { try #require(SemanticVersion($0)) }
        #expect(versions.shuffled().sorted() == versions)
        for (left, right) in zip(versions, versions.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
    }
}
