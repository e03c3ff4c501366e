// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// The header by which services name spans to each other.
@Suite(.timeLimit(.minutes(10))) struct TraceContextTests {
    private let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func `a header is read, and written as it was`() throws {
        let context = try #require(TraceContext(header))
        #expect("\(context.trace)" == "0af7651916cd43dd8448eb211c80319c")
        #expect(context.spanID == "b7ad6b7169203331")
        #expect(context.isSampled)
        #expect(context.text == header)
        #expect(TraceContext(header.dropLast(2) + "00")?.isSampled == false)
    }

    @Test func `a later version may say more, and other flags are not known`() throws {
        let context = try #require(TraceContext("cc" + header.dropFirst(2).dropLast(2) + "09-what-ever"))
        #expect(context.isSampled)
        #expect(context.text == header)
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
        "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ])
    func `what is no header is none`(text: String) { #expect(TraceContext(text) == nil) }
}
