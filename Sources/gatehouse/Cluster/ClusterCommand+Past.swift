// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHistory
internal import GatehouseLibrary
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

extension ClusterCommand {
    /// `gatehouse cluster state --at`: prints the state of a partition after an action that the engine still has.
    ///
    /// The plugins that are there now rebuild it from an earlier checkpoint, as a member does after a crash, but for their effects.
    func showState(
        of number: Int, at pointer: JSONPointer, after moment: ClusterOffset, _ cluster: ClusterConfiguration,
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        if let objection = objection(to: number, cluster, shape) { return objection }
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        let images = ImageCache(folder: CacheFolder.current)
        do throws(Ended) {
            let stretch = try stretch(of: number, upTo: moment, cluster, maintainer, shape)
            let plan = try options.file.plan().tried(images, process.stop).part(of: number)
            let rebuilt: RebuiltState
            do throws(PastFailure) {
                rebuilt = try RebuiltState(
                    of: plan, from: stretch.told, images: images,
                    leavingBy: PartitionStretch.route(of: number, cluster, shape)(plan))
            } catch {
                return error.report()
            }
            guard let value = rebuilt.state[pointer] else {
                return .badData.because(
                    "the state of partition \(number) had nothing at \(pointer) after \(moment)")
            }
            let isKept = stretch.offsets.isEmpty
            StandardError.tell(
                isKept
                    ? "as the checkpoint at \(stretch.base) has it"
                    : "rebuilt from the checkpoint at \(stretch.base) and the \(Counted.text(stretch.offsets.count, "action")) after it, by the configuration and the libraries of now"
            )
            if !isKept, rebuilt.effects > 0 || stretch.beginsBusy {
                StandardError.tell(
                    "effects were running meanwhile; what they emitted into the partition itself is not kept, and missing here"
                )
            }
            let shown: Value =
                options.isJSON
                ? [
                    "partition": Value(number), "offset": .string("\(moment)"),
                    "base": .string("\(stretch.base)"), "actions": Value(stretch.offsets.count),
                    "effects": Value(rebuilt.effects), "state": value,
                ] : value
            process.output.writeLine { shown.writeJSON(to: &$0, style: .pretty) }
            guard process.output.flush() == 0 else {
                return .internalError.because("the state cannot be written to standard output")
            }
            return .success
        } catch {
            return error.code
        }
    }

    /// `gatehouse cluster replay`: lets a candidate and its reference process the past of a partition as far as the engine has it, and
    /// prints where they differ.
    func replay(
        _ number: Int, _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer,
        _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        if let objection = objection(to: number, cluster, shape) { return objection }
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        let images = ImageCache(folder: CacheFolder.current)
        do throws(Ended) {
            let stretch = try stretch(of: number, upTo: nil, cluster, maintainer, shape)
            let candidate = try options.file.plan(with: options["--with"]).tried(images, process.stop)
            let reference =
                try (options["--against"].map { ConfigurationFile(path: $0) } ?? options.file)
                .plan().tried(images, process.stop)
            do throws(PastFailure) {
                let trial = Trial(
                    of: candidate.part(of: number), against: .plan(reference.part(of: number)),
                    journal: stretch.told.journal, images: images,
                    leavingBy: PartitionStretch.route(of: number, cluster, shape))
                let outcome = try trial.run()
                StandardError.tell(
                    "from the checkpoint at \(stretch.base) on; the \(Counted.text(stretch.offsets.count, "action")) after it are numbered from \(stretch.told.start + 1)"
                )
                if let first = outcome.firstDifference.flatMap({ offset(of: $0, in: stretch) }) {
                    StandardError.tell("the first action with a difference is \(first)")
                }
                return outcome.print(to: process.output, isJSON: options.isJSON)
            } catch {
                return error.report()
            }
        } catch {
            return error.code
        }
    }

    /// Returns where an action of a stretch is, by its number there.
    private func offset(of sequence: UInt64, in stretch: PartitionStretch) -> ClusterOffset? {
        guard sequence > stretch.told.start else { return nil }
        let place = sequence - stretch.told.start - 1
        return place < UInt64(stretch.offsets.count) ? stretch.offsets[Int(place)] : nil
    }

    /// Reads the past of a partition; reports why that cannot be.
    private func stretch(
        of number: Int, upTo end: ClusterOffset?, _ cluster: ClusterConfiguration,
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(Ended) -> PartitionStretch {
        do throws(PartitionStretch.Failure) {
            return try PartitionStretch(of: number, upTo: end, cluster, maintainer, shape)
        } catch {
            throw ended(by: error, number, end, cluster)
        }
    }

    /// Reports why there is no past to look at.
    private func ended(
        by failure: PartitionStretch.Failure, _ number: Int, _ end: ClusterOffset?,
        _ cluster: ClusterConfiguration
    ) -> Ended {
        switch failure {
        case .unknown:
            let action = end.map { " \($0)" } ?? ""
            return Ended(
                .badData,
                "partition \(number) has no action\(action); see gatehouse cluster history \(number)")
        case .tooOld(let first):
            let reach = first.map { "; the earliest one that it keeps is that at \($0)" } ?? ""
            let advice =
                cluster.history > 0
                ? "" : "; \"history\" in \"cluster\" says for how many seconds it keeps them"
            return Ended(
                .badData,
                "the engine keeps no checkpoint of partition \(number) from before that\(reach)\(advice)")
        case .unreadable(let failure):
            return Ended(.badData, "partition \(number): \(failure); use the version that wrote it")
        case .engine(let failure):
            return Ended(.unavailable, "cluster \(cluster.name) at \(cluster.engine): \(failure)")
        case .journal(let failure): return Ended(.internalError, "\(failure)")
        }
    }
}
