// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct UnixTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_709_164_800, "2024-02-29T00:00:00.000Z"),
            (951_868_799.5, "2000-02-29T23:59:59.500Z"), (-1, "1969-12-31T23:59:59.000Z"),
            (-62_135_596_800, "0001-01-01T00:00:00.000Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
        ] as [(Double, String)])
    func `a moment is written as a date and time in UTC, and read again`(seconds: Double, text: String) {
        #expect(UnixTime.text(seconds) == text)
        #expect(UnixTime.seconds(in: text) == seconds)
    }

    @Test func `the present moment is the clock's, with its fraction`() {
        // Not time(3): it lags the clock by up to a tick of the kernel, and so may still be in the second before.
        var (before, after) = (timespec(), timespec())
        unsafe clock_gettime(CLOCK_REALTIME, &before)
        let now = UnixTime.now
        unsafe clock_gettime(CLOCK_REALTIME, &after)
        #expect(now >= Double(before.tv_sec) && now < Double(after.tv_sec + 1))
        let isFractional = sequence(first: now) { _ in UnixTime.now }.prefix(100)
            .contains { $0 != $0.rounded() }
        #expect(isFractional)
    }

    @Test func `what is beyond the years of four digits is written as the nearest year that is not`() {
        #expect(UnixTime.text(1e300) == "9999-12-31T23:59:59.000Z")
        #expect(UnixTime.text(-1e300) == "0001-01-01T00:00:00.000Z")
        #expect(UnixTime.text(.nan) == "1970-01-01T00:00:00.000Z")
    }

    @Test(arguments: [
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-31", "2026-01-31T24:00:00Z",
        "2026-01-31T99:00:00Z", "2026-01-31T10:60:00Z", "2026-01-31T10:00:60Z",
    ])
    func `what is no moment is not read`(text: String) {
        #expect(UnixTime.seconds(in: text) == nil)
    }
}
