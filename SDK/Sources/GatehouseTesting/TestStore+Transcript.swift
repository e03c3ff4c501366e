// SPDX-License-Identifier: Apache-2.0

extension TestStore {
    /// The recorded actions so far, a line of JSON for each:
    ///
    /// ```
    /// {"sent":{"type":"hello","payload":{"name":"Ada"}}}
    /// {"emitted":{"type":"greeted","payload":{"text":"Hello, Ada!"}}}
    /// ```
    ///
    /// Empty for the test of a store without a plugin: its actions have no wire form.
    public var transcript: String { inbox.transcript.map { $0 + "\n" }.joined() }

    /// Compares the transcript with the file `Golden/NAME.ndjson` beside the test.
    ///
    /// With `GATEHOUSE_RECORD=1` in the environment it writes the file instead; review its changes before you keep them.
    ///
    /// - Throws: `TestFailure` with the first line that differs, or if there is no such file.
    public func matchTranscript(
        _ name: String, filePath: String = #filePath, file: String = #fileID, line: UInt = #line
    ) throws {
        let place = TestPlace(file: file, line: line)
        let folder = filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let golden = TextFile(folder.joined(separator: "/") + "/Golden/\(name).ndjson")
        if TextFile.isRecording {
            guard golden.write(transcript) else {
                throw failure("expected to write \(golden.path), which could not be written", at: place)
            }
            return
        }
        guard let bytes = golden.read() else {
            throw failure(
                "expected the file \(golden.path), found none; run the test with GATEHOUSE_RECORD=1 to write it",
                at: place)
        }
        let expected = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let found = inbox.transcript
        for index in 0..<max(expected.count, found.count) {
            let expected = index < expected.count ? expected[index] : nil
            let found = index < found.count ? found[index] : nil
            guard expected != found else { continue }
            throw failure(
                "\(golden.path):\(index + 1): expected \(expected ?? "the end"), found \(found ?? "the end"); "
                    + "run the test with GATEHOUSE_RECORD=1 to write what was found", at: place)
        }
    }
}
