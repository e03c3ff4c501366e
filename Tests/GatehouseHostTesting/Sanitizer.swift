// SPDX-License-Identifier: Apache-2.0

/// What the sanitizers change for tests.
public enum Sanitizer {
    /// Whether the thread sanitizer is on, which ends processes in its own way where they trap or are interrupted.
    public static let watchesThreads: Bool = {
        #if SANITIZE_THREAD
            true
        #else
            false
        #endif
    }()
}
