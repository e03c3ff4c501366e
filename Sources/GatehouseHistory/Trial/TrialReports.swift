// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The reports about bad data and denied operations on both sides of a trial.
struct TrialReports: Equatable, Sendable {
    /// The numbers of reports about one thing.
    struct Numbers: Equatable, Sendable {
        /// Those of the reference.
        var before = 0
        /// Those of the candidate.
        var now = 0
    }

    /// The sentences of the candidate; possibly fewer than there were reports.
    var sentences: [String] = []
    /// The number of reports of the candidate.
    var count = 0
    /// The numbers that differ, by what the reports are about; empty where the reference is the record, which has no reports.
    var differing: [PastReports.Subject: Numbers] = [:]

    /// No reports.
    init() {}

    /// The reports of two sides.
    ///
    /// - Parameter before: those of the reference; nil for the record.
    init(before: PastReports?, now: PastReports) {
        sentences = now.sentences
        count = now.count
        guard let before else { return }
        for (subject, count) in before.counts { differing[subject, default: Numbers()].before = count }
        for (subject, count) in now.counts { differing[subject, default: Numbers()].now = count }
        differing = differing.filter { $0.value.before != $0.value.now }
    }
}
