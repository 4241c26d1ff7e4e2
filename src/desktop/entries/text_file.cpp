#include "desktop/entries/text_file.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "desktop/entries/glib_owner.h"

namespace tandem::desktop {

Result<std::optional<std::string>> ReadTextFile(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return Fail(ErrorKind::kIo, "{} cannot be read: {}.", path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kUnsupported, "{} is no regular file.", path);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes > kMaxTextFileBytes) {
    return Fail(ErrorKind::kLimit, "{} has {} bytes; at most {} are read.", path, bytes, kMaxTextFileBytes);
  }
  gchar* text = nullptr;
  gsize size = 0;
  GError* error = nullptr;
  if (g_file_get_contents(path.c_str(), &text, &size, &error) == FALSE) return Fail(ErrorKind::kIo, "{}.", MessageOf(error));
  const GlibText owner(text);
  return std::optional(std::string(text, size));
}

}  // namespace tandem::desktop
