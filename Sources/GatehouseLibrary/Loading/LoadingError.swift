// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseSupport

/// The reason why an accepted library could not be loaded.
package enum LoadingError: Error, Equatable, Sendable {
    /// The loader refused; `reason` is its own message.
    case open(reason: String)
    /// The loader does not find a symbol.
    case symbol(name: String, reason: String)
    /// The entry returned nothing; `reason` is the plugin's own message.
    case entry(reason: String)
    /// The entry of a plugin in another language returned a table that cannot be used.
    case foreignTable([String])
    /// The manifest declares names that are not cases of the plugin's action type.
    case undeclaredCases([String])
    /// The manifest describes other settings than the plugin has.
    case settings(SettingsDifference)
    /// The note says that the plugin keeps state, or that it does not, and the code the opposite.
    case state(declared: Bool)
    /// The plugin gives an invalid version of its state.
    case stateVersion(Int)
    /// It needs libraries of its own folder, but is mapped from memory, which has none.
    case companions([String])
    /// The file could not be read again.
    case file(LibraryFileError)
}

extension LoadingError {
    /// The complete explanation, at least one sentence.
    package var sentences: [String] {
        switch self {
        case .open(let reason): ["the loader refused it: \(reason)"]
        case .symbol(let name, let reason): ["its entry \(name) was not found: \(reason)"]
        case .entry(let reason): ["its entry refused: \(reason)"]
        case .foreignTable(let sentences): sentences
        case .undeclaredCases(let names):
            [
                "plugin.json declares \(Quotation.list(of: names)), which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\""
            ]
        case .settings(let difference):
            Self.sentence(
                difference.unknown,
                {
                    "plugin.json describes the \($0), which the plugin's Settings does not have; correct \"settings\""
                })
                + Self.sentence(
                    difference.undescribed,
                    {
                        "the plugin's Settings has the \($0), which plugin.json does not describe; correct \"settings\""
                    })
        case .state(let declared):
            [
                "its note says that it keeps \(declared ? "state, but it keeps none" : "no state, but it keeps some"); rebuild it with this host's SDK"
            ]
        case .stateVersion(let version):
            ["its stateVersion: expected 1 or more, found \(version); begin with 1"]
        case .companions(let names):
            [
                "it needs \(names.joined(separator: ", ")) of its own folder, which only an image in the cache folder finds; let \"images\" be \"cache\", or put that where the system's loader looks"
            ]
        case .file(let error): [error.description]
        }
    }

    /// A sentence about keys, if there are any.
    private static func sentence(_ keys: [String], _ words: (String) -> String) -> [String] {
        keys.isEmpty ? [] : [words((keys.count == 1 ? "setting " : "settings ") + Quotation.list(of: keys))]
    }
}

extension LoadingError: CustomStringConvertible {
    /// The sentences on one line.
    package var description: String { sentences.joined(separator: "; ") }
}
