// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

extension SigningPolicy {
    /// The keys of `trust`.
    package enum TrustKey: String, CaseIterable {
        case keys, unsigned, index
    }

    /// The keys of an element of `keys`.
    package enum SignerKey: String, CaseIterable {
        case name, key, plugins
    }

    /// Reads the value of `trust`; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> SigningPolicy? {
        guard let reader = ObjectReader<TrustKey>(node) else { return nil }
        var policy = SigningPolicy()
        reader.set(&policy.unsigned, to: .unsigned) { $0.choice() }
        reader.set(&policy.keys, to: .keys, readKeys)
        policy.index = reader[.index]?.filePath()
        return policy
    }

    /// Reads the keys, of which no two may have one name or one number.
    private static func readKeys(_ node: LocatedNode) -> [Key]? {
        guard let elements = node.elements else {
            return node.fail(
                expected: "an array of objects",
                advice: "write [{ \"name\": \"…\", \"key\": \"RW…\", \"plugins\": [\"…\"] }]")
        }
        var keys: [Key] = []
        for element in elements {
            guard let key = readKey(element) else { continue }
            if keys.contains(where: { $0.name == key.name }) {
                element.object?["name"]?.report(
                    "the name \(Quotation.of(key.name)) is given twice; rename one of the keys")
            }
            if let other = keys.first(where: { $0.key.id == key.key.id }) {
                element.object?["key"]?.report(
                    "\(Quotation.of(other.name)) has a key of the same number, \(key.key.id), already; remove one of them"
                )
            }
            keys.append(key)
        }
        return keys
    }

    /// Reads one key; nil, with a report, where one of its parts is missing or wrong.
    private static func readKey(_ node: LocatedNode) -> Key? {
        guard let reader = ObjectReader<SignerKey>(node) else { return nil }
        let name = reader.required(.name) { $0.name() }
        let key = reader.required(.key) { node -> MinisignKey? in
            guard let text = node.string() else { return nil }
            return MinisignKey(text)
                ?? node.fail(
                    expected: "the public key of minisign, \"RW…\"",
                    advice: "copy the second line of the file that minisign -G writes")
        }
        let plugins = reader.required(.plugins) { $0.list { $0.pattern() } }
        guard let name, let key, let plugins else { return nil }
        if reader[.plugins]?.elements?.isEmpty == true {
            reader[.plugins]?.report(
                "the key \(Quotation.of(name)) may sign nothing; name plugins, such as \"acme-*\", or \"*\" for any, or remove the key",
                isWarning: true)
        }
        return Key(name: name, key: key, plugins: plugins)
    }
}
