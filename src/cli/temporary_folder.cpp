#include "cli/temporary_folder.h"

#include <cstdlib>

namespace tandem::cli {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::Create(const std::string& purpose) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / ("tandem-" + purpose + "-XXXXXX")).string();
  if (error || mkdtemp(name.data()) == nullptr) return Fail(ErrorKind::kIo, "A temporary folder cannot be created.");
  return TemporaryFolder(fs::canonical(name), true);
}

Result<TemporaryFolder> TemporaryFolder::Keep(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path made = fs::canonical(folder, error);
  if (error) return Fail(ErrorKind::kIo, "{} cannot be created.", folder);
  return TemporaryFolder(made, false);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (owned_) fs::remove_all(folder_, error);
}

}  // namespace tandem::cli
