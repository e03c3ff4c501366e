// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseChecks

/// What new plugins begin with.
struct PluginTemplateTests {
    @Test(arguments: [
        (PluginTemplate.effect, "swift", "actions", "make"), (.reducer, "swift", "state", "make"),
        (.interceptor, "swift", "actions", "make"), (.observer, "swift", "actions", "make"),
        (.c, "foreign", "actions", "gcc make"), (.rust, "foreign", "actions", "cargo make"),
    ])
    func `each consists of what all have, of its kind of language, and of its own`(
        template: PluginTemplate, language: String, printed: String, packages: String
    ) {
        #expect(template.folders == ["common", language, template.rawValue])
        #expect(template.printed == printed)
        #expect(template.packages == packages)
    }
}
