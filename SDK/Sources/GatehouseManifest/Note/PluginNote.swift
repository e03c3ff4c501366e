// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A plugin library's description of itself, readable before any of its code runs.
///
/// It is the text of an ELF note: the author's manifest, and additions of the build tool, or of a foreign plugin's macro.
public struct PluginNote: Hashable, Sendable {
    /// The author's manifest.
    public let manifest: PluginManifest
    /// The bond between plugin and host.
    public let contract: Contract
    /// The C function to call.
    public let entry: EntryName
    /// How its actions are read and written; nil when the note does not tell, or when there is nothing to do.
    public let coding: Coding?
    /// Whether the plugin keeps state, and so owns a slice; nil when the note does not tell and only loading can.
    public let keepsState: Bool?

    /// The owner of the ELF note.
    public static let owner = "gatehouse"
    /// The type of the ELF note.
    public static let type: UInt32 = 1
    /// The number of the text's format; changes when older hosts could misread a text.
    public static let format: UInt32 = 1
    /// The greatest size of the text in bytes; the compiler does not accept more words.
    public static let sizeLimit = 32_768

    /// The bond between a plugin and its host.
    public enum Contract: Hashable, Sendable {
        /// Both share the SDK's types, so they must be built in the same way from sources that have the same fingerprint.
        case sdk(BuildIdentity)
        /// C functions and JSON, in any language; the number of the contract has to agree.
        case foreign(abi: UInt32)
    }

    /// Combines all parts.
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

    /// The identity of the plugin's build; nil for a foreign one.
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
                ("sdkSources", .string(identity.sdkSources)), ("sdkBodies", .bool(identity.seesBodies)),
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
