// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Tests that load libraries find them beside the test bundle; this says so, and when one is missing.
@Suite(.timeLimit(.minutes(10))) struct BuiltLibraryTests {
    @Test(arguments: [
        "AggregatePlugin", "CounterPlugin", "CrashReportsPlugin", "FilePlugin", "HTTPPlugin",
        "HTTPClientPlugin",
        "JQPlugin", "LimitPlugin", "LoggerPlugin", "PersistencePlugin", "RulesPlugin", "SchedulePlugin",
        "RefusingEntryPlugin", "SecondSDKCopyPlugin", "UnknownCasePlugin", "MisdescribedPlugin", "NoNote",
    ])
    func `each plugin library lies beside the test bundle`(name: String) throws {
        let bundle = try #require(CommandLine.arguments.first)
        let folder = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let path = "\(folder)/lib\(name).so"
        #expect(unsafe access(path, R_OK) == 0, "no readable file at \(path)")
    }
}
