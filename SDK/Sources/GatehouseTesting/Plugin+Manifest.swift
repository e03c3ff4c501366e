// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
public import GatehouseSDK
internal import GatehouseValue

extension Plugin {
    /// Compares the plugin with its `plugin.json`, as the host does when it loads the library, and a little
    /// more.
    ///
    /// ```swift
    /// try Greeter.checkManifest(at: "Sources/GreeterPlugin/plugin.json")
    /// ```
    ///
    /// The path begins at the nearest folder above the test with a `Package.swift`.
    ///
    /// - Throws: `TestFailure` with everything that does not agree.
    public static func checkManifest(
        at path: String, filePath: String = #filePath, file: String = #fileID, line: UInt = #line
    ) throws {
        let place = TestPlace(file: file, line: line)
        guard let text = TextFile(path, inPackageOf: filePath)?.read() else {
            throw TestFailure("expected the manifest at \(path) below the package, found none", at: place)
        }
        let problems: [String]
        do throws(ManifestError) {
            problems = PluginEntry.exports(of: Self.self).problems(
                with: try PluginManifest(parsing: text), principal: "\(Self.self)",
                defaults: try? Value(encoding: Settings()))
        } catch {
            problems = error.problems.map(\.description)
        }
        guard !problems.isEmpty else { return }
        throw TestFailure("\(path):\n" + problems.map { "    \($0)" }.joined(separator: "\n"), at: place)
    }
}

extension PluginExports {
    /// Returns the differences between a manifest and the plugin, in both directions, each in one sentence.
    ///
    /// - Parameters:
    ///   - principal: the plugin's type.
    ///   - defaults: its settings if an operator writes nothing; nil if they do not encode.
    func problems(with manifest: PluginManifest, principal: String, defaults: Value?) -> [String] {
        var problems: [String] = []
        if manifest.principal?.split(separator: ".").last.map(String.init) != principal {
            let found = manifest.principal.map { "\"\($0)\"" } ?? "none"
            problems.append("/principal: expected \"\(principal)\", found \(found)")
        }
        for name in unknownNames(in: manifest.consumes + manifest.emits) {
            problems.append(
                "\"\(name)\" is no case of the plugin's Action; correct \"consumes\" and \"emits\"")
        }
        if intercepts != manifest.permissions.contains("intercept") {
            problems.append(
                intercepts
                    ? "the plugin has an interceptor; add \"intercept\" to \"permissions\""
                    : "the plugin has no interceptor; take \"intercept\" out of \"permissions\"")
        }
        guard let schema = manifest.settings else { return problems }
        let difference = settingsDifference(from: Schema(schema))
        problems += difference.unknown.map {
            "\"settings\" describes \"\($0)\", which Settings does not have"
        }
        problems += difference.undescribed.map {
            "Settings has \"\($0)\", which \"settings\" does not describe"
        }
        guard case .object(let properties)? = schema["properties"] else { return problems }
        for (name, property) in properties {
            guard let told = property["default"], let real = defaults?[name], told != real else { continue }
            problems.append(
                "/settings/properties/\(name)/default: expected \(real.json()), as Settings() has it, found \(told.json())"
            )
        }
        return problems
    }
}
