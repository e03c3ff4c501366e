// SPDX-License-Identifier: Apache-2.0

/// The effects of sanitizers on tests.
public enum Sanitizer {
    /// Whether the thread sanitizer is on, which ends trapping or interrupted processes in its own way.
    public static let watchesThreads: Bool = {
        #if SANITIZE_THREAD
            true
        #else
            false
        #endif
    }()
}
