// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK

extension ValidationCheck {
    /// Checks that the schema of the settings agrees with the code that decodes them.
    package static let settings: [ValidationCheck] = [
        ValidationCheck(
            "settings/keys", "The schema describes the keys that Settings has.", after: "lifecycle/load"
        ) { subject throws(CheckDiagnostic) in
            let schema = try schema(of: subject)
            let exports = try subject.load().exports
            subject.announce("when it was asked which settings it has")
            let difference = exports.settingsDifference(from: schema)
            return difference.isEmpty ? .pass : .fail(forEach: LoadingError.settings(difference).sentences)
        },
        ValidationCheck(
            "settings/defaults", "Each default of the schema is taken.", after: "lifecycle/make"
        ) { subject throws(CheckDiagnostic) in
            let schema = try schema(of: subject)
            let defaults = (schema.document["properties"]?.objectValue ?? Members()).compactMap {
                key, part in part["default"].map { (key, $0) }
            }
            let each = defaults.map { subject.settings(with: .object(Members([$0]))) }
            return .fail(
                forEach: try refusals(
                    of: each + [subject.settings(with: .object(Members(defaults)))], by: subject
                ).map {
                    "expected \($0.settings.json()) to be taken, as the schema says, found a refusal, \($0.reason); correct the default there, or the plugin's Settings"
                })
        },
        ValidationCheck(
            "settings/schema", "What the schema takes, Settings takes too.", after: "lifecycle/make"
        ) { subject throws(CheckDiagnostic) in
            let schema = try schema(of: subject)
            // Nobody writes numbers beyond 64 bits by mistake.
            let taken = candidates(schema, subject).filter { settings in
                settings.objectValue?.allSatisfy { OddValues.fitsUsualTypes($0.value) } ?? true
                    && schema.violations(of: settings).isEmpty
            }
            let refused = try refusals(of: taken, by: subject)
            // The first one of each setting suffices.
            var seen = Set<[String]>()
            return .fail(
                forEach: refused.filter { seen.insert($0.settings.objectValue?.keys ?? []).inserted }.map {
                    "expected \(SubjectHost.shown($0.settings)) to be taken, as the schema says, found a refusal, \($0.reason); let the schema refuse it too"
                })
        },
        ValidationCheck(
            "settings/odd-values", "No settings end the process.", after: "lifecycle/make"
        ) { subject throws(CheckDiagnostic) in
            let schema = try schema(of: subject)
            let whole: [Value] = OddValues.kinds.filter { $0.objectValue == nil }
            _ = try refusals(of: candidates(schema, subject) + whole + [["unknown": 1]], by: subject)
            return .pass
        },
    ]

    /// Returns the schema; skips the check without one.
    private static func schema(of subject: Subject) throws(CheckDiagnostic) -> Schema {
        guard let document = subject.manifest.settings else { throw .skip("it describes no settings") }
        return Schema(document)
    }

    /// Returns settings with one odd value each, including those that the schema names.
    private static func candidates(_ schema: Schema, _ subject: Subject) -> [Value] {
        (schema.document["properties"]?.objectValue ?? Members()).flatMap { key, part -> [Value] in
            var values = OddValues.kinds + OddValues.numbers + OddValues.texts.map(Value.string)
            values += part["enum"]?.arrayValue ?? []
            values += part["examples"]?.arrayValue ?? []
            for bound in ["minimum", "maximum"] { values += part[bound].map { [$0] } ?? [] }
            return values.map { subject.settings(with: .object([key: $0])) }
        }
    }

    /// Returns the refused settings with the reasons.
    private static func refusals(
        of settings: [Value], by subject: Subject
    ) throws(CheckDiagnostic) -> [(settings: Value, reason: String)] {
        let exports = try subject.load().exports
        var refused: [(Value, String)] = []
        for value in settings {
            subject.announce("while its parts were made with the settings \(SubjectHost.shown(value))")
            do throws(CodingFailure) {
                _ = try exports.makeParts(settings: value) { _ in }
            } catch {
                refused.append((value, Subject.sentence(error)))
            }
        }
        return refused
    }
}
