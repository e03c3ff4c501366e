// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The host's functions for plugins in other languages; `gatehouse_foreign.h` documents each function.
///
/// Every argument of a plugin is checked before use; the number of an instance that is gone finds nothing.
enum ForeignHostTable {
    /// The single table, which exists as long as the process.
    ///
    /// Written once, before it is handed out.
    nonisolated(unsafe) static let address: UnsafePointer<gatehouse_foreign_host_v1> = {
        let address = UnsafeMutablePointer<gatehouse_foreign_host_v1>.allocate(capacity: 1)
        unsafe address.initialize(to: table)
        return unsafe UnsafePointer(address)
    }()

    /// The table of the functions that a foreign plugin may call.
    private static var table: gatehouse_foreign_host_v1 {
        unsafe gatehouse_foreign_host_v1(
            size: UInt32(MemoryLayout<gatehouse_foreign_host_v1>.size), abi: UInt32(GATEHOUSE_FOREIGN_ABI),
            refuse: { instance, place, reason in
                answer { unsafe try refuse(instance, place, reason) }
            },
            emit: { instance, work, action in
                answer {
                    unsafe try port(instance).emit(for: work, ForeignAction(action))
                }
            },
            log: { instance, level, line in
                answer { unsafe try log(instance, level, line) }
            },
            health: { instance, failure in
                answer {
                    let failure = unsafe try string(of: failure)
                    try port(instance).tell(failure.isEmpty ? .ok : .failing(failure))
                }
            },
            begin: { unsafe ForeignHostTable.begin($0, $1, $2) },
            end: { instance, work in answer { try port(instance).end(work) } },
            cancel: { instance, token in
                answer {
                    guard let token = unsafe token.buffer, unsafe !token.isEmpty else {
                        throw ForeignRefusal.invalid
                    }
                    try port(instance).cancel(unsafe [UInt8](token))
                }
            },
            is_running: { ForeignPorts.port($0)?.isRunning($1) == true ? 1 : 0 },
            read_state: { instance, receiver in
                answer { unsafe try give(port(instance).state, to: receiver) }
            },
            read_host_state: { instance, place, receiver in
                answer {
                    let place = unsafe try pointer(of: place)
                    let value = try port(instance).hostState(at: place)
                    unsafe try give(Array(value.json().utf8), to: receiver)
                }
            },
            read_id: { instance, receiver in
                answer {
                    unsafe try give(Array(port(instance).services().instance.utf8), to: receiver)
                }
            },
            read_data_directory: { instance, receiver in
                answer {
                    let directory = try port(instance).services().dataDirectory
                    unsafe try give(directory.map { Array($0.utf8) }, to: receiver)
                }
            },
            now: { instance in
                let clock = try? port(instance).services().clock
                return clock.flatMap { Int64(exactly: ($0.unixTime() * 1e9).rounded()) } ?? 0
            },
            replace: { instance, action in
                answer {
                    unsafe try port(instance).replace(by: ForeignAction(action))
                }
            },
            begin_when_kept: { unsafe ForeignHostTable.beginWhenKept($0, $1, $2, $3) },
            expect_long: { instance, nanoseconds in
                answer { try port(instance).expectLong(nanoseconds) }
            },
            fail: { instance, action, reason in
                answer {
                    let reason = unsafe try string(of: reason)
                    unsafe try port(instance).fail(ForeignAction(action), because: reason)
                }
            },
            connect: { instance, host, number, nanoseconds, descriptor, reason in
                answer {
                    unsafe descriptor?.pointee = -1
                    let host = unsafe try string(of: host)
                    let made = try port(instance).connect(to: host, number, within: nanoseconds)
                    unsafe try give(made.mapError { Sentence(text: $0.sentence) }, to: descriptor, or: reason)
                }
            },
            listen: { instance, host, number, descriptor, reason in
                answer {
                    unsafe descriptor?.pointee = -1
                    let host = unsafe try string(of: host)
                    let made = try port(instance).listen(at: host, number)
                    unsafe try give(made.mapError { Sentence(text: $0.sentence) }, to: descriptor, or: reason)
                }
            })
    }

