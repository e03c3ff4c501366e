// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseManifest
import GatehouseValue
import Glibc

@testable import GatehouseLibrary

/// Any bytes may stand where a plugin library should: they give a verdict with words, and never a trap.
///
/// The description of a file, which reads it piece by piece, agrees with the verdict on its bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func judge(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(Input(start: start, count: count))
    let verdict = Verdict(judging: bytes, search: scene.search, folder: scene.folder)
    expect(verdict.isAccepted == verdict.refusals.isEmpty, "a library without reasons against it is refused")
    for refusal in verdict.refusals { expect(!refusal.description.isEmpty, "a reason without words") }

    _ = ftruncate(scene.descriptor, 0)
    _ = pwrite(scene.descriptor, start, count, 0)
    guard let inspection = try? LibraryInspection(path: "\(scene.folder)/\(scene.descriptor)") else {
        fatalError("a file in memory is not described")
    }
    expect(inspection.verdict.refusals == verdict.refusals, "piece by piece the file is another one")
    expect(inspection.digest == SHA256.digest(bytes), "another digest")
    expect(
        inspection.text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control },
        "a text of the file moves the terminal")
    let json = Array(inspection.value.json().utf8)
    expect((try? JSONText.parse(json)) == inspection.value, "the description is no JSON")

    if let image = inspection.image, let (machine, section) = try? DynamicSection.read(bytes) {
        expect(machine == image.header.machine, "a part of the file is for another machine")
        expect(section == image.dynamic, "a part of the file says something else than the whole")
    }
    _ = LoaderCache.paths(of: "libc.so.6", in: Array(bytes))
    return 0
}

/// What is kept from one input to the next.
private let scene = (
    search: LibrarySearch(), folder: "/proc/self/fd", descriptor: gatehouse_memfd_create("library")
)
