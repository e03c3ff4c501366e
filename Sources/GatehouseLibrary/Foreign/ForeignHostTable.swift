// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK
internal import GatehouseSupport

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
            refuse: { unsafe ForeignHostTable.refuse($0, $1, $2).rawValue },
            emit: { unsafe ForeignHostTable.emit($0, $1, $2).rawValue },
            log: { unsafe ForeignHostTable.log($0, $1, $2).rawValue },
            health: { unsafe ForeignHostTable.health($0, $1).rawValue },
            begin: { unsafe ForeignHostTable.begin($0, $1, $2) },
            end: { instance, work in ForeignHostTable.port(instance) { $0.end(work) }.rawValue },
            cancel: { unsafe ForeignHostTable.cancel($0, $1).rawValue },
            is_running: { ForeignPorts.port($0)?.isRunning($1) == true ? 1 : 0 },
            read_state: { unsafe ForeignHostTable.readState($0, $1).rawValue },
            read_host_state: { unsafe ForeignHostTable.readHostState($0, $1, $2).rawValue },
            read_id: { instance, receiver in
                unsafe ForeignHostTable.read(instance, receiver) { $0.instance }.rawValue
            },
            read_data_directory: { instance, receiver in
                unsafe ForeignHostTable.read(instance, receiver) { $0.dataDirectory }.rawValue
            },
            now: { ForeignHostTable.now($0) },
            replace: { unsafe ForeignHostTable.replace($0, $1).rawValue },
            begin_when_kept: { unsafe ForeignHostTable.beginWhenKept($0, $1, $2, $3) },
            expect_long: { instance, nanoseconds in
                ForeignHostTable.port(instance) { $0.expectLong(nanoseconds) }.rawValue
            },
            fail: { unsafe ForeignHostTable.fail($0, $1, $2).rawValue })
    }

    /// Calls a closure with the port of an instance.
    private static func port(_ instance: UInt64, _ body: (ForeignPort) -> ForeignAnswer) -> ForeignAnswer {
        ForeignPorts.port(instance).map(body) ?? .gone
    }

    /// Records why an entry or `create` returns nothing.
    private static func refuse(
        _ instance: UInt64, _ place: gatehouse_text, _ reason: gatehouse_text
    ) -> ForeignAnswer {
        guard let place = unsafe place.string, let reason = unsafe reason.string,
            let pointer = try? JSONPointer(place)
        else { return .invalid }
        let words = Quotation.bare(reason)
        if instance == 0 { return ForeignRefusals.note(words) }
        return port(instance) { $0.refuse(ForeignPort.Objection(place: pointer, reason: words)) }
    }

    /// Appends an action to the queue.
    private static func emit(
        _ instance: UInt64, _ work: UInt64, _ action: UnsafePointer<gatehouse_action>?
    ) -> ForeignAnswer {
        port(instance) { port in
            unsafe with(action) { unsafe port.emit(for: work, $0, error: $1, payload: $2) }
        }
    }

    /// Reports that an action was not done.
    private static func fail(
        _ instance: UInt64, _ action: UnsafePointer<gatehouse_action>?, _ reason: gatehouse_text
    ) -> ForeignAnswer {
        guard let reason = unsafe reason.string else { return .invalid }
        return port(instance) { port in
            unsafe with(action) { unsafe port.fail($0, error: $1, payload: $2, because: reason) }
        }
    }

    /// Records the replacement of an intercepted action.
    private static func replace(
        _ instance: UInt64, _ action: UnsafePointer<gatehouse_action>?
    ) -> ForeignAnswer {
        port(instance) { port in
            unsafe with(action) { unsafe port.replace(by: $0, error: $1, payload: $2) }
        }
    }

    /// Takes an action of a plugin apart: type, error flag, payload.
    private static func with(
        _ action: UnsafePointer<gatehouse_action>?,
        _ body: (UnsafeRawBufferPointer, Bool, UnsafeRawBufferPointer) -> ForeignAnswer
    ) -> ForeignAnswer {
        guard let action = unsafe action?.pointee, let type = unsafe action.type.buffer,
            let payload = unsafe action.payload.buffer, unsafe action.is_error <= 1,
            unsafe action.reserved == 0
        else { return .invalid }
        return unsafe body(type, action.is_error != 0, payload)
    }

    /// Writes a line for the operator.
    private static func log(_ instance: UInt64, _ level: UInt32, _ line: gatehouse_text) -> ForeignAnswer {
        guard let line = unsafe line.string, let level = Int(exactly: level),
            PluginLog.Level.allCases.indices.contains(level)
        else { return .invalid }
        return port(instance) { $0.log(PluginLog.Level.allCases[level], line) }
    }

    /// Reports the health of an instance.
    private static func health(_ instance: UInt64, _ failure: gatehouse_text) -> ForeignAnswer {
        guard let failure = unsafe failure.string else { return .invalid }
        return port(instance) { $0.tell(failure.isEmpty ? .ok : .failing(failure)) }
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

    /// Cancels the work with a token.
    private static func cancel(_ instance: UInt64, _ token: gatehouse_text) -> ForeignAnswer {
        guard let token = unsafe token.buffer, unsafe !token.isEmpty else { return .invalid }
        return port(instance) { $0.cancel(unsafe [UInt8](token)) }
    }

    /// Passes the instance's own state to a receiver.
    private static func readState(_ instance: UInt64, _ receiver: gatehouse_receiver) -> ForeignAnswer {
        port(instance) { port in
            guard let state = port.state else { return .absent }
            unsafe receiver.give(state)
            return .done
        }
    }

    /// Passes a part of the host's state to a receiver.
    private static func readHostState(
        _ instance: UInt64, _ pointer: gatehouse_text, _ receiver: gatehouse_receiver
    ) -> ForeignAnswer {
        guard let text = unsafe pointer.string, let pointer = try? JSONPointer(text) else { return .invalid }
        return port(instance) { port in
            let (answer, value) = port.hostState(at: pointer)
            if let value { unsafe receiver.give(Array(value.json().utf8)) }
            return answer
        }
    }

    /// Passes a text from the services of an instance to a receiver.
    private static func read(
        _ instance: UInt64, _ receiver: gatehouse_receiver, _ text: (HostServices) -> String?
    ) -> ForeignAnswer {
        port(instance) { port in
            port.services { services in
                guard let text = text(services) else { return .absent }
                unsafe receiver.give(Array(text.utf8))
                return .done
            }
        }
    }

    /// The time of the host's clock, in nanoseconds; 0 where it is not granted.
    private static func now(_ instance: UInt64) -> Int64 {
        var time: Int64 = 0
        _ = port(instance) { port in
            port.services { services in
                guard let clock = services.clock else { return .absent }
                time = Int64(exactly: (clock.unixTime() * 1e9).rounded()) ?? 0
                return .done
            }
        }
        return time
    }
}
