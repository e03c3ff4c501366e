// SPDX-License-Identifier: Apache-2.0

/// Why an accepted library could not be loaded.
public enum LoadingError: Error, Equatable, Sendable {
    /// The loader refused; `reason` is its own word.
    case open(reason: String)
    /// The loader does not find a symbol.
    case symbol(name: String, reason: String)
    /// The entry returned nothing; `reason` is the plugin's own word.
    case entry(reason: String)
    /// The manifest declares names that are no case of the plugin's action type.
    case undeclaredCases([String])
    /// It needs libraries of its own folder, and is mapped from memory, which has none.
    case companions([String])
    /// The file could not be read again.
    case file(LibraryFileError)
}

extension LoadingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .open(let reason): "the loader refused it: \(reason)"
        case .symbol(let name, let reason): "its entry \(name) was not found: \(reason)"
        case .entry(let reason): "its entry refused: \(reason)"
        case .undeclaredCases(let names):
            "plugin.json declares \(names.map { "\"\($0)\"" }.joined(separator: ", ")), which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\""
        case .companions(let names):
            "it needs \(names.joined(separator: ", ")) of its own folder, which only an image in the cache folder finds; let \"images\" be \"cache\", or put that where the system's loader looks"
        case .file(let error): error.description
        }
    }
}
