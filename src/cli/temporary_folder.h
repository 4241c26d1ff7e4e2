// A folder for files of one command.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace tandem::cli {

class TemporaryFolder {
 public:
  // Under TMPDIR; goes with the object. `purpose` becomes a part of its name. kIo.
  [[nodiscard]] static Result<TemporaryFolder> Create(const std::string& purpose);
  // A folder that the user names, made where it is missing; it stays. kIo.
  [[nodiscard]] static Result<TemporaryFolder> Keep(const std::string& folder);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), owned_(std::exchange(other.owned_, false)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  TemporaryFolder(std::filesystem::path folder, bool owned) : folder_(std::move(folder)), owned_(owned) {}

  std::filesystem::path folder_;
  bool owned_;
};

}  // namespace tandem::cli
