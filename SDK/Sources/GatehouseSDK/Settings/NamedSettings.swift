// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// A setting under a name that the operator chooses, such as a rule or a job.
public protocol NamedSetting: Sendable {
    /// The most settings in one object; any number unless a type says otherwise.
    static var limit: Int { get }

    /// Reads the setting under a name; throws an error with its place for a value that makes no sense.
    init(named name: String, from decoder: any Decoder) throws
}

extension NamedSetting {
    public static var limit: Int { .max }
}

/// An object of settings whose names the operator chooses, under the rule of ``SettingsName``.
///
/// ```swift
/// var summaries = NamedSettings<Summary>()
/// ```
public struct NamedSettings<Setting: NamedSetting>: Codable, Sendable {
    /// The settings in the order written.
    public let all: [Setting]
    /// The object they were read from.
    private let written: Value

    /// Creates an empty object.
    public init() { (all, written) = ([], [:]) }

    /// Reads an object; throws an error with its place for an invalid name, and for more than ``NamedSetting/limit`` of them.
    public init(from decoder: any Decoder) throws {
        written = try Value(from: decoder)
        let container = try decoder.container(keyedBy: SettingsName.self)
        let names = try container.names()
        guard names.count <= Setting.limit else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "at most \(Setting.limit) names", found: "\(names.count)")
        }
        all = try names.map { name in
            try Setting(named: name.stringValue, from: container.superDecoder(forKey: name))
        }
    }

    /// Writes the object as it was read.
    public func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }
}
