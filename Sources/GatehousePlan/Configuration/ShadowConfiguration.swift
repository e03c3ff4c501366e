// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// One entry of the configuration that only hears what an instance hears, to be compared with it; nothing that it emits goes out.
///
/// It has the lift, the gate and the state of the instance, and may differ in library and settings.
package struct ShadowConfiguration: Equatable, Sendable {
    /// Its name, unique among all entries of the file.
    package let id: String
    /// The id of the instance that it shadows.
    package let instance: String
    /// The library's file name inside the plugin folder; nil means that of the instance.
    package let library: String?
    /// The only accepted bytes of that library; nil for any.
    package let sha256: PinnedDigests?
    /// Its settings; nil for those of the instance.
    package let settings: Value?
    /// Where the entry stands in the file. Never makes entries differ.
    @Incidental package var place: ConfigurationPlace? = nil

    /// The entry of the instance as it would be with the shadow in its place, optional because a shadow keeps no host from starting.
    func entry(insteadOf instance: InstanceConfiguration) -> InstanceConfiguration {
        var entry = instance
        entry.isOptional = true
        entry.place = place
        if let settings { entry.settings = settings }
        if let library { (entry.library, entry.sha256) = (library, sha256) }
        return entry
    }
}

extension ShadowConfiguration {
    /// The keys of an entry of `plugins` that is a shadow.
    package enum Key: String, CaseIterable {
        case id, shadow, library, sha256, settings
    }

    /// Whether an entry is a shadow.
    static func isShadow(_ node: LocatedNode) -> Bool { node.object?[Key.shadow.rawValue] != nil }

    /// Reads one entry; nil, with a report, if it is none.
    ///
    /// - Parameter instances: the ids of the entries that are no shadows.
    static func read(_ node: LocatedNode, among instances: [String]) -> ShadowConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let id = reader.required(.id) { $0.identifier() }
        let instance = reader[.shadow]?.identifier()
        let shadow = ShadowConfiguration(
            id: id ?? "", instance: instance ?? "", library: reader[.library]?.fileName(),
            sha256: reader[.sha256].flatMap(PinnedDigests.read), settings: reader[.settings]?.plainObject(),
            place: ConfigurationPlace(of: node))
        guard id != nil, let instance else { return nil }
        guard instances.contains(instance) else {
            let advice =
                NearMiss.suggestion(for: instance, among: instances).map {
                    "did you mean \(Quotation.of($0))?"
                } ?? "name the instance that it is to be compared with"
            reader[.shadow]?.report("no entry runs an instance \(Quotation.of(instance)); \(advice)")
            return nil
        }
        if let pin = reader[.sha256], reader[.library] == nil {
            pin.reportKey(
                "\"sha256\" is about the file that \"library\" names; name it, or remove the digest")
        }
        return shadow
    }
}
