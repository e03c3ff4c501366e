// SPDX-License-Identifier: Apache-2.0

extension ValidationCheck {
    /// Checks on the plugin in a worker.
    package static let worker: [ValidationCheck] = [
        ValidationCheck(
            inWorker: "worker/answers", "It answers in a confined worker as it does in the host.",
            after: "actions/examples", within: .seconds(30))
    ]
}
