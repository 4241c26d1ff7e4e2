// A program's note to the `tandem run` that started it: how far Tandem got in the program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::status {

// Names the note's file in the program's environment.
inline constexpr char kRunNoteVariable[] = "TANDEM_RUN_NOTE";

// The first crash inside the code of a display driver.
struct DriverCrash {
  int signal = 0;
  std::string ddi;                   // "DxgkDdiPresent"; empty: the driver's code ran outside a DDI
  std::vector<std::uint64_t> stack;  // offsets in the driver's shared object, innermost first
  std::string file;                  // the shared object
};

struct RunNote {
  bool instance = false;      // Tandem serves a Vulkan instance
  bool swap_chain = false;    // the program asked Tandem for a swap chain
  std::string stepped_aside;  // the last reason; empty: the layer did not step aside
  std::optional<DriverCrash> driver_crash;
};

// The command's side. One thread.
class RunNoteFile {
 public:
  // Creates a file in XDG_RUNTIME_DIR, or in the folder for temporary files, private to this user. kIo.
  [[nodiscard]] static Result<RunNoteFile> Create();
  RunNoteFile(RunNoteFile&&) = default;
  RunNoteFile& operator=(RunNoteFile&&) = delete;
  // Removes the file.
  ~RunNoteFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  // All notes of the program and its children so far. Accepts any bytes.
  [[nodiscard]] RunNote Read() const;

 private:
  RunNoteFile(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  UniqueFd file_;
};

// The program's side. Each function appends to the environment's file if it is a regular file of this user, and otherwise does
// nothing. Thread-safe.
void NoteInstance();
void NoteSwapChain();
void NoteStepAside(std::string_view reason);

// The environment's file, opened for NoteDriverCrash; invalid without one.
[[nodiscard]] UniqueFd OpenRunNote();
// For a signal handler: allocates nothing. `ddi` may be null.
void NoteDriverCrash(const UniqueFd& file, int signal, const char* ddi, std::span<const std::uint64_t> stack,
                     std::string_view driver);

}  // namespace tandem::status
