// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

extension PluginNote {
    /// Reads the content of an ELF note.
    ///
    /// Skips unknown keys, since a later SDK may write more of them. Checks the manifest inside like a
    /// `plugin.json`, because nothing proves that the build tool wrote it. The manifest of a foreign plugin has
    /// met no tool at all, so its unknown keys are mistakes. A wrong format, or number of the foreign contract,
    /// is the only problem reported.
    ///
    /// - Throws: `ManifestError` with every problem of the text.
    public init(parsing text: [UInt8]) throws(ManifestError) {
        guard text.count <= Self.sizeLimit else {
            throw ManifestError([
                LocatedProblem(
                    "expected at most \(Self.sizeLimit) bytes, found \(text.count); rebuild the plugin with a shorter manifest"
                )
            ])
        }
        // C pads an array with zeros after the text.
        let end = text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        let log = LocatedLog()
        guard let document = LocatedNode(parsing: Array(text[..<end]), log: log),
            let object = document.object(named: "the note")
        else { throw ManifestError(log.problems) }
        if let (format, node) = object.number(
            "format", as: "the number \(Self.format)", example: "\(Self.format)"),
            format != Self.format
        {
            throw ManifestError([
                LocatedProblem(
                    "expected \(Self.format), found \(format); rebuild the plugin with this host's SDK",
                    at: node.value.position, path: node.path)
            ])
        }
        guard object["foreign"] == nil else {
            self = try Self.foreign(object)
            return
        }
        let entry = object.text(
            "entry", as: "a symbol starting with \(EntryName.prefix)",
            example: "\"\(EntryName.prefix)MyPlugin\"", advice: { _ in Self.rebuild }, EntryName.init(symbol:)
        )
        let identity = Self.identity(object)
        let manifest = Self.manifest(object, isForeign: false)
        let coding = Coding(object)
        let keepsState = Self.keepsState(object)
        guard let entry, let identity, let manifest, log.problems.isEmpty else {
            throw ManifestError(log.problems)
        }
        self.init(
            manifest: manifest, contract: .sdk(identity), entry: entry, coding: coding, keepsState: keepsState
        )
    }

    /// Reads the note of a foreign plugin.
    private static func foreign(_ object: LocatedObject) throws(ManifestError) -> PluginNote {
        let log = object.node.log
        let known = BuildIdentity.currentForeignABI
        guard let (abi, node) = object.number("foreign", as: "a number", example: "\(known)") else {
            throw ManifestError(log.problems)
        }
        guard abi == known else {
            throw ManifestError([
                LocatedProblem(
                    "expected \(known), found \(abi); build the plugin with the gatehouse_foreign.h of this host",
                    at: node.value.position, path: node.path)
            ])
        }
        let name = EntryName.foreignPrefix + "\(abi)"
        let entry = object.text(
            "entry", as: "the symbol \(name), or one that begins with \(name)_", example: "\"\(name)\"",
            advice: { _ in "give the entry this name" }
        ) { EntryName(foreign: $0, abi: abi) }
        let manifest = Self.manifest(object, isForeign: true)
        let keepsState = Self.keepsState(object)
        guard let entry, let manifest, log.problems.isEmpty else { throw ManifestError(log.problems) }
        return PluginNote(
            manifest: manifest, contract: .foreign(abi: abi), entry: entry, keepsState: keepsState)
    }

    /// The advice where the build tool writes what the author cannot.
    private static let rebuild = "rebuild the plugin with this host's SDK"

    /// Reads the identity of the plugin's build.
    private static func identity(_ object: LocatedObject) -> BuildIdentity? {
        let abi = object.number("abi", as: "a number", example: "\(BuildIdentity.currentABI)")
        let sdk = object.string("sdk", as: "a version", example: "\"\(BuildIdentity.currentSDKVersion)\"")
        let fingerprint = object.text(
            "sdkFingerprint", as: "64 hexadecimal digits", example: "\"…\"", advice: { _ in rebuild }
        ) { isDigest($0) ? $0 : nil }
        let compiler = object.string("compiler", as: "the identity of a compiler", example: "\"…\"")
        let triple = object.string("triple", as: "a target triple", example: #""x86_64-unknown-linux-gnu""#)
        let configuration = object.text(
            "configuration", as: BuildConfiguration.choice, example: #""release""#,
            advice: { _ in rebuild }, BuildConfiguration.init(rawValue:))
        guard let abi, let sdk, let fingerprint, let compiler, let triple, let configuration else {
            return nil
        }
        return BuildIdentity(
            abi: abi.0, sdkVersion: sdk.0, sdkFingerprint: fingerprint, sdkSources: sources(object),
            seesBodies: seesBodies(object), compiler: compiler.0, triple: triple.0,
            configuration: configuration,
            toolsVersion: toolsVersion(object))
    }

    /// Returns whether a text is a digest.
    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Reads whether the plugin may contain bodies of the SDK that its fingerprint leaves out; true for a note that does not tell,
    /// as from older SDKs.
    private static func seesBodies(_ object: LocatedObject) -> Bool {
        guard let node = object["sdkBodies"] else { return true }
        if case .bool(let seesBodies) = node.value.content { return seesBodies }
        node.report(expecting: "true or false", advice: rebuild)
        return true
    }

    /// Reads the digest of the SDK's sources; empty for a note that does not tell, as from older SDKs.
    private static func sources(_ object: LocatedObject) -> String {
        guard let node = object["sdkSources"] else { return "" }
        if case .string(let text) = node.value.content, isDigest(text) { return text }
        node.report(expecting: "64 hexadecimal digits", advice: rebuild)
        return ""
    }

    /// Reads the version of the SDK's package description; optional, because the fingerprint covers it.
    private static func toolsVersion(_ object: LocatedObject) -> String {
        guard let node = object["toolsVersion"] else { return "" }
        if case .string(let text) = node.value.content { return text }
        node.report(expecting: "a version", advice: #"write "toolsVersion": "6.3""#)
        return ""
    }

    /// Reads whether the plugin keeps state; nil for a note that does not tell, as from older SDKs.
    private static func keepsState(_ object: LocatedObject) -> Bool? {
        guard let node = object["keepsState"] else { return nil }
        if case .bool(let keepsState) = node.value.content { return keepsState }
        node.report(expecting: "true or false", advice: rebuild)
        return nil
    }

    /// Reads the manifest inside the note.
    private static func manifest(_ object: LocatedObject, isForeign: Bool) -> PluginManifest? {
        object.required("manifest", as: "an object", example: "{ … }")
            .flatMap { $0.object(named: "the manifest") }
            .flatMap { manifest in
                if isForeign { manifest.reportUnknownKeys(knowing: PluginManifest.foreignKeys) }
                return PluginManifest(manifest, isForeign: isForeign)
            }
    }
}
