// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What a host makes is closed to other users, whatever mask its process has.
@Suite(.timeLimit(.minutes(10))) struct PrivateFilesTests {
    /// Starts the program with a mask, in a scene.
    private func start(_ scene: Scene, mask: String, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", ["-c", #"umask "$0"; exec "$@""#, mask, BuiltProducts.program] + arguments,
            in: scene.folder.path, environment: scene.environment, keeping: scene.folder)
    }

    /// Runs the program with a mask from start to end.
    private func call(_ scene: Scene, mask: String, _ arguments: String...) throws {
        let outcome = try ChildProcess.run(
            "/bin/sh",
            arguments: ["-c", #"umask "$0"; exec "$@""#, mask, BuiltProducts.program] + arguments,
            in: scene.folder.path, environment: scene.environment)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    /// The modes and names of all that the program has made in a scene, without what differs from run to run.
    private func modes(_ scene: Scene) throws -> Set<String> {
        var found: Set<String> = []
        func look(at folder: String) throws {
            for name in FileSystem.names(in: scene.folder(folder)) {
                let path = folder.isEmpty ? name : folder + "/" + name
                if ["plugins", "plugins.json", "log.ndjson"].contains(path) { continue }
                let mode = String(try FileSystem.mode(of: scene.folder(path)), radix: 8)
                let known = path.replacing(/[0-9a-f]{64}/, with: "DIGEST")
                    .replacing(/tail-[0-9a-f]+/, with: "tail-ID")
                    .replacing(/before-restore-[0-9TZ.]+/, with: "before-restore-TIME")
                found.insert("\(mode) \(known)")
                try look(at: path)
            }
        }
        try look(at: "")
        return found
    }

    /// Expects what was found to be what is known, and names what differs.
    private func expect(_ found: Set<String>, toBe text: String) {
        let known = Set(text.split(separator: "\n").map(String.init))
        #expect(found.subtracting(known).sorted() == [], "not known")
        #expect(known.subtracting(found).sorted() == [], "not found")
    }

    @Test(arguments: ["000", "077"])
    func `each file, folder and socket has its mode whatever the mask`(mask: String) throws {
        let scene = try Scene(
            "", libraries: ["CounterPlugin", "FatalPlugin", "PersistencePlugin", "HTTPPlugin"])
        try scene.addLibrary("FilePlugin")
        try scene.folder.write(
            """
            { "name": "shop", "discovery": "ignore", "journal": {}, "supervise": { "pause": 0, "crashes": 1 },
              "ingress": { "tail": "log.ndjson",
                "listen": ["unix:in.sock", { "socket": "unix:group.sock", "mode": "0660" }] },
              "plugins": [
                { "id": "counter" }, { "id": "fatal" }, { "id": "docs", "library": "libPersistencePlugin.so" },
                { "id": "file", "settings": { "include": ["docs/*"] } },
                { "id": "http", "lift": { "dependencies": ["ingress", "control", "clock"] },
                  "settings": { "listen": "unix:\(scene.folder("http.sock"))" } } ] }
            """, to: "plugins.json")
        try scene.folder.write(#"{"type":"counter/increment"}"# + "\n", to: "log.ndjson")
        let host = try start(scene, mask: mask, "run", "--control", "--print", "actions")
        try host.waitForErrors("gatehouse: shop can be controlled at")
        try host.waitForErrors("http: listening at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(
            #"{"type":"docs/save","payload":{"collection":"c","id":"a","value":1}}"# + "\n")
        try host.waitForOutput(#"{"type":"docs/saved""#)
        var found = try modes(scene)
        writer.write(#"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n")
        #expect(try host.finish().exitCode == nil)
        let next = try start(scene, mask: mask, "run", "--control", "--print", "none")
        try next.waitForErrors("gatehouse: shop can be controlled at")
        found.formUnion(try modes(scene))
        next.signal(SIGTERM)
        #expect(try next.finish().exitCode == 0)
        try call(scene, mask: mask, "backup", "copy.sqlite")
        try call(scene, mask: mask, "restore", "copy.sqlite")
        found.formUnion(try modes(scene))
        // What others are to read, and a proxy to reach, is as open as the mask lets it be.
        let (folder, file, socket) = mask == "000" ? ("750", "640", "660") : ("700", "600", "600")
        expect(
            found,
            toBe: """
                700 cache
                700 cache/images
                600 cache/images/lock
                700 cache/images/DIGEST
                500 cache/images/DIGEST/libCounterPlugin.so
                500 cache/images/DIGEST/libFatalPlugin.so
                500 cache/images/DIGEST/libFilePlugin.so
                500 cache/images/DIGEST/libHTTPPlugin.so
                500 cache/images/DIGEST/libPersistencePlugin.so
                700 cache/rehearsals
                600 cache/rehearsals/DIGEST
                600 copy.sqlite
                700 data
                700 data/docs
                600 data/docs/documents.sqlite
                600 data/docs/documents.sqlite-shm
                600 data/docs/documents.sqlite-wal
                \(folder) data/file
                \(file) data/file/actions.ndjson
                700 data/host
                600 data/host/crashes.json
                600 data/host/journal
                600 data/host/tail-ID.json
                700 gatehouse
                600 gatehouse/shop.box
                600 gatehouse/shop.sock
                600 gatehouse/shop.sock.lock
                660 group.sock
                \(socket) http.sock
                600 in.sock
                700 journal
                700 journal/images
                700 journal/images/DIGEST
                500 journal/images/DIGEST/libCounterPlugin.so
                500 journal/images/DIGEST/libFatalPlugin.so
                500 journal/images/DIGEST/libFilePlugin.so
                500 journal/images/DIGEST/libHTTPPlugin.so
                500 journal/images/DIGEST/libPersistencePlugin.so
                600 journal/journal.lock
                600 journal/journal.promise
                600 journal/journal.promise.before-restore-TIME
                600 journal/journal.sqlite
                600 journal/journal.sqlite-shm
                600 journal/journal.sqlite-wal
                600 journal/journal.sqlite.before-restore-TIME
                600 journal/journal.sqlite.before-restore-TIME-wal
                """)
    }

    @Test(arguments: ["000", "077"])
    func `what a supervisor opens, and the state that a run leaves, have their modes whatever the mask`(
        mask: String
    ) throws {
        let scene = try Scene(
            """
            { "name": "shop", "stateFile": "state.json", "supervise": { "pause": 0 }, "discovery": "ignore",
              "ingress": { "listen": ["unix:in.sock", { "socket": "unix:group.sock", "mode": "0660" }] },
              "plugins": [{ "id": "fatal" }] }
            """, libraries: ["FatalPlugin"])
        let host = try start(scene, mask: mask, "run", "--supervise", "--control", "--print", "none")
        try host.waitForErrors("gatehouse: shop can be controlled at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(#"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n")
        try host.waitForErrors("it is restarted")
        try host.waitForErrors { errors in
            errors.ranges(of: "gatehouse: shop can be controlled at").count == 2
        }
        var found = try modes(scene)
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
        found.formUnion(try modes(scene))
        expect(
            found,
            toBe: """
                700 cache
                700 cache/images
                600 cache/images/lock
                700 cache/images/DIGEST
                500 cache/images/DIGEST/libFatalPlugin.so
                700 cache/rehearsals
                600 cache/rehearsals/DIGEST
                700 data
                700 data/host
                600 data/host/crashes.json
                700 gatehouse
                600 gatehouse/shop.sock
                600 gatehouse/shop.sock.lock
                660 group.sock
                600 in.sock
                600 state.json
                """)
    }
}
