// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct ConfigurationSchemaTests {
    /// The schema at the root of the repository.
    private static func schema() throws -> Value {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONText.parse(
            [UInt8](Data(contentsOf: root.appending(path: "Schemas/plugins.schema.json"))))
    }

    /// One level of the file: where the schema describes it and which keys the parser knows there.
    struct Level: CustomTestStringConvertible, Sendable {
        let pointer: String
        let keys: [String]
        let required: [String]

        var testDescription: String { pointer.isEmpty ? "whole file" : pointer }
    }

    /// The long form of a gate in the schema.
    private static let gate = "/$defs/gate/oneOf/1"
    /// The forms of the placement of all instances in the schema.
    private static let placement = "/properties/placement/oneOf/"

    @Test(arguments: [
        Level(pointer: "", keys: HostConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(
            pointer: "/$defs/ingress", keys: IngressConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(
            pointer: "/$defs/wrap", keys: IngressConfiguration.WrapKey.allCases.map(\.rawValue), required: []),
        Level(
            pointer: "/$defs/listen", keys: ListenConfiguration.Key.allCases.map(\.rawValue),
            required: ["socket"]),
        Level(
            pointer: "/$defs/instance",
            keys: InstanceConfiguration.Key.allCases.map(\.rawValue) + [
                ShadowConfiguration.Key.shadow.rawValue
            ],
            required: ["id"]),
        Level(
            pointer: "/$defs/cluster", keys: ClusterConfiguration.Key.allCases.map(\.rawValue),
            required: ["engine", "name"]),
        Level(
            pointer: "/$defs/instance/properties/grant",
            keys: GrantConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(
            pointer: placement + "2", keys: PlacementPolicy.Key.allCases.map(\.rawValue),
            required: ["default"]),
        Level(pointer: "/$defs/limits", keys: LimitsConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(pointer: "/$defs/lift", keys: LiftConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(pointer: gate, keys: GateConfiguration.Key.allCases.map(\.rawValue), required: []),
        Level(
            pointer: gate + "/properties/control",
            keys: GateConfiguration.ControlKey.allCases.map(\.rawValue),
            required: ["type"]),
    ])
    func `schema and parser know the same keys`(level: Level) throws {
        let object = try #require(try Self.schema()[try JSONPointer(level.pointer)])
        let properties = try #require(object["properties"]?.objectValue)
        #expect(Set(properties.map(\.key)) == Set(level.keys))
        #expect(object["additionalProperties"] == false)
        #expect(object["required"]?.arrayValue?.compactMap(\.stringValue) ?? [] == level.required)
        for (key, property) in properties where property["$ref"] == nil {
            #expect(property["description"]?.stringValue?.isEmpty == false, "\(key)")
        }
    }

    /// The words that may stand at places of the schema.
    private static let words: [(pointer: String, words: [String])] = [
        ("/properties/discovery/enum", Discovery.allCases.map(\.rawValue)),
        (placement + "0/enum", Placement.words),
        (placement + "2/properties/default/oneOf/0/enum", Placement.words),
        ("/$defs/instance/properties/placement/oneOf/0/enum", Placement.words),
        ("/properties/images/enum", ImagePlace.allCases.map(\.rawValue)),
        (
            "/$defs/cluster/properties/mixedPlugins/enum",
            ClusterConfiguration.MixedPlugins.allCases.map(\.rawValue)
        ),
        ("/$defs/gate/oneOf/0/enum", GateConfiguration.Default.allCases.map(\.rawValue)),
        (gate + "/properties/default/enum", GateConfiguration.Default.allCases.map(\.rawValue)),
        (gate + "/properties/onClose/enum", GateConfiguration.OnClose.allCases.map(\.rawValue)),
    ]

    @Test(arguments: words)
    func `schema and parser know the same words`(pointer: String, words: [String]) throws {
        let found = try Self.schema()[try JSONPointer(pointer)]
        #expect(found == .array(words.map { .string($0) }))
    }

    @Test func `schema and parser have the same ranges and defaults`() throws {
        let schema = try Self.schema()
        let defaults = HostConfiguration()
        let lineBytes = IngressConfiguration.maximumLineBytesRange
        let limits = "/$defs/limits/properties/"
        let cluster = ClusterConfiguration(engine: "", name: "")
        let members = "/$defs/cluster/properties/"
        let ranges = Dictionary(
            uniqueKeysWithValues: LimitsConfiguration.Key.allCases.compactMap { key in
                key.range.map { (key.rawValue, $0) }
            })
        let expected: [(String, Value)] = [
            ("/properties/directory/default", .string(defaults.directory)),
            ("/properties/discovery/default", .string(defaults.discovery.rawValue)),
            ("/properties/placement/default", .string(defaults.placement.standard.rawValue)),
            (Self.placement + "2/properties/host/default", .array(defaults.placement.host.map(Value.string))),
            ("/properties/images/default", .string(defaults.images.rawValue)),
            ("/properties/state/default", defaults.state),
            (limits + "chain/default", Value(defaults.limits.chain)),
            (limits + "actions/default", Value(defaults.limits.actions)),
            (limits + "waiting/default", Value(defaults.limits.waiting)),
            ("/$defs/ingress/properties/maximumLineBytes/default", Value(defaults.ingress.maximumLineBytes)),
            ("/$defs/ingress/properties/maximumLineBytes/minimum", Value(lineBytes.lowerBound)),
            ("/$defs/ingress/properties/maximumLineBytes/maximum", Value(lineBytes.upperBound)),
            ("/$defs/ingress/properties/deny/default", []),
            (members + "partitions/default", Value(cluster.partitions)),
            (members + "partitions/minimum", Value(ClusterConfiguration.partitionsRange.lowerBound)),
            (members + "partitions/maximum", Value(ClusterConfiguration.partitionsRange.upperBound)),
            (members + "replicas/default", Value(cluster.replicas)),
            (members + "lease/default", Value(Int(cluster.lease.components.seconds))),
            (members + "deduplicate/default", Value(cluster.deduplicate)),
            (members + "history/default", Value(cluster.history)),
            (members + "mixedPlugins/default", .string(cluster.mixedPlugins.rawValue)),
            (members + "key/default", [:]),
            (members + "tls/default", [:]),
            (members + "split/default", [:]),
            ("/$defs/instance/properties/optional/default", false),
            ("/$defs/instance/properties/settings/default", [:]),
            ("/$defs/gate/default", "active"),
            (Self.gate + "/properties/turnOn/default", true),
            (Self.gate + "/properties/turnOff/default", false),
            (Self.gate + "/properties/default/default", "active"),
            (Self.gate + "/properties/onClose/default", "cancel"),
            (Self.gate + "/properties/control/properties/at/default", ""),
        ]
        for (key, range) in ranges {
            #expect(schema[try JSONPointer(limits + key + "/minimum")] == Value(range.lowerBound))
            #expect(schema[try JSONPointer(limits + key + "/maximum")] == Value(range.upperBound))
        }
        for (pointer, value) in expected {
            #expect(schema[try JSONPointer(pointer)] == value, "\(pointer)")
        }
    }

    @Test func `every reference of the schema leads somewhere`() throws {
        let schema = try Self.schema()
        var references: [String] = []
        collectReferences(in: schema, into: &references)
        #expect(references.count > 10)
        for reference in references {
            #expect(reference.hasPrefix("#"))
            #expect(schema[try JSONPointer(String(reference.dropFirst()))] != nil, "\(reference)")
        }
    }

    /// All values of `$ref` in a schema.
    private func collectReferences(in value: Value, into references: inout [String]) {
        if let reference = value["$ref"]?.stringValue { references.append(reference) }
        for (_, member) in value.objectValue ?? [:] { collectReferences(in: member, into: &references) }
        for element in value.arrayValue ?? [] { collectReferences(in: element, into: &references) }
    }
}
