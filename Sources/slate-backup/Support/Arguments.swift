public import ArchiveIO
public import ArgumentParser
public import Slate

extension ArchivePacking: ExpressibleByArgument {}

extension SlateImportMode: ExpressibleByArgument {}
