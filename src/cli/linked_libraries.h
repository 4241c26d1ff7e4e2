// Libraries that a program links, read from its file. The program and its libraries are not loaded.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::cli {

struct LinkedLibraries {
  std::vector<std::string> needed;   // "libGL.so.1"
  std::vector<std::string> folders;  // the file's own search folders, without $ORIGIN
};

// kNotFound, kIo; kUnsupported: the file is no dynamic ELF file of this machine's word size and byte order.
[[nodiscard]] Result<LinkedLibraries> ReadLinkedLibraries(const std::string& path);

// Folders that the dynamic loader searches: those of LD_LIBRARY_PATH, then the system's.
[[nodiscard]] std::vector<std::string> LoaderFolders();

}  // namespace tandem::cli
