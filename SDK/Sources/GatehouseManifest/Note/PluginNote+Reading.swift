// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

extension PluginNote {
    /// Reads the content of an ELF note.
    ///
    /// Unknown keys are skipped, since a later SDK may write more of them. The manifest inside is checked
    /// like a `plugin.json`, because nothing proves that the build tool wrote it. If the format is not the
    /// known one, that is the only problem reported.
    ///
    /// - Throws: `ManifestError` with every problem of the text.
    public init(parsing text: [UInt8]) throws(ManifestError) {
        guard text.count <= Self.sizeLimit else {
            throw ManifestError([
                ManifestProblem(
                    line: 1, column: 1, key: "",
                    fault: .mismatch(
                        expected: "at most \(Self.sizeLimit) bytes", found: "\(text.count)",
                        advice: "rebuild the plugin with a shorter manifest"))
            ])
        }
        let document: LocatedValue
        do {
            document = try JSONText.parseLocated(text)
        } catch {
            throw ManifestError([ManifestProblem(error)])
        }
        var reader = try MemberReader(document, name: "the note")
        if let (format, value) = reader.number(
            "format", as: "the number \(Self.format)", example: "\(Self.format)"),
            format != Self.format
        {
            var onlyThis = try MemberReader(document, name: "the note")
            onlyThis.report(
                value, key: "format", expected: "\(Self.format)", found: "\(format)",
                advice: "rebuild the plugin with this host's SDK")
            throw ManifestError(onlyThis.problems)
        }
        let entry = Self.entry(&reader)
        let identity = Self.identity(&reader)
        let manifest = Self.manifest(&reader)
        let coding = Coding(&reader)
        guard let entry, let identity, let manifest, reader.problems.isEmpty else {
            throw ManifestError(reader.problems)
        }
        self.init(manifest: manifest, identity: identity, entry: entry, coding: coding)
    }

    /// Reads the name of the entry.
    private static func entry(_ reader: inout MemberReader) -> EntryName? {
        let expected = "a symbol starting with \(EntryName.prefix)"
        let example = "\"\(EntryName.prefix)MyPlugin\""
        guard let (text, value) = reader.string("entry", as: expected, example: example) else { return nil }
        if let entry = EntryName(symbol: text) { return entry }
        reader.report(
            value, key: "entry", expected: expected, advice: "rebuild the plugin with this host's SDK")
        return nil
    }

    /// Reads what the plugin was built from.
    private static func identity(_ reader: inout MemberReader) -> BuildIdentity? {
        let abi = reader.number("abi", as: "a number", example: "\(BuildIdentity.currentABI)")
        let sdk = reader.string("sdk", as: "a version", example: "\"\(BuildIdentity.currentSDKVersion)\"")
        let fingerprint = Self.fingerprint(&reader)
        let compiler = reader.string("compiler", as: "the identity of a compiler", example: "\"…\"")
        let triple = reader.string("triple", as: "a target triple", example: #""x86_64-unknown-linux-gnu""#)
        let configuration = Self.configuration(&reader)
        guard let abi, let sdk, let fingerprint, let compiler, let triple, let configuration else {
            return nil
        }
        return BuildIdentity(
            abi: abi.0, sdkVersion: sdk.0, sdkFingerprint: fingerprint, compiler: compiler.0,
            triple: triple.0,
            configuration: configuration, toolsVersion: Self.toolsVersion(&reader))
    }

    /// Reads the fingerprint of the SDK.
    private static func fingerprint(_ reader: inout MemberReader) -> String? {
        let expected = "64 hexadecimal digits"
        guard let (text, value) = reader.string("sdkFingerprint", as: expected, example: "\"…\"") else {
            return nil
        }
        let isHex = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        if text.utf8.count == 64, isHex { return text }
        reader.report(
            value, key: "sdkFingerprint", expected: expected,
            advice: "rebuild the plugin with this host's SDK")
        return nil
    }

    /// Reads how the plugin was compiled.
    private static func configuration(_ reader: inout MemberReader) -> BuildConfiguration? {
        let expected = BuildConfiguration.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard let (text, value) = reader.string("configuration", as: expected, example: #""release""#) else {
            return nil
        }
        if let configuration = BuildConfiguration(rawValue: text) { return configuration }
        reader.report(
            value, key: "configuration", expected: expected, advice: "rebuild the plugin with this host's SDK"
        )
        return nil
    }

    /// Reads the version of the SDK's package description; the fingerprint covers it, so it may be missing.
    private static func toolsVersion(_ reader: inout MemberReader) -> String {
        guard let value = reader.optional("toolsVersion") else { return "" }
        if case .string(let text) = value.content { return text }
        reader.report(
            value, key: "toolsVersion", expected: "a version", advice: #"write "toolsVersion": "6.3""#)
        return ""
    }

    /// Reads the manifest inside the note.
    private static func manifest(_ reader: inout MemberReader) -> PluginManifest? {
        guard let value = reader.required("manifest", as: "an object", example: "{ … }") else { return nil }
        do {
            var inner = try MemberReader(value, path: "manifest", name: "the manifest")
            let manifest = PluginManifest(&inner)
            reader.adopt(inner.problems)
            return inner.problems.isEmpty ? manifest : nil
        } catch {
            reader.adopt(error.problems)
            return nil
        }
    }
}
