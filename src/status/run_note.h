// A program's note to the `tandem run` that started it: how far Tandem got in the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::status {

// Names the note's file in the program's environment.
inline constexpr char kRunNoteVariable[] = "TANDEM_RUN_NOTE";

struct RunNote {
  bool instance = false;      // Tandem serves a Vulkan instance
  bool swap_chain = false;    // the program asked Tandem for a swap chain
  std::string stepped_aside;  // the last reason; empty: the layer did not step aside
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

}  // namespace tandem::status
