// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The programs that the tests of clusters run: those of Redis, or of what `GATEHOUSE_TEST_SERVER` names, such as `valkey`.
public enum RedisPrograms {
    /// The name with which the programs begin.
    private static let product =
        unsafe getenv("GATEHOUSE_TEST_SERVER").map { unsafe String(cString: $0) } ?? "redis"

    /// The path of the server, which is a Sentinel with `--sentinel`.
    public static let server = "/usr/bin/\(product)-server"

    /// What a server writes once it listens and has read its files: Redis writes a lowercase letter where Valkey does not.
    public static let readiness = "eady to accept connections"

    /// The path of the program that sends commands.
    static let client = "/usr/bin/\(product)-cli"

    /// Whether this machine has both.
    static let areInstalled = unsafe access(server, X_OK) == 0 && access(client, X_OK) == 0
}
