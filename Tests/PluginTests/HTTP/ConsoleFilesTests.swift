// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// What the console is made of, as it is embedded.
@Suite(.timeLimit(.minutes(10))) struct ConsoleFilesTests {
    /// A file as a client gets it that takes no gzip.
    private func text(_ path: String) throws -> String {
        let file = try #require(ConsoleFiles.all.first { $0.path == path })
        return String(decoding: file.plain, as: UTF8.self)
    }

    /// The paths of the modules.
    private let modules =
        ["/console.js"]
        + [
            "page", "chain", "rows", "stream", "cluster", "problems", "actions", "action", "state",
            "trial", "hour", "plot", "shadows", "graph", "picture", "layout", "flame", "instance",
            "stretch",
        ].map {
            "/console/\($0).js"
        }

    @Test func `a page, a style, a sign and modules are embedded, each with a name of its content`() throws {
        #expect(
            ConsoleFiles.all.map { "\($0.path) \($0.type)" } == [
                "/ text/html; charset=utf-8", "/console.css text/css; charset=utf-8",
                "/console.svg image/svg+xml",
            ] + modules.map { $0 + " text/javascript; charset=utf-8" })
        #expect(Set(ConsoleFiles.all.map(\.etag)).count == 3 + modules.count)
        for file in ConsoleFiles.all { #expect(file.etag.wholeMatch(of: /"[0-9a-f]{24}"/) != nil) }
        #expect(try text("/").hasSuffix("</html>\n"))
    }

    @Test func `every module that is imported is there`() throws {
        for path in modules {
            for reference in try text(path).matches(of: /from "([^"]+)"/) {
                #expect(modules.contains(String(reference.1)), "\(path)")
            }
        }
        // What all stand on would otherwise be evaluated after those that need it at once.
        #expect(!(try text("/console/page.js")).contains("import "))
    }

    @Test func `each is as small as gzip makes it`() throws {
        for file in ConsoleFiles.all {
            let gzip = try #require(file.gzip)
            #expect(gzip.prefix(2) == [0x1F, 0x8B])
            // The last four bytes are the length of what was compressed.
            let length = gzip.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(length == file.plain.count)
            #expect(gzip.count < max(file.plain.count / 2, 250))
        }
    }

    @Test func `they name nothing elsewhere, and nothing that their policy forbids`() throws {
        for path in ["/", "/console.css"] + modules {
            let text = try text(path)
            #expect(!text.contains("://"))
            #expect(!text.contains("url("))
        }
        let page = try text("/")
        #expect(page.matches(of: /<script/).count == 1)
        #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="))
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write"] {
            for path in modules { #expect(!(try text(path)).contains(markup), "\(path)") }
        }
    }
}
