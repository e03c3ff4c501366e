// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// The exit code of a command; the numbers are those of `sysexits.h`.
enum ExitCode: Int32 {
    /// The command did everything it was asked to do.
    case success = 0
    /// The command line is invalid, or names an input that cannot be read.
    case usage = 64
    /// Bad data or an error that an instance reported, with `--strict`.
    case badData = 65
    /// A plugin that the configuration names was refused.
    case pluginRefused = 69
    /// The host that the command addresses does not answer.
    static let unavailable = ExitCode.pluginRefused
    /// An unexpected failure, such as a full disk behind standard output.
    case internalError = 70
    /// The journal cannot be opened, read or written.
    case journalFailed = 74
    /// Accepted work was not done: an instance reported so, or did not finish in time.
    case givenUp = 75
    /// The engine of the cluster has lost what it had confirmed, or the cluster is halted: an operator must decide how it continues.
    case clusterHalted = 76
    /// Another process has joined the cluster under the name of this member.
    case superseded = 77
    /// The configuration is wrong.
    case configuration = 78
}

extension ExitCode {
    /// The code of a run whose membership in a cluster has failed.
    init(of failure: ClusterFailure) {
        self =
            switch failure {
            case .goneBack: .clusterHalted
            case .superseded: .superseded
            default: .journalFailed
            }
    }

    /// Reports why a command ends with this code, in a sentence without a period.
    func because(_ sentence: String) -> ExitCode {
        StandardError.tell(sentence, self == .success ? .info : .error)
        return self
    }
}

/// Ends a command before it has done its work; the reason has been reported.
typealias Ended = Lifecycle<ExitCode>.Ended

extension Lifecycle<ExitCode>.Ended {
    /// Ends a command with a code, and reports why, in a sentence without a period.
    init(_ code: ExitCode, _ sentence: String) { self.init(code: code.because(sentence)) }
}
