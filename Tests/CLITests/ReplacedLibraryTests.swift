// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What happens to a library file while the program runs with it.
@Suite struct ReplacedLibraryTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"

    @Test(arguments: ["overwritten", "cut off", "removed", "removed with the cache folder"])
    func `a library that is changed does not disturb the run`(change: String) throws {
        let scene = try Scene.counter()
        let path = scene.folder("plugins/libCounterPlugin.so")
        let child = try scene.start(["--print", "actions"])
        child.write(increment)
        try child.waitForOutput("counter/increment")
        switch change {
        case "overwritten":
            let count = try FileSystem.read(path).count
            try FileSystem.write([UInt8](repeating: 0xCC, count: count), to: path)
        case "cut off": try FileSystem.setSize(0, of: path)
        case "removed": FileSystem.remove(path)
        default:
            FileSystem.remove(path)
            FileSystem.removeFolder(scene.folder("cache"))
        }
        child.write(increment + increment)
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.output.split(separator: "\n").count == 3)
        #expect(outcome.errors == "gatehouse: 3 lines, 3 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }
}
