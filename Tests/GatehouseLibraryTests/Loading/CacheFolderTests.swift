// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct CacheFolderTests {
    @Test(
        arguments: [
            (["CACHE_DIRECTORY": "/a:/b", "XDG_CACHE_HOME": "/c", "HOME": "/d"], "/a"),
            (["XDG_CACHE_HOME": "/c", "HOME": "/d"], "/c/gatehouse"), (["HOME": "/d"], "/d/.cache/gatehouse"),
            (["CACHE_DIRECTORY": "a", "XDG_CACHE_HOME": "", "HOME": "/d"], "/d/.cache/gatehouse"),
            (["CACHE_DIRECTORY": "", "HOME": "d"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func `the first absolute folder that the environment names is taken`(
        variables: [String: String], folder: String?
    ) {
        #expect(CacheFolder.path { variables[$0] } == folder)
    }
}
