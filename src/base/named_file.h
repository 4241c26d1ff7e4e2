// A path that a user named for something to be written to, and what it leads to.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

struct NamedFile {
  enum class Kind {
    kNew,      // nothing is there yet
    kRegular,  // may be replaced whole, or emptied
    kStream,   // written to and nothing else: a device, a pipe, a socket, the program's own standard output or error
  };
  Kind kind = Kind::kNew;
  std::string path;  // of kRegular without links
};

// Opens nothing for writing and changes nothing. Links are followed as far as the system follows them. kIo, with the path, for a
// folder, a link to nothing, and what this user may not write.
[[nodiscard]] Result<NamedFile> FindNamedFile(const std::string& path);

// Opens a `file` of kind kStream for appending. Never waits for a reader: kNotFound when there is none. kIo.
[[nodiscard]] Result<UniqueFd> OpenStream(const NamedFile& file);

enum class Writing { kReplacing, kInPlace };  // what is written takes a regular file's place whole, or goes into it
// Something there that is written to so, or could be made; nothing is left behind. kIo with the path.
[[nodiscard]] Result<void> CheckWritable(const std::string& path, Writing writing);

}  // namespace tandem
