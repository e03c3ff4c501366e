// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest

/// Any text may stand in a note: it is read or explained, and what was read is written and read again as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func readNote(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(Input(start: start, count: count))
    do {
        let note = try PluginNote(parsing: text)
        let again = try? PluginNote(parsing: note.bytes)
        expect(again == note, "a note that was read is written as another one: \(note.value.json())")
    } catch {
        expect(!error.problems.isEmpty, "a note is refused without a reason")
        for problem in error.problems { expect(!problem.description.isEmpty, "a problem without words") }
    }
    return 0
}
