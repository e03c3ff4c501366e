// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Glibc

/// Sends actions to the process that goes on, and waits until that has kept and processed them.
///
/// What clients of instances have under way when a host hands over ends this way: the instances of the old process still talk to them.
/// Each action is two lines, its source and its wire form; the other process answers each by one byte, a `ForwardedActions.Answer`, in
/// their order.
package final class ForwardingAdmission: Admission {
    /// The connection to the other process; belongs to this object.
    private let descriptor: Int32
    /// What is not sent yet.
    private var bytes: [UInt8] = []
    /// How many actions were taken, and how many answered.
    private var (taken, answered) = (0, 0)
    /// How many were taken when duplicates were asked for last.
    private var known = 0
    /// The places, counted from there, of the actions that the other process had before.
    private var duplicates: [Int] = []

    /// How long the other process may take for one answer, in milliseconds.
    private static let patience: Int32 = 30_000

    /// Creates an admission over a blocking stream socket.
    package init(to descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    package var keepsFirst: Bool { true }
    package var isFull: Bool { false }

    package func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        let place: Value = [
            "file": .string(source.file), "line": .integer(Int64(clamping: source.line)),
            "info": source.info.map(Value.string) ?? .null,
        ]
        var pair = Array(place.json().utf8) + [UInt8(ascii: "\n")]
        do throws(CodingFailure) {
            try action.writeWireForm(to: &pair)
        } catch {
            // It came as a line, or from an instance whose actions encode.
            store.report(.unwritable(instance: source.info ?? "", failure: error))
            return false
        }
        bytes += pair + [UInt8(ascii: "\n")]
        taken += 1
        return true
    }

    package func dispatchTaken(to store: HostStore) throws(IngressError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe send(
                    descriptor, all.baseAddress.unsafelyUnwrapped + sent, all.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            sent += count
        }
        bytes = []
    }

    package func finish() throws(IngressError) {
        var answers = [UInt8](repeating: 0, count: 256)
        while answered < taken {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&watched, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw failure(ETIMEDOUT) }
            let count = unsafe recv(descriptor, &answers, answers.count, 0)
            guard count > 0 else { throw failure(count < 0 ? errno : EPIPE) }
            for answer in answers.prefix(count) {
                if answer == ForwardedActions.Answer.duplicate.rawValue {
                    duplicates.append(answered - known)
                }
                answered += 1
            }
        }
    }

    package func takeDuplicates() -> [Int] {
        known = taken
        return exchange(&duplicates, with: [])
    }

    /// The error that ends what waits; nobody is told that it was taken.
    private func failure(_ code: Int32) -> IngressError {
        .reading(input: "the process that goes on", line: 0, code: code)
    }
}
