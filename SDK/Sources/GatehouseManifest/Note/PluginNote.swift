// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What a plugin library says about itself before any of its code runs.
///
/// It is the text of an ELF note: the manifest of the author, and what the build tool adds, or the macro of a foreign plugin.
public struct PluginNote: Hashable, Sendable {
    /// The manifest that the author wrote.
    public let manifest: PluginManifest
    /// What binds plugin and host.
    public let contract: Contract
    /// The C function to call.
    public let entry: EntryName
    /// How its actions are read and written; nil when the note does not tell, or when there is nothing to do.
    public let coding: Coding?
    /// Whether the plugin keeps state, and so owns a slice; nil when the note does not tell: then only loading does.
    public let keepsState: Bool?

    /// The owner of the ELF note.
    public static let owner = "gatehouse"
    /// The type of the ELF note.
    public static let type: UInt32 = 1
    /// The number of the text's format; it changes when older hosts could misread a text.
    public static let format: UInt32 = 1
    /// The greatest size of the text in bytes. More words than this holds the compiler does not accept.
    public static let sizeLimit = 32_768

    /// What binds a plugin and its host.
    public enum Contract: Hashable, Sendable {
        /// Both share the SDK's types, so they must be built from the same sources in the same way.
        case sdk(BuildIdentity)
        /// C functions and JSON, whatever the plugin is written in; the number of the contract has to agree.
        case foreign(abi: UInt32)
    }

    /// Puts all parts of a plugin made with the SDK together.
    public init(
        manifest: PluginManifest, identity: BuildIdentity, entry: EntryName, coding: Coding? = nil,
        keepsState: Bool? = nil
    ) {
        self.init(
            manifest: manifest, contract: .sdk(identity), entry: entry, coding: coding, keepsState: keepsState
        )
    }

    /// Puts all parts together.
    public init(
        manifest: PluginManifest, contract: Contract, entry: EntryName, coding: Coding? = nil,
        keepsState: Bool? = nil
    ) {
        self.manifest = manifest
        self.contract = contract
        self.entry = entry
        self.coding = coding
        self.keepsState = keepsState
    }

    /// What the plugin was built from, and how; nil for a foreign one.
    public var identity: BuildIdentity? {
        if case .sdk(let identity) = contract { identity } else { nil }
    }

    /// The note as JSON.
    public var value: Value {
        var members: Members
        switch contract {
        case .sdk(let identity):
            members = Members([
                ("format", .integer(Int64(Self.format))), ("abi", .integer(Int64(identity.abi))),
                ("entry", .string(entry.symbol)), ("sdk", .string(identity.sdkVersion)),
                ("sdkFingerprint", .string(identity.sdkFingerprint)),
                ("compiler", .string(identity.compiler)),
                ("triple", .string(identity.triple)),
                ("configuration", .string(identity.configuration.rawValue)),
                ("toolsVersion", .string(identity.toolsVersion)), ("manifest", manifest.value),
            ])
        case .foreign(let abi):
            members = Members([
                ("format", .integer(Int64(Self.format))), ("foreign", .integer(Int64(abi))),
                ("entry", .string(entry.symbol)), ("manifest", manifest.value),
            ])
        }
        members["coding"] = coding?.value
        members["keepsState"] = keepsState.map(Value.bool)
        return .object(members)
    }

    /// The note as compact JSON, padded with spaces to a multiple of 8 bytes; not checked against the limit.
    public var bytes: [UInt8] {
        var bytes = Array(value.json().utf8)
        while bytes.count % 8 != 0 { bytes.append(UInt8(ascii: " ")) }
        return bytes
    }
}
