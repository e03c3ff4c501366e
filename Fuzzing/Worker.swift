// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What an input stands for: with an odd first byte the rest as it is, and otherwise a list of messages, each with a byte that says what it
/// is, a byte with its length, and its content.
private func told(by input: Input) -> [UInt8] {
    guard let first = input.first else { return [] }
    var rest = input.dropFirst()
    guard first % 2 == 0 else { return Array(rest) }
    var bytes: [UInt8] = []
    while rest.count >= 2 {
        let (kind, length) = (rest.removeFirst(), Int(rest.removeFirst()))
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        bytes += [UInt8(truncatingIfNeeded: content.count + 1), UInt8(content.count + 1 >> 8), 0, 0, kind]
        bytes += content
    }
    return bytes
}

/// A worker may tell its host anything: it is taken, or there is a reason to end the worker that has words.
@_cdecl("LLVMFuzzerTestOneInput")
public func readNews(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = told(by: Input(start: start, count: count))
    do {
        let fromWorker = try RingFile(named: "from worker", capacity: 1 << 16)
        let toWorker = try RingFile(named: "to worker", capacity: 1 << 12)
        let group = WorkerGroup(["a"], patience: .seconds(1), rules: SuperviseConfiguration()) { _ in
            throw WorkerFailure(reasons: [])
        }
        let link = group.links[0]
        defer { link.end() }
        link.isOver.store(true, ordering: .releasing)
        let (ofWorker, ofHost) = (try RingMemory(own: fromWorker), try RingMemory(own: toWorker))
        var writer = RingWriter(own: ofWorker, other: try RingMemory(other: toWorker))
        let sent = try writer.put(bytes.span)
        expect(sent == min(bytes.count, 1 << 16), "a ring takes less than it holds")
        writer.publish()
        let objection = WorkerAnswers(of: link, link.bell).take(
            ofHost, try RingMemory(other: fromWorker), atMost: .seconds(60))
        switch objection {
        case .lie(let lie)?: expect(!lie.isEmpty, "a lie without words")
        case .hung?: fatalError("one that is over hangs")
        case .refused?: break
        case nil: break
        }
    } catch {
        fatalError("\(error)")
    }
    return 0
}
