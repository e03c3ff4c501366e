// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport
private import Glibc

// Commands that load plugins into their own process, where another version was built for these.
extension RunProcess {
    /// The environment variable that a program has which another version has left a command to; it leaves it to nobody else.
    private static let variable = "GATEHOUSE_LEFT_BY"

    /// Lets the program of an installed version do the whole command, where it is the one that takes every plugin of some plans; returns
    /// otherwise.
    ///
    /// Where it takes some of them, nobody can load all, and whoever makes an instance refuses it.
    ///
    /// - Throws: that the program cannot be executed, after reporting it.
    func giveWay(for plans: [HostPlan]) throws(Ended) {
        let versions = plans.flatMap(\.instances).map { $0.match?.version }
        guard let first = versions.first, let version = first, versions.allSatisfy({ $0 == version }),
            plans.allSatisfy({ $0.failure == nil }), SystemFile.variable(Self.variable) == nil
        else { return }
        // The pipe in its place has nobody who reads it from here on.
        dup2(results, STDOUT_FILENO)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        let failure = ProgramExecution.execute(
            version.program, in: SystemFile.environment + ["\(Self.variable)=\(getpid())"])
        throw Ended(
            .pluginRefused,
            "\(version.program), which can load these plugins, cannot be executed: \(failure); install the version \(version.name) again, or rebuild the plugins with this host's SDK"
        )
    }
}
