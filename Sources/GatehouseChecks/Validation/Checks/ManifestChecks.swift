// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension ValidationCheck {
    /// Checks on the content of a manifest.
    package static let manifest: [ValidationCheck] = [
        noted("manifest/summary", "The summary is one line that lists can show.") { note in
            let summary = note.manifest.summary
            if summary.count > 100 {
                return .warn(
                    "expected a summary of at most 100 characters, found \(summary.count); shorten it")
            }
            return .warn(
                "expected a summary without a period, found one; it stands in lists, leave it out",
                unless: !summary.hasSuffix("."))
        },
        noted("manifest/actions", "The plugin hears or emits something.") { note in
            .warn(
                "expected names in \"consumes\" or \"emits\", found none; nothing would reach the plugin",
                unless: !note.manifest.consumes.isEmpty || !note.manifest.emits.isEmpty)
        },
        noted("manifest/settings", "Each setting has a description and a default.") { note in
            guard let schema = note.manifest.settings.map(Schema.init) else {
                return .skip("it describes no settings")
            }
            let properties = schema.document["properties"]?.objectValue ?? Members()
            return .warn(
                forEach: ["description", "default"].compactMap { key in
                    let without = properties.filter { $0.value[key] == nil && $0.value["$ref"] == nil }
                    return without.isEmpty
                        ? nil
                        : "expected \"\(key)\" for each setting, found none for \(Quotation.list(of: without.map(\.key))); operators read it"
                })
        },
        noted("manifest/unknown-settings", "A mistyped setting is a mistake.") { note in
            guard let schema = note.manifest.settings.map(Schema.init) else {
                return .skip("it describes no settings")
            }
            return .warn(
                "expected \"additionalProperties\": false in the schema of the settings, found nothing; without it a mistyped key is ignored",
                unless: schema.document["additionalProperties"] != nil)
        },
        noted("manifest/coding", "Actions are read and written by generated code.") { note in
            guard case .codable(let reason) = note.coding else { return .pass }
            return .warn(
                "expected code that the build generates, found Codable, because \(reason); each action costs up to thirty times as much"
            )
        },
        noted("manifest/state", "The note says whether the plugin keeps state.") { note in
            guard note.keepsState == nil else { return .pass }
            guard note.identity != nil else {
                return .skip("its note is not written by the SDK; the host asks the plugin when it is loaded")
            }
            return .warn("expected a word about state, found none; rebuild the plugin with this host's SDK")
        },
        ValidationCheck(
            "manifest/cases", "Each name in consumes and emits is a case of the plugin's Action.",
            after: "lifecycle/load"
        ) { subject throws(CheckDiagnostic) in
            let exports = try subject.load().exports
            subject.announce("when it was asked which actions it knows")
            let unknown = exports.unknownNames(in: subject.manifest.consumes + subject.manifest.emits)
            return unknown.isEmpty ? .pass : .fail(forEach: LoadingError.undeclaredCases(unknown).sentences)
        },
        ValidationCheck(
            "manifest/intercept", "The manifest says whether the plugin intercepts actions.",
            after: "lifecycle/load"
        ) { subject throws(CheckDiagnostic) in
            let exports = try subject.load().exports
            return subject.planned().objection(to: exports).map { .fail($0) } ?? .pass
        },
    ]

    /// Creates a check on the note.
    private static func noted(
        _ name: String, _ expectation: String, _ look: @escaping @Sendable (PluginNote) -> CheckDiagnostic
    ) -> ValidationCheck {
        ValidationCheck(name, expectation) { inspection in
            inspection.verdict.note.map(look) ?? .skip("it has no note that can be read")
        }
    }
}
