// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ConfigurationPlaceTests {
    /// The place of an entry that spans four lines.
    private func place() throws -> ConfigurationPlace {
        let text = """
            {"plugins": [
              {"id": "a",
               "settings": {"levels": [1,
                 2]}}]}
            """
        let outcome = ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
        return try #require(outcome.configuration?.instances.first?.place)
    }

    @Test(arguments: [
        ("", 2, 3), ("/id", 2, 10), ("/settings/levels", 3, 27), ("/settings/levels/0", 3, 28),
        ("/settings/levels/1", 4, 6), ("/settings/levels/2", 3, 27), ("/settings/missing/x", 3, 16),
        ("/library", 2, 3), ("/id/x", 2, 10),
    ])
    func `a part has its position, a missing part its nearest ancestor's`(
        part: String, line: Int, column: Int
    ) throws {
        let position = try place().position(of: try JSONPointer(part))
        #expect([position.line, position.column] == [line, column])
    }

    @Test(arguments: [
        ("", 2, 3), ("/id", 2, 4), ("/settings", 3, 4), ("/settings/levels", 3, 17),
        ("/settings/levels/1", 4, 6), ("/settings/missing/x", 3, 16), ("/library", 2, 3),
    ])
    func `a key has its position, what has none that of the value`(part: String, line: Int, column: Int)
        throws
    {
        let tokens = try JSONPointer(part).tokens
        let position = try #require(try place().diagnostic(at: tokens, isKey: true, "").place?.position)
        #expect([position.line, position.column] == [line, column])
    }

    @Test func `a later diagnostic is told like a problem of the parser`() throws {
        let diagnostic = try place().diagnostic(
            at: ["settings", "levels", "1"], "expected 3, found 2; write 3")
        #expect(
            diagnostic.description
                == "plugins.json:4:6: /plugins/0/settings/levels/1: expected 3, found 2; write 3")
    }

    @Test func `an entry that only moved is the same entry`() {
        let texts = [#"{"plugins": [{"id": "a"}]}"#, "\n{\"plugins\":\n[{ \"id\" : \"a\" } ] }"]
        let outcomes = texts.map { ConfigurationParser.parse(Array($0.utf8), file: "plugins.json") }
        #expect(outcomes.map { $0.configuration?.instances.first?.position?.line } == [1, 3])
        #expect(outcomes[0] == outcomes[1])
    }
}
