// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// The key `trust`: whose signatures count, and what becomes of libraries that nobody vouches for.
package struct SigningPolicy: Equatable, Sendable {
    /// A key, and the plugins that it may sign.
    package struct Key: Equatable, Sendable {
        /// What the operator calls it.
        package let name: String
        /// The key.
        package let key: MinisignKey
        /// The ids of plugins, or patterns of them.
        package let plugins: [TypePattern]

        /// A key for some plugins.
        package init(name: String, key: MinisignKey, plugins: [TypePattern]) {
            self.name = name
            self.key = key
            self.plugins = plugins
        }

        /// Whether it may sign a plugin, and revoke what others have signed of it.
        func covers(_ plugin: String) -> Bool { plugins.contains { $0.covers(plugin) } }
    }

    /// What becomes of a library that nobody vouches for.
    package enum Unsigned: String, CaseIterable, Sendable {
        /// It does not run.
        case refuse
        /// It runs in workers only.
        case worker
        /// It runs as it would without a policy, with a warning.
        case warn
    }

    /// The keys; their names and numbers are unique.
    package var keys: [Key]
    /// What becomes of the rest.
    package var unsigned: Unsigned
    /// Where libraries can be had: the path or the URL of an index; nil for nowhere.
    package var index: String?

    /// A policy.
    package init(keys: [Key] = [], unsigned: Unsigned = .refuse, index: String? = nil) {
        self.index = index
        self.keys = keys
        self.unsigned = unsigned
    }

    /// In which respects a policy accepts more than the one before it, a clause each.
    ///
    /// Who can edit a file must not thereby let in what a running host would not have.
    package static func loosenings(from old: SigningPolicy?, to new: SigningPolicy?) -> [String] {
        guard let old else { return [] }
        guard let new else { return ["it is gone"] }
        var found: [String] = []
        for key in new.keys {
            guard let before = old.keys.first(where: { $0.key == key.key }) else {
                found.append("the key \"\(key.name)\" is new")
                continue
            }
            let more = key.plugins.filter { pattern in
                !before.plugins.contains { $0.intersection(pattern) == pattern }
            }
            if !more.isEmpty {
                found.append(
                    "the key \"\(key.name)\" may sign \(more.map { "\"\($0)\"" }.joined(separator: ", "))")
            }
        }
        let strictness = Unsigned.allCases
        if let before = strictness.firstIndex(of: old.unsigned),
            let now = strictness.firstIndex(of: new.unsigned), now > before
        {
            found.append("\"unsigned\" is \"\(new.unsigned.rawValue)\", and was \"\(old.unsigned.rawValue)\"")
        }
        return found
    }
}
