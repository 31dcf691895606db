/// The error of opening or sealing a file of an encrypted folder.
///
/// No error holds a key, a passphrase or decrypted content.
public struct EncryptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error; later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The file is none of an encrypted folder.
        public static let notSealed = Code("encryption.not-sealed")
        /// A newer program wrote the file.
        public static let tooNew = Code("encryption.too-new")
        /// The file is sealed with a key that this device does not have.
        public static let noKey = Code("encryption.no-key")
        /// The file is not the one that was sealed: it was cut, changed or forged.
        public static let damaged = Code("encryption.damaged")
        /// The file is whole, but has the name of another one.
        public static let misplaced = Code("encryption.misplaced")
        /// The file was sealed with an old key, and was not known when that key was replaced.
        public static let closed = Code("encryption.closed")
        /// The passphrase opens none of the folder's slots.
        public static let wrongPassphrase = Code("encryption.wrong-passphrase")
        /// The recovery code opens none of the folder's slots.
        public static let wrongRecoveryCode = Code("encryption.wrong-recovery-code")
        /// A text is no recovery code, as its check differs.
        public static let recoveryCode = Code("encryption.recovery-code")
        /// The folder has no slot of that kind.
        public static let noSlot = Code("encryption.no-slot")
        /// Deriving the key would take more work than is allowed.
        public static let workFactor = Code("encryption.work-factor")
        /// A key cannot be used.
        public static let key = Code("encryption.key")
        /// The caller asked for something that cannot be.
        public static let usage = Code("encryption.usage")
    }

    /// The kind of the error.
    public let code: Code
    /// A text that says what was found, what was expected and what to do, without a final full stop.
    public let message: String

    /// Makes an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
