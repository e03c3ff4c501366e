// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Something about the cluster that an operator of one of its members should know.
package enum ClusterNotice: Sendable, Equatable, CustomStringConvertible {
    /// The member has joined.
    case joined(cluster: String, member: String, partitions: Int)
    /// How many partitions the member has from now on; told when they have settled.
    case owns(Int, of: Int, members: Int)
    /// The engine does not do what is asked; it is asked again.
    case held(ClusterFailure)
    /// It does again.
    case goesOn(after: Duration)
    /// It has failed as often, each time for less than a second, and answered again.
    case faltered(Int)
    /// The engine was restarted, and has everything that this member knew.
    case restarted
    /// Another server has taken the place of the engine's, and has everything that this member knew; their addresses.
    case replaced(server: String, former: String)
    /// The member has dropped what it had, because the engine may have gone back to before that.
    case reloaded(Int)
    /// Another member has a partition that this one thought it had; what was not in the checkpoint is done there. Nil where nobody has it.
    case fenced(partition: Int, owner: String?)
    /// This member has acquired a partition again that it thought it had; what was not in the checkpoint is done again.
    case acquiredAgain(partition: Int)
    /// The member did not renew in time, and dropped what it had.
    case lapsed(Int)
    /// Another member has something else than this one; what, as part of a sentence.
    case differs(member: String, String)
    /// An action that has ended its hosts too often, and is not processed any more.
    case setAside(partition: Int, offset: ClusterOffset, type: String, reason: String)
    /// An action that is none.
    case rejected(partition: Int, offset: ClusterOffset, reason: String)
    /// An action without a wire form.
    case unwritable(type: String, String)
    /// A state that cannot be written, which keeps a partition from moving on.
    case stuck(partition: Int, reason: String)
    /// Work that had not finished when its partitions ended at this member; told once for all that end together.
    case left(UnfinishedWork, partitions: Int, WorkFate)
    /// Partitions that the member could not hand over before its time was over.
    case kept(Int)
    /// What the engine has confirmed cannot be kept in a file, and why.
    case forgetful(path: String, String)
    /// The member has halted the cluster, or could not.
    case halted(ClusterFailure?)
    /// What an operator should know about a state that was loaded.
    case loaded(partition: Int, String)

    /// The sentence.
    package var description: String {
        switch self {
        case .joined(let cluster, let member, let partitions):
            "cluster \(cluster): joined as \(member); \(Counted.text(partitions, "partition"))"
        case .owns(let count, let all, let members):
            "cluster: has \(count) of \(Counted.text(all, "partition")), \(Counted.text(members, "member"))"
        case .held(.full(let reason)):
            "cluster: the engine is full, so input waits: \(reason); give it more memory"
        case .held(let failure):
            "cluster: \(failure); trying again"
        case .goesOn(let time):
            "cluster: the engine answers again after \(Duration.milliseconds(Int((time / .milliseconds(1)).rounded())).inSeconds)"
        case .faltered(let count):
            "cluster: the engine has failed \(count == 1 ? "once" : "\(count) times") more, each time for less than a second, and answered again; see its log, and the network"
        case .restarted:
            "cluster: the engine was restarted and has everything that this member knew"
        case .replaced(let server, let former):
            "cluster: \(server) has taken the place of \(former), and has everything that this member knew"
        case .reloaded(let count):
            "cluster: \(Counted.text(count, "partition")) dropped, because actions may have been read that no replica had; they continue from the last checkpoints"
        case .fenced(let partition, nil):
            "cluster: partition \(partition) was taken away; its next owner resumes after the last checkpoint; work done here since then is void"
        case .acquiredAgain(let partition):
            "cluster: partition \(partition) was acquired again by this member, which resumes after the last checkpoint; work done here since then is void"
        case .fenced(let partition, let owner?):
            "cluster: partition \(partition) has gone to \(owner), which resumes after the last checkpoint; work done here since then is void"
        case .lapsed(let count):
            "cluster: the lease ran out before it was renewed; \(Counted.text(count, "partition")) dropped; their next owners resume from the last checkpoint"
        case .differs(let member, let what):
            "cluster: \(member) has \(what), compared with this member; make them alike, and reload both"
        case .setAside(let partition, let offset, let type, let reason):
            "cluster: partition \(partition), action \(offset): \(type) is set aside: \(reason)"
        case .rejected(let partition, let offset, let reason):
            "cluster: partition \(partition), entry \(offset) is set aside: \(reason)"
        case .unwritable(let type, let reason):
            "cluster: \(type) cannot be written as JSON and is left out: \(reason)"
        case .stuck(let partition, let reason):
            "cluster: partition \(partition) cannot move on: \(reason)"
        case .left(let work, let partitions, let fate):
            "cluster: \(work) had not finished when \(Counted.text(partitions, "partition")) ended here; \(fate.words(for: work.count, owners: partitions))"
        case .kept(let count):
            "cluster: \(Counted.text(count, "partition")) could not be handed over in time; \(count == 1 ? "its next owner resumes" : "their next owners resume") from the last checkpoint when the lease of this member is over"
        case .forgetful(let path, let reason):
            "cluster: \(path) cannot be written: \(reason); until it can, a member that is started again does not notice what Redis has lost"
        case .halted(nil):
            "cluster: halted, for all members, until Redis has everything again or gatehouse cluster resume lifts it"
        case .halted(let failure?):
            "cluster: it could not be halted for the other members: \(failure); stop them"
        case .loaded(let partition, let sentence):
            "cluster: partition \(partition): \(sentence)"
        }
    }
}

extension ClusterNotice {
    /// What becomes of work that had not finished when its partition ended at a member.
    package enum WorkFate: Int, Sendable, Comparable {
        /// The next owner begins it again.
        case again
        /// The next owner reports it to the plugins.
        case told
        /// Nothing: no checkpoint has it.
        case lost

        /// The end of a sentence about a number of effects or actions, of so many partitions.
        fileprivate func words(for count: Int, owners: Int) -> String {
            let (it, plural) = (count == 1 ? "it" : "them", owners == 1 ? "" : "s")
            return switch self {
            case .again: "the next owner\(plural) begin\(owners == 1 ? "s" : "") \(it) again"
            case .told:
                "the next owner\(plural) report\(owners == 1 ? "s" : "") \(it) by \(HostActions.effectInterrupted.name)"
            case .lost:
                "\(count == 1 ? "it is" : "they are") lost, because the plugin does not let the host record \(it)"
            }
        }

        package static func < (one: WorkFate, other: WorkFate) -> Bool { one.rawValue < other.rawValue }
    }
}
