// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

/// Libraries that are taken from an index.
@Suite(.timeLimit(.minutes(10))) struct IndexTests {
    private static let acme = TestSigner(seed: 1)
    private static let other = TestSigner(seed: 2)

    /// A folder with an index of two versions of a plugin, and a configuration that trusts who signs it.
    private func scene(plugins: String = #"["*"]"#) throws -> Scene {
        let scene = try Scene(
            #"{ "trust": { "keys": [{ "name": "acme", "key": "\#(Self.acme.publicKey)", "plugins": \#(plugins) }], "index": "shelf/index.json" } }"#
        )
        _ = try scene.folder.makeFolder("shelf")
        for (version, target) in [("1.0.0", "MigrantOnePlugin"), ("2.0.0", "MigrantTwoPlugin")] {
            _ = try scene.folder.makeFolder("shelf/" + version)
            try scene.folder.copyLibrary(target, as: "shelf/\(version)/libMigrantPlugin.so")
            try sign(version, as: Int(version.prefix(1)) ?? 0, in: scene)
        }
        #expect(
            try scene.call("index", "shelf").output
                == "migrant 1.0.0 1.0.0/libMigrantPlugin.so\nmigrant 2.0.0 2.0.0/libMigrantPlugin.so\n")
        try signIndex(in: scene)
        return scene
    }

    /// Signs a library of the index.
    private func sign(
        _ version: String, as serial: Int, by signer: TestSigner = acme, in scene: Scene,
        library: String = "libMigrantPlugin.so", id: String = "migrant"
    ) throws {
        let path = "shelf/\(version)/\(library)"
        let bytes = try FileSystem.read(scene.folder(path))
        try scene.folder.write(
            signer.sign(
                library: bytes, id: id, version: version, serial: serial,
                digest: SHA256.digest(bytes).hex), to: path + ".minisig")
    }

    /// Signs the index.
    private func signIndex(by signer: TestSigner = acme, in scene: Scene) throws {
        try scene.folder.write(
            signer.sign(index: try scene.folder.read("shelf/index.json"), serial: 1),
            to: "shelf/index.json.minisig")
    }

    @Test func `add brings the newest library with its signature, and an entry that pins it`() throws {
        let scene = try scene()
        let added = try scene.call("add", "migrant")
        let digest = SHA256.digest(try FileSystem.read(BuiltProducts.library("MigrantTwoPlugin"))).hex
        let entry = #"{"id":"migrant","library":"libMigrantPlugin.so","sha256":"\#(digest)"}"#
        #expect(added.output == entry + "\n", "\(added)")
        #expect(
            added.errors
                == "gatehouse: ./plugins/libMigrantPlugin.so: migrant 2.0.0, signed by acme, serial 2\n")
        #expect(added.exitCode == 0)
        let run = try scene.run(["--print", "none"], input: #"{"type":"migrant/add","payload":1}"# + "\n")
        #expect(run.exitCode == 0, "\(run)")
        let outdated = try scene.call("outdated")
        #expect(outdated.output == "")
        #expect(outdated.errors == "gatehouse: the index has nothing newer that fits this host\n")
    }

    @Test func `a library that does not work is not added, and the reason is told`() throws {
        let scene = try scene()
        let library = "libRefusingEntryPlugin.so"
        try scene.folder.copyLibrary("RefusingEntryPlugin", as: "shelf/1.0.0/" + library)
        try sign("1.0.0", as: 1, in: scene, library: library, id: "refusing-entry")
        #expect(try scene.call("index", "shelf").exitCode == 0)
        try signIndex(in: scene)
        let added = try scene.call("add", "refusing-entry")
        #expect(added.output == "")
        #expect(
            added.errors.hasSuffix(": its entry refused: it never works on Fridays\n"), "\(added.errors)")
        #expect(added.exitCode == 69)
        #expect(!FileSystem.exists(scene.folder("plugins/" + library)))
    }

    @Test func `a library is not added where its signature cannot be written, and the reason is told`() throws
    {
        let scene = try scene()
        _ = try scene.folder.makeFolder("plugins/libMigrantPlugin.so.minisig")
        let added = try scene.call("add", "migrant")
        #expect(added.output == "")
        #expect(
            added.errors
                == "gatehouse: ./plugins/libMigrantPlugin.so.minisig: it cannot be written: Is a directory\n")
        #expect(added.exitCode == 70)
        #expect(!FileSystem.exists(scene.folder("plugins/libMigrantPlugin.so")))
    }

    @Test func `outdated names what is older, and changes nothing`() throws {
        let scene = try scene()
        try scene.addLibrary("MigrantOnePlugin", as: "libOld.so")
        let outdated = try scene.call("outdated")
        #expect(outdated.output == "libOld.so: migrant 1.0.0, 2.0.0 can be had by gatehouse add migrant\n")
        #expect(FileSystem.names(in: scene.folder("plugins")) == ["libOld.so"])
    }

    @Test func `what a web server sends is judged alike`() throws {
        let scene = try scene()
        try scene.addLibrary("MigrantOnePlugin")
        let files = [
            "/index.json": try scene.folder.read("shelf/index.json"),
            "/index.json.minisig": try scene.folder.read("shelf/index.json.minisig"),
        ]
        let server = try ScriptedServer { request, _ in
            files[request.target].map { .status(200, body: $0) } ?? .status(404)
        }
        #expect(
            try scene.call("outdated", "--index", server.url("/index.json")).output
                == "libMigrantOnePlugin.so: migrant 1.0.0, 2.0.0 can be had by gatehouse add migrant\n")
        let lost = try scene.call("add", "migrant", "--index", server.url("/index.json"))
        #expect(lost.exitCode == 69)
        #expect(
            lost.errors.hasSuffix(
                "gatehouse: \(server.url("/2.0.0/libMigrantPlugin.so")): curl has not received it; its words are above\n"
            ), "\(lost.errors)")
        #expect(FileSystem.names(in: scene.folder("plugins")) == ["libMigrantOnePlugin.so"])
    }

    @Test func `nothing comes from an index that no known key has signed, or that was changed`() throws {
        let scene = try scene()
        try signIndex(by: Self.other, in: scene)
        let foreign = try scene.call("add", "migrant")
        #expect(foreign.exitCode == 69)
        #expect(
            foreign.errors
                == "gatehouse: ./shelf/index.json: its signature cannot be read: \"trust\" does not have the key that it is by; add the key of whoever keeps the index\n",
            "\(foreign.errors)")
        try signIndex(in: scene)
        try scene.folder.write(
            try scene.folder.read("shelf/index.json").replacing("2.0.0", with: "3.0.0"),
            to: "shelf/index.json")
        #expect(
            try scene.call("add", "migrant").errors.contains("is for other bytes: one of the two has changed")
        )
        #expect(FileSystem.names(in: scene.folder("plugins")) == [])
    }

    @Test func `a library that was exchanged, or that nobody has signed, does not come`() throws {
        let scene = try scene()
        try scene.folder.copyLibrary("MigrantOnePlugin", as: "shelf/2.0.0/libMigrantPlugin.so")
        let exchanged = try scene.call("add", "migrant")
        #expect(exchanged.exitCode == 69)
        #expect(
            exchanged.errors.hasPrefix(
                "gatehouse: 2.0.0/libMigrantPlugin.so is refused: its signature by \"acme\" is for other bytes"
            ),
            "\(exchanged.errors)")
        #expect(exchanged.errors.contains("; the index has the digest "))
        try scene.folder.copyLibrary("MigrantTwoPlugin", as: "shelf/2.0.0/libMigrantPlugin.so")
        try sign("2.0.0", as: 2, by: Self.other, in: scene)
        #expect(
            try scene.call("add", "migrant").errors.hasPrefix(
                "gatehouse: 2.0.0/libMigrantPlugin.so is refused: is signed by the key 0202020202020202, which \"trust\" does not have; "
            ))
        #expect(FileSystem.names(in: scene.folder("plugins")) == [])
    }

    @Test func `what the key of the index may not sign, or what fits another host, is not there`() throws {
        let scene = try scene(plugins: #"["other"]"#)
        let outside = try scene.call("add", "migrant")
        #expect(outside.exitCode == 69)
        #expect(
            outside.errors
                == "gatehouse: ./shelf/index.json: there is no \"migrant\" that the key of the index may sign; it has nothing\n",
            "\(outside.errors)")
        let strange = try self.scene()
        let text = try strange.folder.read("shelf/index.json")
        let fingerprint = SDKIdentity.current.sdkFingerprint
        try strange.folder.write(text.replacing(fingerprint, with: "aa"), to: "shelf/index.json")
        try signIndex(in: strange)
        #expect(
            try strange.call("add", "migrant").errors
                == "gatehouse: ./shelf/index.json: no migrant fits this host: version 1.0.0 was built with another SDK: its fingerprint is aa, that of this host \(fingerprint); version 2.0.0 was built with another SDK: its fingerprint is aa, that of this host \(fingerprint)\n"
        )
    }

    @Test func `an index that leads out of its folder is none`() throws {
        for file in ["../lib.so", "/lib.so", "a//lib.so", "a b.so", "lib.txt"] {
            let scene = try scene()
            let text = try scene.folder.read("shelf/index.json")
            try scene.folder.write(
                text.replacing("2.0.0/libMigrantPlugin.so", with: file), to: "shelf/index.json")
            try signIndex(in: scene)
            #expect(
                try scene.call("add", "migrant").errors.contains(
                    "it is signed, and is no index: /plugins/1: "))
        }
    }

    @Test func `without keys or an index there is nowhere to look`() throws {
        let scene = try Scene("{}")
        #expect(
            try scene.call("add", "migrant").errors
                == "gatehouse: plugins.json: \"trust\" has no keys, so nobody's index counts; add the key of whoever signs it\n"
        )
        try scene.folder.write(
            #"{ "trust": { "keys": [{ "name": "acme", "key": "\#(Self.acme.publicKey)", "plugins": ["*"] }] } }"#,
            to: "plugins.json")
        let none = try scene.call("outdated")
        #expect(none.exitCode == 78)
        #expect(
            none.errors
                == "gatehouse: plugins.json: \"trust\" names no index; add \"index\" with its path or URL, or give --index\n"
        )
    }
}
