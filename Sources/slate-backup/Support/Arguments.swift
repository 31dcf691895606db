public import AppFormats
public import ArchiveIO
public import ArgumentParser

extension ArchivePacking: ExpressibleByArgument {}

extension SlateImportMode: ExpressibleByArgument {}
