// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What happens to a library file while the program runs with it.
@Suite(.timeLimit(.minutes(10))) struct ReplacedLibraryTests {
    /// What somebody does to the file.
    enum Change: String, CaseIterable {
        /// `cp` of another library over it.
        case copiedOver
        /// `mv` of another library over it.
        case movedOver
        /// Other bytes, in place.
        case overwritten
        case cutOff
        case emptied
        case removed
        /// The file, and all that was kept of it.
        case removedWithCache

        /// Replaces the library in this way.
        func perform(in scene: Scene) throws {
            let path = scene.folder("plugins/libCounterPlugin.so")
            let bytes = try FileSystem.read(path)
            switch self {
            case .copiedOver: try FileSystem.write(bytes + [0], to: path)
            case .movedOver:
                try FileSystem.write(bytes + [0, 0], to: path + ".new")
                try FileSystem.rename(path + ".new", to: path)
            case .overwritten: try FileSystem.write([UInt8](repeating: 0xCC, count: bytes.count), to: path)
            case .cutOff: try FileSystem.setSize(4_000, of: path)
            case .emptied: try FileSystem.setSize(0, of: path)
            case .removed: FileSystem.remove(path)
            case .removedWithCache:
                FileSystem.remove(path)
                FileSystem.removeFolder(scene.folder("cache"))
            }
        }

        /// What a reload says of it, in the end.
        var words: [String] {
            let refused = "./plugins/libCounterPlugin.so: refused for the instance counter: "
            let reason =
                switch self {
                case .copiedOver, .movedOver: ""
                case .overwritten:
                    refused
                        + "expected an ELF file starting with 7f 45 4c 46, found cc cc cc cc; name a shared library built for Linux"
                case .cutOff:
                    refused
                        + "a loaded segment needs N bytes at offset 0, found 4000; the file is cut off or damaged, build or copy it again"
                case .emptied:
                    refused
                        + "expected an ELF file starting with 7f 45 4c 46, found an empty file; name a shared library built for Linux"
                case .removed, .removedWithCache:
                    "plugins.json:1:45: /plugins/0/library: there is no libCounterPlugin.so in ./plugins; put it there or correct the name"
                }
            let replaced = { (generation: Int) in
                "gatehouse: generation \(generation) runs, after N ms: replace counter: new bytes of version 1.0.0"
            }
            return reason.isEmpty
                ? [replaced(2), replaced(3)]
                : [
                    reason, "gatehouse: the change is refused, generation 1 runs on",
                    "gatehouse: nothing has changed, generation 1 runs on",
                ]
        }
    }

    @Test(arguments: Change.allCases)
    func `a library that is changed does not disturb the run, and a reload tells of it`(change: Change) throws
    {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "counter", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        let path = live.scene.folder("plugins/libCounterPlugin.so")
        let sound = try FileSystem.read(path)
        live.send("counter/increment")
        try live.settle()
        try change.perform(in: live.scene)
        live.send("counter/increment", "counter/increment")
        let words = change.words
        try live.reload(expecting: words.count == 2 ? "generation 2 runs, " : "generation 1 runs on")
        live.send("counter/increment")
        try live.settle()
        // What was there is put back.
        try FileSystem.write(sound, to: path)
        try live.reload(expecting: words.count == 2 ? "generation 3 runs, " : "nothing has changed")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":5}}"#)
        let told = end.errors.map { $0.replacing(/needs \d+ bytes/, with: "needs N bytes") }
        #expect(told == words + ["gatehouse: 10 lines, 5 actions, 5 rejected"])
        #expect(end.exitCode == 0)
    }
}
