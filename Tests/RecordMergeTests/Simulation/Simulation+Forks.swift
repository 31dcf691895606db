import RecordMerge
import StrictJSON
import TestSupport

extension Simulation {
    /// A device is copied and nobody notices: both go on under one name, until both have published.
    mutating func fork(_ index: Int) throws {
        guard members.count < 9, forks.count < 2, !forks.contains(where: \.isOpen) else { return }
        try synchronise(index)
        let writer = members[index].device.writer
        guard !forks.contains(where: { $0.writer == writer }) else { return }
        let sequence = members[index].device.state.seen[writer] + 1
        let branches = ["aa", "bb"].compactMap { WriterFork(writer, from: sequence, mark: $0) }
        guard branches.count == 2 else { return }
        script.append("\(index) is copied and does not notice")
        forks.append(Fork(writer: writer, sequence: sequence, branches: branches, members: [index, members.count]))
        var copy = members[index]
        copy.now += dice.below(1000)
        members.append(copy)
    }

    /// The continuation that a device makes.
    func forkBranch(_ fork: Int, _ index: Int) -> Int? { forks[fork].members.firstIndex(of: index) }

    /// Once both continuations are published, everybody who reads knows, and both devices take new names.
    mutating func learnForks() {
        for (number, fork) in forks.enumerated() where fork.isOpen {
            let made = Set(messages.filter { isFirst($0, of: fork) }.compactMap { $0.branches[number] })
            guard made.count == 2 else { continue }
            forks[number].isKnown = true
            script.append("the fork is known")
            for index in members.indices { rename(&members[index]) }
            for index in fork.members { takeName(index) }
        }
    }

    private mutating func takeName(_ index: Int) {
        members[index].device.writer = WriterID(name()) ?? members[index].device.writer
    }

    /// A device that finds changes under its name which it did not make takes a new one.
    mutating func noticeForeign(_ arrived: [Message], _ index: Int) {
        for (number, fork) in forks.enumerated() where fork.isOpen {
            guard let mine = forkBranch(number, index) else { continue }
            if arrived.contains(where: { $0.branches[number] == 1 - mine }) {
                script.append("\(index) notices the fork")
                forks[number].isClosed = true
                takeName(index)
            }
        }
    }

    private func isFirst(_ message: Message, of fork: Fork) -> Bool {
        guard let change = try? Change(decoding: message.bytes) else { return false }
        return change.stamp.dot == Dot(fork.writer, fork.sequence)
    }

    /// Gives the continuation that a device has seen its own name.
    func rename(_ member: inout Member) {
        for (number, fork) in forks.enumerated() where fork.isKnown {
            // What waits has the old names: it will come again.
            member.device.buffer = CausalBuffer()
            guard let branch = member.branches.removeValue(forKey: number) else { continue }
            member.device.state.rename(fork.branches[branch])
        }
    }

    /// A message with the names that are known now.
    func renamed(_ message: Message) throws -> Change {
        var change = try Change(decoding: message.bytes)
        for (number, branch) in message.branches where forks[number].isKnown {
            change = change.renamed(forks[number].branches[branch])
        }
        return change
    }
}