    /// Begins work that keeps the run open until the plugin ends it.
    private static func begin(_ instance: UInt64, _ token: gatehouse_text, _ kind: UInt32) -> UInt64 {
        guard let token = unsafe token.buffer, let kind = self.kind(kind) else { return 0 }
        return ForeignPorts.port(instance)?.begin(unsafe [UInt8](token), as: kind) ?? 0
    }

    /// Begins work that is performed after the actions that led to it are durable.
    private static func beginWhenKept(
        _ instance: UInt64, _ token: gatehouse_text, _ kind: UInt32, _ memo: gatehouse_text
    ) -> UInt64 {
        guard let token = unsafe token.buffer, let memo = unsafe memo.buffer, let kind = self.kind(kind)
        else { return 0 }
        return ForeignPorts.port(instance)?.beginWhenKept(
            unsafe [UInt8](token), as: kind, memo: unsafe [UInt8](memo)) ?? 0
    }

    /// The kind of work with a number of `gatehouse_work_kind`; nil for an unknown one.
    private static func kind(_ number: UInt32) -> Activity.Kind? {
        switch number {
        case 0: .foreground
        case 1: .finishing
        case 2: .background
        default: nil
        }
    }
}

// MARK: - What the closures of the table use, which capture nothing

/// The answer to a plugin: 0, or why nothing is done.
private func answer(_ body: () throws -> Void) -> UInt32 {
    do {
        try body()
        return 0
    } catch {
        return ((error as? ForeignRefusal) ?? .invalid).rawValue
    }
}

/// The port of an instance.
private func port(_ instance: UInt64) throws(ForeignRefusal) -> ForeignPort {
    guard let port = ForeignPorts.port(instance) else { throw .gone }
    return port
}

/// A text of a plugin.
private func string(of text: gatehouse_text) throws(ForeignRefusal) -> String {
    guard let text = unsafe text.string else { throw .invalid }
    return text
}

/// A JSON Pointer of a plugin.
private func pointer(of text: gatehouse_text) throws(ForeignRefusal) -> JSONPointer {
    guard let pointer = try? JSONPointer(unsafe string(of: text)) else { throw .invalid }
    return pointer
}

/// Passes bytes to a receiver; `absent` for none.
private func give(_ bytes: [UInt8]?, to receiver: gatehouse_receiver) throws(ForeignRefusal) {
    guard let bytes else { throw .absent }
    unsafe receiver.give(bytes)
}

/// Why there is no socket.
private struct Sentence: Error {
    /// The sentence.
    let text: String
}

/// Passes a socket, which is the plugin's to close from then on, or the reason why there is none; `absent` then.
private func give(
    _ socket: Result<Int32, Sentence>, to descriptor: UnsafeMutablePointer<Int32>?,
    or reason: gatehouse_receiver
) throws(ForeignRefusal) {
    switch socket {
    case .success(let socket):
        guard let descriptor = unsafe descriptor else {
            close(socket)
            throw .invalid
        }
        unsafe descriptor.pointee = socket
    case .failure(let sentence):
        unsafe reason.give(Array(sentence.text.utf8))
        throw .absent
    }
}

/// Records why an entry or `create` returns nothing.
private func refuse(
    _ instance: UInt64, _ place: gatehouse_text, _ reason: gatehouse_text
) throws(ForeignRefusal) {
    let place = unsafe try pointer(of: place)
    let words = Quotation.bare(unsafe try string(of: reason))
    if instance == 0 { return try ForeignRefusals.note(words) }
    try port(instance).refuse(ForeignPort.Objection(place: place, reason: words))
}

/// Writes a line for the operator.
private func log(
    _ instance: UInt64, _ level: UInt32, _ line: gatehouse_text
) throws(ForeignRefusal) {
    let levels = PluginLog.Level.allCases
    let line = unsafe try string(of: line)
    guard let level = Int(exactly: level), levels.indices.contains(level) else { throw .invalid }
    try port(instance).log(levels[level], line)
}
