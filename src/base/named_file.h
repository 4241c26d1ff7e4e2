// A user's path for output, and the kind of file behind it.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

struct NamedFile {
  enum class Kind {
    kNew,      // the path does not exist yet
    kRegular,  // may be replaced whole, or truncated
    kStream,   // can only be written to: a device, pipe, socket, or the program's own standard output or error
  };
  Kind kind = Kind::kNew;
  std::string path;  // for kRegular, with links resolved
};

// Opens nothing for writing and changes nothing. Follows links as far as the system does. kIo, with the path, for a folder, a
// dangling link, or a file that this user may not write.
[[nodiscard]] Result<NamedFile> FindNamedFile(const std::string& path);

// Opens a `file` of kind kStream for appending. kNotFound at once when it has no reader; kIo.
[[nodiscard]] Result<UniqueFd> OpenStream(const NamedFile& file);

enum class Writing { kReplacing, kInPlace };  // replaces a regular file as a whole, or writes into it
// Succeeds if `path` can be written in the way `writing`, or created. The check leaves nothing behind. kIo with the path.
[[nodiscard]] Result<void> CheckWritable(const std::string& path, Writing writing);

}  // namespace tandem
