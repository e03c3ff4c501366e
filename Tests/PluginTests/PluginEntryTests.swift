// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseSDK
import Testing

/// Whom the entry of a plugin opens for.
@Suite(.timeLimit(.minutes(10))) struct PluginEntryTests {
    private struct Sample: Plugin {
        enum Action: PluginAction { case a }
        static func middleware() -> Reader { .doNothing() }
    }

    /// What a host was told.
    private final class Told {
        var reasons: [String] = []
    }

    /// The table of a host that fits, told of refusals.
    private func table(_ told: Told) -> gatehouse_host_v1 {
        unsafe gatehouse_host_v1(
            size: UInt32(MemoryLayout<gatehouse_host_v1>.size), abi: PluginEntry.abi,
            sdk_identity: PluginEntry.sdkIdentity,
            refuse_context: Unmanaged.passUnretained(told).toOpaque(),
            refuse: { context, reason in
                guard let context = unsafe context, let reason = unsafe reason else { return }
                unsafe Unmanaged<Told>.fromOpaque(context).takeUnretainedValue().reasons.append(
                    String(cString: reason))
            })
    }

    /// What happens to a host whose table differs in one part from one that fits.
    private func opened(
        size: Int = 0, abi: UInt32 = PluginEntry.abi, isSame: Bool = true, isTold: Bool = true
    ) -> [String] {
        let told = Told()
        var table = unsafe table(told)
        unsafe table.size = UInt32(Int(table.size) + size)
        unsafe table.abi = abi
        if !isSame { unsafe table.sdk_identity = nil }
        if !isTold { unsafe table.refuse = nil }
        let opened = unsafe withUnsafePointer(to: &table) { unsafe PluginEntry.open(Sample.self, for: $0) }
        guard let opened = unsafe opened else { return told.reasons + ["refused"] }
        unsafe Unmanaged<PluginExports>.fromOpaque(opened).release()
        return told.reasons + ["opened"]
    }

    @Test func `a host that fits is served, also one that can do more, and no host is not`() {
        #expect(opened() == ["opened"])
        #expect(opened(size: 8) == ["opened"])
        let nobody = unsafe PluginEntry.open(Sample.self, for: nil)
        #expect(unsafe nobody == nil)
    }

    @Test func `a host of another number, or with less, is refused with the reason`() {
        let own = PluginEntry.abi
        #expect(
            opened(abi: own + 1) == [
                "the host speaks ABI \(own + 1), this plugin was built for \(own); rebuild it", "refused",
            ])
        #expect(
            opened(size: -1) == [
                "the host speaks ABI \(own), this plugin was built for \(own); rebuild it", "refused",
            ])
    }

    @Test func `a host with another copy of the SDK is refused with the reason`() {
        let reason =
            "it carries its own copy of the Gatehouse SDK; link the SDK as the dynamic library libGatehouseSDK.so"
        #expect(opened(isSame: false) == [reason, "refused"])
        #expect(opened(isSame: false, isTold: false) == ["refused"])
    }
}
