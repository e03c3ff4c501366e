// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseValue

/// One entry of the configuration: which plugin, with which settings, fitted in how, behind which gate.
public struct InstanceConfiguration: Equatable, Sendable {
    /// The instance's name, unique in the file: lower-case ASCII letters, digits and `-`, a letter first.
    public var id: String
    /// The library's file name inside the plugin folder; nil means the library that declares the plugin `id`.
    public var library: String?
    /// The only accepted SHA-256 digest of the library, 64 lower-case hexadecimal digits.
    public var sha256: String?
    /// Whether the rest runs when this instance's library is missing or refused.
    public var isOptional: Bool
    /// What the plugin is given as settings; always an object, checked later against the plugin's schema.
    public var settings: Value
    /// How the instance's types fit the host's.
    public var lift: LiftConfiguration
    /// What decides whether the instance takes part.
    public var gate: GateConfiguration
    /// What becomes of running effects when the gate closes.
    public var onClose: GateConfiguration.OnClose
    /// What the instance may emit after lifting; nil means what its manifest declares.
    public var allow: [TypePattern]?
    /// Where the entry and its parts stand in the file; nil for a discovered library. Never makes entries
    /// differ.
    @Incidental public var place: ConfigurationPlace?

    /// The beginning of the entry in the file; nil for a discovered library.
    public var position: TextPosition? { place?.position(of: .whole) }

    /// An entry; with the id alone the one that `{ "id": … }` stands for.
    public init(
        id: String,
        library: String? = nil,
        sha256: String? = nil,
        isOptional: Bool = false,
        settings: Value = .object(Members()),
        lift: LiftConfiguration = LiftConfiguration(),
        gate: GateConfiguration = .active,
        onClose: GateConfiguration.OnClose = .cancel,
        allow: [TypePattern]? = nil,
        place: ConfigurationPlace? = nil
    ) {
        self.id = id
        self.library = library
        self.sha256 = sha256
        self.isOptional = isOptional
        self.settings = settings
        self.lift = lift
        self.gate = gate
        self.onClose = onClose
        self.allow = allow
        self.place = place
    }

    /// Whether a text may name an instance: lower-case ASCII letters, digits and `-`, a letter first.
    public static func isValid(id: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = id.utf8.first, letters.contains(first) else { return false }
        return id.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
    }
}
