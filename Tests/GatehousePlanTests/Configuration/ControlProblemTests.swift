// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehousePlan

@Suite("The name of a host, and how it is controlled", .timeLimit(.minutes(10)))
struct ControlProblemTests {
    @Test(arguments: [
        (
            #""name": "Shop EU""#,
            #"plugins.json:1:11: /name: expected at most 64 small letters, digits, ".", "_" and "-", found "Shop EU"; write "shop-eu""#
        ),
        (
            #""name": ".hidden""#,
            #"plugins.json:1:11: /name: expected at most 64 small letters, digits, ".", "_" and "-", found ".hidden"; write "hidden""#
        ),
        (
            #""name": """#,
            #"plugins.json:1:11: /name: expected at most 64 small letters, digits, ".", "_" and "-", found ""; write "gatehouse""#
        ),
        (
            #""name": 7"#,
            #"plugins.json:1:11: /name: expected a string, found 7; put the text in double quotes"#
        ),
        (
            #""control": "/run/x""#,
            #"plugins.json:1:14: /control: expected true, false or "unix:" with a path, found "/run/x"; write true for the usual place"#
        ),
        (
            #""control": "unix:""#,
            #"plugins.json:1:14: /control: expected true, false or "unix:" with a path, found "unix:"; write true for the usual place"#
        ),
        (
            #""control": 1"#,
            #"plugins.json:1:14: /control: expected true, false or "unix:" with a path, found 1; write true for the usual place"#
        ),
    ])
    func `a name or a place that makes no sense is told`(members: String, sentence: String) {
        #expect(ConfigurationMessages.of("{ \(members) }") == [sentence])
    }

    @Test(arguments: [
        ("Orders", "orders"), ("my shop", "my-shop"), ("..", "gatehouse"), ("-x", "x"), ("Käse", "k-se"),
        ("", "gatehouse"),
        (String(repeating: "a", count: 70), String(repeating: "a", count: 64)),
    ])
    func `a folder's name becomes the name of a host`(folder: String, name: String) {
        #expect(HostName.cleaned(folder) == name)
        #expect(HostName.isName(name))
    }
}
