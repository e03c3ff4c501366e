// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseValue

/// Where the instance of a test is to run, as `placement` says in the entry of an instance.
public enum TestPlacement: Sendable {
    /// In the host, where it may have an interceptor and all services.
    case host
    /// In a worker: a test of an instance that needs the host fails at its beginning, and after each change the state is written and
    /// read again, as it is for the next process of a worker.
    case worker

    /// What an instance has that needs the host, where it is to run in a worker; nil for nothing.
    func obstacle(intercepting: Bool, _ services: TestServices) -> String? {
        guard case .worker = self else { return nil }
        let found = [
            intercepting ? "an interceptor" : nil,
            services.state == nil ? nil : "the service state",
            services.control == nil ? nil : "the service control",
            services.ingress == nil ? nil : "the service ingress",
        ].compactMap { $0 }
        guard !found.isEmpty else { return nil }
        return
            "expected an instance that can run in a worker, found \(found.joined(separator: ", ")); an operator has to run it in the host"
    }
}

/// Writes the state of an instance after each change and has another instance read it, as the next process of a worker would.
///
/// Used in the drain of the store under test.
final class TestCheckpoint {
    /// The state of the other instance.
    private let other: Slice
    /// The version of the state that was looked at last.
    private var version: UInt64?

    /// Reads states by the parts of an instance that hears nothing.
    init(_ parts: PluginParts) { other = parts.slice }

    /// What the next process would not have as it is; nil where it would have the same state, or nothing has changed.
    func problem(of slice: Slice) -> String? {
        guard version != slice.version else { return nil }
        version = slice.version
        do throws(CodingFailure) {
            guard let written = try slice.value() else { return nil }
            try other.restore(written)
            let places = TestSubject<Never, Never>.differences(from: written, to: try other.value())
            guard !places.isEmpty else { return nil }
            return
                "the next process of its worker would have another state: \(places.joined(separator: "; "))"
        } catch {
            return "the next process of its worker would not take its state: \(error)"
        }
    }
}
