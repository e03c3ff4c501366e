// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting
import GatehouseManifest
import GatehouseSDK
import Testing

/// One thing that is wrong with a library, and every reason for which it is refused.
struct Defect: Sendable, CustomTestStringConvertible {
    /// The words that say what is wrong.
    let name: String
    /// The fixture that it starts from.
    let fixture: String
    /// Makes it, where the compiler could not; gives the reasons.
    let make: @Sendable (inout FixtureLibrary) throws -> [String]

    var testDescription: String { name }

    /// A defect of the smallest sound library, or of another fixture.
    init(
        _ name: String, in fixture: String = "SilentEntry",
        make: @escaping @Sendable (inout FixtureLibrary) throws -> [String]
    ) {
        self.name = name
        self.fixture = fixture
        self.make = make
    }

    /// A defect that the fixture has of itself.
    init(_ name: String, in fixture: String, reason: String) {
        self.init(name, in: fixture) { _ in [reason] }
    }

    /// The broken library and its reasons.
    func library() throws -> (library: FixtureLibrary, reasons: [String]) {
        var library = try FixtureLibrary(fixture)
        let reasons = try make(&library)
        return (library, reasons)
    }

    /// All defects that a verdict finds.
    static let all = files + notes + identities + contracts + tables + foreign

    /// How sentences about damage end.
    static let damaged = "; the file is damaged, build or copy it again"
}
