// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// What the console is made of, as it is embedded.
@Suite(.timeLimit(.minutes(10))) struct ConsoleFilesTests {
    /// A file as it is served to who takes no gzip.
    private func text(_ path: String) throws -> String {
        let file = try #require(ConsoleFiles.all.first { $0.path == path })
        return String(decoding: try #require(ConsoleRoute.inflated(file.gzip)), as: UTF8.self)
    }

    @Test func `a page, a style, a module and a sign are embedded, each with a name of its content`() throws {
        #expect(
            ConsoleFiles.all.map { "\($0.path) \($0.type)" } == [
                "/ text/html; charset=utf-8", "/console.css text/css; charset=utf-8",
                "/console.js text/javascript; charset=utf-8", "/console.svg image/svg+xml",
            ])
        #expect(Set(ConsoleFiles.all.map(\.etag)).count == 4)
        for file in ConsoleFiles.all { #expect(file.etag.wholeMatch(of: /"[0-9a-f]{24}"/) != nil) }
        #expect(try text("/").hasSuffix("</html>\n"))
    }

    @Test func `they name nothing elsewhere, and nothing that their policy forbids`() throws {
        for path in ["/", "/console.css", "/console.js"] {
            let text = try text(path)
            #expect(!text.contains("://"))
            #expect(!text.contains("url("))
        }
        let page = try text("/")
        #expect(page.matches(of: /<script/).count == 1)
        #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="))
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write"] {
            #expect(!(try text("/console.js")).contains(markup))
        }
    }

    @Test(arguments: ["": [], "QQ==": [65], "QUI=": [65, 66], "QU\nJD": [65, 66, 67], "+/8=": [251, 255]])
    func `base64 is read as it is written`(text: String, bytes: [UInt8]) {
        #expect(ConsoleFile(path: "/", type: "", etag: "", base64: text).gzip == bytes)
    }
}
