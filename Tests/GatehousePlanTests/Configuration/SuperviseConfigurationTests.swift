// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// What follows from crashes, as a file says.
@Suite(.timeLimit(.minutes(10))) struct SuperviseConfigurationTests {
    /// What a file with these rules means, and its problems.
    private func read(_ rules: String) -> (rules: SuperviseConfiguration?, problems: Int) {
        let outcome = ConfigurationParser.parse(
            Array(#"{"supervise": \#(rules)}"#.utf8), file: "plugins.json")
        return (outcome.configuration?.supervise, outcome.diagnostics.all.count)
    }

    @Test func `each member has its meaning, and a default`() {
        let rules = read("{}").rules
        #expect(rules?.crashes == 5 && rules?.minutes == 10 && rules?.deaths == 2)
        #expect(rules?.pause == 1 && rules?.hang == 30)
        #expect(
            read(#"{"crashes":6,"minutes":7,"deaths":8,"pause":9,"hang":10}"#).rules
                == SuperviseConfiguration(crashes: 6, minutes: 7, deaths: 8, pause: 9, hang: 10))
    }

    @Test(arguments: [
        ("crashes", 1, 1_000), ("minutes", 1, 1_440), ("deaths", 1, 100), ("pause", 0, 60),
        ("hang", 0, 86_400),
    ])
    func `each is in a range that makes sense`(name: String, first: Int, last: Int) {
        for (number, problems) in [(first - 1, 1), (first, 0), (last, 0), (last + 1, 1)] {
            #expect(read(#"{"\#(name)":\#(number)}"#).problems == problems, "\(name) of \(number)")
        }
    }
}
