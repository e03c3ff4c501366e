// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseHost

@Suite struct RunPathEntryTests {
    /// What there is to say about a folder.
    private func finding(_ text: String) -> RunPathEntry.Finding {
        RunPathEntry(text, loaded: .current).finding
    }

    @Test(arguments: [
        "$ORIGIN", "${ORIGIN}", "$ORIGIN/", "$ORIGIN/lib", "$ORIGIN/../lib", "${ORIGIN}/../..",
        "$ORIGIN/./../lib",
    ])
    func `beside a copy in memory there is nothing`(text: String) {
        #expect(finding(text) == .origin)
        #expect(RunPathEntry.systemPath(of: text) == nil)
    }

    @Test(arguments: [
        ("$ORIGIN/../../../tmp/none", "/tmp/none"), ("${ORIGIN}/.././../../../tmp/none", "/tmp/none"),
        ("$ORIGIN/../../../a/../tmp/none", "/tmp/none"),
    ])
    func `who climbs from there to the root comes to the folders of the system`(text: String, path: String) {
        #expect(RunPathEntry.systemPath(of: text) == path)
        #expect(finding(text) == .writable(path: "/tmp"))
    }

    @Test func `a folder of the system is trusted however it is written`() {
        for text in ["/usr/lib", "/usr//./lib/", "$ORIGIN/../../../usr/lib"] {
            #expect(finding(text) == .trusted)
        }
    }

    @Test(arguments: ["", "lib", "./lib", "$ORIGINS/lib", "$LIB/x"])
    func `what does not begin at the root depends on where the host is started`(text: String) {
        #expect(finding(text) == .relative)
    }

    @Test func `libraries are found where such a folder leads`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "libx.so")
        let search = LibrarySearch.current
        for text in [folder.path, "$ORIGIN/../../.." + folder.path] {
            #expect(search.find("libx.so", runPath: [text], folder: nil).isMissing == false)
        }
        #expect(search.find("libx.so", runPath: ["$ORIGIN/.." + folder.path], folder: nil).isMissing)
    }
}
